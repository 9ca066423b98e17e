import { describe, expect, it } from "vitest";
import { heardFrom } from "../../../src/engine/cdp/heard";
import type { Send } from "../../../src/engine/cdp/protocol";

interface Asked {
  method: string;
  params: { expression?: string; objectId?: string; depth?: number };
}

/** A page of three parts, the last alone, that has so many listeners, as far as it counts them. */
function pageOf(listeners: number | null, { small = false } = {}) {
  const asked: Asked[] = [];
  let counts = false;
  const answer = async (method: string, params: Asked["params"]): Promise<object> => {
    switch (method) {
      case "Performance.enable":
        // A busy page takes its time.
        await new Promise((resolve) => setTimeout(resolve, 5));
        counts = true;
        return {};
      case "Performance.disable":
        counts = false;
        return {};
      case "Performance.getMetrics": {
        const metrics = [{ name: "JSEventListeners", value: listeners }];
        return { metrics: counts && listeners !== null ? metrics : [] };
      }
      case "Runtime.evaluate":
        if (params.expression === "document") return { result: { objectId: "document" } };
        return { result: small ? {} : { objectId: "list" } };
      case "Runtime.getProperties": {
        const value = (objectId: string) => ({ objectId });
        const members = [value("one"), value("two"), value("around"), { value: "-1,-1,3" }, { value: 4 }];
        const names = ["0", "1", "2", "3", "length"];
        return { result: members.map((value, i) => ({ name: names[i], value })) };
      }
      case "DOMDebugger.getEventListeners": {
        const { objectId = "" } = params;
        const ids: Record<string, number> = { one: 1, two: 2, around: 3, document: 4 };
        return {
          listeners: [
            { type: "click", backendNodeId: ids[objectId] },
            { type: "scroll", backendNodeId: 9 },
            { type: "click" },
          ],
        };
      }
      default:
        return {};
    }
  };
  const send: Send = async <T>(method: string, params: object = {}) => {
    asked.push({ method, params });
    return (await answer(method, params)) as T;
  };
  const asking = (method: string) => asked.filter((one) => one.method === method);
  return { send, asked, asking };
}

describe("what is listened on", () => {
  it("is asked in one go where a page has few listeners", async () => {
    const page = pageOf(1_200);
    expect((await heardFrom(page.send)).found).toEqual(new Set([4]));
    expect(page.asking("DOMDebugger.getEventListeners")).toHaveLength(1);
  });

  it("is asked part by part where a page has many, though it is busy when it is told to count", async () => {
    const page = pageOf(21_000);
    const { found, release } = await heardFrom(page.send);
    expect(found).toEqual(new Set([1, 2, 3]));
    const parts = page.asking("DOMDebugger.getEventListeners").map(({ params }) => params);
    expect(parts.map(({ objectId, depth }) => [objectId, depth])).toEqual([
      ["one", -1],
      ["two", -1],
      ["around", 3],
    ]);
    expect(page.asking("Runtime.releaseObject")).toHaveLength(0);
    release();
    const released = page.asking("Runtime.releaseObject").map(({ params }) => params.objectId);
    expect(new Set(released)).toEqual(new Set(["document", "list", "one", "two", "around"]));
  });

  it("is asked part by part where a browser doesn't tell how many there are", async () => {
    const page = pageOf(null);
    expect((await heardFrom(page.send)).found).toEqual(new Set([1, 2, 3]));
  });

  it("is asked in one go where there are few elements, whatever the process has", async () => {
    const page = pageOf(21_000, { small: true });
    expect((await heardFrom(page.send)).found).toEqual(new Set([4]));
  });

  it("is not what passes all kinds of events on", async () => {
    const page = pageOf(1_200);
    const send: Send = async <T>(method: string, params?: object) => {
      if (method !== "DOMDebugger.getEventListeners") return page.send<T>(method, params);
      const kinds = ["click", ...Array.from({ length: 79 }, (_, i) => `kind${i}`)];
      const root = kinds.map((type) => ({ type, backendNodeId: 7 }));
      return {
        listeners: [...root, { type: "keydown", backendNodeId: 8 }, { type: "click", backendNodeId: 8 }],
      } as T;
    };
    expect((await heardFrom(send)).found).toEqual(new Set([8]));
  });

  it("is counted once for documents that are asked together, and not counted on", async () => {
    const page = pageOf(21_000);
    await Promise.all([heardFrom(page.send), heardFrom(page.send, "inner")]);
    const counting = page.asked.map(({ method }) => method).filter((method) => /^Performance/.test(method));
    expect(counting).toEqual(["Performance.enable", "Performance.getMetrics", "Performance.disable"]);
    await heardFrom(page.send);
    expect(page.asking("Performance.getMetrics")).toHaveLength(2);
  });
});
