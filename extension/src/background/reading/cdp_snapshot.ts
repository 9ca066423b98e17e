// A tab's snapshot by the DevTools protocol: every session captured, joined into one tree of documents, and numbered
// like the content scripts number.

import { type Capture, capture } from "../../engine/cdp/capture";
import { type DocumentSnapshot, number, snapshotOf } from "../../engine/cdp/snapshot";
import { buildTree } from "../../engine/cdp/tree";
import type { DocumentTree, MissingFrame, NodeExtra, SnapshotResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { Command } from "../commands/command";
import { Backoff } from "../connection/backoff";
import type { CdpSessions, Session } from "../tabs/cdp_sessions";
import type { Documents } from "../tabs/documents";
import type { Doc } from "../tabs/registry";
import type { World } from "../tabs/script_worlds";
import { type DocumentMemory, numberElements } from "./cdp_numbers";

/** How often a page that changes while it is captured is captured again. */
const CAPTURES = 3;
const ATTACHMENTS = 5;
/** Documents whose numbers are remembered. */
const REMEMBERED = 200;

/** A captured document, and the one that the content scripts know it as. */
interface Part {
  session: Session;
  capture: Capture;
  /** Its place in the capture. */
  at: number;
  frameId: string;
  doc: Doc | null;
  world: World | null;
}

type Versions = ReadonlyMap<Doc, number | null>;

export class CdpSnapshots {
  readonly #memories = new Map<string, DocumentMemory>();

  constructor(private readonly sessions: CdpSessions) {}

  /** The tab's snapshot now. */
  async take(documents: Documents, call: Command): Promise<SnapshotResult> {
    const backoff = new Backoff(100, 2_000);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#takeSettled(documents, call);
      } catch (error) {
        const lost = error instanceof Failure && error.data.detached === true;
        if (!lost || attempt === ATTACHMENTS) throw error;
        this.sessions.forget(call.tab);
        await call.deadline.race(new Promise((resolve) => setTimeout(resolve, backoff.next())));
      }
    }
  }

  async #takeSettled(documents: Documents, call: Command): Promise<SnapshotResult> {
    for (let count = 1; ; count++) {
      const began = performance.now();
      const docs = await documents.list(call.tab, call.deadline);
      await documents.main(call.tab, call.deadline);
      const versions = await versionsOf(documents, call, docs);
      const trees = await this.#takeOnce(documents, call, docs, versions);
      if (count < CAPTURES && !isSame(await versionsOf(documents, call, docs), versions)) continue;
      const missing = docs
        .filter((doc) => doc.problem !== null)
        .map((doc): MissingFrame => ({ url: doc.url, reason: doc.problem as string }));
      for (const tree of trees) Object.freeze(tree);
      return Object.freeze({
        documents: trees as SnapshotResult["documents"],
        missing,
        took_ms: performance.now() - began,
      });
    }
  }

  /** Every document's tree, children after their parents. */
  async #takeOnce(
    documents: Documents,
    call: Command,
    docs: readonly Doc[],
    versions: Versions,
  ): Promise<DocumentTree[]> {
    const sessions = await this.sessions.open(call.tab, call.deadline);
    const captured = await Promise.all(sessions.map((session) => captureParts(session, call, docs)));
    const parts = captured.flat();
    const main = parts[0];
    if (!main?.doc) throw new Failure("page_navigated", "The page went elsewhere while it was read.");
    const owned = await ownedParts(parts, sessions);
    const trees: DocumentTree[] = [];
    const add = async (part: Part, doc: Doc): Promise<void> => {
      const { tree, frames } = await this.#snapshot(documents, part, doc, versions.get(doc) ?? 0);
      trees.push(tree);
      for (const { node, at } of frames) {
        const isInside = (other: Part): boolean => other.capture === part.capture && other.at === node.frame;
        const child = owned.get(`${part.session.id}/${node.backend}`) ?? parts.find(isInside);
        extraAt(tree, at).document = child?.doc?.key ?? null;
        if (!child?.doc) continue;
        child.doc.owner = { doc, number: tree.number[at] as number };
        await add(child, child.doc);
      }
    };
    await add(main, main.doc);
    return trees;
  }

  async #snapshot(documents: Documents, part: Part, doc: Doc, version: number): Promise<DocumentSnapshot> {
    const { session, capture, at, world } = part;
    if (!world) throw new Failure("page_navigated", `The document at ${doc.url} went away.`);
    const memory = this.#memory(doc);
    for (;;) {
      const { captured, listeners } = capture;
      const ax = capture.ax[at] ?? new Map();
      const document = buildTree(captured, at, { ax, listeners, secret: memory.secret });
      for (const node of document.elements.values()) if (node.secret) memory.secret.add(node.backend);
      const known = memory.secret.size;
      const snapshot = snapshotOf(document, { key: doc.key, frame: doc.frame ?? 0, version });
      const highest = await numberElements(session.send, world, snapshot.shown, memory);
      documents.raise(doc, highest);
      // The content script knows fields that were secret before the debugger came: nothing may quote those either.
      if (memory.secret.size > known) continue;
      number(
        snapshot,
        snapshot.shown.map(({ backend }) => memory.numbers.get(backend) as number),
      );
      return snapshot;
    }
  }

  #memory(doc: Doc): DocumentMemory {
    let memory = this.#memories.get(doc.id);
    if (!memory) {
      memory = { numbers: new Map(), secret: new Set() };
      this.#memories.set(doc.id, memory);
      if (this.#memories.size > REMEMBERED) this.#memories.delete([...this.#memories.keys()][0] as string);
    }
    return memory;
  }
}

