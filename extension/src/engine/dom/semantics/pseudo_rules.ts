// Which elements style sheets may give a text by `::before` or `::after`: to ask the browser for the style of each is slow,
// and most elements have none.

import * as dom from "../tree/dom";

const PSEUDO = /::?(?:before|after)\b/g;
/** A value that may show something: by what it refers to, or by a string that isn't only a sign of an icon font. */
const SHOWS = /\b(?:attr|counters?|var|env)\(|"(?:[^"\\\ue000-\uf8ff]|\\[^0-9a-f]|\\[0-9a-f]{1,3}\b)/i;
/** One that may show a word. */
const SAYS =
  /\b(?:attr|counters?|var)\(|"(?:[^"\\]|\\[^0-9a-f])*?[\p{L}\p{N}]|'(?:[^'\\]|\\[^0-9a-f])*?[\p{L}\p{N}]/iu;
/** Where a style sheet can't be read, elements with nothing in them may have such texts. */
const UNREADABLE = ":empty";
/** What a shadow root's style sheet styles beyond it: its host, and what is in a slot. */
const BEYOND = /:host(?![\w-])(?:\([^)]*\))*$|::slotted\(/;

/** What of one root, or one style sheet, may have such texts. */
interface Adding {
  /** Selectors of what may have words. */
  saying: readonly string[];
  /** Whether anything may have a text, a sign for example. */
  shows: boolean;
}

/** What a style sheet was last found to add, and how many rules it had then. */
const known = new WeakMap<CSSStyleSheet, { count: number; adding: Adding }>();

/** What the style sheets of a document or shadow root add to its elements. */
export class AddedTexts {
  readonly shows: boolean;
  /** Selects what may have words; "" where nothing may. */
  readonly saying: string;
  /** Whether a shadow root adds words to its host, or to what is in a slot. */
  readonly isBeyond: boolean;

  constructor(root: Document | ShadowRoot) {
    const sheets = [...dom.get(root, "styleSheets"), ...dom.get(root, "adoptedStyleSheets")].map(addingOf);
    const saying = new Set(sheets.flatMap((sheet) => sheet.saying));
    this.shows = sheets.some(({ shows }) => shows);
    this.saying = [...saying].join(", ");
    this.isBeyond = root instanceof ShadowRoot && [...saying].some((selector) => BEYOND.test(selector));
  }
}

function addingOf(sheet: CSSStyleSheet): Adding {
  const count = countOf(sheet);
  if (count < 0) return { saying: [UNREADABLE], shows: true };
  const before = known.get(sheet);
  if (before?.count === count) return before.adding;
  const found = { saying: new Set<string>(), shows: false };
  inRules(sheet.cssRules, found);
  const adding = { saying: [...found.saying], shows: found.shows };
  known.set(sheet, { count, adding });
  return adding;
}

/** How many rules a sheet has; -1 where it is of another site. */
function countOf(sheet: CSSStyleSheet): number {
  try {
    return sheet.cssRules.length;
  } catch {
    return -1;
  }
}

function inRules(rules: CSSRuleList, found: { saying: Set<string>; shows: boolean }): void {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet && countOf(rule.styleSheet) >= 0) inRules(rule.styleSheet.cssRules, found);
      else found.shows = true;
      continue;
    }
    const inner = (rule as CSSGroupingRule).cssRules;
    if (inner?.length) inRules(inner, found);
    if (!(rule instanceof CSSStyleRule) || !rule.style.content) continue;
    found.shows ||= SHOWS.test(rule.style.content);
    if (!SAYS.test(rule.style.content)) continue;
    const selector = rule.selectorText.replace(PSEUDO, "").replace(/(^|[,>+~\s])(?=\s*(?:,|$))/g, "$1*");
    if (selector !== rule.selectorText && CSS.supports(`selector(${selector.split(",")[0]})`))
      found.saying.add(selector);
  }
}
