// Whether a page loads more behind the last row of a list, once that comes into view.

import * as dom from "../engine/dom/tree/dom";

const MOST_TEXT = 40;

/** `awaited` are the elements for which the page waits to come into view. */
export function leadsOn(row: Element, awaited: readonly Element[]): boolean {
  return awaited.some((one) => isEmptyBehind(row, one)) || isAwaitedAsLast(row, awaited);
}

/** It has no text of its own but a word that says that more is on its way, and there is none between the two. */
function isEmptyBehind(row: Element, one: Element): boolean {
  const place = dom.call(row, "compareDocumentPosition", one);
  const isBehind = (place & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  if (!isBehind || (place & Node.DOCUMENT_POSITION_CONTAINED_BY) !== 0) return false;
  if (dom.call(one, "getClientRects").length === 0 || dom.textContent(one).trim().length > MOST_TEXT)
    return false;
  if (dom.querySelectorAll(one, "a[href], input, select, textarea").length) return false;
  const between = row.ownerDocument.createRange();
  between.setStartAfter(row);
  between.setEndBefore(one);
  return between.toString().trim() === "";
}

/** The last row itself is waited for, and the one before it isn't. */
function isAwaitedAsLast(row: Element, awaited: readonly Element[]): boolean {
  const before = row.previousElementSibling;
  return before !== null && awaited.includes(row) && !awaited.includes(before);
}
