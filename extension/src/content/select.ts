// Options of native lists, and what is checked.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { type Limit, waitUntilReady } from "../hit_safety/actionability";
import type { SelectParams } from "../protocol/generated";
import { Failure } from "../shared/errors";

/** Choose options of a `select`: by what is said, or by label, else by value, else by number from 0. */
export async function select(
  engine: Engine,
  number: number,
  values: readonly string[],
  by: SelectParams["by"],
  limit: Limit,
): Promise<void> {
  const element = controlOf(await waitUntilReady(engine, number, ["enabled"], limit));
  const list = listOf(element);
  if (!list) {
    const hint = "click it to open its options, then click the option";
    throw new Failure("not_actionable", "This is no native list.", hint, { reason: "not_native" });
  }
  const options = [...list.options];
  if (values.length > 1 && !list.multiple) {
    throw new Failure(
      "invalid_params",
      `${values.length} options were named, and this list takes one.`,
      "name one option",
    );
  }
  const chosen = values.map((value) => findOption(options, value, by ?? null));
  for (const option of chosen) {
    if (!option.disabled && !(option.parentElement as HTMLOptGroupElement).disabled) continue;
    throw new Failure("not_actionable", `The option '${fold(option.label)}' is disabled.`, undefined, {
      reason: "disabled",
    });
  }
  if (dom.get(document, "activeElement") !== list) list.focus({ preventScroll: true });
  const before = options.map((option) => option.selected);
  if (list.multiple) for (const option of options) option.selected = chosen.includes(option);
  else (chosen[0] as HTMLOptionElement).selected = true;
  if (options.every((option, i) => option.selected === before[i])) return;
  list.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
  list.dispatchEvent(new Event("change", { bubbles: true }));
}

/** The native list that an element is, is in, or holds. */
export function listOf(element: Element): HTMLSelectElement | null {
  if (dom.localName(element) === "select") return element as HTMLSelectElement;
  if (dom.localName(element) === "option") return dom.closest(element, "select") as HTMLSelectElement | null;
  const inner = dom.querySelectorAll(element, "select");
  return inner.length === 1 ? (inner[0] as HTMLSelectElement) : null;
}

const LISTED = 20;

function findOption(
  options: HTMLOptionElement[],
  wanted: string,
  by: "label" | "value" | "index" | null,
): HTMLOptionElement {
  const text = fold(wanted);
  const ways = {
    label: () => options.find((option) => fold(option.label) === text),
    value: () => options.find((option) => option.value === wanted),
    folded: () => options.find((option) => fold(option.label).toLowerCase() === text.toLowerCase()),
    index: () => (/^\d+$/.test(text) ? options[Number(text)] : undefined),
  };
  const found = by ? ways[by]() : (ways.label() ?? ways.value() ?? ways.folded() ?? ways.index());
  if (found) return found;
  const labels = options.map((option) => fold(option.label));
  const more = labels.length > LISTED ? `, and ${labels.length - LISTED} more` : "";
  const hint = `options are: ${labels.slice(0, LISTED).join(", ")}${more}`;
  throw new Failure("invalid_params", `This list has no option '${text.slice(0, 80)}'.`, hint, {
    options: labels,
  });
}

/** Whether something is checked, or null where it can't be. */
export function checkedState(engine: Engine, element: Element): boolean | null {
  const control = controlOf(element) as HTMLInputElement;
  if (dom.localName(control) === "input" && (control.type === "checkbox" || control.type === "radio"))
    return control.checked;
  const { internals } = engine;
  const state = internals.aria(control, "checked") ?? internals.aria(control, "pressed");
  if (state !== null) return state === "true";
  const inner = dom.querySelectorAll(control, "input[type=checkbox], input[type=radio]");
  return inner.length === 1 ? (inner[0] as HTMLInputElement).checked : null;
}
