// One snapshot of a tab: all its documents in parallel, their JSON texts joined without being parsed here.

import type { MissingFrame, SnapshotParams, SnapshotResult } from "../../protocol/generated";
import { messageOf } from "../../shared/errors";
import type { ContentRequest, FrameSlot, SnapshotReply } from "../../shared/messages";
import type { PageCall, Parts } from "../commands/context";
import { RawJson } from "../commands/raw_json";
import { type Deadline, within } from "../deadline";
import type { Documents } from "../tabs/documents";
import type { Doc } from "../tabs/registry";
import type { Shares } from "../tabs/shares";

const CHILD_MS = 3_000;
const JOIN_MS = 150;

type Replies = Map<Doc, SnapshotReply>;
type Joined = Map<FrameSlot, Doc | null>;

export async function takeSnapshot(
  parts: Parts,
  call: PageCall,
  params: SnapshotParams,
  acted = false,
): Promise<RawJson<SnapshotResult> | SnapshotResult> {
  const { documents, shares, listeners, internals } = parts;
  const { tab, deadline } = call;
  const began = performance.now();
  raiseCounters(shares, tab, params);
  if (params.engine === "cdp") return parts.cdp.take(parts, call);
  const held = params.held ?? {};
  // Those known are asked at once; which there are is found out meanwhile.
  const early = new Map(
    documents.known(tab).map((doc) => [doc, askDocument(documents, doc, held, deadline)]),
  );
  for (const asked of early.values()) asked.catch(() => undefined);
  const listed = await documents.list(tab, deadline);
  const main = await documents.main(tab, deadline);
  const docs = listed.includes(main) ? listed : await documents.list(tab, deadline);
  const missing: MissingFrame[] = [];
  const replies: Replies = new Map();
  const beside = listeners.goesBeside(tab, docs, acted) ? listeners.refresh(call, docs) : null;
  // Handled below; until then it may fail unseen.
  beside?.catch(() => undefined);
  const read = (doc: Doc, again: boolean): Promise<void> => {
    const ask = (): Promise<SnapshotReply> => askDocument(documents, doc, held, deadline, again);
    const asked = again ? undefined : early.get(doc)?.catch(ask);
    return readDocument(documents, doc, () => asked ?? ask(), replies, missing, deadline);
  };
  await Promise.all(docs.map((doc) => read(doc, false)));
  await (beside ?? listeners.refresh(call, docs, (doc) => replies.get(doc)));
  await listeners.catchUp(call, docs, (doc) => replies.get(doc));
  const custom = await internals.refresh(call, docs, (doc) => replies.get(doc)?.custom ?? []);
  const isBehind = (doc: Doc): boolean => (replies.get(doc)?.heard ?? Infinity) < listeners.countOf(doc);
  const behind = docs.filter((doc) => custom.includes(doc) || isBehind(doc));
  await Promise.all(behind.map((doc) => read(doc, true)));
  const joined = await joinAll(documents, tab, replies, deadline);
  const trees: string[] = [];
  collect(main, replies, joined, trees);
  const took = JSON.stringify(performance.now() - began);
  return new RawJson(
    `{"documents":[${trees.join(",")}],"missing":${JSON.stringify(missing)},"took_ms":${took}}`,
  );
}

/** After a worker restart the kernel knows better how far numbers were given out. */
function raiseCounters(shares: Shares, tab: number, params: SnapshotParams): void {
  const share = shares.get(tab);
  if (!share) return;
  share.after = Math.max(share.after, params.after ?? 0);
  share.framesAfter = Math.max(share.framesAfter, params.frames_after ?? 0);
}

/** What a document says of itself; `again` where its last answer is of no use. */
function askDocument(
  documents: Documents,
  doc: Doc,
  held: Readonly<Record<string, number>>,
  deadline: Deadline,
  again = false,
): Promise<SnapshotReply> {
  const stamp = doc.key !== null && Object.hasOwn(held, doc.key) ? held[doc.key] : null;
  const request: ContentRequest = { op: "snapshot", offscreen: true, held: stamp ?? null, again };
  return documents.ask<SnapshotReply>(doc, request, deadline);
}

async function readDocument(
  documents: Documents,
  doc: Doc,
  ask: () => Promise<SnapshotReply>,
  replies: Replies,
  missing: MissingFrame[],
  deadline: Deadline,
): Promise<void> {
  if (doc.problem !== null) {
    missing.push({ url: doc.url, reason: doc.problem });
    return;
  }
  const asked = ask();
  try {
    const reply = doc.frameId === 0 ? await asked : await within(asked, CHILD_MS);
    if (reply) {
      documents.raise(doc, reply.highest);
      replies.set(doc, reply);
    } else missing.push({ url: doc.url, reason: "it did not answer in time" });
  } catch (error) {
    if (doc.frameId === 0 || deadline.signal.aborted) throw error;
    missing.push({ url: doc.url, reason: messageOf(error) });
  }
}

/** Find each iframe's document; where a nonce is still on its way, wait for it a moment. */
async function joinAll(
  documents: Documents,
  tab: number,
  replies: Replies,
  deadline: Deadline,
): Promise<Joined> {
  const join = (): Joined =>
    new Map([...replies].flatMap(([doc, reply]) => [...documents.join(doc, reply.slots)]));
  let joined = join();
  if (!isWaiting(documents, replies, joined)) return joined;
  const before = [...replies.keys()].filter((doc) => !doc.waited);
  if (before.length === 0) return joined;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, Math.min(JOIN_MS, deadline.left()));
    const stop = documents.joined.on((changed) => {
      if (changed !== tab) return;
      joined = join();
      if (!isWaiting(documents, replies, joined)) done();
    });
    function done(): void {
      clearTimeout(timer);
      stop();
      resolve();
    }
  });
  for (const doc of before) doc.waited = true;
  return join();
}

/** Whether a parent has both an iframe without a document and a document without an iframe. */
function isWaiting(documents: Documents, replies: Replies, joined: Joined): boolean {
  const placed = new Set(joined.values());
  return [...replies].some(([parent, reply]) => {
    if (!reply.slots.some((slot) => !joined.get(slot))) return false;
    return documents.children(parent).some((child) => replies.has(child) && !placed.has(child));
  });
}

/** The document's tree and then its children's; an iframe's nonce gives way to its document's key. */
function collect(doc: Doc, replies: Replies, joined: Joined, trees: string[]): void {
  const reply = replies.get(doc);
  if (!reply) return;
  const children = reply.slots.map((slot) => ({ slot, child: joined.get(slot) ?? null }));
  const keys = new Map(
    children.map(({ slot, child }) => [slot.nonce, child && replies.get(child) ? child.key : null]),
  );
  trees.push(spliceKeys(reply.tree, keys));
  for (const { child } of children) if (child) collect(child, replies, joined, trees);
}

const NONCE = /"document":"([0-9a-f]{32,128})"/g;

/**
 * Put keys in the place of nonces in a tree's JSON text. A page's own text can't look like one: inside a JSON
 * string its quotation marks are escaped.
 */
export function spliceKeys(tree: string, keys: ReadonlyMap<string, string | null>): string {
  if (keys.size === 0) return tree;
  return tree.replace(NONCE, (text, nonce: string) => {
    const key = keys.get(nonce);
    return key === undefined ? text : `"document":${JSON.stringify(key)}`;
  });
}
