// The in-page part of each action: one function a command.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { isRendered } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import {
  formOf,
  isEditor,
  type Limit,
  locate,
  needsKey,
  nextFrame,
  waitUntilReady,
} from "../hit_safety/actionability";
import type { Target } from "../hit_safety/expected_target";
import { findElement, labelOf } from "../hit_safety/find_element";
import { isSubmitter } from "../hit_safety/form_destination";
import { hasFocus } from "../hit_safety/guards";
import type { ClickParams, Commands, DragParams, InPageCommand } from "../protocol/generated";
import { Failure } from "../shared/errors";
import type { ActReply, Need, Point, Position } from "../shared/messages";
import { splitRef } from "../shared/refs";
import { clearField, fill, focusAtEnd, focusField, keyToValue, rememberBefore, requireTyped } from "./fill";
import type { Effects } from "./overlay";
import { rememberPlace } from "./replacement";
import { dispatch } from "./scripted_events";
import { scroll } from "./scroll";
import { checkedState, select } from "./select";
import * as synthetic from "./synthetic_input";

/** What every action is given besides its parameters. */
export interface Act extends Limit {
  engine: Engine;
  target: Target;
  /** Finish by script; otherwise the worker's trusted input does. */
  synthetic: boolean;
  effects: Effects | null;
}

/** One action a command; each answers whether it is done, or the worker's trusted input has to finish it. */
type Actions = {
  [C in InPageCommand]: (act: Act, params: Commands[C]["params"]) => Promise<boolean>;
};

const NO_FOCUS = "press the key without a target, or name the field or control in it that takes the focus";
const CLICK: Need[] = ["visible", "stable", "enabled", "receives_events"];
const HOVER: Need[] = ["visible", "stable", "receives_events"];

const ACTIONS: Actions = {
  click: (act, params) => click(act, params, 1),
  dblclick: (act, params) => click(act, params, 2),
  hover: async (act) => {
    if (!act.synthetic) return false;
    const { element, point } = await aim(act, HOVER);
    act.effects?.point(point, false);
    synthetic.hover(element, point);
    return true;
  },
  fill: (act, { value }) => fill(act.engine, numberOf(act), value, act.synthetic, act),
  type: async (act, { text, delay_ms = 0, clear = false }) => {
    const field = await focusAtEnd(act.engine, numberOf(act), act);
    if (clear) clearField(field);
    rememberBefore(field);
    if (!act.synthetic) return false;
    for (const char of text) {
      act.target.guardForm(() => synthetic.typeCharacter(field, char));
      if (delay_ms) await new Promise((resolve) => setTimeout(resolve, delay_ms));
      act.signal.throwIfAborted();
    }
    dispatch(field, new Event("change", { bubbles: true }));
    await requireTyped(field, text);
    return true;
  },
  press: async (act, { key, ref }) => {
    const { engine, target } = act;
    if (ref != null) await focus(act);
    if (!act.synthetic) return false;
    if (ref == null && target.number !== null) requireFocus(engine, target.number);
    const element = engine.flat.active(engine.document) ?? dom.get(engine.document, "body");
    target.guardForm(() => synthetic.pressKeys(element as HTMLElement, key));
    return true;
  },
  focus: async (act) => {
    await focus(act);
    return true;
  },
  check: (act) => setChecked(act, true),
  uncheck: (act) => setChecked(act, false),
  select: async (act, { values, by }) => {
    await select(act.engine, numberOf(act), values, by, act);
    return true;
  },
  submit: async (act) => {
    const element = await waitUntilReady(act.engine, numberOf(act), [], act);
    act.target.require();
    act.target.guardForm(() => submit(act.engine, element));
    return true;
  },
  scroll: async ({ engine, target }, params) => {
    await scroll(engine, target.number === null ? null : findElement(engine, target.number), params);
    return true;
  },
  drag,
};

const TOGGLES = new Set<InPageCommand>(["check", "uncheck"]);

/** Do the in-page part of a command. */
export async function runAction<C extends InPageCommand>(
  command: C,
  params: Commands[C]["params"],
  act: Act,
): Promise<Omit<ActReply, "version">> {
  if (!Object.hasOwn(ACTIONS, command))
    throw new Failure("unknown_command", `Pages know no action '${command}'.`);
  const { engine, target } = act;
  if (act.effects && target.number) act.effects.flash(findElement(engine, target.number));
  target.require();
  const done = await ACTIONS[command](act, params);
  const replaces = command === "fill" || (command === "type" && "clear" in params && params.clear);
  const editor = replaces && !done && isEditor(findElement(engine, numberOf(act)));
  const byKey = TOGGLES.has(command) && !done && needsKey(engine, findElement(engine, numberOf(act)));
  const key =
    command === "fill" && "value" in params && !done
      ? keyToValue(findElement(engine, numberOf(act)), String(params.value))
      : null;
  return { done, ...(editor && { editor }), ...(byKey && { by_key: true }), ...(key && { key }) };
}

