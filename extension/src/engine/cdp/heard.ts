// What scripts listen on for clicks, whichever world added the listeners.

import type { Send } from "./protocol";

const CLICKS = new Set(
  "click dblclick mousedown mouseup pointerdown pointerup touchstart touchend".split(" "),
);

interface Found {
  listeners: { type: string; backendNodeId?: number }[];
}

/**
 * Backend ids of what is listened on in a script context's document, and in all that is in it; the session's own
 * document where no context is given. Has to be the page's own context: asked of the document as a content script's
 * world has it, Chrome's renderer crashes before long.
 */
export async function heardFrom(send: Send, uniqueContextId?: string): Promise<Set<number>> {
  const ask = { expression: "document", ...(uniqueContextId && { uniqueContextId }) };
  const { result } = await send<{ result: { objectId: string } }>("Runtime.evaluate", ask);
  const { objectId } = result;
  // Without a group of objects the answer has no handles on the listeners themselves.
  const { listeners } = await send<Found>("DOMDebugger.getEventListeners", {
    objectId,
    depth: -1,
    pierce: true,
  }).finally(() => void send("Runtime.releaseObject", { objectId }).catch(() => undefined));
  const found = new Set<number>();
  for (const { type, backendNodeId } of listeners)
    if (backendNodeId && CLICKS.has(type)) found.add(backendNodeId);
  return found;
}
