// happy-dom knows no layout: what is hidden is told by display, `hidden` and visibility, and nothing is told by size.

import { Roles } from "../../src/engine/dom/semantics/roles";
import { FlatTree } from "../../src/engine/dom/tree/flat_tree";

Element.prototype.checkVisibility ??= function checkVisibility(this: Element): boolean {
  for (let at: Element | null = this; at; at = at.parentElement) {
    if (getComputedStyle(at).display === "none" || at.hasAttribute("hidden")) return false;
  }
  return getComputedStyle(this).visibility !== "hidden";
};

export const flat = new FlatTree((element) => element.shadowRoot);
export const roles = new Roles(flat);

/** Put HTML into the page and find the element marked `x`, or the first. */
export function page(html: string): Element {
  document.body.innerHTML = html;
  return (document.querySelector("[x]") ?? document.body.firstElementChild) as Element;
}

export function roleOf(html: string): string {
  return roles.of(page(html));
}
