// The innermost elements that show a text: what a press on that text comes to.
//
// Snapshots join the texts of elements that only hold text, so that a text may stand for a whole part of the page there.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import { isInlineDisplay, isRendered } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";

/** The innermost elements that show just this text, else those that have it in theirs. */
export function showing(engine: Engine, text: string): Element[] {
  const search = new TextSearch(engine, fold(text).toLowerCase());
  const top = dom.get(engine.document, "documentElement");
  if (search.wanted && top) search.textIn(top);
  return search.whole.length ? search.whole : search.part;
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
    const { length: wholes } = this.whole;
    const { length: parts } = this.part;
    let text = "";
    for (const child of this.engine.flat.children(element)) {
      if (dom.nodeType(child) === Node.TEXT_NODE) text += (child as Text).data;
      if (!(child instanceof Element) || !isRendered(child) || this.engine.isOwn(child)) continue;
      const inside = this.textIn(child);
      text += isInlineDisplay(getComputedStyle(child).display) ? inside : ` ${inside} `;
    }
    const isInnermost = this.part.length === parts;
    if (!isInnermost && this.whole.length > wholes) return text;
    const said = fold(text).toLowerCase();
    if (this.whole.length === wholes && said === this.wanted) this.whole.push(element);
    if (isInnermost && said.includes(this.wanted)) this.part.push(element);
    return text;
  }
}
