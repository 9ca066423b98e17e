import { describe, expect, it, vi } from "vitest";
import { DebuggerFacts } from "../../../src/background/reading/debugger_facts";
import { failureOf } from "../../../src/background/tabs/debuggers";
import { Failure } from "../../../src/shared/errors";

const call = {
  tab: 1,
  input: "trusted" as const,
  deadline: { left: () => 10_000, signal: new AbortController().signal } as never,
};

/** A tab with one document, whose content script gets one element that is listened on. */
function asTab() {
  const tab = {
    fails: false,
    given: 0,
    doc: { id: "one", key: "one", tab: 1, problem: null } as never,
    session: {
      worlds: {
        ours: [{ id: 7, uniqueId: "ours" }],
        main: () => ({ id: 6, uniqueId: "theirs" }),
      },
      send: async (method: string, params: { uniqueContextId?: string; arguments?: object[] }) => {
        if (method === "Runtime.callFunctionOn") {
          if (tab.fails) throw failureOf(method, "Cannot find context with specified id");
          tab.given += params.arguments?.length ?? 0;
          return { result: {} };
        }
        if (method === "Runtime.evaluate" && params.uniqueContextId === "ours")
          return { result: { value: "one" } };
        if (method === "DOM.resolveNode") return { object: { objectId: "element" } };
        if (method === "DOMDebugger.getEventListeners")
          return { listeners: [{ type: "click", backendNodeId: 3 }] };
        return { result: { objectId: "document" } };
      },
    } as never,
  };
  return tab;
}

describe("what only the debugger sees", () => {
  it("is queried once a document, and again when that grew by a third", async () => {
    const tab = asTab();
    const open = vi.fn(async () => [tab.session]);
    const facts = new DebuggerFacts({ open }, { isAttached: () => true });
    const queriesAfter = async (elements: number, custom: string[] = []): Promise<number> => {
      facts.afterSnapshot(call, new Map([[tab.doc, { elements, custom }]]));
      await vi.waitFor(() => expect(open.mock.results.every(({ type }) => type !== "throw")).toBe(true));
      await new Promise((resolve) => setTimeout(resolve));
      return open.mock.calls.length;
    };
    expect(await queriesAfter(300)).toBe(1);
    expect(tab.given).toBe(1);
    expect(await queriesAfter(300)).toBe(1);
    expect(await queriesAfter(399)).toBe(1);
    expect(await queriesAfter(400)).toBe(2);
    expect(await queriesAfter(400, ["x-new"])).toBe(3);
  });

  it("is queried once also where the debugger shows no script of ours in the document", async () => {
    const { doc } = asTab();
    const open = vi.fn(async () => [{ worlds: { ours: [] } } as never]);
    const facts = new DebuggerFacts({ open }, { isAttached: () => true });
    for (let snapshot = 0; snapshot < 3; snapshot++) {
      facts.afterSnapshot(call, new Map([[doc, { elements: 300, custom: [] }]]));
      await new Promise((resolve) => setTimeout(resolve));
    }
    expect(open).toHaveBeenCalledTimes(1);
  });

  it("keeps no snapshot waiting, and fails for none", async () => {
    const refused = vi.fn(async (): Promise<never> => {
      throw new Failure("debugger_unavailable", "no");
    });
    const facts = new DebuggerFacts({ open: refused }, { isAttached: () => true });
    const tab = asTab();
    facts.afterSnapshot(call, new Map([[tab.doc, { elements: 1, custom: [] }]]));
    expect(tab.given).toBe(0);
    await facts.renewInternals(call, [tab.doc]);
    expect(refused).toHaveBeenCalledTimes(1);
  });

  it("is nothing where a document goes away meanwhile", async () => {
    const tab = asTab();
    tab.fails = true;
    const open = vi.fn(async () => [tab.session]);
    const facts = new DebuggerFacts({ open }, { isAttached: () => true });
    facts.afterSnapshot(call, new Map([[tab.doc, { elements: 1, custom: [] }]]));
    await vi.waitFor(() => expect(open).toHaveBeenCalled());
    expect(tab.given).toBe(0);
  });
});
