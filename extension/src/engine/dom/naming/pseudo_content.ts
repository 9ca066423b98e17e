// Text that CSS adds before and after elements.

import { isInlineDisplay } from "../semantics/visibility";

/** The text of an element's `::before` or `::after`, or "". */
export function pseudoContent(element: Element, which: "::before" | "::after"): string {
  return contentText(getComputedStyle(element, which), element);
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
