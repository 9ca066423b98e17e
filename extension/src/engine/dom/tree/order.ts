// Which of two elements comes first: in the documents, where a shadow root follows its host, or as they are shown.

import * as dom from "./dom";
import type { FlatTree } from "./flat_tree";

/** A shadow root's elements stand behind its host, and before what is in that. */
export function inDocumentOrder(a: Element, b: Element): number {
  const [left, right] = [hostsOf(a), hostsOf(b)];
  let at = 0;
  while (left[at] === right[at]) {
    if (++at === left.length) return -1;
    if (at === right.length) return 1;
  }
  const order = dom.call(left[at] as Element, "compareDocumentPosition", right[at] as Element);
  return order & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;
}

/** The hosts of the shadow roots that an element is in, outermost first, and itself. */
function hostsOf(element: Element): Element[] {
  const path = [element];
  for (let root = dom.getRootNode(element); root instanceof ShadowRoot; root = dom.getRootNode(root.host))
    path.unshift(root.host);
  return path;
}

/** Whether an element is shown before another one, or around it. */
export function isShownBefore(flat: FlatTree, a: Element, b: Element): boolean {
  const [left, right] = [pathOf(flat, a), pathOf(flat, b)];
  let at = 0;
  while (left[at] && left[at] === right[at]) at++;
  const [around, first, second] = [left[at - 1], left[at], right[at]];
  if (!around || !first || !second) return !first;
  const children = [...flat.children(around)];
  return children.indexOf(first) < children.indexOf(second);
}

/** What an element is in, outermost first, and itself. */
function pathOf(flat: FlatTree, element: Element): Element[] {
  const path = [];
  for (let at: Element | null = element; at; at = flat.parent(at)) path.unshift(at);
  return path;
}
