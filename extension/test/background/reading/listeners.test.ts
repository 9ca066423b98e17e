import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Listeners } from "../../../src/background/reading/listeners";
import { failureOf } from "../../../src/background/tabs/debuggers";
import { Failure } from "../../../src/shared/errors";

const call = {
  tab: 1,
  input: "trusted" as const,
  deadline: { left: () => 10_000, signal: new AbortController().signal } as never,
};

/** How often a tab is asked in so many milliseconds where somebody wants to know all the time. */
async function count(ms: number, answer: () => Promise<never[]>): Promise<number> {
  const open = vi.fn(answer);
  const listeners = new Listeners({ open }, { isAttached: () => true });
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await listeners.refresh(call, []);
    await vi.advanceTimersByTimeAsync(10);
  }
  return open.mock.calls.length;
}

const taking = (ms: number) => async () => {
  vi.advanceTimersByTime(ms);
  return [];
};

describe("listeners", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("take a tenth of a page's time", async () => {
    const asked = await count(20_000, taking(100));
    expect(asked).toBeGreaterThan(15);
    expect(asked).toBeLessThanOrEqual(20);
  });

  it("are asked for sixteen times a second at most", async () => {
    const asked = await count(1_000, taking(0));
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThanOrEqual(17);
  });

  it("are asked for every few seconds however long that takes", async () => {
    expect(await count(28_000, taking(2_000))).toBe(4);
  });

  it("are left alone for a minute where the debugger may not look", async () => {
    const refuse = async (): Promise<never> => {
      throw new Failure("debugger_unavailable", "no");
    };
    expect(await count(59_000, refuse)).toBe(1);
    expect(await count(61_000, refuse)).toBe(2);
  });

  it("are waited for where a large page takes two seconds to tell", async () => {
    const tab = asTab();
    const open = async () => {
      await new Promise((resolve) => setTimeout(resolve, 2_000));
      return [tab.session];
    };
    const listeners = new Listeners({ open }, { isAttached: () => true });
    const told = listeners.refresh(call, [tab.doc("large")]).then(() => tab.told);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(await told).toBe(1);
  });

  it("of the next document are asked for when one goes away while it is told", async () => {
    const tab = asTab();
    const listeners = new Listeners({ open: async () => [tab.session] }, { isAttached: () => true });
    tab.fails = true;
    await listeners.refresh(call, [tab.doc("first")]);
    expect(tab.told).toBe(0);
    tab.fails = false;
    await listeners.refresh(call, [tab.doc("second")]);
    expect(tab.told).toBe(1);
  });
});

/** A tab with one document, whose content script is told of one element. */
function asTab() {
  const tab = {
    key: "",
    fails: false,
    told: 0,
    doc: (key: string) => {
      tab.key = key;
      return { id: key, key, tab: 1, problem: null } as never;
    },
    session: {
      worlds: {
        isolated: () => [{ id: 7, uniqueId: "ours" }],
        main: () => ({ id: 6, uniqueId: "theirs" }),
      },
      send: async (method: string, params: { uniqueContextId?: string }) => {
        if (method === "Runtime.callFunctionOn") {
          if (tab.fails) throw failureOf(method, "Cannot find context with specified id");
          tab.told += 1;
          return { result: { value: tab.told } };
        }
        if (method === "Runtime.evaluate" && params.uniqueContextId === "ours")
          return { result: { value: { key: tab.key, arrived: 1 } } };
        if (method === "DOM.resolveNode") return { object: { objectId: "element" } };
        if (method === "DOMDebugger.getEventListeners")
          return { listeners: [{ type: "click", backendNodeId: 3 }] };
        if (method === "Performance.getMetrics") return { metrics: [{ name: "JSEventListeners", value: 9 }] };
        return { result: { objectId: "document" } };
      },
    } as never,
  };
  return tab;
}
