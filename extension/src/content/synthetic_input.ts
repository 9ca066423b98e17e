// Events of mouse and keyboard made by script, for where there is no trusted input.

import * as dom from "../engine/dom/tree/dom";
import { isSubmitter } from "../hit_safety/form_destination";
import type { Point } from "../shared/messages";
import { type KeyStroke, type ModifierName, parseKeys, strokeOf } from "../shared/us_keyboard";
import { insertText } from "./fill";
import { dispatch } from "./scripted_events";

interface Press {
  button: "left" | "middle" | "right";
  modifiers: readonly string[];
}

/** What is the case while an event happens. */
interface Circumstances extends Partial<Press> {
  isDown?: boolean;
  /** Which click of several it is. */
  detail?: number;
  dataTransfer?: DataTransfer;
}

/** A button's number, and its bit while it is down. */
const BUTTONS = { left: [0, 1], middle: [1, 4], right: [2, 2] } as const;

/** Make one event of the mouse; false where the page prevents what the browser does on it. */
function fire(element: Element, type: string, { x, y }: Point, at: Circumstances = {}): boolean {
  const { button = "left", modifiers = [], isDown = false, detail = 0, dataTransfer } = at;
  const [number, bit] = BUTTONS[button];
  const bubbles = !/^(pointer|mouse)enter$/.test(type);
  const init = {
    ...{ bubbles, cancelable: bubbles, composed: true, view: window },
    ...{ clientX: x, clientY: y, screenX: x, screenY: y },
    ...{ button: number, buttons: isDown ? bit : 0, detail },
    ...{ pointerId: 1, pointerType: "mouse", isPrimary: true, dataTransfer },
    ...modifierKeys(modifiers),
  };
  const isPointer = /^(pointer|click|auxclick|contextmenu)/.test(type);
  const Made = dataTransfer ? DragEvent : isPointer ? PointerEvent : MouseEvent;
  return dispatch(element, new Made(type, init));
}

/** Move the mouse onto an element. */
export function hover(element: Element, point: Point, press: Partial<Press> = {}): void {
  const types = ["pointerover", "pointerenter", "mouseover", "mouseenter", "pointermove", "mousemove"];
  for (const type of types) fire(element, type, point, press);
}

/** Press a mouse button; the focus follows unless the page forbids it. */
function pressDown(element: Element, point: Point, at: Circumstances): void {
  const down = { detail: 1, ...at, isDown: true };
  if (fire(element, "pointerdown", point, down) && !fire(element, "mousedown", point, down)) return;
  const taker = focusable(element);
  if (taker) dom.call(taker, "focus", { preventScroll: true });
  else {
    const active = dom.get(document, "activeElement") as HTMLElement | null;
    if (active) dom.call(active, "blur");
  }
}

/** A whole click, or two. */
export function click(element: Element, point: Point, press: Press, count: 1 | 2): void {
  hover(element, point, press);
  const ends = { left: ["click"], middle: ["auxclick"], right: ["auxclick", "contextmenu"] }[press.button];
  for (let detail = 1; detail <= count; detail++) {
    pressDown(element, point, { ...press, detail });
    for (const type of ["pointerup", "mouseup", ...ends]) fire(element, type, point, { ...press, detail });
  }
  if (count === 2) fire(element, "dblclick", point, { ...press, detail: 2 });
}

function focusable(element: Element): HTMLElement | null {
  for (let at: Element | null = element; at; at = dom.parentElement(at) ?? hostOf(at)) {
    if (dom.get(at as HTMLElement, "tabIndex") >= 0 || dom.get(at as HTMLElement, "isContentEditable"))
      return at as HTMLElement;
  }
  return null;
}

function hostOf(element: Element): Element | null {
  const root = dom.getRootNode(element);
  return root instanceof ShadowRoot ? root.host : null;
}

