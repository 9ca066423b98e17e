import { beforeEach, describe, expect, it, vi } from "vitest";
import type { CommandContext, RawJson } from "../../../src/background/commands/context";
import { Deadline } from "../../../src/background/deadline";
import { takeSnapshot } from "../../../src/background/reading/snapshot";
import { Store } from "../../../src/background/store";
import { Documents, type FrameApi } from "../../../src/background/tabs/documents";
import { Shares } from "../../../src/background/tabs/shares";
import { InputBlocker } from "../../../src/hit_safety/input_blocker";
import type { ContentRequest, InputBlockerOrder } from "../../../src/shared/messages";
import { FakeStorage } from "../fakes";

interface FakeDoc {
  id: string;
  frameId: number;
  parent?: string;
  /** Nonces of its iframes. */
  slots?: string[];
  /** The nonce of the iframe that it is in, which its parent reports once they have met. */
  at?: string;
  broken?: boolean;
  /** It answers nothing but a greeting. */
  silent?: boolean;
}

let reporting: Documents;

/** Documents that all take the content script from the extension. */
function documentsOf(api: FrameApi, byDebugger = {}): Documents {
  const refusing = { serves: () => false, mayServe: () => false, inject: async () => false };
  const debuggerScript = { ...refusing, call: async () => undefined, leave: () => undefined, ...byDebugger };
  reporting = new Documents(api, shares, new InputBlocker(), debuggerScript as never);
  return reporting;
}

const nonce = (n: number): string => String(n).padStart(32, "0");

/** A tab's documents with content scripts that answer as real ones do. */
class FakeTab {
  readonly injected: string[] = [];
  /** What documents were told before they had the script. */
  readonly orders = new Map<string, InputBlockerOrder>();
  readonly greeted = new Map<string, { frame: number; after: number }>();
  scripts = new Set<string>();

  constructor(public docs: FakeDoc[]) {}

  readonly api = {
    webNavigation: {
      getAllFrames: async () =>
        this.docs.map(({ id, frameId, parent }) => ({
          documentId: id,
          frameId,
          url: `http://a.test/${id}`,
          documentLifecycle: "active",
          errorOccurred: false,
          ...(parent ? { parentDocumentId: parent } : {}),
        })),
    },
    scripting: {
      executeScript: async ({
        target,
        args,
      }: {
        target: { documentIds: string[] };
        args?: [InputBlockerOrder];
      }) => {
        const [id] = target.documentIds as [string];
        if (args && !this.scripts.has(id)) {
          this.orders.set(id, args[0]);
          return;
        }
        if (this.docs.find((doc) => doc.id === id)?.broken)
          throw new Error("Cannot access contents of the page");
        this.injected.push(id);
        this.scripts.add(id);
      },
    },
    tabs: {
      get: async () => ({ status: "complete" }),
      sendMessage: async (_: number, request: ContentRequest, { documentId: id }: { documentId: string }) => {
        if (!this.scripts.has(id))
          throw new Error("Could not establish connection. Receiving end does not exist.");
        const silent = this.docs.some((doc) => doc.id === id && doc.silent);
        if (silent && request.op !== "hello") return new Promise(() => undefined);
        return { ok: true, value: this.#answer(id, request) };
      },
    },
  } as unknown as FrameApi;

  #answer(id: string, request: ContentRequest): unknown {
    const doc = this.docs.find((each) => each.id === id) as FakeDoc;
    if (request.op === "hello") {
      const known = this.greeted.get(id);
      const frame = known?.frame ?? request.frame;
      this.greeted.set(id, { frame, after: request.after });
      return {
        key: `key-${id}`,
        frame,
        highest: request.after,
        status: 200,
        type: "text/html",
      };
    }
    if (request.op === "meet") {
      if (doc.at) reporting.reported(doc.parent, { key: `key-${id}`, nonce: doc.at });
      return null;
    }
    const slots = (doc.slots ?? []).map((each, index) => ({ number: index + 1, nonce: each }));
    const tree = JSON.stringify({
      key: `key-${id}`,
      extra: slots.map((slot) => [slot.number, { document: slot.nonce }]),
    });
    return { tree, slots, highest: 7, elements: 1, custom: [], quiet_ms: 800, unfinished: false };
  }
}

let shares: Shares;
const deadline = (): Deadline => new Deadline(2_000, "snapshot");

interface Snapshot {
  documents: { key: string; extra: [number, { document: string | null }][] }[];
  missing: unknown[];
}

async function snapshotOf(documents: Documents): Promise<Snapshot> {
  const navigations = { state: () => ({ loaded: true, pending: new Map() }) };
  const openRequests = {
    of: () => ({ open: [], caused: 0, answered: 500, acted: 900, causedAnswered: Number.POSITIVE_INFINITY }),
  };
  const facts = { afterSnapshot: () => undefined };
  const debuggers = { isAttached: () => false };
  const services = { debuggers, documents, shares, facts, navigations, openRequests };
  const context = { services, tab: 1, deadline: deadline() } as unknown as CommandContext;
  const taken = await takeSnapshot(context, {});
  return JSON.parse((taken as RawJson<unknown>).text);
}

