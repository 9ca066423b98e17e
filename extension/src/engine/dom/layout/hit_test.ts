// Who gets the events of a point.

import type { FlatTree } from "../tree/flat_tree";
import { rectOf } from "./image_maps";

interface Place {
  x: number;
  y: number;
}

/** Points of a box, as parts of its sides: where an element is tried after its middle. */
export const QUARTERS = [
  [0.25, 0.5],
  [0.75, 0.5],
  [0.5, 0.2],
  [0.5, 0.8],
  [0.1, 0.1],
  [0.9, 0.9],
] as const;

/** The control that a label stands for, else the element itself. */
export function controlOf(element: Element): Element {
  return (element.localName === "label" && (element as HTMLLabelElement).control) || element;
}

/** The boxes of an element's lines; for one without area those of its content. */
export function contentRects(element: Element): DOMRect[] {
  if (element.localName === "area") return [rectOf(element)];
  const own = [...element.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
  if (own.length || !element.firstChild) return own;
  const range = element.ownerDocument.createRange();
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
}

/** null where the element gets the events of the point, else what does, or "outside" where nothing of the page does. */
export function coverOf(flat: FlatTree, element: Element, { x, y }: Place): Element | "outside" | null {
  const found = flat.elementAt(element.ownerDocument, x, y);
  if (!found) return "outside";
  return receives(flat, element, found) ? null : found;
}

/** Whether an event on `found` reaches `element`: on itself, on what is in it, or on a label of its. */
export function receives(flat: FlatTree, element: Element, found: Element): boolean {
  const control = controlOf(element);
  if (element.localName === "area") return found === element;
  let crossed = false;
  let proxy: Element | null | undefined;
  for (let at: Element | null = found; at; at = flat.parent(at)) {
    if (at === element || at === control) return true;
    if (proxy === undefined) proxy = proxyOf(flat, control);
    if (at === proxy) return !crossed;
    // A label passes clicks on to its control, but not those on another control inside it.
    if (at.localName === "label" && !crossed && (at as HTMLLabelElement).control === control) return true;
    crossed ||= isControl(at);
  }
  return false;
}

const CUSTOM = /^(checkbox|radio)$/;
const TINY = 2;
const MOST_UP = 4;
const CONTROLS = "a[href], button, input:not([type=hidden]), select, textarea";

/**
 * What people see, and press, in the place of a field that can't be seen itself, or that the mouse passes through:
 * the nearest element around it that shows, where that holds no other control.
 */
export function proxyOf(flat: FlatTree, field: Element): Element | null {
  // One that isn't rendered at all can't be pressed anywhere.
  if (field.localName !== "input" || !field.checkVisibility({ visibilityProperty: true })) return null;
  const passes = (element: Element): boolean => getComputedStyle(element).pointerEvents === "none";
  const through = passes(field);
  const unseen = CUSTOM.test((field as HTMLInputElement).type) && (isTiny(field) || isTransparent(field));
  if (!through && !unseen) return null;
  let up = flat.parent(field);
  for (let i = 0; up && i < MOST_UP && (isTiny(up) || passes(up)); i++) up = flat.parent(up);
  if (!up || isTiny(up)) return null;
  const others = [...up.querySelectorAll(CONTROLS)].some((one) => one !== field && one.checkVisibility());
  return others ? null : up;
}

function isTiny(element: Element): boolean {
  const { width, height } = element.getBoundingClientRect();
  return width <= TINY || height <= TINY;
}

function isTransparent(element: Element): boolean {
  return getComputedStyle(element).opacity === "0";
}

function isControl(element: Element): boolean {
  return /^(a|button|input|select|textarea)$/.test(element.localName);
}
