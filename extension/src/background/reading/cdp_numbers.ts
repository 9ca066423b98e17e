// Ref numbers of elements that the DevTools protocol found: the content script's own, so that both engines agree.

import type { Send } from "../../engine/cdp/protocol";
import type { Shown } from "../../engine/cdp/snapshot";
import type { NotedElements } from "../../shared/messages";
import type { World } from "../tabs/script_worlds";

/** What is remembered of one document. */
export interface DocumentMemory {
  /** Numbers by backend id, which an element keeps for life. */
  numbers: Map<number, number>;
  /** Fields that were secret once. */
  secret: Set<number>;
}

const AT_ONCE = 1_000;

const NOTE = `function (roles, names, ...elements) {
  return globalThis.skillbook.note(elements, roles, names);
}`;

/**
 * Have a document's content script number what is shown, but for what it numbered before; gives the highest number, 0
 * where there was nothing to do.
 */
export async function numberElements(
  send: Send,
  world: World,
  shown: readonly Shown[],
  memory: DocumentMemory,
): Promise<number> {
  let highest = 0;
  const unknown = shown.filter(({ backend }) => !memory.numbers.has(backend));
  for (let from = 0; from < unknown.length; from += AT_ONCE) {
    const part = unknown.slice(from, from + AT_ONCE);
    const noted = await note(send, world, part);
    part.forEach(({ backend }, i) => {
      memory.numbers.set(backend, noted.numbers[i] as number);
    });
    for (const i of noted.secret) memory.secret.add((part[i] as Shown).backend);
    highest = noted.highest;
  }
  return highest;
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
  await send("Runtime.releaseObjectGroup", { objectGroup });
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
