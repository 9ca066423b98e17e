// Which elements of a tag may have text by `::before` or `::after`: to look at each element's costs more than all else that
// is read of it, and few style sheets name them.

import * as dom from "../tree/dom";

const PSEUDO = /::?(?:before|after)/;
/** The last part of a selector, which the element itself has to match. */
const LAST_PART = /[^\s>+~]*$/;
const FUNCTION = /:[\w-]+\([^()]*\)/g;
const STRING = /"[^"]*"|'[^']*'/g;
const ATTRIBUTE = /\[[^\]]*\]/g;

/** `all` without attributes too, `attributed` only with some. */
type Which = "none" | "attributed" | "all";

/**
 * Which elements of a tag the document's style sheets may give text of their own; `all` where a sheet can't be read.
 * Sheets of shadow roots don't count.
 */
export function mayGenerateText(document: Document, tag: string): Which {
  try {
    const sheets = [...dom.get(document, "styleSheets"), ...dom.get(document, "adoptedStyleSheets")];
    let found: Which = "none";
    for (const which of sheets.flatMap((sheet) => [...inRules(sheet.cssRules, tag)])) {
      if (which === "all") return "all";
      if (which === "attributed") found = which;
    }
    return found;
  } catch {
    return "all"; // of another site
  }
}

function* inRules(rules: CSSRuleList, tag: string): Generator<Which> {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) yield* inRules(rule.styleSheet.cssRules, tag);
      continue;
    }
    const inner = (rule as CSSGroupingRule).cssRules;
    if (inner?.length) yield* inRules(inner, tag);
    if (rule instanceof CSSStyleRule && PSEUDO.test(rule.selectorText)) {
      const says = ["content", "animation-name"].some((name) => rule.style.getPropertyValue(name));
      if (says || inner?.length) yield ofSelectors(rule.selectorText, tag);
    }
  }
}

function ofSelectors(selectors: string, tag: string): Which {
  let text = selectors.replace(/\\./g, "_").replace(STRING, "").replace(ATTRIBUTE, "[]");
  for (let before = ""; before !== text; ) {
    before = text;
    text = text.replace(FUNCTION, ":any");
  }
  let found: Which = "none";
  for (const selector of text.split(",")) {
    const [before = "", after] = selector.split(PSEUDO);
    if (after === undefined) continue;
    const part = LAST_PART.exec(before.trimEnd())?.[0] ?? "";
    const named = /^[a-z][\w-]*/i.exec(part)?.[0].toLowerCase() ?? tag;
    if (named !== tag && !part.includes("|")) continue;
    if (!/[.#[]/.test(part)) return "all";
    found = "attributed";
  }
  return found;
}
