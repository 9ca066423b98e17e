// Texts that style sheets put before or behind what an element holds, by `::before` and `::after`: people read them, and they
// stand in no text node.

import { pseudoContent } from "../naming/names";
import { collapse } from "../naming/text";
import * as dom from "../tree/dom";
import { columnShownIn } from "./cell_labels";

const PSEUDO = /::?(?:before|after)\b/g;
const WORD = /[\p{L}\p{N}]/u;
/** A value that may show a word: by what it refers to, or by a string that isn't a sign of an icon font. */
const SAYS =
  /\b(?:attr|counters?|var)\(|"(?:[^"\\]|\\[^0-9a-f])*?[\p{L}\p{N}]|'(?:[^'\\]|\\[^0-9a-f])*?[\p{L}\p{N}]/iu;
const CELLS = /^t[dh]$/;
/** Where a style sheet can't be read, elements with nothing in them may have such texts. */
const UNREADABLE = ":empty";
/** What a shadow root's style sheet styles beyond it: its host, and what is in a slot. */
const BEYOND = /:host(?![\w-])(?:\([^)]*\))*$|::slotted\(/;

/** What a style sheet was last found to select, and how many rules it had then. */
const known = new WeakMap<CSSStyleSheet, { count: number; selectors: readonly string[] }>();

/** What may have such texts: by a selector, and beyond a shadow root. */
interface Selected {
  selector: string;
  beyond: boolean;
}

/** Which elements of a document may have texts by `::before` or `::after`; its style sheets are read once a walk. */
export class GeneratedTexts {
  private readonly roots = new Map<Node, Selected>();
  /** Hosts of shadow roots that style what is beyond them. */
  private readonly hosts = new Set<Element>();

  /** A shadow root is entered. */
  meet(root: ShadowRoot): void {
    if (!this.roots.has(root) && this.selectedIn(root).beyond) this.hosts.add(root.host);
  }

  /** The text before or behind what is in an element; "" where it says no word, or is the name of a cell's column. */
  of(element: Element, which: "::before" | "::after"): string {
    const root = this.roots.size > 1 ? dom.getRootNode(element) : document;
    const { selector } = this.roots.get(root) ?? this.selectedIn(root as Document);
    const isSelected =
      (selector && dom.matches(element, selector)) || (this.hosts.size && this.isBeyond(element));
    if (!isSelected || element instanceof SVGElement) return "";
    const text = collapse(pseudoContent(element, which));
    if (!WORD.test(text) || getComputedStyle(element, which).opacity === "0") return "";
    return which === "::before" && CELLS.test(dom.localName(element)) && columnShownIn(element) ? "" : text;
  }

  private isBeyond(element: Element): boolean {
    const up = dom.parentElement(element);
    return this.hosts.has(element) || (up !== null && this.hosts.has(up));
  }

  private selectedIn(root: Document | ShadowRoot): Selected {
    const sheets = [...dom.get(root, "styleSheets"), ...dom.get(root, "adoptedStyleSheets")];
    const found = new Set(sheets.flatMap(selectorsOf));
    const selected = {
      selector: [...found].join(", "),
      beyond: root !== document && [...found].some((selector) => BEYOND.test(selector)),
    };
    this.roots.set(root, selected);
    return selected;
  }
}

function selectorsOf(sheet: CSSStyleSheet): readonly string[] {
  const count = countOf(sheet);
  if (count < 0) return [UNREADABLE];
  const before = known.get(sheet);
  if (before?.count === count) return before.selectors;
  const found = new Set<string>();
  inRules(sheet.cssRules, found);
  const selectors = [...found];
  known.set(sheet, { count, selectors });
  return selectors;
}

/** How many rules a sheet has; -1 where it is of another site. */
function countOf(sheet: CSSStyleSheet): number {
  try {
    return sheet.cssRules.length;
  } catch {
    return -1;
  }
}

function inRules(rules: CSSRuleList, found: Set<string>): void {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet && countOf(rule.styleSheet) >= 0) inRules(rule.styleSheet.cssRules, found);
      continue;
    }
    const inner = (rule as CSSGroupingRule).cssRules;
    if (inner?.length) inRules(inner, found);
    if (!(rule instanceof CSSStyleRule) || !SAYS.test(rule.style.content)) continue;
    const selector = rule.selectorText.replace(PSEUDO, "").replace(/(^|[,>+~\s])(?=\s*(?:,|$))/g, "$1*");
    if (selector !== rule.selectorText && CSS.supports(`selector(${selector.split(",")[0]})`))
      found.add(selector);
  }
}
