// The few selectors that the rules use, on virtual elements: compounds of a tag, attributes and pseudo-classes.

import type { VirtualElement } from "./nodes";

const COMPOUND = /^([\w-]+|\*)?((?:\[[\w-]+(?:~?=['"]?[^\]'"]*['"]?)?\]|:[\w-]+)*)$/;
const PART = /\[([\w-]+)(?:(~?=)['"]?([^\]'"]*)['"]?)?\]|:([\w-]+)/g;

/** Whether an element matches one of a list of compounds; other selectors are an error, not "no". */
export function matches(element: VirtualElement, selector: string): boolean {
  return selector.split(",").some((one) => matchesOne(element, one.trim()));
}

function matchesOne(element: VirtualElement, selector: string): boolean {
  const [whole, tag, rest = ""] = COMPOUND.exec(selector) ?? [];
  if (!whole) throw new Error(`not a selector of the virtual tree: ${selector}`);
  if (tag && tag !== "*" && tag !== element.localName) return false;
  return [...rest.matchAll(PART)].every(([, attribute, operator, value, pseudo]) => {
    if (pseudo) return hasState(element, pseudo);
    const found = element.getAttribute(attribute as string);
    if (found === null || operator === undefined) return found !== null;
    return operator === "=" ? found === value : found.split(/\s+/).includes(value as string);
  });
}

function hasState(element: VirtualElement, pseudo: string): boolean {
  switch (pseudo) {
    case "user-invalid":
      return element.userInvalid;
    case "modal":
      return element.localName === "dialog" && element.open && element.ax?.properties.get("modal") === true;
    case "popover-open":
      return element.hasAttribute("popover") && element.rendered;
    default:
      throw new Error(`not a state of the virtual tree: ${pseudo}`);
  }
}
