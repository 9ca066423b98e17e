import { expect, it } from "vitest";
import { isSecret, shownValue } from "../../../src/engine/dom/semantics/values";
import { flat, page } from "../dom";

it.each([
  ["<input type=password>", true],
  ["<input autocomplete=cc-number>", true],
  ["<input autocomplete='section-a billing CC-CSC'>", true],
  ["<input autocomplete=one-time-code>", true],
  ["<textarea autocomplete=new-password></textarea>", true],
  ["<select autocomplete=cc-exp-month></select>", true],
  ["<input autocomplete=username>", false],
  ["<input>", false],
  ["<div role=textbox autocomplete=cc-number></div>", false],
])("%s is secret: %s", (html, secret) => {
  expect(isSecret(page(html))).toBe(secret);
});

it("a password that is shown stays secret", () => {
  const field = page("<input type=password value=geheim>") as HTMLInputElement;
  expect(shownValue(field, "textbox", flat)).toBeNull();
  field.type = "text";
  expect(isSecret(field)).toBe(true);
  expect(shownValue(field, "textbox", flat)).toBeNull();
});
