// A tab's snapshot by the DevTools protocol: every session captured, joined into one tree of documents. The content
// scripts number the elements, so that both engines agree on refs.

import { type Capture, capture } from "../../engine/cdp/capture";
import { flatten, type Row } from "../../engine/cdp/flatten";
import type { Send } from "../../engine/cdp/protocol";
import { type DocumentSnapshot, elementsIn, snapshotOf } from "../../engine/cdp/snapshot";
import { buildTree } from "../../engine/cdp/tree";
import type { DocumentTree, NodeExtra, SnapshotResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { NotedElements } from "../../shared/messages";
import type { CommandContext } from "../commands/context";
import { pause } from "../deadline";
import type { Session } from "../tabs/cdp_sessions";
import type { Doc } from "../tabs/registry";
import type { World } from "../tabs/script_worlds";

/** How often a page that changes while it is captured is captured again. */
const CAPTURES = 3;
/** How often a tab is attached to again whose frames leave for other processes, which detaches the debugger. */
const ATTACHMENTS = 5;
const DETACHED_MS = 100;
/** Elements that a content script numbers at once. */
const AT_ONCE = 1_000;

/** A captured document, and the one that the content scripts know it as. */
interface Part extends Capture {
  session: Session;
  /** Its place in the session's capture. */
  at: number;
  doc: Doc | null;
  world: World | null;
}

type Versions = ReadonlyMap<Doc, number | null>;

/** Fields that were secret once, by backend id. */
const secretIn = new WeakMap<Doc, Set<number>>();

/** The tab's snapshot now. */
export async function takeCdpSnapshot(context: CommandContext): Promise<SnapshotResult> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await takeSettled(context);
    } catch (error) {
      const lost = error instanceof Failure && error.data.detached === true;
      if (!lost || attempt === ATTACHMENTS) throw error;
      context.services.sessions.forget(context.tab);
      await pause(DETACHED_MS * attempt, context.deadline);
    }
  }
}

async function takeSettled(context: CommandContext): Promise<SnapshotResult> {
  const { services, tab, deadline } = context;
  for (let count = 1; ; count++) {
    const began = performance.now();
    const docs = await services.documents.list(tab, deadline);
    await services.documents.main(tab, deadline);
    const versions = await versionsOf(context, docs);
    const trees = await takeOnce(context, docs, versions);
    const after = count < CAPTURES ? await versionsOf(context, docs) : versions;
    if ([...versions].some(([doc, version]) => version === null || after.get(doc) !== version)) continue;
    const missing = docs.flatMap(({ url, problem }) => (problem === null ? [] : [{ url, reason: problem }]));
    for (const tree of trees) Object.freeze(tree);
    const documents = trees as SnapshotResult["documents"];
    return Object.freeze({ documents, missing, took_ms: performance.now() - began });
  }
}

async function versionsOf({ services, deadline }: CommandContext, docs: readonly Doc[]): Promise<Versions> {
  const readable = docs.filter((doc) => doc.problem === null);
  const read = async (doc: Doc) => [doc, await services.documents.readVersion(doc, deadline)] as const;
  return new Map(await Promise.all(readable.map(read)));
}