/** Drag an element: by HTML drag and drop where it is draggable that way, else by moves of the pointer. */
export function drag(source: Element, from: Point, target: Element, to: Point): void {
  hover(source, from);
  pressDown(source, from, {});
  const state = { isDown: true, dataTransfer: new DataTransfer() };
  const between = (part: number): Point => ({
    x: from.x + (to.x - from.x) * part,
    y: from.y + (to.y - from.y) * part,
  });
  const dragged = dom.closest(source, "[draggable=true], a[href], img");
  if (dragged && dom.get(dragged as HTMLElement, "draggable") && fire(dragged, "dragstart", from, state)) {
    fire(dragged, "drag", between(0.5), state);
    fire(target, "dragenter", to, state);
    if (!fire(target, "dragover", to, state)) fire(target, "drop", to, state);
    fire(dragged, "dragend", to, state);
    return;
  }
  for (const part of [0.1, 0.5, 0.9, 1])
    for (const type of ["pointermove", "mousemove"])
      fire(part < 0.5 ? source : target, type, between(part), { isDown: true });
  for (const type of ["pointerup", "mouseup"]) fire(target, type, to, { detail: 1 });
}

/** Press and release a key, or a combination such as `Control+A`, on an element. */
export function pressKeys(element: HTMLElement, keys: string): void {
  const { modifiers, stroke } = parseKeys(keys);
  pressKey(element, stroke, modifiers);
}

/** Press and release the key that types a character; one that no key types goes in as if there were one. */
export function typeCharacter(element: HTMLElement, character: string): void {
  const found = strokeOf(character);
  const { stroke = { key: character, code: "", text: character }, shift = false } = found ?? {};
  pressKey(element, stroke, shift ? ["Shift"] : []);
}

function pressKey(
  element: HTMLElement,
  { key, code, text }: Pick<KeyStroke, "key" | "code" | "text">,
  modifiers: readonly ModifierName[],
): void {
  const init = { key, code, bubbles: true, cancelable: true, composed: true, ...modifierKeys(modifiers) };
  const fires = (type: string): boolean => dispatch(element, new KeyboardEvent(type, init));
  if (fires("keydown") && (text === "" || fires("keypress"))) {
    if (!init.ctrlKey && !init.metaKey && !init.altKey) actOnKey(element, key);
    else if (init.ctrlKey && key.toLowerCase() === "a") selectAll(element);
  }
  fires("keyup");
}

function modifierKeys(names: readonly string[]): EventModifierInit {
  return {
    altKey: names.includes("Alt"),
    ctrlKey: names.includes("Control"),
    metaKey: names.includes("Meta"),
    shiftKey: names.includes("Shift"),
  };
}

function actOnKey(element: HTMLElement, key: string): void {
  const tag = dom.localName(element);
  const field = element as HTMLInputElement;
  if (key === "Enter") {
    if (tag === "textarea" || dom.get(element, "isContentEditable")) insertText(element, "\n");
    else if (tag === "input") submitImplicitly(field);
    else if (tag === "button" || tag === "a" || tag === "summary") dom.call(element, "click");
  } else if (
    key === " " &&
    (tag === "button" || tag === "summary" || (tag === "input" && /^(checkbox|radio)$/.test(field.type)))
  ) {
    dom.call(element, "click");
  } else if (key === "Backspace" || key === "Delete") {
    dom.call(document, "execCommand", key === "Delete" ? "forwardDelete" : "delete");
  } else if (key.length === 1) insertText(element, key);
}

/** What Enter does in a field: the form's default button is clicked, or the form is submitted. */
function submitImplicitly(field: HTMLInputElement): void {
  dispatch(field, new Event("change", { bubbles: true }));
  const { form } = field;
  if (!form) return;
  const button = [...dom.get(form, "elements")].find(isSubmitter) as HTMLButtonElement | undefined;
  if (!button) dom.call(form, "requestSubmit");
  else if (!button.disabled) button.click();
}

function selectAll(element: HTMLElement): void {
  if (dom.localName(element) === "input" || dom.localName(element) === "textarea")
    (element as HTMLInputElement).select();
  else dom.call(document, "execCommand", "selectAll");
}
