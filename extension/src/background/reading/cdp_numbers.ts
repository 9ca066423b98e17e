// Refs for elements that the DevTools protocol found: the content script's own numbers, so that both engines agree.

import type { Shown } from "../../engine/cdp/picture";
import type { Send } from "../../engine/cdp/protocol";
import type { VirtualDocument } from "../../engine/cdp/tree";
import type { NotedElements } from "../../shared/messages";

/** What is remembered of one document. */
export interface DocumentMemory {
  /** Numbers by backend id, which an element keeps for life. */
  numbers: Map<number, number>;
  /** Fields that were secret once. */
  secret: Set<number>;
}

export interface World {
  id: number;
  uniqueId: string;
}

export interface Numbers {
  numbers: number[];
  /** The highest that was given out now, 0 where none was. */
  highest: number;
}

const AT_ONCE = 1_000;
/** So many elements are asked for one by one. */
const FEW = 20;

const NOTE_AT = `function (...facts) { return globalThis.skillbook.noteAt(...facts); }`;
const NOTE = `function (roles, names, ...elements) {
  return globalThis.skillbook.note(elements, roles, names);
}`;

/**
 * Ask a document's content script for the numbers of what is shown; those known already are not asked again. Where
 * nothing changed since `version`, elements are told by their places among all that were captured, else one by one.
 */
export async function numbersOf(
  send: Send,
  world: World,
  shown: readonly Shown[],
  captured: Pick<VirtualDocument, "elements">,
  version: number,
  memory: DocumentMemory,
): Promise<Numbers> {
  let highest = 0;
  const unknown = shown.filter(({ backend }) => !memory.numbers.has(backend));
  const placed = unknown.length > FEW ? await noteAt(send, world, unknown, captured, version) : null;
  for (let from = 0; from < unknown.length; from += AT_ONCE) {
    const part = placed ? unknown : unknown.slice(from, from + AT_ONCE);
    const told = placed ?? (await note(send, world, part));
    for (const [i, { backend }] of part.entries()) memory.numbers.set(backend, told.numbers[i] as number);
    for (const i of told.secret) memory.secret.add((part[i] as Shown).backend);
    highest = told.highest;
    if (placed) break;
  }
  return { numbers: shown.map(({ backend }) => memory.numbers.get(backend) as number), highest };
}

async function noteAt(
  send: Send,
  world: World,
  shown: readonly Shown[],
  { elements }: Pick<VirtualDocument, "elements">,
  version: number,
): Promise<NotedElements | null> {
  const places = new Map([...elements.keys()].map((backend, place) => [backend, place]));
  const tags = shown.map(({ backend }) => elements.get(backend)?.localName ?? "");
  const lists = [
    { version, total: elements.size, tags },
    shown.map(({ backend }) => places.get(backend)),
    shown.map(({ role }) => role),
    shown.map(({ name }) => name),
  ];
  const { result } = await send<{ result: { value: NotedElements | null } }>("Runtime.callFunctionOn", {
    functionDeclaration: NOTE_AT,
    executionContextId: world.id,
    arguments: lists.map((value) => ({ value })),
    returnByValue: true,
  });
  return result.value;
}

let groups = 0;

async function note(send: Send, world: World, shown: readonly Shown[]): Promise<NotedElements> {
  const objectGroup = `skillbook-refs-${++groups}`;
  const handles = await Promise.all(
    shown.map(({ backend }) =>
      resolveNode(send, { backendNodeId: backend, executionContextId: world.id, objectGroup }),
    ),
  );
  const lists = [shown.map(({ role }) => role), shown.map(({ name }) => name)];
  const call = {
    functionDeclaration: NOTE,
    executionContextId: world.id,
    arguments: [...lists.map((value) => ({ value })), ...handles],
    returnByValue: true,
  };
  const { result } = await send<{ result: { value: NotedElements } }>("Runtime.callFunctionOn", call);
  if (handles.length) await send("Runtime.releaseObjectGroup", { objectGroup });
  return result.value;
}

/** A handle on an element; null for one that is gone, whose number is stale from the beginning. */
export async function resolveNode(send: Send, place: object): Promise<object> {
  try {
    const { object } = await send<{ object: { objectId: string } }>("DOM.resolveNode", place);
    return { objectId: object.objectId };
  } catch (error) {
    if (/No node|not belong|could not be found/i.test(String(error))) return { value: null };
    throw error;
  }
}
