// Who gets the events of a point.

import type { Engine } from "../engine/dom/engine";
import type { Point } from "../shared/messages";
import { controlOf } from "./condition";

/** null where the element gets the events of the point, else what does, or "outside" where nothing of the page does. */
export function coverOf(engine: Engine, element: Element, point: Point): Element | "outside" | null {
  const found = engine.flat.elementAt(element.ownerDocument, point.x, point.y);
  if (!found) return "outside";
  return receives(engine, element, found) ? null : found;
}

/** Whether an event on `found` reaches `element`: on itself, on what is in it, or on a label of its. */
export function receives(engine: Engine, element: Element, found: Element): boolean {
  const control = controlOf(element);
  if (element.localName === "area") return found === element;
  let crossed = false;
  for (let at: Element | null = found; at; at = engine.flat.parent(at)) {
    if (at === element || at === control) return true;
    // A label passes clicks on to its control, but not those on another control inside it.
    if (at.localName === "label" && !crossed && (at as HTMLLabelElement).control === control) return true;
    crossed ||= isControl(at);
  }
  return false;
}

function isControl(element: Element): boolean {
  return /^(a|button|input|select|textarea)$/.test(element.localName);
}
