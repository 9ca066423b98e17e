// The in-page part of each action: one function a command.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { formOf, frame, isEditor, type Limit, locate, waitUntilReady } from "../hit_safety/actionability";
import { holdingForm, requireMeant } from "../hit_safety/expected_target";
import { findElement, labelOf } from "../hit_safety/find_element";
import { holdsFocus } from "../hit_safety/key_guard";
import type {
  ClickParams,
  DragParams,
  ExpectedTarget,
  FillParams,
  PressParams,
  ScrollParams,
  SelectParams,
  TypeParams,
} from "../protocol/generated";
import { Failure } from "../shared/errors";
import type { ActReply, Need, Point } from "../shared/messages";
import { splitRef } from "../shared/refs";
import type { Effects } from "./effects";
import { clearField, fill, focusAtEnd, focusField } from "./fill";
import { scroll } from "./scroll";
import { checkedState, select } from "./select";
import { pressKey } from "./synthetic_keys";
import * as events from "./synthetic_mouse";

/** What every action is given. */
export interface Act extends Limit {
  engine: Engine;
  number: number | null;
  params: Record<string, unknown>;
  synthetic: boolean;
  meant: ExpectedTarget | null;
  effects: Effects | null;
}

/** Answers whether it is done; false where the worker's trusted input has to finish it. */
type Action = (act: Act) => Promise<boolean>;

const CLICK: Need[] = ["visible", "stable", "enabled", "receives_events"];
const HOVER: Need[] = ["visible", "stable", "receives_events"];

const ACTIONS: Readonly<Record<string, Action>> = {
  click: (act) => click(act, 1),
  dblclick: (act) => click(act, 2),
  hover: async (act) => {
    if (!act.synthetic) return false;
    const { element, point } = await aim(act, HOVER);
    act.effects?.point(point, false);
    events.hover(element, point);
    return true;
  },
  fill: (act) => {
    const { value } = act.params as unknown as FillParams;
    return fill(act.engine, numberOf(act), value, act.synthetic, act);
  },
  type: async (act) => {
    const { text, delay_ms = 0, clear = false } = act.params as unknown as TypeParams;
    const field = await focusAtEnd(act.engine, numberOf(act), act);
    if (clear) clearField(field);
    if (!act.synthetic) return false;
    for (const char of text) {
      const key = char === "\n" ? "Enter" : char;
      holdingForm(act.engine, act.number, act.meant, () => pressKey(field, key));
      if (delay_ms) await pause(delay_ms);
      act.signal.throwIfAborted();
    }
    field.dispatchEvent(new Event("change", { bubbles: true }));
    return true;
  },
  press: async (act) => {
    const { key, ref } = act.params as unknown as PressParams;
    const { engine, number, meant } = act;
    if (ref != null) await focus(act);
    if (!act.synthetic) return false;
    if (ref == null && number !== null && !holdsFocus(engine, number)) throw elsewhere(engine);
    const { document } = engine;
    const element = (engine.flat.active(document) ?? document.body) as HTMLElement;
    holdingForm(engine, number, meant, () => pressKey(element, key));
    return true;
  },
  focus: async (act) => {
    await focus(act);
    return true;
  },
  check: (act) => setChecked(act, true),
  uncheck: (act) => setChecked(act, false),
  select: async (act) => {
    const { values, by } = act.params as unknown as SelectParams;
    await select(act.engine, numberOf(act), values, by, act);
    return true;
  },
  submit: async (act) => {
    const element = await waitUntilReady(act.engine, numberOf(act), [], act);
    requireMeant(act.engine, act.number, act.meant);
    holdingForm(act.engine, act.number, act.meant, () => submit(act.engine, element));
    return true;
  },
  scroll: async (act) => {
    const element = act.number === null ? null : findElement(act.engine, act.number);
    await scroll(act.engine, element, act.params as ScrollParams);
    return true;
  },
  drag,
};

