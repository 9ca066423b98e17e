// The innermost elements inside another that show a text: what a press on that text comes to.
//
// Snapshots join the texts of elements that only hold text, so that a text may stand for a whole part of the page there.

import type { Engine } from "../engine/dom/engine";
import { contentRects } from "../engine/dom/layout/hit_test";
import { fold } from "../engine/dom/naming/text";
import { isInlineDisplay, isRendered } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import { noteRef } from "./css_selector";

/** More matches than these help nobody. */
const MOST = 100;

/** Refs of the innermost elements that show just this text (`whole`), and of those that have it in theirs (`part`). */
export function textRefs(engine: Engine, holder: Element, text: string): { whole: string[]; part: string[] } {
  const search = new TextSearch(engine, fold(text).toLowerCase());
  if (search.wanted) search.textIn(holder);
  const refs = (found: readonly Element[]): string[] =>
    found.slice(0, MOST).map((element) => noteRef(engine, pressedAs(holder, element)));
  return { whole: refs(search.whole), part: refs(search.part) };
}

class TextSearch {
  readonly whole: Element[] = [];
  readonly part: Element[] = [];

  constructor(
    private readonly engine: Engine,
    readonly wanted: string,
  ) {}

  /** The text that an element shows; it and what is in it are among the found where they are innermost. */
  textIn(element: Element): string {
    const before = [this.whole.length, this.part.length];
    let text = "";
    for (const child of this.engine.flat.children(element)) {
      if (dom.nodeType(child) === Node.TEXT_NODE) text += (child as Text).data;
      if (!(child instanceof Element) || !isRendered(child) || this.engine.isOwn(child)) continue;
      const inside = this.textIn(child);
      text += isInlineDisplay(getComputedStyle(child).display) ? inside : ` ${inside} `;
    }
    const said = fold(text).toLowerCase();
    if (this.whole.length === before[0] && said === this.wanted) this.whole.push(element);
    if (this.part.length === before[1] && said.includes(this.wanted)) this.part.push(element);
    return text;
  }
}

/** The holder itself where a press on its middle comes to the element, and it shows nothing else. */
function pressedAs(holder: Element, element: Element): Element {
  const [middle] = contentRects(holder);
  if (!middle || fold(dom.textContent(holder)) !== fold(dom.textContent(element))) return element;
  const [x, y] = [middle.x + middle.width / 2, middle.y + middle.height / 2];
  const isHit = contentRects(element).some(
    ({ left, right, top, bottom }) => left <= x && x < right && top <= y && y < bottom,
  );
  return isHit ? holder : element;
}
