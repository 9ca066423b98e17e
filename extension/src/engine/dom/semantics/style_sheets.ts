// What the document's style sheets may say of elements of a tag: to ask the browser for each element's style costs more than
// all else that is read of it, and few style sheets say anything of most elements.

import * as dom from "../tree/dom";

const PSEUDO = /::?(?:before|after)/;
/** The last part of a selector, which the element itself has to match. */
const LAST_PART = /[^\s>+~]*$/;
const FUNCTION = /:[\w-]+\([^()]*\)/g;
const STRING = /"[^"]*"|'[^']*'/g;
const ATTRIBUTE = /\[[^\]]*\]/g;

/** `all` without attributes too, `attributed` only with some. */
type Which = "none" | "attributed" | "all";

interface Styled {
  /** Which elements may have text by `::before` or `::after`. */
  text: Which;
  /** Which may be shown otherwise than what is around them (`SHOWING`). */
  showing: Which;
}

const TEXTS = new Set(["content", "animation-name"]);
/** What decides whether, how and where an element is shown, and whether it looks as if it could be clicked. */
const SHOWING = new Set(
  `all animation-name content-visibility cursor display float font-size offset-path opacity overflow-block overflow-inline
  overflow-x overflow-y position rotate scale transform translate visibility zoom`.split(/\s+/),
);

/**
 * Which elements of a tag the document's style sheets and animations may style; `all` where a sheet can't be read. Sheets of
 * shadow roots don't count, nor do the elements' own `style` attributes.
 */
export function styledBySheets(document: Document, tag: string): Styled {
  const found: Styled = { text: "none", showing: "none" };
  const note = (what: keyof Styled, which: Which): void => {
    if (which === "all" || found[what] === "none") found[what] = which;
  };
  try {
    const sheets = [...dom.get(document, "styleSheets"), ...dom.get(document, "adoptedStyleSheets")];
    for (const sheet of sheets) inRules(sheet.cssRules, tag, note);
  } catch {
    return { text: "all", showing: "all" }; // of another site
  }
  for (const { effect } of dom.call(document, "getAnimations")) {
    const { target } = effect as KeyframeEffect;
    if (!target || dom.localName(target) === tag) note("showing", "all");
  }
  return found;
}

function inRules(rules: CSSRuleList, tag: string, note: (what: keyof Styled, which: Which) => void): void {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) inRules(rule.styleSheet.cssRules, tag, note);
      continue;
    }
    const inner = (rule as CSSGroupingRule).cssRules;
    if (inner?.length) inRules(inner, tag, note);
    if (!(rule instanceof CSSStyleRule)) continue;
    const { selectorText, style } = rule;
    // What stands in a rule without a selector of its own says something of the same elements.
    const says = (names: Set<string>): boolean =>
      inner?.length > 0 || [...style].some((name) => names.has(name));
    if (PSEUDO.test(selectorText) && says(TEXTS)) note("text", ofSelectors(selectorText, tag, true));
    if (says(SHOWING)) note("showing", ofSelectors(selectorText, tag, false));
  }
}

/** Which elements of a tag a list of selectors may match: with `::before` or `::after`, or without. */
function ofSelectors(selectors: string, tag: string, isPseudo: boolean): Which {
  let text = selectors.replace(/\\./g, "_").replace(STRING, "").replace(ATTRIBUTE, "[]");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(FUNCTION, ":any");
  }
  let found: Which = "none";
  for (const selector of text.split(",")) {
    const [before = "", after] = selector.split(PSEUDO);
    if (isPseudo !== (after !== undefined)) continue;
    const part = LAST_PART.exec(before.trimEnd())?.[0] ?? "";
    const named = /^[a-z][\w-]*/i.exec(part)?.[0].toLowerCase() ?? tag;
    if (named !== tag && !part.includes("|")) continue;
    if (!/[.#[]/.test(part)) return "all";
    found = "attributed";
  }
  return found;
}
