// Keys pressed by script, with what browsers do on them by themselves where it can be done.

import { insertText } from "./fill";

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
