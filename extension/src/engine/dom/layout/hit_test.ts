// Who gets the events of a point.

import type { Point } from "../../../shared/messages";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import { rectOf } from "./image_maps";

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
  return (dom.localName(element) === "label" && (element as HTMLLabelElement).control) || element;
}

/** The boxes of an element's lines; for one without area those of its content. */
export function contentRects(element: Element): DOMRect[] {
  if (dom.localName(element) === "area") return [rectOf(element)];
  const own = [...dom.call(element, "getClientRects")].filter((rect) => rect.width > 0 && rect.height > 0);
  if (own.length || !dom.firstChild(element)) return own;
  const range = dom.call(document, "createRange");
  range.selectNodeContents(element);
  return [...range.getClientRects()].filter((rect) => rect.width > 0 && rect.height > 0);
}

/** null where the element gets the events of the point, else what does, or "outside" where nothing of the page does. */
export function coverOf(flat: FlatTree, element: Element, { x, y }: Point): Element | "outside" | null {
  const found = flat.elementAt(document, x, y);
  if (!found) return "outside";
  return receives(flat, element, found) ? null : found;
}

/** Whether an event on `found` reaches `element`: on itself, on what is in it, or on a label of its. */
export function receives(flat: FlatTree, element: Element, found: Element): boolean {
  const control = controlOf(element);
  if (dom.localName(element) === "area") return found === element;
  let crossed = false;
  let proxy: Element | null | undefined;
  for (let at: Element | null = found; at; at = flat.parent(at)) {
    if (at === element || at === control) return true;
    if (proxy === undefined) proxy = proxyOf(flat, control);
    if (at === proxy) return !crossed;
    // A label passes clicks on to its control, but not those on another control inside it.
    if (dom.localName(at) === "label" && !crossed && (at as HTMLLabelElement).control === control)
      return true;
    crossed ||= /^(a|button|input|select|textarea)$/.test(dom.localName(at));
  }
  return showsValueOf(flat, control, found);
}

const COMBOBOX = "[role=combobox], [aria-haspopup=listbox]";
const POPUPS = "[role=listbox], [role=option], [role=menu], [role=tree], [role=dialog], [role=tooltip]";
const VALUE_UP = 5;

/**
 * Whether an element is the value that a custom list shows over the field that holds its focus: both are in one box of
 * about the field's height, without another control. A press there is one on the list.
 */
function showsValueOf(flat: FlatTree, field: Element, found: Element): boolean {
  if (!dom.matches(field, COMBOBOX) || !dom.textContent(found).trim() || dom.closest(found, POPUPS))
    return false;
  let box = flat.parent(field);
  for (let up = 0; box && up < VALUE_UP && !flat.isInside(found, box); up++) box = flat.parent(box);
  if (!box || !flat.isInside(found, box) || isRoot(box)) return false;
  const [around, over] = [dom.getBoundingClientRect(box), dom.getBoundingClientRect(found)];
  const sticksOut = over.width > around.width + 1 || over.height > around.height + 1;
  const isLow = around.height <= 2 * dom.getBoundingClientRect(field).height;
  return isLow && !sticksOut && !holdsOtherControl(box, field);
}

function holdsOtherControl(box: Element, field: Element): boolean {
  return [...dom.querySelectorAll(box, CONTROLS)].some((one) => one !== field && dom.checkVisibility(one));
}

const PRESSABLE = "a[href], button, input, select, textarea, summary, [role=button], [role=link]";

/** Whether a press on a point would be one on a control inside an element that says something besides its controls. */
export function isOnInnerControl(flat: FlatTree, element: Element, { x, y }: Point): boolean {
  const control = controlOf(element);
  for (let at = flat.elementAt(document, x, y); at && at !== element && at !== control; at = flat.parent(at))
    if (dom.matches(at, PRESSABLE)) return control !== element || saysMore(element);
  return false;
}

/** Whether an element says anything besides the controls in it. */
export function saysMore(element: Element): boolean {
  let rest = dom.textContent(element);
  for (const inner of dom.querySelectorAll(element, PRESSABLE))
    rest = rest.replace(dom.textContent(inner), "");
  return /[\p{L}\p{N}]/u.test(rest);
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
  if (dom.localName(field) !== "input" || !dom.checkVisibility(field, { visibilityProperty: true }))
    return null;
  const passes = (element: Element): boolean => getComputedStyle(element).pointerEvents === "none";
  const through = passes(field);
  // Nobody types into what is read-only: it holds the focus for a custom list.
  const { type, readOnly } = field as HTMLInputElement;
  const unseen =
    (CUSTOM.test(type) && (isTiny(field) || getComputedStyle(field).opacity === "0")) ||
    (readOnly && (isTiny(field) || isClippedAway(flat, field)));
  if (!through && !unseen) return null;
  let up = flat.parent(field);
  for (let i = 0; up && i < MOST_UP && (isTiny(up) || passes(up)); i++) up = flat.parent(up);
  if (!up || isTiny(up)) return null;
  return holdsOtherControl(up, field) ? null : up;
}

function isClippedAway(flat: FlatTree, field: Element): boolean {
  const parent = flat.parent(field);
  return parent !== null && isTiny(parent) && getComputedStyle(parent).overflow === "hidden";
}

function isTiny(element: Element): boolean {
  const { width, height } = dom.getBoundingClientRect(element);
  return width <= TINY || height <= TINY;
}

export interface Clip {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** A box without area may clip it, or not, where it is positioned. */
  empty?: boolean;
}

/** What boxes that scroll or clip leave to be seen of what is in them. */
export class Clips {
  private readonly known = new Map<Element, Clip>();
  private readonly view: Clip;

  constructor(private readonly flat: FlatTree) {
    const { innerWidth: right, innerHeight: bottom } = window;
    this.view = { left: 0, top: 0, right, bottom };
  }

  /** What may be seen of an element itself. */
  around(element: Element): Clip {
    if (getComputedStyle(element).position === "fixed") return this.view;
    const parent = this.flat.parent(element);
    return parent ? this.within(parent) : this.view;
  }

  /** What may be seen of what is in an element. */
  within(element: Element): Clip {
    const known = this.known.get(element);
    if (known) return known;
    let clip = this.around(element);
    const { overflowX, overflowY } = getComputedStyle(element);
    if ((overflowX !== "visible" || overflowY !== "visible") && !isRoot(element)) {
      const box = dom.getBoundingClientRect(element);
      clip =
        box.width && box.height
          ? {
              left: Math.max(clip.left, box.left),
              top: Math.max(clip.top, box.top),
              right: Math.min(clip.right, box.right),
              bottom: Math.min(clip.bottom, box.bottom),
            }
          : { ...clip, empty: true };
    }
    this.known.set(element, clip);
    return clip;
  }
}

/** The overflow of these is mostly the viewport's. */
function isRoot(element: Element): boolean {
  return dom.localName(element) === "html" || dom.localName(element) === "body";
}

export function isWithin(clip: Clip, { x, y }: Point): boolean {
  return x >= clip.left && y >= clip.top && x < clip.right && y < clip.bottom;
}
