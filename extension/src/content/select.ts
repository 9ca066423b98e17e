// Options of native lists, and what is checked.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { isVisible, type Limit, nextFrame, waitUntilReady } from "../hit_safety/actionability";
import type { SelectParams } from "../protocol/generated";
import { Failure } from "../shared/errors";
import { SHOWN_MS } from "../shared/limits";
import { findOption, labelOf } from "./options";
import { dispatch } from "./scripted_events";

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
    throw new Failure("not_actionable", `The option '${labelOf(option)}' is disabled.`, undefined, {
      reason: "disabled",
    });
  }
  if (dom.get(document, "activeElement") !== list) list.focus({ preventScroll: true });
  const before = options.map((option) => option.selected);
  if (list.multiple) for (const option of options) option.selected = chosen.includes(option);
  else (chosen[0] as HTMLOptionElement).selected = true;
  if (options.every((option, i) => option.selected === before[i])) return;
  const labels = chosen.map((option) => labelOf(option));
  const keys = chosen.map((option) => keyOf(option));
  const around = aroundHidden(list);
  const wasShown = showsAll(around, labels);
  const effects = new Effects(around);
  announce(list);
  try {
    await requireChosen(list, keys, effects);
    const isShown = (): boolean => (wasShown ? effects.anyAround || effects.any : showsAll(around, labels));
    if (around.length) await requireShown(isShown, effects);
  } catch (error) {
    // Nobody sees what a hidden list holds, and a form would send it.
    if (around.length && dom.isConnected(list)) {
      for (const [at, option] of options.entries()) option.selected = before[at] ?? false;
      announce(list);
    }
    throw error;
  } finally {
    effects.stop();
  }
}

function announce(list: HTMLSelectElement): void {
  dispatch(list, new InputEvent("input", { bubbles: true, composed: true }));
  dispatch(list, new Event("change", { bubbles: true }));
}

/** By what an option is known again where the page makes its options anew: others may have its name. */
function keyOf(option: HTMLOptionElement): string {
  return JSON.stringify([labelOf(option), option.value]);
}

/** Whether a page's contents changed, or it goes elsewhere; how it looks changes with the focus alone. */
class Effects {
  isLeaving = false;
  #seen = false;
  readonly #onLeave: () => void;
  /** Resolves when the page goes elsewhere. */
  readonly leaves: Promise<void>;
  readonly #observer = new MutationObserver(() => {
    this.#seen = true;
  });

  #seenAround = false;
  readonly #aroundObserver = new MutationObserver(() => {
    this.#seenAround = true;
  });

  /** `around`: where any change counts that isn't one of the focus, which is there already. */
  constructor(around: readonly Element[]) {
    this.#observer.observe(document, { subtree: true, childList: true, characterData: true });
    const options = { subtree: true, childList: true, characterData: true, attributes: true };
    for (const element of around) this.#aroundObserver.observe(element, options);
    let resolve: () => void;
    this.leaves = new Promise((done) => {
      resolve = done;
    });
    this.#onLeave = () => {
      this.#seen = this.isLeaving = true;
      resolve();
    };
    window.addEventListener("beforeunload", this.#onLeave);
  }

  get any(): boolean {
    this.#seen ||= this.#observer.takeRecords().length > 0;
    return this.#seen;
  }

  get anyAround(): boolean {
    this.#seenAround ||= this.#aroundObserver.takeRecords().length > 0;
    return this.#seenAround;
  }

  /** The next frame, or the moment when the page leaves: nothing can be answered after that. */
  async frame(): Promise<void> {
    await Promise.race([nextFrame(), this.leaves]);
  }

  stop(): void {
    this.#observer.disconnect();
    this.#aroundObserver.disconnect();
    window.removeEventListener("beforeunload", this.#onLeave);
  }
}

/**
 * Fails where the list holds another choice and nothing else came of this one: pages also put a list back once they did
 * what its option says.
 */
async function requireChosen(
  list: HTMLSelectElement,
  wanted: readonly string[],
  effects: Effects,
): Promise<void> {
  const isChosen = (): boolean => {
    const now = [...list.selectedOptions].map((option) => keyOf(option));
    return !dom.isConnected(list) || wanted.every((key) => now.includes(key));
  };
  // What a page does in a task of its own comes after the first frame, which may be due at once.
  await effects.frame();
  await effects.frame();
  // A page has so long to show what it does with a choice.
  const until = performance.now() + SHOWN_MS;
  while (!isChosen() && !effects.any && performance.now() < until) await effects.frame();
  if (isChosen() || effects.any) return;
  const held = [...list.selectedOptions].map((option) => `'${labelOf(option)}'`).join(", ") || "nothing";
  const hint = "look at the page: it sets the list itself, and nothing else came of the choice";
  throw new Failure("not_actionable", `The list did not take the choice: it holds ${held}.`, hint, {
    reason: "not_taken",
  });
}

/** Fails where what the page shows in a hidden list's place doesn't come to show the choice. */
async function requireShown(isShown: () => boolean, effects: Effects): Promise<void> {
  const until = performance.now() + SHOWN_MS;
  while (!isShown() && !effects.isLeaving) {
    if (performance.now() >= until) {
      const hint = "choose in the list that the page shows beside it";
      const text = "The list is hidden, and what the page shows in its place did not take the choice.";
      throw new Failure("not_actionable", text, hint, { reason: "not_taken" });
    }
    await effects.frame();
  }
}

const TINY = 2;
const MOST_UP = 3;

/** What is around a list that nobody sees, innermost first; nothing for one that people see. */
function aroundHidden(list: HTMLSelectElement): Element[] {
  const { width, height } = dom.getBoundingClientRect(list);
  if (isVisible(list) && width > TINY && height > TINY && getComputedStyle(list).opacity !== "0") return [];
  const found: Element[] = [];
  let around = dom.get(list, "parentElement");
  while (found.length < MOST_UP && around && dom.localName(around) !== "body") {
    found.push(around);
    around = dom.get(around, "parentElement");
  }
  return found;
}

/** Whether one of some elements shows all labels. */
function showsAll(elements: readonly Element[], labels: readonly string[]): boolean {
  return elements.some((element) => {
    const text = fold(shownTextOf(element));
    return labels.every((label) => text.includes(label));
  });
}

/** The text that people see of an element, without that of native lists in it. */
function shownTextOf(element: Element): string {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  const found: string[] = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const parent = node.parentElement;
    if (parent && !dom.closest(parent, "select") && dom.checkVisibility(parent, { visibilityProperty: true }))
      found.push((node as Text).data);
  }
  return found.join(" ");
}

/** The native list that an element is, is in, or holds. */
export function listOf(element: Element): HTMLSelectElement | null {
  if (dom.localName(element) === "select") return element as HTMLSelectElement;
  if (dom.localName(element) === "option") return dom.closest(element, "select") as HTMLSelectElement | null;
  const inner = dom.querySelectorAll(element, "select");
  return inner.length === 1 ? (inner[0] as HTMLSelectElement) : null;
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
