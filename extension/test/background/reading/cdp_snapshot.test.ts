// Snapshots by the debugger: attached when needed and again when lost, frames joined.
import { beforeEach, describe, expect, it, vi } from "vitest";
import type { CommandContext } from "../../../src/background/commands/context";
import { Deadline } from "../../../src/background/deadline";
import { takeCdpSnapshot } from "../../../src/background/reading/cdp_snapshot";
import { CdpSessions } from "../../../src/background/tabs/cdp_sessions";
import { Debuggers } from "../../../src/background/tabs/debuggers";
import type { Documents } from "../../../src/background/tabs/documents";
import type { Doc } from "../../../src/background/tabs/registry";
import { InputBlocker } from "../../../src/hit_safety/input_blocker";
import { captured, type Spec } from "../../engine/cdp/captured";

type Target = { tabId: number; sessionId?: string };

const OTHER = "OTHER-FRAME";

let version: number;
/** By how much the version grows with each query. */
let growth: number;
let pages: Record<string, (Spec | string)[]>;
let failing: number;
let attached: number;
let captures: number;
let numbers: Map<string, number>;
let secrets: number[];
let docs: Doc[];
let sessions: CdpSessions;
let documents: Documents;

const document = (key: string, frameId: number): Doc =>
  ({ id: key, tab: 1, key, frameId, frame: frameId, url: key, problem: null, owner: null }) as unknown as Doc;

const context = (id: number, frameId: string) => ({
  context: { id, uniqueId: `u${id}`, origin: "chrome-extension://ours", name: "", auxData: { frameId } },
});

const event = (method: string, params: object): void =>
  sessions.take({ tab: 1, session: null, method, params });

async function answer(target: Target, method: string, params: Record<string, unknown>): Promise<unknown> {
  const where = target.sessionId ?? "";
  switch (method) {
    case "DOMSnapshot.captureSnapshot": {
      captures++;
      if (failing-- > 0) throw new Error("Debugger is not attached to the tab with id: 1.");
      const found = captured(pages[where] ?? []);
      const own = found.documents[0];
      if (own && where) own.frameId = found.strings.push(OTHER) - 1;
      return found;
    }
    case "DOMDebugger.getEventListeners":
      return { listeners: [] };
    case "Performance.getMetrics":
      return { metrics: [{ name: "JSEventListeners", value: 9 }] };
    case "Accessibility.getFullAXTree":
      return { nodes: [] };
    case "Runtime.evaluate":
      if (String(params.expression).includes("version()")) {
        version += growth;
        return { result: { value: version } };
      }
      return { result: { value: params.uniqueContextId === "u1" ? "main" : "inner" } };
    case "DOM.resolveNode":
      return { object: { objectId: `${where}/${params.backendNodeId}` } };
    case "DOM.getFrameOwner":
      return { backendNodeId: 7 };
    case "Runtime.callFunctionOn": {
      const handles = (params.arguments as { objectId: string }[]).slice(2);
      const noted = handles.map(({ objectId }) => {
        if (!numbers.has(objectId)) numbers.set(objectId, numbers.size + 1);
        return numbers.get(objectId);
      });
      return { result: { value: { numbers: noted, secret: secrets, highest: numbers.size } } };
    }
    case "Target.setAutoAttach":
      if (!where && params.autoAttach && pages.s1)
        event("Target.attachedToTarget", {
          sessionId: "s1",
          targetInfo: { targetId: OTHER, type: "iframe" },
        });
      return {};
    case "Runtime.enable":
      await Promise.resolve();
      sessions.take({
        tab: 1,
        session: where || null,
        method: "Runtime.executionContextCreated",
        params: where ? context(2, OTHER) : context(1, "FRAME"),
      });
      return {};
    default:
      return {};
  }
}

beforeEach(() => {
  version = 1;
  growth = 0;
  pages = { "": [{ tag: "button", id: 5, attributes: { "aria-label": "Buy" } }] };
  failing = attached = captures = 0;
  numbers = new Map();
  secrets = [];
  docs = [document("main", 0)];
  const api = {
    attach: vi.fn(async () => void attached++),
    detach: vi.fn(async () => undefined),
    sendCommand: vi.fn((target: Target, method: string, params: object) =>
      answer(target, method, params as Record<string, unknown>).catch((error) => {
        if (/not attached/.test(String(error))) debuggers.detached(1, "target_closed");
        throw error;
      }),
    ),
  } as unknown as ConstructorParameters<typeof Debuggers>[0];
  const debuggers: Debuggers = new Debuggers(api, new InputBlocker());
  sessions = new CdpSessions(debuggers, "ours", new InputBlocker());
  documents = {
    list: async () => docs,
    main: async () => docs[0],
    raise: () => undefined,
  } as unknown as Documents;
});

const take = () =>
  takeCdpSnapshot({
    services: { documents, sessions },
    tab: 1,
    deadline: new Deadline(5_000, "snapshot"),
  } as unknown as CommandContext);

describe("attaching", () => {
  it("happens when the first snapshot needs it", async () => {
    expect(attached).toBe(0);
    await take();
    await take();
    expect(attached).toBe(1);
  });

  it("says where it was lost, and happens again for the next snapshot, in which refs stay", async () => {
    const before = await take();
    failing = 1;
    await expect(take()).rejects.toMatchObject({ code: "debugger_unavailable", data: { detached: true } });
    const after = await take();
    expect(attached).toBe(2);
    expect(after.documents[0]?.number).toEqual(before.documents[0]?.number);
  });
});

describe("a snapshot", () => {
  it("can't be changed", async () => {
    const first = await take();
    expect(Object.isFrozen(first)).toBe(true);
    expect(Object.isFrozen(first.documents[0])).toBe(true);
  });

  it("is taken again while the page changes under it, but not for ever", async () => {
    growth = 1;
    await take();
    expect(captures).toBe(3);
  });

  it("has no value of a field that the content script knows as secret", async () => {
    pages[""] = [{ tag: "input", id: 5, attributes: { "aria-label": "Nickname" }, value: "hunter2" }];
    expect(JSON.stringify(await take())).toContain("hunter2");
    secrets = [0];
    expect(JSON.stringify(await take())).not.toContain("hunter2");
  });
});

describe("frames in other processes", () => {
  beforeEach(() => {
    pages[""] = [{ tag: "iframe", id: 7, attributes: { "aria-label": "Ad" } }];
    pages.s1 = [{ tag: "button", id: 5, attributes: { "aria-label": "Inner" } }];
    docs = [document("main", 0), document("inner", 4)];
  });

  it("are joined to their elements", async () => {
    const { documents } = await take();
    expect(documents.map(({ key }) => key)).toEqual(["main", "inner"]);
    expect(documents[0]?.extra.map(([, { document: key }]) => key)).toEqual(["inner"]);
    expect(docs[1]?.owner?.number).toBe(documents[0]?.number[0]);
  });

  it("are gone when their session is", async () => {
    expect((await take()).documents).toHaveLength(2);
    event("Target.detachedFromTarget", { sessionId: "s1" });
    const { documents } = await take();
    expect(documents).toHaveLength(1);
    expect(documents[0]?.extra.map(([, { document: key }]) => key)).toEqual([null]);
  });
});
