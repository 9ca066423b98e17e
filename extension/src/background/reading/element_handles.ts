// An element that the content script knows by number, as the DevTools protocol knows elements.

import { Failure } from "../../shared/errors";
import type { CommandContext } from "../commands/context";
import { type DocumentWorlds, withObjects, worldsOf } from "../tabs/document_worlds";
import type { Target } from "../tabs/targets";

/** An element in the content script's world. */
export interface Handle extends DocumentWorlds {
  objectId: string;
}

/** Work with an element's handle, and let it go afterwards. */
export async function withElement<T>(
  { services, tab, deadline }: CommandContext,
  { ref, doc, number }: Target,
  work: (handle: Handle) => Promise<T>,
): Promise<T> {
  const sessions = await services.sessions.open(tab, deadline);
  const [worlds] = await worldsOf(sessions, [doc]);
  if (!worlds) throw new Failure("page_navigated", `The document of ${ref} has gone away.`);
  const { send, ours } = worlds;
  return withObjects(send, async (objectGroup) => {
    const expression = `globalThis.skillbook.element(${number})`;
    const query = { expression, uniqueContextId: ours.uniqueId, objectGroup };
    const { result } = await send<{ result: { objectId?: string } }>("Runtime.evaluate", query);
    if (!result.objectId) throw new Failure("stale_ref", `The element ${ref} is gone.`);
    return work({ ...worlds, objectId: result.objectId });
  });
}
