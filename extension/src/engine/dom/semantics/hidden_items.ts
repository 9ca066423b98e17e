// Items of a list that the page keeps from assistive technology, as carousels do with those that they don't show.

import { fold } from "../naming/text";
import * as dom from "../tree/dom";
import { renderingOf } from "./visibility";

const WORDS = /[\p{L}\p{N}]/u;

/** How many elements beside a hidden one are hidden like it, and say what none of their kind says that isn't. */
export function hiddenItemsBeside(hidden: Element): number {
  const parent = dom.parentElement(hidden);
  const kind = kindOf(hidden);
  const alike = parent ? [...dom.children(parent)].filter((each) => kindOf(each) === kind) : [];
  const [unread, read] = [new Set<string>(), new Set<string>()];
  for (const item of alike) {
    if (renderingOf(item) !== "box") continue;
    const isHidden = dom.getAttribute(item, "aria-hidden") === "true";
    (isHidden ? unread : read).add(fold(dom.textContent(item)));
  }
  return read.size ? [...unread].filter((text) => WORDS.test(text) && !read.has(text)).length : 0;
}

function kindOf(element: Element): string {
  const first = /\S+/.exec(dom.getAttribute(element, "class") ?? "")?.[0] ?? "";
  return `${dom.localName(element)}.${first}`;
}
