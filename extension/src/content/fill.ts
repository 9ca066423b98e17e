// Text and values into fields, so that frameworks notice.

import type { Engine } from "../engine/dom/engine";
import { isEditingHost } from "../engine/dom/semantics/roles";
import * as dom from "../engine/dom/tree/dom";
import {
  fieldOf,
  isProxy,
  type Limit,
  nextFrame,
  rendersItself,
  waitUntilReady,
} from "../hit_safety/actionability";
import { Failure } from "../shared/errors";
import { showsText, textOf } from "./editor_check";
import { isNearby, isTaken } from "./fill_check";
import { dispatch } from "./scripted_events";

/** Input types that hold a value of a fixed form, and that form. */
const FORMS: Readonly<Record<string, string>> = {
  date: "2026-11-21",
  "datetime-local": "2026-11-21T14:30",
  month: "2026-11",
  week: "2026-W47",
  time: "14:30",
  color: "#3366ff",
  range: "a number",
  number: "a number",
};

const SHOWN_FRAMES = 8;
const never = (): boolean => false;

/** What fields held before they were filled. */
const earlier = new WeakMap<Element, string>();

/** Replace what a field holds. Answers whether it is done, or the worker has to type over the selection. */
export async function fill(
  engine: Engine,
  number: number,
  value: string,
  synthetic: boolean,
  limit: Limit,
): Promise<boolean> {
  const element = await waitUntilReady(engine, number, ["visible", "editable"], limit);
  const field = fieldOf(element) as HTMLInputElement;
  requireRoom(engine, field, value);
  focusField(field);
  earlier.set(field, field.value ?? "");
  if (dom.localName(field) === "input" && field.type in FORMS && field.type !== "number") {
    if (!synthetic && field.type === "range" && (await setBeside(field, value))) return false;
    await setFormed(field, value);
    return true;
  }
  if (dom.localName(field) === "input" || dom.localName(field) === "textarea") {
    if (field.type === "number" && value !== "" && !Number.isFinite(Number(value)))
      throw misfit(field, value);
    if (!synthetic && (isProxy(field) || (value !== "" && !value.includes("\n")))) {
      field.select();
      return false;
    }
    setValue(field, value);
    announceAfter(field, "insertReplacementText", value);
    await requireTaken(field, value);
    dispatch(field, new Event("change", { bubbles: true }));
    return true;
  }
  selectContents(field);
  if (!synthetic) return false;
  replaceEditable(value);
  await requireTaken(field, value);
  return true;
}

/**
 * After a fill: the key event that pages wait for, as Chrome's own autofill sends it; then fails where the field holds
 * something else than what was filled in. `isOver` says whether no code of the page is left that could put back its own.
 */
export async function requireTaken(element: Element, value: string, isOver = never): Promise<void> {
  const field = fieldOf(element) as HTMLInputElement | null;
  if (!field) return;
  if (!hasValue(field)) {
    if (hasText(field) && !(await showsText(field, value)) && !showsNumber(field, value)) throw notTaken();
    return;
  }
  if (field.type === "range") {
    if (Number(field.value) === Number(value)) await nextFrame();
    // A page whose keys go in steps of another size gets the value itself.
    if (Number(field.value) !== Number(value)) await setFormed(field, value);
    return;
  }
  sendKey(field, "keyup", "Unidentified");
  commitPicked(field);
  if (field.value === value && !isOver()) await nextFrame();
  const held = earlier.get(field) ?? "";
  // What an editor's hidden field holds is what is selected in it; the editor shows its text a moment later.
  for (let frame = 0; isProxy(field) && !isNearby(field, value) && frame < SHOWN_FRAMES; frame++)
    await nextFrame();
  if (isTaken(field, value, held) || (isProxy(field) && isNearby(field, value))) return;
  throw notTaken();
}

/**
 * Many pickers of dates take a typed text at Tab or Enter alone, not when their field loses the focus. A Tab that a script
 * sends leaves the focus where it is.
 */