const snapshot = async (documents: Documents) => (await snapshotOf(documents)).documents;

const page = (): FakeDoc[] => [
  { id: "main", frameId: 0, slots: [nonce(1), nonce(2)] },
  { id: "inner", frameId: 9, parent: "child", at: nonce(3) },
  { id: "child", frameId: 5, parent: "main", slots: [nonce(3)], at: nonce(1) },
  { id: "other", frameId: 6, parent: "main", at: nonce(2) },
];

beforeEach(() => {
  shares = new Shares(new Store(new FakeStorage()));
  shares.add(1, "k1", "kernel");
});

describe("documents", () => {
  it("are numbered main first, parents before children, and injected once", async () => {
    const tab = new FakeTab(page());
    const documents = documentsOf(tab.api);
    const docs = await documents.list(1, deadline());
    expect(docs.map(({ id, frame }) => [id, frame])).toEqual([
      ["main", 0],
      ["child", 1],
      ["other", 2],
      ["inner", 3],
    ]);
    await documents.list(1, deadline());
    expect(tab.injected.sort()).toEqual(["child", "inner", "main", "other"]);
  });

  it("are not injected again by a worker that was restarted, and keep their numbers", async () => {
    const tab = new FakeTab(page());
    await documentsOf(tab.api).list(1, deadline());
    const restarted = documentsOf(tab.api);
    const docs = await restarted.list(1, deadline());
    expect(docs.map(({ frame }) => frame)).toEqual([0, 1, 2, 3]);
    expect(tab.injected).toHaveLength(4);
  });

  it("are told of input on its way before they have the script", async () => {
    const tab = new FakeTab(page());
    const documents = documentsOf(tab.api);
    const release = documents.blockInput(1);
    const committed = (documentId: string): void =>
      documents.committed({ tabId: 1, frameId: 0, documentId, url: "http://a.test/" });
    committed("main");
    release();
    committed("other");
    await documents.list(1, deadline());
    const blocked = ["main", "other"].map((id) => tab.orders.get(id)?.stillBlocked);
    expect(blocked).toEqual([true, false]);
  });

  it("never get a number that an earlier document had", async () => {
    const tab = new FakeTab(page());
    const documents = documentsOf(tab.api);
    await documents.list(1, deadline());
    tab.docs = [
      { id: "next", frameId: 0 },
      { id: "new", frameId: 11, parent: "next" },
    ];
    documents.committed({ tabId: 1, frameId: 0, url: "http://a.test/next", documentId: "next" });
    const docs = await documents.list(1, deadline());
    expect(docs.map(({ frame }) => frame)).toEqual([0, 4]);
    await expect(documents.byFrame(1, 2, deadline())).rejects.toMatchObject({ code: "stale_ref" });
    await expect(documents.byFrame(1, 77, deadline())).rejects.toMatchObject({ code: "unknown_ref" });
  });

  it("of a tab are greeted when they are committed, without a command", async () => {
    const tab = new FakeTab([{ id: "main", frameId: 0 }]);
    const documents = documentsOf(tab.api);
    documents.committed({ tabId: 1, frameId: 0, url: "http://a.test/main", documentId: "main" });
    await vi.waitFor(() => expect(documents.knownMain(1)?.key).toBe("key-main"));
  });

  it("number on after what the one before gave out once they were there", async () => {
    const tab = new FakeTab([{ id: "old", frameId: 0 }]);
    const documents = documentsOf(tab.api);
    const old = await documents.main(1, deadline());
    tab.docs = [{ id: "next", frameId: 0 }];
    documents.committed({ tabId: 1, frameId: 0, url: "http://a.test/next", documentId: "next" });
    await documents.main(1, deadline());
    documents.raise(old, 40);
    await documents.main(1, deadline());
    expect(tab.greeted.get("next")?.after).toBe(40);
  });

  it("of a page that no script may enter make it unreachable", async () => {
    const tab = new FakeTab([{ id: "main", frameId: 0, broken: true }]);
    const documents = documentsOf(tab.api);
    await expect(documents.main(1, deadline())).rejects.toMatchObject({ code: "page_unreachable" });
  });

  it("that refuse the script while they come are read once they take it, and for good after a while", async () => {
    const child = { id: "child", frameId: 5, parent: "main", broken: true };
    const tab = new FakeTab([{ id: "main", frameId: 0 }, child]);
    const documents = documentsOf(tab.api);
    const ids = async (): Promise<string[]> => (await documents.readable(1, deadline())).map(({ id }) => id);
    for (let n = 0; n < 3; n++) expect(await ids()).toEqual(["main"]);
    child.broken = false;
    expect(await ids()).toEqual(["main", "child"]);

    const late = { id: "late", frameId: 6, parent: "main", broken: true };
    tab.docs.push(late);
    expect(await ids()).toEqual(["main", "child"]);
    const now = performance.now();
    vi.spyOn(performance, "now").mockImplementation(() => now + 6_000);
    expect(await ids()).toEqual(["main", "child"]);
    late.broken = false;
    expect(await ids()).toEqual(["main", "child"]);
    vi.restoreAllMocks();
  });

  it("leave the debugger's script to no other document, whichever is known first", async () => {
    for (const early of [true, false]) {
      const tab = new FakeTab([{ id: "blank", frameId: 0, broken: true }]);
      const left: string[] = [];
      const next = (): void =>
        documents.committed({ tabId: 1, frameId: 0, url: "http://a.test/next", documentId: "next" });
      const inject = async (): Promise<boolean> => {
        if (early) next();
        return true;
      };
      const leave = ({ id }: { id: string }): unknown => left.push(id);
      const documents = documentsOf(tab.api, { inject, leave, mayServe: () => true });
      await documents.main(1, deadline()).catch(() => undefined);
      if (!early) next();
      expect(left.at(-1)).toBe("blank");
      expect(left).toHaveLength(early ? 2 : 1);
    }
  });

  it("of a tab that is not shared stay untouched", () => {
    const tab = new FakeTab(page());
    const documents = documentsOf(tab.api);
    documents.committed({ tabId: 2, frameId: 0, url: "http://a.test/", documentId: "main" });
    expect(tab.injected).toEqual([]);
  });
});

