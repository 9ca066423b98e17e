// One snapshot of a tab: all its documents in parallel, their JSON texts joined without being parsed here.

import type {
  ActionOutcome,
  FindParams,
  MissingFrame,
  SnapshotParams,
  SnapshotResult,
} from "../../protocol/generated";
import { Failure, messageOf } from "../../shared/errors";
import { CLOCK_MS, DOCUMENT_MS, LONGEST_MS, TICK_MS } from "../../shared/limits";
import type { FrameSlot, SnapshotReply } from "../../shared/messages";
import { type CommandContext, callContent, RawJson } from "../commands/context";
import { pause, within } from "../deadline";
import type { Documents } from "../tabs/documents";
import { mayQueryDebugger, placeFrames } from "../tabs/frame_places";
import type { Doc } from "../tabs/registry";
import { answersDebugger, takeCdpSnapshot } from "./cdp_snapshot";
import { raiseCounters, readParts } from "./element_search";

const PDF = "application/pdf";
const PDF_UNREAD = "the browser's PDF viewer shows it, which extensions can't read: download the file";

type Replies = Map<Doc, SnapshotReply>;
type Joined = Map<FrameSlot, Doc | null>;

export async function takeSnapshot(
  context: CommandContext,
  params: SnapshotParams,
  acted = false,
): Promise<RawJson<SnapshotResult> | SnapshotResult> {
  raiseCounters(context.services, context.tab, params);
  if (params.engine === "cdp") return takeCdpSnapshot(context);
  const ours = takeDomSnapshot(context, params, acted);
  if (!mayQueryDebugger(context)) return ours;
  const instead = await whyNot(ours, () => answersDebugger(context));
  if (instead === null) return ours;
  const deadline = context.deadline.part(context.deadline.left());
  try {
    // Where neither answers, the content script's failure says why.
    const theirs = takeCdpSnapshot({ ...context, deadline }, instead);
    return await Promise.any([ours, theirs]).catch(() => ours);
  } finally {
    deadline.cancel(new Failure("timeout", "The content scripts answered first."));
  }
}

/**
 * Why content scripts don't give a snapshot, where the debugger may; null where they do, or nothing else would. A page
 * that is only busy, with its own scripts or with a long walk for us, is silent to the debugger too: reading it twice
 * would take longer.
 */
export async function whyNot(
  ours: Promise<unknown>,
  answersDebugger: () => Promise<unknown>,
): Promise<string | null> {
  try {
    // How long a page may be silent until the debugger is asked about it, and then once more.
    if ((await within(ours, CLOCK_MS)) !== undefined) return null;
    const answers = answersDebugger().catch(() => ours);
    await Promise.race([ours, answers]);
    const taken = await within(ours, CLOCK_MS);
    return taken === undefined ? "the page answers the debugger, but not the content scripts" : null;
  } catch (error) {
    return error instanceof Failure && error.code !== "internal" ? null : messageOf(error);
  }
}

/** What the content scripts answer. */
async function takeDomSnapshot(
  context: CommandContext,
  params: SnapshotParams,
  acted: boolean,
): Promise<RawJson<SnapshotResult>> {
  const { services, tab, deadline } = context;
  const { documents, facts } = services;
  const began = performance.now();
  const listed = await documents.list(tab, deadline);
  const main = await documents.main(tab, deadline);
  const docs = listed.includes(main) ? listed : await documents.list(tab, deadline);
  const missing: MissingFrame[] = main.type === PDF ? [{ url: main.url, reason: PDF_UNREAD }] : [];
  const replies: Replies = new Map();
  // What custom elements say may be what the action changed.
  if (acted) await facts.renewInternals(context, docs);
  placeFrames(context, docs).catch(() => undefined); // what it finds is reported
  await Promise.all(docs.map((doc) => readDocument(context, doc, params, replies, missing)));
  facts.afterSnapshot(context, replies);
  const joined = await joinAll(context, replies);
  const trees: string[] = [];
  collect(main, replies, joined, trees);
  const rest = { missing, took_ms: performance.now() - began };
  return new RawJson(`{"documents":[${trees.join(",")}],${JSON.stringify(rest).slice(1)}`);
}

/** The outcome of an action with a snapshot; without one where the page is another by now, or can't be read. */
export async function withObservation(
  context: CommandContext,
  outcome: ActionOutcome,
  params: SnapshotParams | FindParams,
): Promise<ActionOutcome | RawJson<ActionOutcome>> {
  const left = Math.min(DOCUMENT_MS, context.deadline.left() - TICK_MS);
  if (outcome.navigated || outcome.dialog || outcome.awaits_decision || left <= 0) return outcome;
  const deadline = context.deadline.part(left, "the snapshot after the action");
  try {
    const part = { ...context, deadline };
    if ("refs" in params) return { ...outcome, observation: await readParts(part, params) } as ActionOutcome;
    const seen = await within(takeSnapshot(part, params, true), left);
    if (!(seen instanceof RawJson)) return outcome;
    return new RawJson(`${JSON.stringify(outcome).slice(0, -1)},"observation":${seen.text}}`);
  } catch {
    // What the action did is known all the same; the kernel takes a snapshot again, and gets the failure.
    return outcome;
  } finally {
    deadline.close();
  }
}

/** One document's reply, or why it is missing. */
async function readDocument(
  context: CommandContext,
  doc: Doc,
  { known = {}, rows = null, elements = null }: SnapshotParams,
  replies: Replies,
  missing: MissingFrame[],
): Promise<void> {
  if (doc.problem !== null) {
    missing.push({ url: doc.url, reason: doc.problem });
    return;
  }
  const stamp = Object.hasOwn(known, doc.key) ? (known[doc.key] as number) : null;
  const request = { op: "snapshot", known: stamp, rows, elements } as const;
  const answer = callContent(context, doc, request);
  try {
    const reply = doc.frameId === 0 ? await answer : await within(answer, LONGEST_MS);
    if (!reply) {
      missing.push({ url: doc.url, reason: "it did not answer in time" });
      return;
    }
    context.services.documents.raise(doc, reply.highest);
    replies.set(doc, reply);
  } catch (error) {
    if (doc.frameId === 0 || context.deadline.signal.aborted) throw error;
    missing.push({ url: doc.url, reason: messageOf(error) });
  }
}

/** Find each iframe's document; where a nonce is still on its way, wait for it a moment. */
async function joinAll({ services, tab, deadline }: CommandContext, replies: Replies): Promise<Joined> {
  const { documents } = services;
  const join = (): Joined =>
    new Map([...replies].flatMap(([doc, reply]) => [...documents.join(doc, reply.slots)]));
  let joined = join();
  const unwaited = [...replies.keys()].filter((doc) => !doc.waited);
  if (!unwaited.length || !isWaiting(documents, replies, joined)) return joined;
  const over = pause(TICK_MS, deadline).catch(() => undefined);
  while (isWaiting(documents, replies, joined)) {
    const reported = await documents.joined.nextOr((one) => one === tab, over);
    joined = join();
    if (reported !== undefined) continue;
    for (const doc of unwaited) doc.waited = true;
    break;
  }
  return joined;
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
