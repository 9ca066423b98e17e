// A US keyboard: which key event each key and character makes.

import { Failure } from "./errors";

export type ModifierName = "Alt" | "Control" | "Meta" | "Shift";

export interface KeyStroke {
  key: string;
  code: string;
  keyCode: number;
  /** What it types, empty for none. */
  text: string;
  location: number;
}

interface Combination {
  modifiers: ModifierName[];
  stroke: KeyStroke;
}

export const MODIFIER_BITS: Record<ModifierName, number> = { Alt: 1, Control: 2, Meta: 4, Shift: 8 };

const NAMED: Record<string, [code: string, keyCode: number, text?: string, location?: number]> = {
  Enter: ["Enter", 13, "\r"],
  Tab: ["Tab", 9],
  Escape: ["Escape", 27],
  Backspace: ["Backspace", 8],
  Delete: ["Delete", 46],
  Insert: ["Insert", 45],
  ArrowLeft: ["ArrowLeft", 37],
  ArrowUp: ["ArrowUp", 38],
  ArrowRight: ["ArrowRight", 39],
  ArrowDown: ["ArrowDown", 40],
  Home: ["Home", 36],
  End: ["End", 35],
  PageUp: ["PageUp", 33],
  PageDown: ["PageDown", 34],
  CapsLock: ["CapsLock", 20],
  ContextMenu: ["ContextMenu", 93],
  PrintScreen: ["PrintScreen", 44],
  Pause: ["Pause", 19],
  Shift: ["ShiftLeft", 16, "", 1],
  Control: ["ControlLeft", 17, "", 1],
  Alt: ["AltLeft", 18, "", 1],
  Meta: ["MetaLeft", 91, "", 1],
};

/** Characters of the keys that aren't letters or digits: plain, with Shift, code, key code. */
const SYMBOLS: readonly [plain: string, shifted: string, code: string, keyCode: number][] = [
  ["`", "~", "Backquote", 192],
  ["-", "_", "Minus", 189],
  ["=", "+", "Equal", 187],
  ["[", "{", "BracketLeft", 219],
  ["]", "}", "BracketRight", 221],
  ["\\", "|", "Backslash", 220],
  [";", ":", "Semicolon", 186],
  ["'", '"', "Quote", 222],
  [",", "<", "Comma", 188],
  [".", ">", "Period", 190],
  ["/", "?", "Slash", 191],
  [" ", " ", "Space", 32],
];
const SHIFTED_DIGITS = ")!@#$%^&*(";

const CHARACTERS = new Map<string, { stroke: KeyStroke; shift: boolean }>();

function addKey(plain: string, shifted: string, code: string, keyCode: number): void {
  const stroke = (text: string): KeyStroke => ({ key: text, code, keyCode, text, location: 0 });
  CHARACTERS.set(shifted, { stroke: stroke(shifted), shift: true });
  CHARACTERS.set(plain, { stroke: stroke(plain), shift: false });
}

for (const letter of "abcdefghijklmnopqrstuvwxyz") {
  const upper = letter.toUpperCase();
  addKey(letter, upper, `Key${upper}`, upper.charCodeAt(0));
}
for (let digit = 0; digit < 10; digit++) {
  addKey(String(digit), SHIFTED_DIGITS[digit] as string, `Digit${digit}`, 48 + digit);
}
for (const symbol of SYMBOLS) addKey(...symbol);

/** The stroke that types a character, and whether Shift is held; null where no key of this keyboard types it. */
export function strokeOf(character: string): { stroke: KeyStroke; shift: boolean } | null {
  if (character === "\n" || character === "\r")
    return { stroke: namedKey("Enter") as KeyStroke, shift: false };
  if (character === "\t") return { stroke: namedKey("Tab") as KeyStroke, shift: false };
  return CHARACTERS.get(character) ?? null;
}

function namedKey(name: string): KeyStroke | null {
  const found = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (found) {
    const [code, keyCode, text = "", location = 0] = found;
    return { key: name, code, keyCode, text, location };
  }
  const number = /^F([1-9]|1[0-9]|2[0-4])$/.exec(name)?.[1];
  return number ? { key: name, code: name, keyCode: 111 + Number(number), text: "", location: 0 } : null;
}

/**
 * Read "Enter", "Control+A", "Control+Shift+ArrowLeft", "Control++" and the like. The kernel sends every key under one
 * name, so that both sides decide on the same.
 */
export function parseKeys(text: string): Combination {
  const parts =
    text === "+" ? ["+"] : text.endsWith("++") ? [...text.slice(0, -2).split("+"), "+"] : text.split("+");
  const last = parts.pop() ?? "";
  const modifiers = parts.map((name) => {
    const found = (Object.keys(MODIFIER_BITS) as ModifierName[]).find((known) => known === name);
    if (!found) throw new Failure("invalid_params", `No modifier key is called ${name}.`, KEY_HINT);
    return found;
  });
  const typed = CHARACTERS.get(last);
  const stroke = typed?.stroke ?? namedKey(last);
  if (!stroke) throw new Failure("invalid_params", `No key is called ${text}.`, KEY_HINT);
  const isShortcut = modifiers.some((name) => name !== "Shift");
  if (typed?.shift && !isShortcut) modifiers.push("Shift");
  const isShifted = modifiers.includes("Shift");
  let { key } = stroke;
  // Control+A names the key, not a capital letter.
  if (/^[a-zA-Z]$/.test(key) && (isShortcut || isShifted))
    key = isShifted ? key.toUpperCase() : key.toLowerCase();
  const types = isShortcut ? "" : stroke.text && key.length === 1 ? key : stroke.text;
  return { modifiers: [...new Set(modifiers)], stroke: { ...stroke, key, text: types } };
}

const KEY_HINT = "write a key such as Enter, ArrowDown, a or F5, with modifiers as in Control+A";
