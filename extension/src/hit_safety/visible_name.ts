// What an element is called where somebody decides on it: its accessible name, else the text that it shows.

import type { Engine } from "../engine/dom/engine";
import { pseudoContent } from "../engine/dom/naming/names";
import { clip, fold, hasInk, isIcon } from "../engine/dom/naming/text";
import { isInlineDisplay, isRendered } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import { INTERACTIVE } from "../shared/roles";

/** Characters; what is longer is a part of the page rather than a control. */
const LONGEST = 200;
const MOST_CONTROLS = 50;
const FIELDS = new Set("input select textarea".split(" "));

/**
 * The name by which an element is judged, shown to a person, and compared at the last moment. The text of controls inside
 * it counts only where there is nothing else: lists show and hide such controls as the mouse comes over a row.
 */
export function visibleName(engine: Engine, element: Element, role = engine.roles.of(element)): string {
  const name = engine.names().of(element, role).text;
  const isField = FIELDS.has(dom.localName(element)) || dom.get(element as HTMLElement, "isContentEditable");
  if (name || isField) return name;
  const text = fold(shownText(engine, element));
  return clip(text && !isIcon(text) ? text : engine.names().content(element), LONGEST);
}

/** The controls inside an element, by role and name: a press on the element's middle may land on them. */
export function controlsIn(engine: Engine, element: Element): string[] {
  const found: string[] = [];
  const collect = (parent: Element): void => {
    for (const child of engine.flat.children(parent)) {
      if (!(child instanceof Element) || found.length >= MOST_CONTROLS) continue;
      if (isControl(engine, child)) found.push(controlName(engine, child));
      else collect(child);
    }
  };
  if (!isControl(engine, element)) collect(element);
  return found;
}

/** The outermost control inside an element that an event comes to; null where it comes to the element itself. */
export function controlBetween(
  engine: Engine,
  element: Element,
  from: EventTarget | undefined,
): Element | null {
  let control: Element | null = null;
  if (!(from instanceof Element) || isControl(engine, element)) return null;
  if (!engine.flat.isInside(from, element)) return null;
  for (let at: Element | null = from; at && at !== element; at = engine.flat.parent(at))
    if (isControl(engine, at)) control = at;
  return control;
}

export function controlName(engine: Engine, control: Element): string {
  const role = engine.roles.of(control);
  return `${role} ${visibleName(engine, control, role)}`;
}

function isControl(engine: Engine, element: Element): boolean {
  return INTERACTIVE.has(engine.roles.of(element));
}

/** The text that one sees in an element, and what its images are called: hidden from accessibility or not. */
export function shownText(engine: Engine, element: Element): string {
  let text = pseudoContent(element, "::before");
  for (const child of engine.flat.children(element)) {
    if (dom.nodeType(child) === Node.TEXT_NODE) text += (child as Text).data;
    if (!(child instanceof Element) || isControl(engine, child) || !isRendered(child)) continue;
    const inside = shownText(engine, child);
    const flows = hasInk(inside) && isInlineDisplay(getComputedStyle(child).display);
    text += flows ? inside : ` ${inside.trim() || called(engine, child)} `;
  }
  return text + pseudoContent(element, "::after");
}

function called(engine: Engine, element: Element): string {
  return (
    engine.names().of(element, engine.roles.of(element)).text || (dom.getAttribute(element, "title") ?? "")
  );
}