/** Do the in-page part of a command. */
export async function runAction(command: string, act: Act): Promise<ActReply> {
  const action = Object.hasOwn(ACTIONS, command) ? ACTIONS[command] : undefined;
  if (!action) throw new Failure("unknown_command", `Pages know no action '${command}'.`);
  if (act.effects && act.number) act.effects.flash(findElement(act.engine, act.number));
  if (act.number) requireMeant(act.engine, act.number, act.meant);
  const before = act.engine.watch.version;
  const done = await action(act);
  const editor = command === "fill" && !done && isEditor(findElement(act.engine, numberOf(act)));
  return { before, version: act.engine.watch.version, done, ...(editor && { editor }) };
}

function numberOf(act: Act): number {
  if (act.number === null)
    throw new Failure("invalid_params", "This action needs an element.", "name one by its ref");
  return act.number;
}

async function aim(act: Act, needs: Need[]): Promise<{ element: Element; point: Point }> {
  const number = numberOf(act);
  const { point } = await locate(act.engine, number, needs, act);
  const target = findElement(act.engine, number);
  const found = act.engine.flat.elementAt(act.engine.document, point.x, point.y);
  return { element: found ?? target, point };
}

async function click(act: Act, count: 1 | 2): Promise<boolean> {
  if (!act.synthetic) return false;
  const { button = "left", modifiers = [] } = act.params as unknown as ClickParams;
  const { element, point } = await aim(act, CLICK);
  requireMeant(act.engine, act.number, act.meant);
  act.effects?.point(point, true);
  holdingForm(act.engine, act.number, act.meant, () =>
    events.click(element, point, { button, modifiers }, count),
  );
  return true;
}

async function focus(act: Act): Promise<void> {
  const element = controlOf(await waitUntilReady(act.engine, numberOf(act), ["visible"], act)) as HTMLElement;
  focusField(element);
  if (act.engine.flat.isInside(act.engine.flat.active(act.engine.document), element)) return;
  throw new Failure("not_actionable", "This element can't have the keyboard focus.", undefined, {
    reason: "not_focusable",
  });
}

function elsewhere(engine: Engine): Failure {
  const active = engine.flat.active(engine.document);
  const focused = active && labelOf(engine, active);
  const text = "The keyboard focus is elsewhere than when the step was judged; no key was pressed.";
  return new Failure("not_actionable", text, "look at the page again: the page itself moves the focus", {
    reason: "focus_lost",
    focused,
  });
}

async function setChecked(act: Act, wanted: boolean): Promise<boolean> {
  const number = numberOf(act);
  const before = checkedState(act.engine, findElement(act.engine, number));
  if (before === null) {
    throw new Failure("not_actionable", "This is nothing that can be checked.", undefined, {
      reason: "not_checkable",
    });
  }
  if (before === wanted) return true;
  if (!act.synthetic) return false;
  await click(act, 1);
  // Frameworks may draw the new state a frame later.
  if (checkedState(act.engine, findElement(act.engine, number)) !== wanted) await frame();
  return true;
}

function submit(engine: Engine, element: Element): void {
  const control = controlOf(element) as HTMLButtonElement;
  const form = formOf(engine, control);
  if (!form) {
    const hint = "click its button, or press Enter in its field";
    throw new Failure("not_actionable", "This element belongs to no form.", hint, { reason: "no_form" });
  }
  const submits = control.form === form && /^(submit|image)$/.test(control.type ?? "");
  if (submits) form.requestSubmit(control);
  else form.requestSubmit();
}

async function drag(act: Act): Promise<boolean> {
  if (!act.synthetic) return false;
  const { to_ref, dx = 0, dy = 0, position = "center" } = act.params as unknown as DragParams;
  const { element, point } = await aim(act, CLICK);
  let to = { x: point.x + dx, y: point.y + dy };
  const target = to_ref ? splitRef(to_ref) : null;
  if (target) {
    if (target.frame !== act.engine.frame) {
      const hint = "allow trusted input, which drags across frames";
      throw new Failure("not_actionable", "The elements are in different frames.", hint, {
        reason: "other_frame",
      });
    }
    to = (await locate(act.engine, target.number, ["visible"], act, position)).point;
  }
  const { flat, document } = act.engine;
  events.drag(element, point, flat.elementAt(document, to.x, to.y) ?? document.documentElement, to);
  return true;
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
