// Prose and fields: which inline elements only mark words, and which stand for themselves.

import { hasInk } from "../naming/text";
import { BLOCK_BY_DEFAULT, INLINE_BY_DEFAULT, Within } from "./visit";

const TEXT = 3;

/** Elements whose inline parts belong together whatever they are. */
const KEPT_WHOLE = new Set("code h1 h2 h3 h4 h5 h6 kbd label pre ruby samp time".split(" "));

/** What holds inside an element, as to whether its text is prose. */
export function withProse(inherited: number, tag: string, hasText: boolean): number {
  if (KEPT_WHOLE.has(tag) || hasText) return inherited | Within.PROSE;
  return BLOCK_BY_DEFAULT.has(tag) ? inherited & ~Within.PROSE : inherited;
}

/** Whether an element without text of its own holds inline elements of different kinds side by side. */
export function holdsFields(parent: ParentNode, style: CSSStyleDeclaration): boolean {
  const first = parent.firstElementChild;
  const second = first?.nextElementSibling;
  if (!first || !second || !INLINE_BY_DEFAULT.has(first.localName)) return false;
  for (let at: Element | null = second; at; at = at.nextElementSibling)
    if (INLINE_BY_DEFAULT.has(at.localName) && isOther(first, at))
      return style.whiteSpaceCollapse === "collapse";
  return false;
}

function isOther(a: Element, b: Element): boolean {
  return a.localName !== b.localName || a.getAttribute("class") !== b.getAttribute("class");
}

/** Whether a text goes on in the next element: the parts of a price, or marks around a word. */
export function isGlued(before: string, after: string): boolean {
  if (/[([{=]$/.test(before) || /^[([{=]$/.test(after)) return true;
  return /[\d$€£¥.,:/([#@+-]$/.test(before) ? /^[\d.,:/)%]/.test(after) : /^[.,:;!?)\]%*'’]/.test(after);
}

/** Whether an element has text of its own. */
export function hasText(element: ParentNode): boolean {
  for (let node = element.firstChild; node; node = node.nextSibling)
    if (node.nodeType === TEXT && hasInk((node as Text).data)) return true;
  return false;
}