function commitPicked(field: HTMLInputElement): void {
  // A list that is searched takes the option that it highlights, and closes.
  if (/^(list|both|inline)$/.test(dom.getAttribute(field, "aria-autocomplete") ?? "")) return;
  if (dom.closest(field, "[aria-haspopup=dialog],[aria-haspopup=grid]")) sendKey(field, "keydown", "Tab");
}

function sendKey(field: HTMLInputElement, type: "keydown" | "keyup", key: string): void {
  const init = { key, bubbles: true, composed: true, cancelable: true };
  dom.call(field, "dispatchEvent", new KeyboardEvent(type, init));
}

/** Keep what a field holds before text is typed after it. */
export function rememberBefore(field: HTMLElement): void {
  earlier.set(field, hasText(field) ? textOf(field) : ((field as HTMLInputElement).value ?? ""));
}

/** After typing: fails where the field cut or dropped a part of the text; keys that do something else may change it. */
export async function requireTyped(element: Element, text: string, isOver = never): Promise<void> {
  const field = fieldOf(element) as HTMLInputElement | null;
  if (!field || /\t/.test(text)) return;
  const wanted = (earlier.get(field) ?? "") + text;
  if (hasText(field)) {
    // The digits of a part of a date take the place of what it held.
    if (dom.getAttribute(field, "role") === "spinbutton")
      if ((await showsText(field, text)) || showsNumber(field, text)) return;
    // Once a message was sent its editor is empty.
    const wasSent = text.includes("\n") && textOf(field).trim() === "";
    if (!wasSent && !(await showsText(field, wanted))) throw notTaken();
    return;
  }
  if (isProxy(field) || !takesLetters(field) || text.includes("\n")) return;
  commitPicked(field);
  if (field.value === wanted && !isOver()) await nextFrame();
  if (dom.get(field, "isConnected") && !isTaken(field, wanted, "")) throw notTaken();
}

/** Parts of dates show a number with zeros before it, or as a month's name. */
function showsNumber(field: Element, text: string): boolean {
  if (dom.getAttribute(field, "role") !== "spinbutton" || !/^\d+$/.test(text.trim())) return false;
  const now = dom.getAttribute(field, "aria-valuenow") || textOf(field as HTMLElement).trim();
  return now !== "" && Number(now) === Number(text);
}

function hasValue(field: Element): boolean {
  return dom.localName(field) === "input" || dom.localName(field) === "textarea";
}

/** Whether a field is a whole editor whose text is the page's. */
function hasText(field: HTMLElement): boolean {
  return !hasValue(field) && isEditingHost(field);
}

/** Whether keys become the field's text one by one: not in dates and the like, which have their own form. */
function takesLetters(field: HTMLInputElement): boolean {
  const name = dom.localName(field);
  return name === "textarea" || (name === "input" && !(field.type in FORMS && field.type !== "number"));
}

/** Refuses what is longer than a field may hold, before anything is changed. */
function requireRoom(engine: Engine, field: HTMLInputElement, value: string): void {
  const most = field.maxLength ?? -1;
  if (most < 0 || value.length <= most) return;
  const text = `The field did not take the text: it holds ${most} character${most === 1 ? "" : "s"} at most, and it was given ${value.length}.`;
  const hint = most === 1 ? "fill each box of a code by itself" : "give a shorter text";
  const boxes = most === 1 ? boxesOf(engine, field, value.length) : [];
  throw new Failure("not_actionable", text, hint, { reason: "not_taken", ...(boxes.length && { boxes }) });
}

const MOST_AROUND = 4;

