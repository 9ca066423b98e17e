// Words that stand apart on a line by boxes and margins, without a blank between them: badges, tags, a count and its unit.

import * as dom from "../tree/dom";

/** The least room between two words, as a share of the size of their letters; blanks take up about 0.25. */
const LEAST_EM = 0.2;

/** Whether room is left between a text and the next one on its line, which is in another element. */
export function standApart(before: Text, after: Text): boolean {
  const [one, other] = [dom.parentElement(before), dom.parentElement(after)];
  // Code has very many elements, and its blanks are its meaning.
  if (!one || !other || one === other || dom.closest(other, "pre, code")) return false;
  const [a, b] = [edgeOf(before, before.length - 1), edgeOf(after, 0)];
  if (!a.width || !b.width || a.bottom <= b.top || b.bottom <= a.top) return false;
  const room = Math.max(b.left - a.right, a.left - b.right);
  const size = Math.max(...[one, other].map((each) => Number.parseFloat(getComputedStyle(each).fontSize)));
  return room >= LEAST_EM * size;
}

/** One for all texts: each more makes the page's next changes slower until it is collected. */
let range: Range | null = null;

function edgeOf(text: Text, at: number): DOMRect {
  range ??= dom.call(document, "createRange");
  range.setStart(text, at);
  range.setEnd(text, at + 1);
  return range.getBoundingClientRect();
}
