// A tab's snapshot by the DevTools protocol: every session captured, joined into one tree of documents, and numbered
// like the content scripts number.

import { capture } from "../../engine/cdp/capture";
import type { VirtualElement } from "../../engine/cdp/nodes";
import { number, type Picture, pictureOf } from "../../engine/cdp/picture";
import type { VirtualDocument } from "../../engine/cdp/tree";
import { isSecret } from "../../engine/dom/semantics/secrets";
import type { DocumentTree, MissingFrame, NodeExtra, SnapshotResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { State } from "../../shared/state";
import type { Command } from "../commands/command";
import { Backoff } from "../connection/backoff";
import type { CdpSessions, Session, SessionEvent } from "../tabs/cdp_sessions";
import type { Documents } from "../tabs/documents";
import type { Doc } from "../tabs/registry";
import type { World } from "../tabs/script_worlds";
import { type DocumentMemory, numbersOf } from "./cdp_numbers";

/** How often a page that changes while it is looked at is looked at again. */
const LOOKS = 3;
const ATTACHMENTS = 5;
/** A burst of requests is answered by one picture. */
const BURST_MS = 250;
/** What says that documents are others than before. */
const DOCUMENT_EVENTS = /^(DOM\.documentUpdated|Page\.frame\w+|Target\.(at|de)tached\w+)$/;
/** Documents whose numbers are remembered. */
const KEPT = 200;

interface Seen {
  document: VirtualDocument;
  session: Session;
  doc: Doc | null;
  world: World | null;
}

interface Held {
  result: SnapshotResult;
  versions: ReadonlyMap<Doc, number | null>;
  takenAt: number;
}

export class CdpSnapshots {
  readonly #held = new Map<number, Held>();
  readonly #memories = new Map<string, DocumentMemory>();

  constructor(readonly sessions: CdpSessions) {}

  /** The tab's snapshot now: taken again, but for bursts in which nothing happened. */
  async take(documents: Documents, call: Command): Promise<SnapshotResult> {
    const backoff = new Backoff(100, 2_000);
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.#look(documents, call);
      } catch (error) {
        const lost = error instanceof Failure && error.data.detached === true;
        if (!lost || attempt === ATTACHMENTS) throw error;
        this.invalidate(call.tab);
        this.sessions.forget(call.tab);
        await call.deadline.race(new Promise((resolve) => setTimeout(resolve, backoff.next())));
      }
    }
  }

  /** Something was done to the page, whether it worked or not, or its documents changed. */
  invalidate(tab: number): void {
    this.#held.delete(tab);
  }

  /** Events of the debugger. */
  see(event: SessionEvent): void {
    this.sessions.take(event);
    if (DOCUMENT_EVENTS.test(event.method)) this.invalidate(event.tab);
  }

  /** The tab is gone, or no longer shared. */
  forget(tab: number): void {
    this.invalidate(tab);
    this.sessions.forget(tab);
  }

  async #look(documents: Documents, call: Command): Promise<SnapshotResult> {
    for (let look = 1; ; look++) {
      const began = performance.now();
      const docs = await documents.list(call.tab, call.deadline);
      await documents.main(call.tab, call.deadline);
      const versions = await versionsOf(documents, call, docs);
      const held = this.#held.get(call.tab);
      if (held && began - held.takenAt < BURST_MS && isSame(held.versions, versions)) return held.result;
      const taken = await this.#capture(documents, call, docs, versions, began);
      const settled = isSame(await versionsOf(documents, call, docs), versions);
      if (!settled && look < LOOKS) continue;
      const result = freeze({ ...taken, took_ms: performance.now() - began });
      if (settled) this.#held.set(call.tab, { result, versions, takenAt: performance.now() });
      return result;
    }
  }

  async #capture(
    documents: Documents,
    call: Command,
    docs: readonly Doc[],
    versions: ReadonlyMap<Doc, number | null>,
    began: number,
  ): Promise<SnapshotResult> {
    const sessions = await this.sessions.open(call.tab, call.deadline);
    const secret = new Set(docs.flatMap((doc) => [...this.#memory(doc).secret]));
    const captured = await Promise.all(
      sessions.map(async (session) => ({
        session,
        documents: await capture(session.send, secret).catch((error: unknown) => {
          // A frame in another process may leave meanwhile; the tab's own session may not.
          if (session.id === null || call.deadline.signal.aborted) throw error;
          return [];
        }),
      })),
    );
    const seen = await Promise.all(
      captured.flatMap(({ session, documents }) =>
        documents.map(async (document): Promise<Seen> => {
          for (const world of session.worldsIn(document.frameId)) {
            const key = await keyOf(session, world.uniqueId);
            const doc = docs.find((one) => key !== null && one.key === key);
            if (doc) return { document, session, doc, world };
          }
          return { document, session, doc: null, world: null };
        }),
      ),
    );
    const main = seen[0] as Seen;
    if (!main.doc) throw new Failure("page_navigated", "The page went elsewhere while it was read.");
    const owners = await ownersOf(seen, sessions);
    const trees: DocumentTree[] = [];
    const missing: MissingFrame[] = docs
      .filter((doc) => doc.problem !== null)
      .map((doc) => ({ url: doc.url, reason: doc.problem as string }));
    const add = async (one: Seen, doc: Doc): Promise<void> => {
      const picture = await this.#picture(documents, one, doc, versions.get(doc) ?? 0);
      trees.push(picture.tree);
      for (const { element, at, number: ref } of picture.frames) {
        const child = owners.get(element as unknown as VirtualElement);
        extraAt(picture.tree, at).document = child?.doc?.key ?? null;
        if (!child?.doc) continue;
        child.doc.owner = { doc, number: ref };
        await add(child, child.doc);
      }
    };
    await add(main, main.doc);
    return { documents: trees as SnapshotResult["documents"], missing, took_ms: performance.now() - began };
  }

  async #picture(documents: Documents, one: Seen, doc: Doc, version: number): Promise<Picture> {
    const { document, session, world } = one;
    const memory = this.#memory(doc);
    for (const element of document.elements.values())
      if (isSecret(element as unknown as Element)) memory.secret.add(element.backend);
    const known = new Set(memory.secret);
    const picture = pictureOf(document, { key: doc.key, frame: doc.frame ?? 0, version }, true);
    if (!world) throw new Failure("page_navigated", `The document at ${doc.url} went away.`);
    const told = await numbersOf(session.send, world, picture.shown, document, version, memory);
    for (const [place, { backend }] of picture.shown.entries())
      if (memory.secret.has(backend) && !known.has(backend)) hide(picture.tree, place + 1);
    number(picture, told.numbers);
    documents.raise(doc, told.highest);
    return picture;
  }

  #memory(doc: Doc): DocumentMemory {
    let memory = this.#memories.get(doc.id);
    if (!memory) {
      memory = { numbers: new Map(), secret: new Set() };
      this.#memories.set(doc.id, memory);
      if (this.#memories.size > KEPT) this.#memories.delete([...this.#memories.keys()][0] as string);
    }
    return memory;
  }
}

async function versionsOf(
  documents: Documents,
  call: Command,
  docs: readonly Doc[],
): Promise<Map<Doc, number | null>> {
  const readable = docs.filter((doc) => doc.problem === null);
  const versions = await Promise.all(readable.map((doc) => documents.readVersion(doc, call.deadline)));
  return new Map(readable.map((doc, i) => [doc, versions[i] ?? null]));
}

function isSame(a: ReadonlyMap<Doc, number | null>, b: ReadonlyMap<Doc, number | null>): boolean {
  return a.size === b.size && [...a].every(([doc, version]) => version !== null && b.get(doc) === version);
}

async function keyOf(session: Session, uniqueContextId: string): Promise<string | null> {
  const ask = { expression: "globalThis.skillbook?.key ?? null", uniqueContextId, returnByValue: true };
  const found = session.send<{ result: { value: string | null } }>("Runtime.evaluate", ask);
  // The frame may have gone since.
  return found.then(({ result }) => result.value).catch(() => null);
}

/** Which document each frame's element holds, in this process or another. */
async function ownersOf(
  seen: readonly Seen[],
  sessions: readonly Session[],
): Promise<Map<VirtualElement, Seen>> {
  const owners = new Map<VirtualElement, Seen>();
  for (const { document, session } of seen) {
    const together = seen.filter((other) => other.session === session);
    for (const [element, at] of document.frames) {
      const child = together[at];
      if (child) owners.set(element, child);
    }
  }
  await Promise.all(
    sessions.map(async ({ id, frameId, parent }) => {
      const child = seen.find((one) => one.session.id === id && one.document.frameId === frameId);
      const above = sessions.find((session) => session.id === parent);
      if (id === null || !child || !above) return;
      const owner = await above
        .send<{ backendNodeId: number }>("DOM.getFrameOwner", { frameId })
        .catch(() => null);
      for (const { document, session } of seen) {
        const element = owner && session.id === parent && document.elements.get(owner.backendNodeId);
        if (element) owners.set(element, child);
      }
    }),
  );
  return owners;
}

function extraAt(tree: DocumentTree, at: number): NodeExtra {
  const found = tree.extra.find(([index]) => index === at);
  if (found) return found[1];
  const made: NodeExtra = {};
  tree.extra.push([at, made]);
  return made;
}

/** Take the value from a field that the content script knows as secret, though it doesn't look so any more. */
function hide(tree: DocumentTree, place: number): void {
  const at = tree.number.indexOf(place);
  const extra = tree.extra.find(([index]) => index === at)?.[1];
  delete extra?.value;
  delete extra?.valuenow;
  tree.flags[at] = (tree.flags[at] ?? 0) | State.SECRET;
}

function freeze(result: SnapshotResult): SnapshotResult {
  for (const tree of result.documents) Object.freeze(tree);
  return Object.freeze(result);
}
