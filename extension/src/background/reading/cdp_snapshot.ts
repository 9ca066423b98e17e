// A tab's snapshot by the DevTools protocol: every session captured, joined into one tree of documents. The content
// scripts number the elements, so that both engines agree on refs.

import { type Capture, capture } from "../../engine/cdp/capture";
import { flatten, type Row } from "../../engine/cdp/flatten";
import { type DocumentSnapshot, elementsIn, snapshotOf } from "../../engine/cdp/snapshot";
import { buildTree } from "../../engine/cdp/tree";
import type { DocumentTree, SnapshotResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { NotedElements } from "../../shared/messages";
import type { CommandContext } from "../commands/context";
import type { Session } from "../tabs/cdp_sessions";
import {
  callIn,
  type DocumentWorlds,
  evaluateIn,
  handlesOf,
  unlessGone,
  withObjects,
  worldsOf,
} from "../tabs/document_worlds";
import type { Doc } from "../tabs/registry";

/** How often a page that changes while it is captured is captured again. */
const CAPTURES = 3;
/** Elements that a content script numbers at once. */
const AT_ONCE = 1_000;
const VERSION = "globalThis.skillbook?.version()";

/** A captured document, and the one that the content scripts know it as. */
interface Part extends Capture {
  session: Session;
  /** Its place in the session's capture. */
  at: number;
  worlds: DocumentWorlds | null;
}

type Versions = ReadonlyMap<Doc, number | null>;

/** Fields that were secret once, by backend id. */
const secretIn = new WeakMap<Doc, Set<number>>();

/** The tab's snapshot now; `instead` says why the content scripts don't take it, where they were to. */
export async function takeCdpSnapshot(
  context: CommandContext,
  instead: string | null = null,
): Promise<SnapshotResult> {
  const { services, tab, deadline } = context;
  for (let count = 1; ; count++) {
    deadline.check();
    const began = performance.now();
    const docs = await services.documents.list(tab, deadline);
    await services.documents.main(tab, deadline);
    const sessions = await services.sessions.open(tab, deadline);
    const worlds = await worldsOf(sessions, docs);
    const versions = await versionsOf(worlds);
    const trees = await takeOnce(context, sessions, worlds, versions);
    const after = count < CAPTURES ? await versionsOf(worlds) : versions;
    if ([...versions].some(([doc, version]) => version === null || after.get(doc) !== version)) continue;
    const missing = docs.flatMap(({ url, problem }) => (problem === null ? [] : [{ url, reason: problem }]));
    for (const tree of trees) Object.freeze(tree);
    const documents = trees as SnapshotResult["documents"];
    const took_ms = performance.now() - began;
    return Object.freeze({ documents, missing, took_ms, engine: "cdp", ...(instead && { instead }) });
  }
}

/** Resolves when the tab's content scripts' worlds answer the debugger. */
export async function answersDebugger({ services, tab, deadline }: CommandContext): Promise<void> {
  const docs = await services.documents.list(tab, deadline);
  await versionsOf(await worldsOf(await services.sessions.open(tab, deadline), docs));
}

/** The documents' versions, through the debugger: a page that is stopped in it answers no messages. */
async function versionsOf(worlds: readonly DocumentWorlds[]): Promise<Versions> {
  const read = async ({ doc, send, ours }: DocumentWorlds) => {
    const version = await unlessGone(() => evaluateIn(send, ours, VERSION));
    return [doc, typeof version === "number" ? version : null] as const;
  };
  return new Map(await Promise.all(worlds.map(read)));
}

/** Every document's tree, children after their parents. */
async function takeOnce(
  context: CommandContext,
  sessions: readonly Session[],
  worlds: readonly DocumentWorlds[],
  versions: Versions,
): Promise<DocumentTree[]> {
  const captured = await Promise.all(sessions.map((session) => captureParts(session, worlds)));
  const parts = captured.flat();
  const main = parts[0];
  if (!main?.worlds) throw new Failure("page_navigated", "The page went elsewhere while it was read.");
  const owned = await ownedParts(parts, sessions);
  const trees: DocumentTree[] = [];
  const add = async (part: Part, worlds: DocumentWorlds): Promise<void> => {
    const { doc } = worlds;
    const { tree, frames } = await takePart(context, part, worlds, versions.get(doc) ?? 0);
    trees.push(tree);
    for (const { node, at, extra } of frames) {
      const isInside = ({ session, at }: Part): boolean => session === part.session && at === node.frame;
      const child = owned.get(`${part.session.id}/${node.backend}`) ?? parts.find(isInside);
      extra.document = child?.worlds?.doc.key ?? null;
      if (!child?.worlds) continue;
      child.worlds.doc.owner = { doc, number: tree.number[at] as number };
      await add(child, child.worlds);
    }
  };
  await add(main, main.worlds);
  return trees;
}

/** A session's documents, the session's own first. */
async function captureParts(session: Session, worlds: readonly DocumentWorlds[]): Promise<Part[]> {
  // A frame in another process may leave meanwhile; the tab's own session may not.
  const captured =
    session.id === null ? await capture(session.send) : await unlessGone(() => capture(session.send));
  return (captured ?? []).map((one, at) => {
    const isIts = (each: DocumentWorlds): boolean =>
      each.session === session && each.ours.frame === one.frameId;
    return { ...one, session, at, worlds: worlds.find(isIts) ?? null };
  });
}

async function takePart(
  { services }: CommandContext,
  part: Part,
  worlds: DocumentWorlds,
  version: number,
): Promise<DocumentSnapshot> {
  const { doc } = worlds;
  const secret = secretIn.get(doc) ?? new Set();
  secretIn.set(doc, secret);
  for (;;) {
    const document = buildTree(part, secret);
    for (const node of document.elements.values()) if (node.secret) secret.add(node.backend);
    const known = secret.size;
    const rows = flatten(document);
    const { numbers, highest, ready_state } = await numberElements(worlds, elementsIn(rows), secret);
    // The content script knows fields that were secret before the debugger came: nothing may quote those either.
    if (secret.size > known) continue;
    services.documents.raise(doc, highest);
    return snapshotOf(document, rows, numbers, {
      ...{ key: doc.key, frame: doc.frame ?? 0, version, ready_state },
    });
  }
}

/** Documents of other processes, by the session and the element that their frames are in. */
async function ownedParts(parts: readonly Part[], sessions: readonly Session[]): Promise<Map<string, Part>> {
  const owned = new Map<string, Part>();
  await Promise.all(
    sessions.map(async ({ id, frameId, parent }) => {
      const child = parts.find((part) => part.session.id === id && part.frameId === frameId);
      const above = sessions.find((session) => session.id === parent);
      if (id === null || !child || !above) return;
      const query = (): Promise<{ backendNodeId: number }> => above.send("DOM.getFrameOwner", { frameId });
      const found = await unlessGone(query);
      if (found) owned.set(`${parent}/${found.backendNodeId}`, child);
    }),
  );
  return owned;
}

const NOTE = `function (roles, names, ...elements) {
  return globalThis.skillbook.note(elements, roles, names);
}`;

/**
 * The content script's ref numbers of these elements, by backend id, and the highest one that it gave out. Those that
 * were secret once go into `secret`.
 */
async function numberElements(
  worlds: DocumentWorlds,
  elements: readonly Row[],
  secret: Set<number>,
): Promise<{ numbers: Map<number, number>; highest: number; ready_state: DocumentTree["ready_state"] }> {
  const numbers = new Map<number, number>();
  let highest = 0;
  let ready_state: DocumentTree["ready_state"];
  for (let from = 0; from === 0 || from < elements.length; from += AT_ONCE) {
    const some = elements.slice(from, from + AT_ONCE);
    const backends = some.map(({ node }) => node.backend);
    const lists = [some.map(({ role }) => role), some.map(({ name }) => name)].map((value) => ({ value }));
    const noted = await withObjects(worlds.send, async (group) => {
      const args = [...lists, ...(await handlesOf(worlds, backends, group))];
      return (await callIn<NotedElements>(worlds, NOTE, args, { returnByValue: true })).value;
    });
    for (const [i, backend] of backends.entries()) numbers.set(backend, noted.numbers[i] as number);
    for (const i of noted.secret) secret.add(backends[i] as number);
    highest = noted.highest;
    ready_state = noted.ready_state;
  }
  return { numbers, highest, ready_state };
}
