// Events of mouse and keyboard made by script, for where the browser's own input is not to be had.

import type { Point } from "../shared/messages";
import { insertText } from "./fill";

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

interface Chord {
  key: string;
  init: KeyboardEventInit;
}

const NAMED: Readonly<Record<string, string>> = { Space: " ", Esc: "Escape", Del: "Delete", Return: "Enter" };
const MODIFIERS = ["Alt", "Control", "Meta", "Shift"] as const;

/** Take a combination such as `Control+A` apart. */
export function chordOf(text: string): Chord {
  const parts = text === "+" ? ["+"] : text.split("+").map((part) => part || "+");
  const last = parts[parts.length - 1] as string;
  const held = new Set(parts.slice(0, -1).map((part) => (part === "Ctrl" ? "Control" : part)));
  const key = NAMED[last] ?? last;
  return {
    key,
    init: {
      key,
      code: codeOf(key),
      bubbles: true,
      cancelable: true,
      composed: true,
      altKey: held.has(MODIFIERS[0]),
      ctrlKey: held.has(MODIFIERS[1]),
      metaKey: held.has(MODIFIERS[2]),
      shiftKey: held.has(MODIFIERS[3]),
    },
  };
}

function codeOf(key: string): string {
  if (/^[a-z]$/i.test(key)) return `Key${key.toUpperCase()}`;
  if (/^\d$/.test(key)) return `Digit${key}`;
  return key === " " ? "Space" : key;
}

/** Press and release a key on an element. */
export function pressKey(element: HTMLElement, text: string): void {
  const { key, init } = chordOf(text);
  const goesOn = element.dispatchEvent(new KeyboardEvent("keydown", init));
  const plain = !init.ctrlKey && !init.metaKey && !init.altKey;
  const types = plain && (key.length === 1 || key === "Enter");
  if (goesOn && (!types || element.dispatchEvent(new KeyboardEvent("keypress", init)))) {
    if (plain) actOnKey(element, key);
    else if (init.ctrlKey && key.toLowerCase() === "a") selectAll(element);
  }
  element.dispatchEvent(new KeyboardEvent("keyup", init));
}

function actOnKey(element: HTMLElement, key: string): void {
  const tag = element.localName;
  const field = element as HTMLInputElement;
  if (key === "Enter") {
    if (tag === "textarea" || element.isContentEditable) insertText(element, "\n");
    else if (tag === "input") submitImplicitly(field);
    else if (tag === "button" || tag === "a" || tag === "summary") element.click();
  } else if (
    key === " " &&
    (tag === "button" || tag === "summary" || /^(checkbox|radio)$/.test(field.type ?? ""))
  ) {
    element.click();
  } else if (key === "Backspace" || key === "Delete") {
    element.ownerDocument.execCommand(key === "Delete" ? "forwardDelete" : "delete");
  } else if (key.length === 1) insertText(element, key);
}

/** What Enter does in a field: the form's default button is clicked, or the form is submitted. */
function submitImplicitly(field: HTMLInputElement): void {
  field.dispatchEvent(new Event("change", { bubbles: true }));
  const { form } = field;
  if (!form) return;
  const buttons = [...form.elements].filter((each) =>
    /^(submit|image)$/.test((each as HTMLButtonElement).type),
  );
  const button = buttons[0] as HTMLButtonElement | undefined;
  if (button) {
    if (!button.disabled) button.click();
  } else form.requestSubmit();
}

function selectAll(element: HTMLElement): void {
  if (element.localName === "input" || element.localName === "textarea")
    (element as HTMLInputElement).select();
  else element.ownerDocument.execCommand("selectAll");
}
