// Text that CSS adds before and after elements. Asking for pseudo-element styles costs as much as several other
// reads, so only elements that some rule with `content` may concern are asked.

import { isInlineDisplay } from "./visibility";

const PSEUDO = /::?(before|after)\b/gi;

type Roots = Document | ShadowRoot;

export class Pseudos {
  /** A root's selector of elements with generated content; null if there is none, "*" where it can't be known. */
  private readonly selectors = new Map<Roots, string | null>();

  /** The text of an element's `::before` or `::after`, or "". */
  text(element: Element, which: "::before" | "::after"): string {
    return this.concerns(element) ? contentText(getComputedStyle(element, which), element) : "";
  }

  /** Whether some rule may generate content for the element. */
  concerns(element: Element): boolean {
    const root = element.getRootNode() as Roots;
    let selector = this.selectors.get(root);
    if (selector === undefined) {
      selector = generatingSelector(root);
      this.selectors.set(root, selector);
    }
    if (selector !== null && (selector === "*" || element.matches(selector))) return true;
    // A host is styled by :host rules, slotted elements by ::slotted, parts by ::part: rare, so just asked.
    return root !== element.ownerDocument || element.shadowRoot !== null;
  }
}

function generatingSelector(root: Roots): string | null {
  const found = new Set<string>();
  const sheets = [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
  try {
    for (const sheet of sheets) collectRules(sheet.cssRules, found);
  } catch {
    return "*"; // a sheet of another origin: its rules can't be read
  }
  if (!found.size) return null;
  const selector = [...found].join(",");
  try {
    root.querySelector(selector);
    return selector;
  } catch {
    return "*";
  }
}

function collectRules(rules: CSSRuleList, found: Set<string>): void {
  for (const rule of rules) {
    if (rule instanceof CSSStyleRule) {
      const text = rule.selectorText;
      if (/::?(before|after)\b/i.test(text)) {
        if (text.startsWith("&") || rule.parentRule instanceof CSSStyleRule) found.add("*");
        else if (generates(rule.style)) for (const one of origins(text)) found.add(one);
      }
    }
    if (rule instanceof CSSImportRule) {
      if (rule.styleSheet) collectRules(rule.styleSheet.cssRules, found);
    } else if ("cssRules" in rule) collectRules((rule as CSSGroupingRule).cssRules, found);
  }
}

/** Rules that only style, and the empty strings of clearfixes and shapes, add no text. */
function generates(style: CSSStyleDeclaration): boolean {
  const content = style.content;
  return content !== "" && !/^(none|normal|""|''|" "|' ')$/.test(content);
}

function origins(selectorText: string): string[] {
  return splitSelectors(selectorText)
    .filter((part) => part.search(PSEUDO) >= 0)
    .map((part) => {
      const bare = part.replace(PSEUDO, "").trim();
      return bare === "" || /[>+~]$/.test(bare) ? `${bare}*` : bare;
    });
}

function splitSelectors(text: string): string[] {
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

/** The strings in a computed `content`; the alternative text after a slash wins. */
function contentText(style: CSSStyleDeclaration, element: Element): string {
  const content = style.content;
  if (content === "none" || content === "normal" || content === "") return "";
  if (style.display === "none" || style.visibility !== "visible") return "";
  const [main = "", alternative] = splitAlternative(content);
  const text = strings(alternative ?? main, element);
  if (!text) return "";
  return isInlineDisplay(style.display) && style.position !== "absolute" ? text : ` ${text} `;
}

function splitAlternative(content: string): string[] {
  let quoted = false;
  for (let i = 0; i < content.length; i++) {
    if (content[i] === "\\") i++;
    else if (content[i] === '"') quoted = !quoted;
    else if (content[i] === "/" && !quoted) return [content.slice(0, i), content.slice(i + 1)];
  }
  return [content];
}

function strings(content: string, element: Element): string {
  let text = "";
  for (const match of content.matchAll(/"((?:[^"\\]|\\.)*)"|attr\(\s*([\w-]+)[^)]*\)/g)) {
    text += match[2] ? (element.getAttribute(match[2]) ?? "") : unescapeCss(match[1] ?? "");
  }
  return text;
}

function unescapeCss(text: string): string {
  return text.replace(
    /\\(?:([0-9a-f]{1,6})\s?|(.))/gi,
    (_, hex: string | undefined, char: string | undefined) =>
      hex ? String.fromCodePoint(Number.parseInt(hex, 16)) : (char ?? ""),
  );
}
