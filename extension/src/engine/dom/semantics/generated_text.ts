// Texts that style sheets put before or behind what an element holds, by `::before` and `::after`: people read them, and they
// stand in no text node.

import { pseudoContent } from "../naming/names";
import { collapse } from "../naming/text";
import * as dom from "../tree/dom";
import { columnShownIn } from "./cell_labels";
import { AddedTexts } from "./pseudo_rules";

const WORD = /[\p{L}\p{N}]/u;
const CELLS = /^t[dh]$/;

/** Which elements of a document may have words by `::before` or `::after`; its style sheets are read once a walk. */
export class GeneratedTexts {
  private readonly roots = new Map<Node, AddedTexts>();
  /** Hosts of shadow roots that style what is beyond them. */
  private readonly hosts = new Set<Element>();
  private isNone: boolean | null = null;

  /** A shadow root is entered. */
  meet(root: ShadowRoot): void {
    const added = this.addedIn(root);
    if (added.isBeyond) this.hosts.add(root.host);
    if (added.saying) this.isNone = false;
  }

  /** Whether an element may have such a text. */
  mayAdd(element: Element): boolean {
    this.isNone ??= !this.addedIn(document).saying;
    if (this.isNone || element instanceof SVGElement) return false;
    const root = this.roots.size > 1 ? (dom.getRootNode(element) as Document | ShadowRoot) : document;
    const { saying } = this.addedIn(root);
    return (saying !== "" && dom.matches(element, saying)) || (this.hosts.size > 0 && this.isBeyond(element));
  }

  /** The text before or behind what is in an element; "" where it says no word, or is the name of a cell's column. */
  of(element: Element, which: "::before" | "::after"): string {
    const text = collapse(pseudoContent(element, which));
    if (!WORD.test(text) || getComputedStyle(element, which).opacity === "0") return "";
    return which === "::before" && CELLS.test(dom.localName(element)) && columnShownIn(element) ? "" : text;
  }

  private isBeyond(element: Element): boolean {
    const up = dom.parentElement(element);
    return this.hosts.has(element) || (up !== null && this.hosts.has(up));
  }

  private addedIn(root: Document | ShadowRoot): AddedTexts {
    let added = this.roots.get(root);
    if (!added) {
      added = new AddedTexts(root);
      this.roots.set(root, added);
    }
    return added;
  }
}