describe("a snapshot", () => {
  it("joins documents to their iframes, children after their parents", async () => {
    const trees = await snapshot(documentsOf(new FakeTab(page()).api));
    expect(trees.map(({ key }) => key)).toEqual(["key-main", "key-child", "key-inner", "key-other"]);
    expect(trees[0]?.extra.map(([, { document }]) => document)).toEqual(["key-child", "key-other"]);
    expect(trees[1]?.extra[0]?.[1].document).toBe("key-inner");
    expect(shares.get(1)?.after).toBe(7);
  });

  it("waits a moment for a nonce that is on its way", async () => {
    const docs = page().map((doc) => (doc.id === "other" ? { ...doc, at: "" } : doc));
    const documents = documentsOf(new FakeTab(docs).api);
    const taking = snapshot(documents);
    setTimeout(() => documents.reported("main", { key: "key-other", nonce: nonce(2) }), 20);
    expect((await taking).map(({ key }) => key)).toContain("key-other");
  });

  it("23: does not take a document for the child of a frame that is not its parent", async () => {
    const docs = page().map((doc) => (doc.id === "inner" || doc.id === "other" ? { ...doc, at: "" } : doc));
    const documents = documentsOf(new FakeTab(docs).api);
    await documents.list(1, deadline());
    documents.reported("main", { key: "key-inner", nonce: nonce(2) });
    const trees = await snapshot(documents);
    expect(trees.map(({ key }) => key)).toEqual(["key-main", "key-child"]);
    expect(trees[0]?.extra.map(([, { document }]) => document)).toEqual(["key-child", null]);
  });

  it("23: joins a document to the iframe that was named first", async () => {
    const docs: FakeDoc[] = [
      { id: "main", frameId: 0, slots: [nonce(1), nonce(2)] },
      { id: "child", frameId: 5, parent: "main" },
    ];
    const documents = documentsOf(new FakeTab(docs).api);
    await documents.list(1, deadline());
    documents.reported("main", { key: "key-child", nonce: nonce(1) });
    documents.reported("main", { key: "key-child", nonce: nonce(2) });
    const trees = await snapshot(documents);
    expect(trees[0]?.extra.map(([, { document }]) => document)).toEqual(["key-child", null]);
  });

  it("are not waited for once others took their places", async () => {
    const tab = new FakeTab([{ id: "old", frameId: 0, silent: true }]);
    const documents = documentsOf(tab.api);
    const [old] = await documents.list(1, deadline());
    if (!old) throw new Error("no document");
    const asked = documents.call(old, { op: "unguard" }, deadline());
    const left = expect(asked).rejects.toMatchObject({ code: "page_navigated" });
    documents.committed({ tabId: 1, frameId: 0, documentId: "new", url: "http://a.test/new" } as never);
    await left;
    // One that is asked even later is gone just so.
    await expect(documents.call(old, { op: "unguard" }, deadline())).rejects.toMatchObject({
      code: "page_navigated",
    });
  });

  it("names the frames that could not be read", async () => {
    const docs = page().map((doc) => (doc.id === "other" ? { ...doc, broken: true } : doc));
    const { missing } = await snapshotOf(documentsOf(new FakeTab(docs).api));
    expect(missing).toEqual([{ url: "http://a.test/other", reason: "Cannot access contents of the page" }]);
  });
});
