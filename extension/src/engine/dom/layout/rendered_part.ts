// Editors that have only the lines of a long text on the page that are near those which one sees.

import * as dom from "../tree/dom";

/** What fills room without a text. */
const FILLS = "audio, canvas, embed, hr, iframe, img, input, object, svg, table, textarea, video";
const SCROLLS = /^(?:auto|scroll|hidden|clip)$/;

/** Whether an editor keeps room for lines that aren't on the page: as much as one sees at a time, or half of that. */
export function hasRenderedPart(editor: Element): boolean {
  const { top, bottom, height } = dom.getBoundingClientRect(editor);
  const seen = seenHeight(editor);
  const inside = dom.get(editor, "scrollHeight");
  const whole = Math.max(height, inside);
  if (!seen || whole < 2 * seen || !dom.textContent(editor).trim()) return false;
  const start = inside > height ? top - dom.get(editor, "scrollTop") : top;
  let reached = start;
  for (const [from, to] of filledParts(editor).sort(([a], [b]) => a - b)) {
    if (from - reached >= seen / 2) return true;
    reached = Math.max(reached, to);
  }
  return Math.max(start + inside, bottom) - reached >= seen / 2;
}

/** How much of an editor one sees at a time. */
function seenHeight(editor: Element): number {
  for (let at: Element | null = editor; at; at = dom.parentElement(at))
    if (SCROLLS.test(getComputedStyle(at).overflowY)) return dom.get(at, "clientHeight");
  return window.innerHeight;
}

function filledParts(editor: Element): [from: number, to: number][] {
  const parts = [...dom.querySelectorAll(editor, FILLS)].map((element) => dom.getBoundingClientRect(element));
  const range = dom.call(dom.get(editor, "ownerDocument"), "createRange");
  const texts = document.createTreeWalker(editor, NodeFilter.SHOW_TEXT);
  while (texts.nextNode()) {
    range.selectNodeContents(texts.currentNode);
    parts.push(range.getBoundingClientRect());
  }
  return parts.map(({ top, bottom }) => [top, bottom]);
}
