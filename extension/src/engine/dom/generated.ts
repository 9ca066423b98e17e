// Which elements style sheets give text before or after them.

import { compounds } from "./compounds";
import { finish, type Steps } from "./steps";

/** A selector of elements that get text, and what an element must have for it to match. */
export interface Origin {
  selector: string;
  /** A class (`.name`), an id (`#name`) or a tag; "" where any element may match. */
  key: string;
}

const PSEUDO = /::?(before|after)\b/gi;
const EVERYTHING: Origin = { selector: "*", key: "" };

/** What gets text by a sheet's rules; null where they can't be read. */
export const originsOf = (sheet: CSSStyleSheet): Origin[] | null => finish(generating(sheet));

/** The same, step by step. */
export function* generating(sheet: CSSStyleSheet): Steps<Origin[] | null> {
  const found = new Set<string>();
  try {
    yield* collect(sheet.cssRules, found);
  } catch {
    return null; // of another origin
  }
  const origins: Origin[] = [];
  for (const selector of found) {
    origins.push(originOf(selector));
    yield;
  }
  return origins;
}

/** The origins of many sheets, to be asked of single elements. */
export class Origins {
  private readonly byKey = new Map<string, Set<string>>();
  private readonly joined = new Map<string, string>();

  constructor(private readonly quirky: boolean) {}

  add({ selector, key }: Origin): void {
    // In quirks mode the case of names doesn't count.
    const place = this.quirky ? "" : key;
    const known = this.byKey.get(place);
    if (known) known.add(selector);
    else this.byKey.set(place, new Set([selector]));
  }

  /** Whether an element is one of them. */
  concern(element: Element): boolean {
    const { byKey } = this;
    if (!byKey.size) return false;
    if (this.matches(element, "") || this.matches(element, element.localName)) return true;
    const id = element.getAttribute("id");
    if (id && this.matches(element, `#${id}`)) return true;
    if (!element.hasAttribute("class")) return false;
    for (const name of element.classList) if (this.matches(element, `.${name}`)) return true;
    return false;
  }

  private matches(element: Element, key: string): boolean {
    const selectors = this.byKey.get(key);
    if (!selectors) return false;
    let selector = this.joined.get(key);
    if (selector === undefined) {
      selector = selectors.has("*") ? "*" : [...selectors].join(",");
      this.joined.set(key, selector);
    }
    return selector === "*" || element.matches(selector);
  }
}

function* collect(rules: CSSRuleList, found: Set<string>): Steps<void> {
  for (const rule of rules) {
    yield;
    if (rule instanceof CSSStyleRule) {
      const text = rule.selectorText;
      if (/::?(before|after)\b/i.test(text)) {
        if (text.startsWith("&") || rule.parentRule instanceof CSSStyleRule) found.add("*");
        else if (generates(rule.style)) for (const one of bare(text)) found.add(one);
      }
      if (rule.cssRules?.length) yield* collect(rule.cssRules, found);
    } else if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) yield* collect(rule.styleSheet.cssRules, found);
    } else if ("cssRules" in rule) yield* collect((rule as CSSGroupingRule).cssRules, found);
  }
}

/** Rules that only style, and the empty strings of clearfixes and shapes, add no text. */
function generates(style: CSSStyleDeclaration): boolean {
  const content = style.content;
  return content !== "" && !/^(none|normal|""|''|" "|' ')$/.test(content);
}

/** The selectors of a list that are of pseudo-elements, without these. */
function bare(selectorText: string): string[] {
  return split(selectorText)
    .filter((part) => part.search(PSEUDO) >= 0)
    .map((part) => {
      const rest = part.replace(PSEUDO, "").trim();
      return rest === "" || /[>+~]$/.test(rest) ? `${rest}*` : rest;
    });
}

function split(text: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let start = 0;
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (char === "," && depth === 0) {
      parts.push(text.slice(start, i));
      start = i + 1;
    }
  }
  parts.push(text.slice(start));
  return parts;
}

function originOf(selector: string): Origin {
  try {
    document.createDocumentFragment().querySelector(selector);
  } catch {
    return EVERYTHING;
  }
  return { selector, key: keyOf(selector) };
}

/** What the last part of a selector names outside of functions and attributes. */
function keyOf(selector: string): string {
  // What is escaped, of a namespace, or of other alphabets is asked of every element.
  if (/[\\|]|[^ -~]/.test(selector)) return "";
  let plain = compounds(selector).at(-1) ?? "";
  for (let before = ""; plain !== before; ) {
    before = plain;
    plain = plain.replace(/\([^()]*\)|\[[^[\]]*\]/g, "");
  }
  if (!/^[\w.#:*-]+$/.test(plain)) return "";
  const tag = /^[\w-]+/.exec(plain)?.[0] ?? "";
  return /[.#][\w-]+/.exec(plain)?.[0] ?? (tag === tag.toLowerCase() ? tag : "");
}