/** The refs of the boxes that a code of this length is for: this one and those that follow it, and there are no more. */
function boxesOf(engine: Engine, field: HTMLInputElement, size: number): string[] {
  let around = dom.get(field, "parentElement");
  for (
    let up = 0;
    up < MOST_AROUND && around && dom.localName(around) !== "body";
    up++, around = dom.get(around, "parentElement")
  ) {
    const inputs = [...dom.querySelectorAll(around, "input")] as HTMLInputElement[];
    if (inputs.length < size) continue;
    const isCode =
      inputs.length === size && inputs[0] === field && inputs.every((one) => one.maxLength === 1);
    const numbers = inputs.map((one) => engine.refs.numberOf(one));
    const prefix = engine.frame ? `f${engine.frame}e` : "e";
    return isCode && numbers.every(Boolean) ? numbers.map((number) => `${prefix}${number}`) : [];
  }
  return [];
}

function notTaken(): Failure {
  const text = "The field did not take the text as it was given: it holds something else now.";
  const hint =
    "read the field: it may be limited in length, in letters or in numbers, or set by the page itself";
  return new Failure("not_actionable", text, hint, { reason: "not_taken" });
}

/** Focus a field and put the caret at its end. Answers the field. */
export async function focusAtEnd(engine: Engine, number: number, limit: Limit): Promise<HTMLElement> {
  const element = await waitUntilReady(engine, number, ["visible", "enabled"], limit);
  const field = fieldOf(element) ?? (element as HTMLElement);
  focusField(field);
  if (dom.localName(field) === "input" || dom.localName(field) === "textarea") {
    const input = field as HTMLInputElement;
    // Types without a caret (email, number, date) throw on setSelectionRange and put it at the end by themselves.
    if (input.selectionStart !== null) input.setSelectionRange(input.value.length, input.value.length);
  } else if (dom.get(field, "isContentEditable")) {
    selectContents(field);
    const selection = dom.call(document, "getSelection");
    // The page may have taken the field away when it got the focus.
    if (selection?.rangeCount) selection.collapseToEnd();
  }
  return field;
}

/** Empty a field as a person would, by deleting all of it. */
export function clearField(field: HTMLElement): void {
  if (dom.localName(field) === "input" || dom.localName(field) === "textarea") {
    if ((field as HTMLInputElement).value === "") return;
    setValue(field, "");
    announceAfter(field, "deleteContentBackward", "");
  } else if (dom.get(field, "isContentEditable")) {
    selectContents(field);
    dom.call(document, "execCommand", "delete");
  }
}

/** Insert text where the caret is, as an input method would. */
export function insertText(field: HTMLElement, text: string): void {
  if (dom.localName(field) === "input" || dom.localName(field) === "textarea") {
    const input = field as HTMLInputElement;
    if (!announceBefore(input, "insertText", text)) return;
    const start = input.selectionStart ?? input.value.length;
    const end = input.selectionEnd ?? start;
    const value = input.value.slice(0, start) + text + input.value.slice(end);
    setValue(input, value);
    if (input.selectionStart !== null) input.setSelectionRange(start + text.length, start + text.length);
    announceAfter(input, "insertText", text);
  } else if (dom.get(field, "isContentEditable"))
    dom.call(document, "execCommand", "insertText", false, text);
}

/**
 * Give a code editor that renders itself lines as from the clipboard: what is typed it indents, and closes brackets.
 * Answers whether it took them.
 */
export function pasteLines(element: Element, text: string): boolean {
  const field = fieldOf(element);
  if (!field || !rendersItself(field) || !/\n./.test(text)) return false;
  const clipboardData = new DataTransfer();
  clipboardData.setData("text/plain", text);
  const init = { clipboardData, bubbles: true, cancelable: true, composed: true };
  // Whoever takes it keeps the browser from pasting.
  return !dom.call(field, "dispatchEvent", new ClipboardEvent("paste", init));
}

export function focusField(field: HTMLElement): void {
  // A frame keeps its focused element while the keys go to another document.
  if (window.parent !== window && !dom.call(document, "hasFocus")) window.focus();
  if (dom.get(document, "activeElement") !== field) dom.call(field, "focus", { preventScroll: true });
}

