// What scripts listen on for clicks, whichever world added the listeners.

import type { Send } from "./protocol";

const CLICKS = new Set(
  "click dblclick mousedown mouseup pointerdown pointerup touchstart touchend".split(" "),
);

/** A page is asked in one go for so many listeners: each takes it about ten microseconds. */
const AT_ONCE = 1_500;
/** So is one with few elements: the count is that of a process, which may have had other documents. */
const FEW_ELEMENTS = 800;
/** About how many are in one part of a page that has more. */
const PER_PART = 800;
const LEAST_ELEMENTS = 10;
/** An element that React builds in has so many by itself. */
const PER_ROOT = 140;
/** Where a browser doesn't tell how many there are. */
const UNKNOWN = 20_000;

/**
 * Elements that hold about so many listeners at most, and those around them; null where there are few elements. It runs
 * in the page's own world: what lies in closed shadow roots goes with their hosts. What a page makes of it are its own
 * listeners only.
 */
const PARTS = `(share) => {
  const inside = Object.getOwnPropertyDescriptor(Element.prototype, "children").get;
  const shadow = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot").get;
  const within = Object.getOwnPropertyDescriptor(DocumentFragment.prototype, "children").get;
  const sizes = new Map();
  const parts = (element) => {
    const root = shadow.call(element);
    return root ? [...within.call(root), ...inside.call(element)] : [...inside.call(element)];
  };
  const isRoot = (element) => Object.keys(element).some((key) => key.startsWith("_reactListening"));
  const count = (element) => {
    let size = isRoot(element) ? ${PER_ROOT} : 1;
    for (const part of parts(element)) size += count(part);
    sizes.set(element, size);
    return size;
  };
  const root = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(document);
  const size = count(root);
  if (size <= ${FEW_ELEMENTS}) return null;
  const most = Math.max(${LEAST_ELEMENTS}, Math.min(${PER_PART}, size * share));
  const whole = [];
  const alone = [];
  const divide = (element) => {
    if (sizes.get(element) <= most) whole.push(element);
    else {
      alone.push(element);
      parts(element).forEach(divide);
    }
  };
  divide(root);
  return [...whole, ...alone, whole.length];
}`;

interface Found {
  listeners: { type: string; backendNodeId?: number }[];
}

interface Handle {
  result: { objectId?: string };
  exceptionDetails?: object;
}

interface Members {
  result: { name: string; value?: { objectId?: string; value?: number } }[];
}

interface Metrics {
  metrics: { name: string; value: number }[];
}

/**
 * Backend ids of what is listened on in a script context's document, and in all that is in it; the session's own
 * document where no context is given. Has to be the page's own context: asked of the document as a content script's
 * world has it, Chrome's renderer crashes before long. Pages with very many listeners are asked part by part, so that
 * none of their tasks gets long.
 */
export async function heardFrom(send: Send, uniqueContextId?: string): Promise<Set<number>> {
  const place = uniqueContextId ? { uniqueContextId } : {};
  // Without a group of objects the answers have no handles on the listeners themselves.
  const [{ result }, listeners] = await Promise.all([
    send<Handle>("Runtime.evaluate", { expression: "document", ...place }),
    countListeners(send),
  ]);
  const held = [result.objectId];
  const found = new Set<number>();
  const ask = async (objectId: string | undefined, depth: number): Promise<void> => {
    if (!objectId) return;
    const told = await send<Found>("DOMDebugger.getEventListeners", { objectId, depth, pierce: true });
    for (const { type, backendNodeId } of told.listeners)
      if (backendNodeId && CLICKS.has(type)) found.add(backendNodeId);
  };
  try {
    const parts = listeners > AT_ONCE ? await divide(send, place, PER_PART / listeners) : null;
    if (parts) {
      const { list, whole, alone } = parts;
      held.push(list, ...whole, ...alone);
      await Promise.all([...whole.map((part) => ask(part, -1)), ...alone.map((element) => ask(element, 1))]);
    } else await ask(result.objectId, -1);
  } finally {
    for (const objectId of held)
      if (objectId) send("Runtime.releaseObject", { objectId }).catch(() => undefined);
  }
  return found;
}

const counting = new WeakMap<Send, Promise<number>>();

/** How many listeners a page's process has, or a few more; asked once for all that want to know at a time. */
function countListeners(send: Send): Promise<number> {
  let count = counting.get(send);
  if (!count) {
    count = askCount(send).finally(() => counting.delete(send));
    counting.set(send, count);
  }
  return count;
}

async function askCount(send: Send): Promise<number> {
  // Chrome answers the question at once, before all that a busy page was asked for: where it isn't told to count by
  // then, the answer is empty.
  await send("Performance.enable");
  const { metrics } = await send<Metrics>("Performance.getMetrics");
  // What is counted all the time makes each task longer.
  send("Performance.disable").catch(() => undefined);
  return metrics.find(({ name }) => name === "JSEventListeners")?.value ?? UNKNOWN;
}

interface Parts {
  list: string;
  whole: (string | undefined)[];
  alone: (string | undefined)[];
}

/** The page in parts; null where it is small, or where that can't be had, as in a document nested too deeply. */
async function divide(send: Send, place: object, share: number): Promise<Parts | null> {
  const ask = { expression: `(${PARTS})(${share})`, ...place };
  const { result, exceptionDetails } = await send<Handle>("Runtime.evaluate", ask);
  const list = result.objectId;
  if (exceptionDetails || !list) return null;
  const members = await send<Members>("Runtime.getProperties", { objectId: list, ownProperties: true });
  const values = members.result.filter(({ name }) => name !== "length").map(({ value }) => value);
  const handles = values.map((value) => value?.objectId);
  const count = values.at(-1)?.value ?? 0;
  return { list, whole: handles.slice(0, count), alone: handles.slice(count, -1) };
}
