// The mouse: presses that are sure to land on the element they are for, and moves.

import { changedSince } from "../../hit_safety/target_changed";
import type { ActionOutcome, ClickParams, ElementParams, ExpectedTarget } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS, POLL_MS } from "../../shared/limits";
import type { NamedElement, Need, PointerVerdict, Position } from "../../shared/messages";
import { elementInWords } from "../../shared/refs";
import { type CommandContext, callContent, isOutOfPatience } from "../commands/context";
import { pause } from "../deadline";
import { coverAt, locate, type Spot, type Target } from "../tabs/targets";
import { actOn, type ElementAction, inPage, pageOnly } from "./action";
import { ArrivalWatch, guardOthers, ignoreGone, keptByBrowser, unguard } from "./guards";
import { pressKey } from "./keyboard";
import { modifierBits } from "./trusted_input";

const CLICK: Need[] = ["visible", "stable", "enabled", "receives_events"];
const HOVER: Need[] = ["visible", "stable", "receives_events"];

type Press = Pick<ClickParams, "at" | "button" | "modifiers">;

export function click(
  context: CommandContext,
  params: ClickParams,
  count: 1 | 2 = 1,
): Promise<ActionOutcome> {
  return actOn(context, params.ref, (action) => press(action, params, count));
}

/** Press a mouse button on an element, with trusted input where the tab has it. */
export async function press(action: ElementAction, params: Press = {}, count: 1 | 2 = 1): Promise<void> {
  if (action.watch.isTrusted) return pressTrusted(action, params, count);
  await pageOnly(action, count === 2 ? "dblclick" : "click", { ...params, ref: action.target.ref });
}

async function pressTrusted(action: ElementAction, params: Press, count: number): Promise<void> {
  const { watch, target, trusted } = action;
  const bits = modifierBits(params.modifiers);
  const button = params.button ?? "left";
  const position = params.at ?? "center";
  const baseline = watch.baseline();
  const arrival = new ArrivalWatch(action, target);
  try {
    for (;;) {
      const [found] = await Promise.all([locate(action, target, CLICK, { guard: true, position }), baseline]);
      const spot = target.doc.owner ? await waitUncovered(action, found, position) : found;
      await guardOthers(action, target);
      watch.acted = true;
      // Sent together: a move alone waits for the next frame, a press makes it come at once.
      const sent = [trusted.move(spot.point, bits), trusted.click(spot.point, button, count, bits)];
      const detached = await Promise.all(sent).then(() => null, onlyDetached);
      const seen = await afterPress(action);
      if (seen === "left") return await arrival.explainGone();
      // A press that made a frame leave for another program detaches the debugger, but it was made.
      if (detached && !seen.changed && seen.presses < count) throw detached;
      if (seen.changed) throw changedSince(seen.changed, action.expected);
      if (seen.awaited !== null && count === 1 && button === "left") await awaitState(action, seen.awaited);
      if (seen.verdict === "never") throw keptByBrowser(target);
      if (seen.verdict !== "missed") return;
      if (isOutOfPatience(action)) throw missed(target);
      action.deadline.check();
      watch.acted = false;
    }
  } finally {
    arrival.close();
  }
}

/** Wait until nothing around a frame covers it; a document alone sees only what is in it. */
async function waitUncovered(action: ElementAction, found: Spot, position: Position): Promise<Spot> {
  for (let spot = found; ; ) {
    const cover = await coverAt(action, action.target, spot);
    if (!cover) return spot;
    if (isOutOfPatience(action)) throw covered(action.target, cover);
    await pause(POLL_MS, action.deadline);
    spot = await locate(action, action.target, CLICK, { guard: true, center: true, position });
  }
}

/** What a cover that the element's document alone doesn't see makes of an action. */
export function covered({ ref, doc }: Target, cover: NamedElement): Failure {
  if (cover.role === "nothing") {
    const text = `The frame that ${ref} is in can't be brought into view.`;
    return new Failure("not_actionable", text, "scroll to it, or make the window larger", {
      reason: "outside",
    });
  }
  const what = doc.owner ? `the frame that ${ref} is in` : ref;
  const text = `The ${elementInWords(cover)} covers ${what}.`;
  const hint = "close what is in front of it; a snapshot shows it";
  return new Failure("not_actionable", text, hint, { reason: "covered", covered_by: cover });
}

