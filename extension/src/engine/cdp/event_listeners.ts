// Which elements scripts listen on for clicks, whichever world added the listeners.

import type { Send } from "./protocol";

const CLICKS = new Set(
  "click dblclick mousedown mouseup pointerdown pointerup touchstart touchend".split(" "),
);
/** What is listened on for so many kinds of events passes them on, as the elements that React builds in do. */
const KINDS = 50;

interface Listener {
  type: string;
  passive?: boolean;
  useCapture?: boolean;
  backendNodeId?: number;
}

/**
 * Backend ids of what is listened on in a script context's document, itself included, and in all that is in it; in the
 * session's own document where no context is given. It has to be the page's own context: where the document is asked for
 * as a content script's world has it, Chrome's renderer crashes before long.
 */
export async function findListeners(send: Send, uniqueContextId?: string): Promise<Set<number>> {
  const place = uniqueContextId ? { uniqueContextId } : {};
  const { result } = await send<{ result: { objectId?: string } }>("Runtime.evaluate", {
    expression: "document",
    ...place,
  });
  const { objectId } = result;
  if (!objectId) return new Set();
  try {
    // Without a group of objects the answer has no handles on the listeners themselves.
    const query = { objectId, depth: -1, pierce: true };
    const found = await send<{ listeners: Listener[] }>("DOMDebugger.getEventListeners", query);
    return pressed(found.listeners);
  } finally {
    send("Runtime.releaseObject", { objectId }).catch(() => undefined);
  }
}

/**
 * What is listened on for clicks, by itself or for what is in it. Listeners that are passive and come first only watch,
 * as the content script's own do.
 */
function pressed(listeners: readonly Listener[]): Set<number> {
  const types = new Map<number, Set<string>>();
  for (const { type, backendNodeId, passive, useCapture } of listeners) {
    if (!backendNodeId || (passive && useCapture)) continue;
    const known = types.get(backendNodeId);
    if (known) known.add(type);
    else types.set(backendNodeId, new Set([type]));
  }
  const found = new Set<number>();
  for (const [id, kinds] of types)
    if (kinds.size < KINDS && [...kinds].some((type) => CLICKS.has(type))) found.add(id);
  return found;
}
