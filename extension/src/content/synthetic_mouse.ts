// Events of mouse and keyboard made by script, for where the browser's own input is not to be had.

import type { Point } from "../shared/messages";

export interface Buttons {
  button: "left" | "middle" | "right";
  modifiers: readonly string[];
}

const NUMBERS = { left: 0, middle: 1, right: 2 } as const;
const HELD = { left: 1, middle: 4, right: 2 } as const;

function mouseInit(
  element: Element,
  point: Point,
  held: number,
  buttons: Buttons,
  detail: number,
): PointerEventInit {
  return {
    bubbles: true,
    cancelable: true,
    composed: true,
    view: element.ownerDocument.defaultView,
    clientX: point.x,
    clientY: point.y,
    screenX: point.x,
    screenY: point.y,
    button: NUMBERS[buttons.button],
    buttons: held,
    detail,
    pointerId: 1,
    pointerType: "mouse",
    isPrimary: true,
    altKey: buttons.modifiers.includes("Alt"),
    ctrlKey: buttons.modifiers.includes("Control"),
    metaKey: buttons.modifiers.includes("Meta"),
    shiftKey: buttons.modifiers.includes("Shift"),
  };
}

export const PLAIN: Buttons = { button: "left", modifiers: [] };

/** Move the mouse onto an element. */
export function hover(element: Element, point: Point, buttons: Buttons = PLAIN, held = 0): void {
  const init = mouseInit(element, point, held, buttons, 0);
  const quiet = { ...init, bubbles: false, cancelable: false };
  element.dispatchEvent(new PointerEvent("pointerover", init));
  element.dispatchEvent(new PointerEvent("pointerenter", quiet));
  element.dispatchEvent(new MouseEvent("mouseover", init));
  element.dispatchEvent(new MouseEvent("mouseenter", quiet));
  move(element, point, buttons, held);
}

export function move(element: Element, point: Point, buttons: Buttons = PLAIN, held = 0): void {
  const init = mouseInit(element, point, held, buttons, 0);
  element.dispatchEvent(new PointerEvent("pointermove", init));
  element.dispatchEvent(new MouseEvent("mousemove", init));
}

/** Press a mouse button; the focus follows unless the page forbids it. */
export function press(element: Element, point: Point, buttons: Buttons, detail = 1): void {
  const init = mouseInit(element, point, HELD[buttons.button], buttons, detail);
  const wanted = element.dispatchEvent(new PointerEvent("pointerdown", init));
  if (wanted && !element.dispatchEvent(new MouseEvent("mousedown", init))) return;
  const taker = focusable(element);
  if (taker) taker.focus({ preventScroll: true });
  else (element.ownerDocument.activeElement as HTMLElement | null)?.blur();
}

export function release(element: Element, point: Point, buttons: Buttons, detail = 1): void {
  const init = mouseInit(element, point, 0, buttons, detail);
  element.dispatchEvent(new PointerEvent("pointerup", init));
  element.dispatchEvent(new MouseEvent("mouseup", init));
}

/** A whole click, or two. */
export function click(element: Element, point: Point, buttons: Buttons, count: 1 | 2): void {
  hover(element, point, buttons);
  for (let detail = 1; detail <= count; detail++) {
    press(element, point, buttons, detail);
    release(element, point, buttons, detail);
    const init = mouseInit(element, point, 0, buttons, detail);
    if (buttons.button === "left") element.dispatchEvent(new PointerEvent("click", init));
    else {
      element.dispatchEvent(new PointerEvent("auxclick", init));
      if (buttons.button === "right") element.dispatchEvent(new PointerEvent("contextmenu", init));
    }
  }
  if (count === 2)
    element.dispatchEvent(new MouseEvent("dblclick", mouseInit(element, point, 0, buttons, 2)));
}

function focusable(element: Element): HTMLElement | null {
  for (let at: Element | null = element; at; at = at.parentElement ?? hostOf(at)) {
    if ((at as HTMLElement).tabIndex >= 0 || (at as HTMLElement).isContentEditable) return at as HTMLElement;
  }
  return null;
}

function hostOf(element: Element): Element | null {
  const root = element.getRootNode();
  return root instanceof ShadowRoot ? root.host : null;
}

/** Drag an element, by pointer and by HTML drag and drop alike. */
export function drag(source: Element, from: Point, target: Element, to: Point): void {
  hover(source, from);
  press(source, from, PLAIN);
  const data = new DataTransfer();
  const drag = (element: Element, type: string, point: Point): boolean =>
    element.dispatchEvent(
      new DragEvent(type, { ...mouseInit(element, point, 1, PLAIN, 0), dataTransfer: data } as DragEventInit),
    );
  const dragged = source.closest<HTMLElement>("[draggable=true], a[href], img");
  const html = dragged?.draggable === true && drag(dragged, "dragstart", from);
  const middle = { x: (from.x + to.x) / 2, y: (from.y + to.y) / 2 };
  if (html && dragged) {
    drag(dragged, "drag", middle);
    drag(target, "dragenter", to);
    if (!drag(target, "dragover", to)) drag(target, "drop", to);
    drag(dragged, "dragend", to);
    return;
  }
  for (const part of [0.1, 0.5, 0.9, 1]) {
    const point = { x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part };
    move(part < 0.5 ? source : target, point, PLAIN, 1);
  }
  release(target, to, PLAIN);
}
