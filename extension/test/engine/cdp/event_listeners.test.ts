import { describe, expect, it } from "vitest";
import { findListeners } from "../../../src/engine/cdp/event_listeners";
import type { Send } from "../../../src/engine/cdp/protocol";

const KINDS = ["click", ...Array.from({ length: 60 }, (_, i) => `kind${i}`)];

function answering(listeners: { type: string; backendNodeId?: number }[], calls: string[]): Send {
  const send = async (method: string): Promise<object> => {
    calls.push(method);
    if (method === "Runtime.evaluate") return { result: { objectId: "document" } };
    return method === "DOMDebugger.getEventListeners" ? { listeners } : {};
  };
  return send as Send;
}

describe("event listeners", () => {
  it("are those for clicks of an element's own", async () => {
    const calls: string[] = [];
    const send = answering(
      [
        { type: "click", backendNodeId: 1 },
        { type: "pointerdown", backendNodeId: 2 },
        { type: "keydown", backendNodeId: 3 },
        { type: "click" },
      ],
      calls,
    );
    expect([...(await findListeners(send))]).toEqual([1, 2]);
    expect(calls).toEqual(["Runtime.evaluate", "DOMDebugger.getEventListeners", "Runtime.releaseObject"]);
  });

  it("for everything belong to what frameworks build in", async () => {
    const send = answering(
      KINDS.map((type) => ({ type, backendNodeId: 1 })),
      [],
    );
    expect((await findListeners(send)).size).toBe(0);
  });
});
