// Text that CSS adds before and after elements. Asking for pseudo-element styles costs as much as several other
// reads, so only elements that some rule with `content` may concern are asked.

import { type Origin, Origins, originsOf } from "../generated";
import { isInlineDisplay } from "../semantics/visibility";

export class Pseudos {
  /** The document's own elements that get text; null where that can't be known. */
  private origins: Origins | null | undefined;

  /** `of` tells what gets text by a sheet, null where that can't be known. */
  constructor(private readonly of: (sheet: CSSStyleSheet) => readonly Origin[] | null = originsOf) {}

  /** The text of an element's `::before` or `::after`, or "". */
  text(element: Element, which: "::before" | "::after"): string {
    return this.concerns(element) ? contentText(getComputedStyle(element, which), element) : "";
  }

  /** Whether some rule may generate content for the element. */
  concerns(element: Element): boolean {
    const document = element.ownerDocument;
    // A host is styled by :host rules, slotted elements by ::slotted, parts by ::part: rare, so just asked.
    if (element.shadowRoot !== null || element.getRootNode() !== document) return true;
    if (this.origins === undefined) this.origins = this.originsIn(document);
    return this.origins === null || this.origins.concern(element);
  }

  private originsIn(document: Document): Origins | null {
    const found = new Origins(document.compatMode === "BackCompat");
    for (const sheet of [...(document.styleSheets ?? []), ...(document.adoptedStyleSheets ?? [])]) {
      const origins = this.of(sheet);
      if (!origins) return null;
      for (const origin of origins) found.add(origin);
    }
    return found;
  }
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
