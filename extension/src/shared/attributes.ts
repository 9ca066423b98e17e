// Attributes that both snapshot engines and the actions go by.

/** Attributes that hold test ids; the first one present wins. */
export const TEST_IDS = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"] as const;

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