/** Every document's tree, children after their parents. */
async function takeOnce(
  context: CommandContext,
  docs: readonly Doc[],
  versions: Versions,
): Promise<DocumentTree[]> {
  const sessions = await context.services.sessions.open(context.tab, context.deadline);
  const captured = await Promise.all(sessions.map((session) => captureParts(session, context, docs)));
  const parts = captured.flat();
  const main = parts[0];
  if (!main?.doc) throw new Failure("page_navigated", "The page went elsewhere while it was read.");
  const owned = await ownedParts(parts, sessions);
  const trees: DocumentTree[] = [];
  const add = async (part: Part, doc: Doc): Promise<void> => {
    const { tree, frames } = await takePart(context, part, doc, versions.get(doc) ?? 0);
    trees.push(tree);
    for (const { node, at } of frames) {
      const isInside = ({ session, at }: Part): boolean => session === part.session && at === node.frame;
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

/** A session's documents, the session's own first. */
async function captureParts(
  session: Session,
  { deadline }: CommandContext,
  docs: readonly Doc[],
): Promise<Part[]> {
  const captured = await capture(session.send).catch((error: unknown) => {
    // A frame in another process may leave meanwhile; the tab's own session may not.
    if (session.id === null || deadline.signal.aborted) throw error;
    return [];
  });
  return Promise.all(
    captured.map(async (one, at): Promise<Part> => {
      for (const world of session.worldsIn(one.frameId)) {
        const key = await keyOf(session, world.uniqueId);
        const doc = docs.find((each) => key !== null && each.key === key);
        if (doc) return { ...one, session, at, doc, world };
      }
      return { ...one, session, at, doc: null, world: null };
    }),
  );
}

async function takePart(
  { services }: CommandContext,
  part: Part,
  doc: Doc,
  version: number,
): Promise<DocumentSnapshot> {
  const { session, world } = part;
  if (!world) throw new Failure("page_navigated", `The document at ${doc.url} went away.`);
  const secret = secretIn.get(doc) ?? new Set();
  secretIn.set(doc, secret);
  for (;;) {
    const document = buildTree(part, secret);
    for (const node of document.elements.values()) if (node.secret) secret.add(node.backend);
    const known = secret.size;
    const rows = flatten(document);
    const { numbers, highest } = await numberElements(session.send, world, elementsIn(rows), secret);
    // The content script knows fields that were secret before the debugger came: nothing may quote those either.
    if (secret.size > known) continue;
    services.documents.raise(doc, highest);
    return snapshotOf(document, rows, numbers, { key: doc.key, frame: doc.frame ?? 0, version });
  }
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

const NOTE = `function (roles, names, ...elements) {
  return globalThis.skillbook.note(elements, roles, names);
}`;

let groups = 0;

/**
 * The content script's ref numbers of these elements, by backend id, and the highest one that it gave out. Those that
 * were secret once go into `secret`.
 */
async function numberElements(
  send: Send,
  { id: executionContextId }: World,
  elements: readonly Row[],
  secret: Set<number>,
): Promise<{ numbers: Map<number, number>; highest: number }> {
  const numbers = new Map<number, number>();
  let highest = 0;
  const objectGroup = `skillbook-refs-${++groups}`;
  for (let from = 0; from < elements.length; from += AT_ONCE) {
    const some = elements.slice(from, from + AT_ONCE);
    const handles = await Promise.all(
      some.map(({ node }) =>
        resolveNode(send, { backendNodeId: node.backend, executionContextId, objectGroup }),
      ),
    );
    const lists = [some.map(({ role }) => role), some.map(({ name }) => name)];
    const call = {
      functionDeclaration: NOTE,
      executionContextId,
      arguments: [...lists.map((value) => ({ value })), ...handles],
      returnByValue: true,
    };
    const { result } = await send<{ result: { value: NotedElements } }>("Runtime.callFunctionOn", call);
    const noted = result.value;
    for (const [i, { node }] of some.entries()) numbers.set(node.backend, noted.numbers[i] as number);
    for (const i of noted.secret) secret.add((some[i] as Row).node.backend);
    highest = noted.highest;
  }
  await send("Runtime.releaseObjectGroup", { objectGroup });
  return { numbers, highest };
}

/** A handle on an element; null for one that is gone, whose number is stale from the beginning. */
async function resolveNode(send: Send, place: object): Promise<object> {
  try {
    const { object } = await send<{ object: { objectId: string } }>("DOM.resolveNode", place);
    return { objectId: object.objectId };
  } catch (error) {
    if (/No node|not belong|could not be found/i.test(String(error))) return { value: null };
    throw error;
  }
}
