// An element's text as it is rendered, through shadow roots and slots.

import type { Engine } from "../engine/dom/engine";
import { renderingOf } from "../engine/dom/semantics/visibility";

/** What a person reads in an element. */
export function textOf(engine: Engine, element: Element): string {
  if (!hasShadow(engine, element))
    return ((element as HTMLElement).innerText ?? element.textContent ?? "").trim();
  return join(engine, element)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function hasShadow(engine: Engine, element: Element): boolean {
  if (element.localName === "slot" || engine.flat.shadow(element)) return true;
  for (const inner of element.querySelectorAll("*")) if (engine.flat.shadow(inner)) return true;
  return false;
}

function join(engine: Engine, element: Element): string {
  const how = renderingOf(element);
  if (how === "none" || element.localName === "select") return "";
  let text = "";
  for (const child of engine.flat.children(element)) {
    if (child.nodeType === Node.TEXT_NODE) {
      if (how !== "invisible") text += (child as Text).data.replace(/\s+/g, " ");
    } else if (child.nodeType === Node.ELEMENT_NODE) {
      text += (child as Element).localName === "br" ? "\n" : join(engine, child as Element);
    }
  }
  const { display } = getComputedStyle(element);
  if (display === "table-cell") return `${text}\t`;
  return /^(inline|contents|ruby)/.test(display) ? text : `\n${text}\n`;
}