/** A session's documents, the session's own first. */
async function captureParts(session: Session, call: Command, docs: readonly Doc[]): Promise<Part[]> {
  const found = await capture(session.send).catch((error: unknown) => {
    // A frame in another process may leave meanwhile; the tab's own session may not.
    if (session.id === null || call.deadline.signal.aborted) throw error;
    return null;
  });
  if (!found) return [];
  const { documents, strings } = found.captured;
  return Promise.all(
    documents.map(async (document, at): Promise<Part> => {
      const frameId = strings[document.frameId] ?? "";
      const part = { session, capture: found, at, frameId };
      for (const world of session.worldsIn(frameId)) {
        const key = await keyOf(session, world.uniqueId);
        const doc = docs.find((one) => key !== null && one.key === key);
        if (doc) return { ...part, doc, world };
      }
      return { ...part, doc: null, world: null };
    }),
  );
}

async function versionsOf(documents: Documents, call: Command, docs: readonly Doc[]): Promise<Versions> {
  const readable = docs.filter((doc) => doc.problem === null);
  const versions = await Promise.all(readable.map((doc) => documents.readVersion(doc, call.deadline)));
  return new Map(readable.map((doc, i) => [doc, versions[i] ?? null]));
}

function isSame(a: Versions, b: Versions): boolean {
  return a.size === b.size && [...a].every(([doc, version]) => version !== null && b.get(doc) === version);
}

async function keyOf(session: Session, uniqueContextId: string): Promise<string | null> {
  const query = { expression: "globalThis.skillbook?.key ?? null", uniqueContextId, returnByValue: true };
  const found = session.send<{ result: { value: string | null } }>("Runtime.evaluate", query);
  // The frame may have gone since.
  return found.then(({ result }) => result.value).catch(() => null);
}

/** Documents of other processes, by the session and the element that their frames are in. */
async function ownedParts(parts: readonly Part[], sessions: readonly Session[]): Promise<Map<string, Part>> {
  const owned = new Map<string, Part>();
  await Promise.all(
    sessions.map(async ({ id, frameId, parent }) => {
      const child = parts.find((part) => part.session.id === id && part.frameId === frameId);
      const above = sessions.find((session) => session.id === parent);
      if (id === null || !child || !above) return;
      const owner = above.send<{ backendNodeId: number }>("DOM.getFrameOwner", { frameId });
      const found = await owner.catch(() => null);
      if (found) owned.set(`${parent}/${found.backendNodeId}`, child);
    }),
  );
  return owned;
}

function extraAt(tree: DocumentTree, at: number): NodeExtra {
  const found = tree.extra.find(([index]) => index === at);
  if (found) return found[1];
  const made: NodeExtra = {};
  tree.extra.push([at, made]);
  return made;
}