/** Set a value past what frameworks put on the element to watch it: they then see the event as a real change. */
function setValue(field: HTMLElement, value: string): void {
  const kind = dom.localName(field) === "textarea" ? HTMLTextAreaElement : HTMLInputElement;
  Object.getOwnPropertyDescriptor(kind.prototype, "value")?.set?.call(field, value);
}

/** Set a value of a fixed form, or leave the field as it was and fail. Answers the value as the field writes it. */
function setFitting(field: HTMLInputElement, value: string): string {
  const wanted = field.type === "color" ? value.trim().toLowerCase() : value.trim();
  const before = field.value;
  setValue(field, wanted);
  const same =
    field.type === "range" ? Number(field.value) === Number(wanted) : field.value.startsWith(wanted);
  if (!same || (wanted === "" && field.value !== "")) {
    setValue(field, before);
    throw misfit(field, value);
  }
  return field.value;
}

/**
 * Bring a slider one step beside a value. Many pages take a value only when the key or the mouse is let go, so the last
 * step is a real key's. Answers whether it stands there.
 */
async function setBeside(field: HTMLInputElement, value: string): Promise<boolean> {
  const before = Number(field.value);
  const wanted = Number(setFitting(field, value));
  const step = Number(field.step || "1");
  for (const beside of before > wanted ? [wanted + step, wanted - step] : [wanted - step, wanted + step]) {
    setValue(field, String(beside));
    const at = Number(field.value);
    if (!(Math.abs(at - beside) < step / 2)) continue;
    if (at !== before) announceAfter(field, "insertReplacementText", field.value);
    await nextFrame();
    if (Number(field.value) === at) return true;
    break;
  }
  return false;
}

/** The key that takes a slider from beside a value to it; no key for other fields. */
export function keyToValue(element: Element, value: string): string | null {
  const field = fieldOf(element) as HTMLInputElement | null;
  if (field === null || dom.localName(field) !== "input" || field.type !== "range") return null;
  return Number(field.value) < Number(value) ? "ArrowUp" : "ArrowDown";
}

async function setFormed(field: HTMLInputElement, value: string): Promise<void> {
  const now = setFitting(field, value);
  const wanted = field.type === "color" ? value.trim().toLowerCase() : value.trim();
  announceAfter(field, "insertReplacementText", wanted);
  dispatch(field, new Event("change", { bubbles: true }));
  // Pages that keep a field's value themselves put theirs back in the same task or the next frame.
  if (field.value === now) await nextFrame();
  if (dom.get(field, "isConnected") && field.value !== now) throw notTaken();
}

function misfit(field: HTMLInputElement, value: string): Failure {
  // Sliders have these limits where the page gives none.
  const [least, most] = field.type === "range" ? ["0", "100"] : ["", ""];
  const min = field.min || least;
  const max = field.max || most;
  const limits = [min && `from ${min}`, max && `to ${max}`, field.step && `in steps of ${field.step}`].filter(
    Boolean,
  );
  const form = FORMS[field.type] ?? "another form";
  const hint = `write ${form}${limits.length ? ` ${limits.join(" ")}` : ""}`;
  return new Failure("invalid_params", `A ${field.type} field can't hold '${value.slice(0, 80)}'.`, hint);
}

function announceBefore(field: HTMLElement, inputType: string, data: string): boolean {
  const init = { inputType, data, bubbles: true, composed: true, cancelable: true };
  return dom.call(field, "dispatchEvent", new InputEvent("beforeinput", init));
}

function announceAfter(field: HTMLElement, inputType: string, data: string): void {
  dispatch(field, new InputEvent("input", { inputType, data, bubbles: true, composed: true }));
}

function selectContents(field: HTMLElement): void {
  const range = dom.call(document, "createRange");
  range.selectNodeContents(field);
  const selection = dom.call(document, "getSelection");
  selection?.removeAllRanges();
  selection?.addRange(range);
}

function replaceEditable(value: string): void {
  if (value === "") dom.call(document, "execCommand", "delete");
  else dom.call(document, "execCommand", "insertText", false, value);
}
