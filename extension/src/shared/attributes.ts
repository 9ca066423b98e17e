// Attributes that both snapshot engines and the actions go by.

import { KEY } from "./record_table";
import { PHRASES } from "./roles";

const LONGEST_KEY = 100;
const MOST_KEYS = 4;

/** The attributes that may say which record an element is of, each with its value. */
export function keysIn(names: Iterable<string>, read: (name: string) => string | null | undefined): string[] {
  const found: string[] = [];
  for (const name of names) {
    const value = KEY.test(name) ? read(name)?.trim() : "";
    if (value && value.length <= LONGEST_KEY && found.length < MOST_KEYS) found.push(`${name}=${value}`);
  }
  return found;
}

/** Attributes that hold test ids; the first one present wins. */
export const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"] as const;

/**
 * Words in class names of what is made to be clicked: `btn`, `btn-danger`, `nav-link`, `closeButton`. They are words of
 * code, the same in every language.
 */
const CLICKED_CLASS =
  /(?:^|[\s_-])(?:[Bb]tn|[Bb]utton|[Cc]lickable|[Ll]ink)(?![a-z])|[a-z](?:Btn|Button|Clickable|Link)(?![a-z])/;

/** Roles that say too little, where a test id or a class may say more. */
const TESTED: ReadonlySet<string> = new Set([
  ...PHRASES,
  "generic",
  "graphics-document",
  "img",
  "listitem",
  "none",
]);
const CLASSED: ReadonlySet<string> = new Set([...TESTED, "cell", "gridcell", "paragraph", "row"]);

/** More nodes than these in an element say that its test id is for a part of the page. */
export const MOST_IN_TESTED = 6;

export type Sign = "class" | "test id";

/**
 * The weak sign that a person acts on an element, which counts where scripts listen further up and nothing in the element
 * is acted on by itself; null where there is none.
 */
export function weakSignOf(
  role: string,
  classes: string | null,
  hasTestId: boolean,
  hasContent: boolean,
): Sign | null {
  if (classes && hasContent && CLASSED.has(role) && CLICKED_CLASS.test(classes)) return "class";
  return hasTestId && TESTED.has(role) ? "test id" : null;
}

/** Attributes that make an element react to the mouse. */
export const LISTENERS: ReadonlySet<string> = new Set([
  "onclick",
  "ondblclick",
  "onmousedown",
  "onmouseup",
  "onpointerdown",
  "onpointerup",
  "ontouchstart",
  "ontouchend",
  "jsaction",
  "ng-click",
  "data-ng-click",
  "x-on:click",
  "@click",
  "v-on:click",
  "hx-get",
  "hx-post",
  "hx-put",
  "hx-patch",
  "hx-delete",
]);

/** What an `autocomplete` attribute says that browsers may fill in; "" if it only says whether they may. */
export function fillsIn(autocomplete: string | null): string {
  const detail = (autocomplete ?? "").trim().toLowerCase();
  return detail === "on" || detail === "off" ? "" : detail;
}

const SECRET_AUTOCOMPLETE = /^(cc-.+|one-time-code|current-password|new-password)$/;

/** Whether a field's attributes say that nobody may read its value: a password, card number or one-time code. */
export function marksSecret(tag: string, type: string, autocomplete: string | null): boolean {
  if (tag !== "input" && tag !== "textarea" && tag !== "select") return false;
  if (tag === "input" && type === "password") return true;
  const tokens = (autocomplete ?? "").toLowerCase().split(/\s+/);
  return tokens.some((token) => SECRET_AUTOCOMPLETE.test(token));
}

/** Which neighbour in a series a link leads to, by its `rel`. */
export function relOf(rel: string | null | undefined): "next" | "prev" | null {
  const tokens = (rel ?? "").toLowerCase().split(/\s+/);
  if (tokens.includes("next")) return "next";
  return tokens.includes("prev") || tokens.includes("previous") ? "prev" : null;
}
