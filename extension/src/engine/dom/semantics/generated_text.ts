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

/** The selectors of the style sheets as they were last read. */
let selectors: { signature: string; text: string } | null = null;

/** Which elements of a document may have texts by `::before` or `::after`; read once a walk. */
export class GeneratedTexts {
  private known: string | null = null;

  /** The text before or behind what is in an element; "" where it says no word, or is the name of a cell's column. */
  of(element: Element, which: "::before" | "::after"): string {
    this.known ??= selectorsOf(document);
    if (!this.known || element instanceof SVGElement || !dom.matches(element, this.known)) return "";
    const text = collapse(pseudoContent(element, which));
    if (!WORD.test(text) || getComputedStyle(element, which).opacity === "0") return "";
    return which === "::before" && CELLS.test(dom.localName(element)) && columnShownIn(element) ? "" : text;
  }
}

function selectorsOf(document: Document): string {
  const sheets = [...dom.get(document, "styleSheets"), ...dom.get(document, "adoptedStyleSheets")];
  const signature = sheets.map(countOf).join();
  if (selectors?.signature !== signature) {
    const found = new Set<string>();
    for (const sheet of sheets)
      if (countOf(sheet) < 0) found.add(UNREADABLE);
      else inRules(sheet.cssRules, found);
    selectors = { signature, text: [...found].join(", ") };
  }
  return selectors.text;
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