function missed({ ref }: Target): Failure {
  const text = `Something else gets the mouse whenever it comes to ${ref}: nothing was done.`;
  return new Failure("not_actionable", text, "look at the page again", { reason: "covered" });
}

function onlyDetached(error: unknown): Failure {
  if (error instanceof Failure && error.data.detached) return error;
  throw error;
}

/** What the guards saw. A document that has gone by now left because of the press. */
async function afterPress(action: ElementAction): Promise<PointerVerdict | "left"> {
  try {
    return await unguard(action, action.target);
  } catch (error) {
    if (error instanceof Failure && error.code === "page_navigated") return "left";
    throw error;
  }
}

export function hover(context: CommandContext, params: ElementParams): Promise<ActionOutcome> {
  return actOn(context, params.ref, async (action) => {
    if (!action.watch.isTrusted) return pageOnly(action, "hover", params);
    action.watch.acted = true;
    await moveTo(action, HOVER, true);
  });
}

/**
 * Bring the mouse over an element and make sure that the element gets the events. Where nothing but the move is to be
 * done, the move itself has to have reached it.
 */
export async function moveTo(action: ElementAction, needs: Need[], mustReach = false): Promise<Spot> {
  const { watch, target } = action;
  for (let center = false; ; center = true) {
    const [spot] = await Promise.all([locate(action, target, needs, { center }), watch.baseline()]);
    await action.trusted.move(spot.point);
    let reached = false;
    const cover = await coverAt(action, target, spot, (doc, hit) => {
      reached ||= doc === target.doc && hit.came;
    });
    // Its frame may have been elsewhere by then.
    if (!cover && (reached || !mustReach)) return spot;
    // What opens under the mouse may take the element's place.
    if (mustReach && reached && !(await isInState(action, "visible"))) return spot;
    if (isOutOfPatience(action)) throw cover ? covered(target, cover) : missed(target);
    await pause(POLL_MS, action.deadline);
  }
}

/** Click only where the state differs, and make sure that the page took it. */
export function setChecked(
  context: CommandContext,
  params: ElementParams,
  wanted: boolean,
): Promise<ActionOutcome> {
  return actOn(context, params.ref, async (action) => {
    const { watch, expected } = action;
    // Where it is so already, nothing else compares it with what was seen.
    if ((await isInState(action, "checked", expected)) === wanted) return watch.baseline();
    // The page refuses what can't be checked, before anything is pressed.
    await watch.baseline(action.target.doc);
    if (!watch.isTrusted) watch.acted = true;
    const { by_key } = await inPage(action, wanted ? "check" : "uncheck", action.target, params);
    if (by_key && watch.isTrusted) await pressKey(action, " ");
    else if (watch.isTrusted) await pressTrusted(action, {}, 1);
    await awaitState(action, wanted);
  });
}

/**
 * Wait for what a press was to make of a checkbox or radio button, or of what took its place since. A page that goes
 * elsewhere took it, and so did one that then shows no such element: a menu closes, a list shows open items only.
 */
async function awaitState(action: ElementAction, wanted: boolean): Promise<void> {
  const { pending } = action.services.navigations.state(action.tab);
  // Some pages ask a server before they show it.
  // A page shows within this that it took a check.
  const until = performance.now() + ALIVE_MS;
  do {
    if (pending.has(0)) return;
    const state = isInState(action, "checked");
    const isWanted = await state.then(
      (now) => now === wanted,
      (error) => ignoreGone(action, error) ?? true,
    );
    if (isWanted) return;
    await pause(POLL_MS, action.deadline);
  } while (performance.now() < until);
  const text = `The element was clicked but is ${wanted ? "not checked" : "still checked"}.`;
  const hint = wanted
    ? "look at the page: it took the check back, or something else got the click"
    : "a radio button is unchecked by checking another";
  throw new Failure("not_actionable", text, hint, { reason: "unchanged" });
}

async function isInState(
  action: ElementAction,
  what: "checked" | "visible",
  expected: ExpectedTarget | null = null,
): Promise<boolean> {
  const { doc, number, ref } = action.target;
  if (what === "checked") await action.services.facts.renewInternals(action, [doc]);
  const request = { op: "is", number, params: { what, ref }, expected } as const;
  return (await callContent(action, doc, request)).value;
}
