// What scripts listen on for clicks, whichever world added the listeners.

import type { Send } from "./protocol";

const CLICKS = new Set(
  "click dblclick mousedown mouseup pointerdown pointerup touchstart touchend".split(" "),
);

/** A page is asked in one go for so many listeners: each takes it about ten microseconds. */
const AT_ONCE = 1_500;
/** So is one with few elements: the count is that of a process, which may have had other documents. */
const FEW_ELEMENTS = 800;
/** About how many are in one part of a page that has more; each part takes about as long as forty listeners. */
const PER_PART = 800;
const LEAST_NODES = 100;
/** More parts than these are made only where larger ones wouldn't be fewer; with still more, nothing is divided. */
const FEW_PARTS = 500;
const MOST_PARTS = 2_000;
/** An element that React builds in has so many by itself: for all that happens in it, whatever that is. */
const PER_ROOT = 140;
/** What is listened on for so many kinds of events passes them on, as React's do. */
const KINDS = 50;
/** Where a browser doesn't tell how many there are. */
const UNKNOWN = 20_000;

/**
 * Nodes that hold about so many listeners at most, and how deep to ask each, -1 for all that is in it, without what React
 * builds in; null where there are few elements, or too many parts. It runs in the page's own world: what lies in closed shadow roots goes
 * with their hosts. What a page makes of it are its own listeners only.
 */
const PARTS = `(listeners) => {
  const inside = Object.getOwnPropertyDescriptor(Element.prototype, "children").get;
  const shadow = Object.getOwnPropertyDescriptor(Element.prototype, "shadowRoot").get;
  const within = Object.getOwnPropertyDescriptor(DocumentFragment.prototype, "children").get;
  const sizes = new Map();
  const roots = new Set();
  const holding = new Set();
  // Neither is asked along with what is around it, down to some depth: React's roots, and what holds another document.
  const isOwn = (node) => roots.has(node) || /^(?:iframe|frame|object|embed)$/.test(node.localName);
  const parts = (node) => {
    if (node instanceof ShadowRoot) return [...within.call(node)];
    const root = shadow.call(node);
    return root ? [root, ...inside.call(node)] : [...inside.call(node)];
  };
  const count = (node) => {
    let size = 1;
    const before = roots.size;
    if (Object.keys(node).some((key) => key.startsWith("_reactListening"))) roots.add(node);
    for (const part of parts(node)) size += count(part);
    if (roots.size > before) holding.add(node);
    sizes.set(node, size);
    return size;
  };
  const top = Object.getOwnPropertyDescriptor(Document.prototype, "documentElement").get.call(document);
  const size = count(top);
  if (size + roots.size * ${PER_ROOT} <= ${FEW_ELEMENTS}) return null;
  const left = Math.max(1, listeners - roots.size * ${PER_ROOT});
  const share = left > ${AT_ONCE} ? ${PER_PART} / left : 1;
  for (let most = Math.max(${LEAST_NODES}, Math.min(${PER_PART}, size * share)); ; most *= 2) {
    const nodes = [];
    const depths = [];
    const divide = (node) => {
      if (roots.has(node)) {
        parts(node).forEach(divide);
        return;
      }
      nodes.push(node);
      if (sizes.get(node) <= most && !holding.has(node)) {
        depths.push(-1);
        return;
      }
      let depth = 1;
      let next = parts(node);
      for (let taken = 1; taken + next.length <= most && !next.some(isOwn); depth++) {
        taken += next.length;
        next = next.flatMap(parts);
      }
      depths.push(depth);
      next.forEach(divide);
    };
    divide(top);
    if (nodes.length <= (most < size ? ${FEW_PARTS} : ${MOST_PARTS})) return [...nodes, depths.join()];
    if (most >= size) return null;
  }
}`;

interface Found {
  listeners: { type: string; backendNodeId?: number }[];
}

interface Handle {
  result: { objectId?: string };
  exceptionDetails?: object;
}

interface Members {
  result: { name: string; value?: { objectId?: string; value?: string } }[];
}

interface Metrics {
  metrics: { name: string; value: number }[];
}

export interface Heard {
  /** Backend ids of elements. */
  found: Set<number>;
  /** Give back what the browser holds for the answer: as many calls as there were parts, and nobody waits for them. */
  release(): void;
}

/**
 * What is listened on in a script context's document, and in all that is in it; the session's own document where no
 * context is given. Has to be the page's own context: asked of the document as a content script's world has it, Chrome's
 * renderer crashes before long. Pages with very many listeners are asked part by part, so that none of their tasks gets
 * long.
 */
export async function heardFrom(send: Send, uniqueContextId?: string): Promise<Heard> {
  const place = uniqueContextId ? { uniqueContextId } : {};
  // Without a group of objects the answers have no handles on the listeners themselves.
  const [{ result }, listeners] = await Promise.all([
    send<Handle>("Runtime.evaluate", { expression: "document", ...place }),
    countListeners(send),
  ]);
  const held = [result.objectId];
  const release = (): void => {
    for (const objectId of held)
      if (objectId) send("Runtime.releaseObject", { objectId }).catch(() => undefined);
  };
  const found = new Set<number>();
  const ask = async (objectId: string | undefined, depth: number): Promise<void> => {
    if (!objectId) return;
    const told = await send<Found>("DOMDebugger.getEventListeners", { objectId, depth, pierce: true });
    for (const id of pressed(told)) found.add(id);
  };
  try {
    const parts = listeners > AT_ONCE ? await divide(send, place, listeners) : null;
    if (parts) {
      const { list, nodes, depths } = parts;
      held.push(list, ...nodes);
      await Promise.all(nodes.map((node, i) => ask(node, depths[i] ?? -1)));
    } else await ask(result.objectId, -1);
    return { found, release };
  } catch (error) {
    release();
    throw error;
  }
}

/** The elements that are listened on for clicks of their own. */
function pressed({ listeners }: Found): number[] {
  const kinds = new Map<number, Set<string>>();
  for (const { type, backendNodeId } of listeners) {
    if (!backendNodeId) continue;
    const known = kinds.get(backendNodeId);
    if (known) known.add(type);
    else kinds.set(backendNodeId, new Set([type]));
  }
  const isPressed = ([, types]: [number, Set<string>]): boolean =>
    types.size < KINDS && [...types].some((type) => CLICKS.has(type));
  return [...kinds].filter(isPressed).map(([id]) => id);
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
  nodes: (string | undefined)[];
  depths: number[];
}

/** The page in parts; null where it is small, or where that can't be had, as in a document nested too deeply. */
async function divide(send: Send, place: object, listeners: number): Promise<Parts | null> {
  const ask = { expression: `(${PARTS})(${listeners})`, ...place };
  const { result, exceptionDetails } = await send<Handle>("Runtime.evaluate", ask);
  const list = result.objectId;
  if (exceptionDetails || !list) return null;
  const members = await send<Members>("Runtime.getProperties", { objectId: list, ownProperties: true });
  const values = members.result.filter(({ name }) => name !== "length").map(({ value }) => value);
  const depths = (values.pop()?.value ?? "").split(",").map(Number);
  return { list, nodes: values.map((value) => value?.objectId), depths };
}