function numberOf({ target }: Act): number {
  if (target.number !== null) return target.number;
  throw new Failure("invalid_params", "This action needs an element.", "name one by its ref");
}

async function aim(
  act: Act,
  needs: Need[],
  position: Position = "center",
): Promise<{ element: Element; point: Point }> {
  const { engine } = act;
  const number = numberOf(act);
  const { point } = await locate(engine, number, needs, act, position);
  const found = engine.flat.elementAt(engine.document, point.x, point.y);
  return { element: found ?? findElement(engine, number), point };
}

type Press = Pick<ClickParams, "at" | "button" | "modifiers">;

async function click(
  act: Act,
  { at, button = "left", modifiers = [] }: Press,
  count: 1 | 2,
): Promise<boolean> {
  if (!act.synthetic) return false;
  const { element, point } = await aim(act, CLICK, at ?? "center");
  act.target.require();
  act.effects?.point(point, true);
  act.target.guardForm(() => synthetic.click(element, point, { button, modifiers }, count));
  return true;
}

async function focus(act: Act): Promise<void> {
  const { flat, document } = act.engine;
  const element = controlOf(await waitUntilReady(act.engine, numberOf(act), ["visible"], act)) as HTMLElement;
  focusField(element);
  if (flat.isInside(flat.active(document), element)) return;
  // Many sliders are the track, and the handle in it takes the keys.
  const inner = [...dom.querySelectorAll(element, "[tabindex]")].filter(
    (each) => dom.get(each as HTMLElement, "tabIndex") >= 0 && isRendered(each),
  );
  if (inner.length === 1) focusField(inner[0] as HTMLElement);
  if (flat.isInside(flat.active(document), element)) return;
  throw new Failure("not_actionable", "This element can't have the keyboard focus.", NO_FOCUS, {
    reason: "not_focusable",
  });
}

/** Refuse where keys would go elsewhere than to the element, or than to the document, whose number is 0. */
function requireFocus(engine: Engine, number: number): void {
  if (hasFocus(engine, number === 0 ? null : findElement(engine, number))) return;
  const active = engine.flat.active(engine.document);
  const text = "The keyboard focus is elsewhere than when the step was judged; no key was pressed.";
  throw new Failure("not_actionable", text, "look at the page again: the page itself moves the focus", {
    reason: "focus_lost",
    focused: active && labelOf(engine, active),
  });
}

/** Roles that can be checked, also before they say that they are not. */
const CHECKABLE = new Set("checkbox switch radio menuitemcheckbox menuitemradio".split(" "));

async function setChecked(act: Act, wanted: boolean): Promise<boolean> {
  const state = (): boolean | null => checkedState(act.engine, findElement(act.engine, numberOf(act)));
  const before = state();
  const { role, name } = labelOf(act.engine, findElement(act.engine, numberOf(act)));
  if (before === null && !CHECKABLE.has(role)) {
    const text = `The ${role}${name ? ` '${name}'` : ""} is nothing that can be checked.`;
    const hint = "click it, or name the check box, radio button or switch itself";
    throw new Failure("not_actionable", text, hint, { reason: "not_checkable" });
  }
  if (before === wanted) return true;
  const element = findElement(act.engine, numberOf(act));
  rememberPlace(act.engine, numberOf(act), element);
  if (!act.synthetic) return false;
  if (needsKey(act.engine, element)) dom.call(controlOf(element) as HTMLElement, "click");
  else await click(act, {}, 1);
  // Frameworks may render the new state a frame later.
  if (dom.isConnected(element) && state() !== wanted) await nextFrame();
  return true;
}

function submit(engine: Engine, element: Element): void {
  const control = controlOf(element) as HTMLButtonElement;
  const form = formOf(engine, control);
  if (!form) {
    const hint = "click its button, or press Enter in its field";
    throw new Failure("not_actionable", "This element belongs to no form.", hint, { reason: "no_form" });
  }
  if (isSubmitter(control) && control.form === form) dom.call(form, "requestSubmit", control);
  else dom.call(form, "requestSubmit");
}

async function drag(act: Act, params: DragParams): Promise<boolean> {
  if (!act.synthetic) return false;
  const { to_ref, dx = 0, dy = 0, position = "center" } = params;
  const { flat, document, frame } = act.engine;
  const { element, point } = await aim(act, CLICK);
  let to = { x: point.x + dx, y: point.y + dy };
  const other = to_ref ? splitRef(to_ref) : null;
  if (other) {
    if (other.frame !== frame) {
      const hint = "allow trusted input, which drags across frames";
      throw new Failure("not_actionable", "The elements are in different frames.", hint, {
        reason: "other_frame",
      });
    }
    to = (await locate(act.engine, other.number, ["visible"], act, position)).point;
  }
  synthetic.drag(
    element,
    point,
    flat.elementAt(document, to.x, to.y) ?? dom.get(document, "documentElement"),
    to,
  );
  return true;
}
