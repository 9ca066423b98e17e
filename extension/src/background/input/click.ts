// The mouse: presses that are sure to land on the element they are meant for, and moves.

import { changedSince } from "../../hit_safety/target_changed";
import type { ActionOutcome, ClickParams, ElementParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { GuardVerdict, Hit, Need } from "../../shared/messages";
import type { PageCall, Parts } from "../commands/context";
import type { Watch } from "../commands/outcome";
import type { Doc } from "../tabs/registry";
import {
  coverAt,
  findTarget,
  guardOthers,
  Landing,
  locate,
  type Spot,
  type Target,
  unguard,
} from "../tabs/targets";
import { act, hasTrusted, inputFor, pageOnly } from "./action";
import { type Input, modifierBits } from "./input";

const CLICK: Need[] = ["visible", "stable", "enabled", "receives_events"];
/** Time kept back to say what was in the way. */
const RESERVE_MS = 250;
const POLL_MS = 50;
/** How long a check may take to show. */
const SETTLE_MS = 1_000;
const HOVER: Need[] = ["visible", "stable", "receives_events"];

export function click(
  parts: Parts,
  call: PageCall,
  params: ClickParams,
  count: 1 | 2,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    await press(parts, call, watch, await findTarget(parts, call, params.ref), params, count);
  });
}

/** Press a mouse button on an element, with trusted input where it is to be had. */
export async function press(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
  params: Pick<ClickParams, "button" | "modifiers">,
  count: 1 | 2,
): Promise<void> {
  watch.trusted = await hasTrusted(parts, call);
  if (watch.trusted) return clickTrusted(parts, call, watch, target, params, count);
  await pageOnly(parts, call, watch, count === 2 ? "dblclick" : "click", target, params);
}

async function clickTrusted(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
  params: Pick<ClickParams, "button" | "modifiers">,
  count: number,
): Promise<void> {
  const input = inputFor(parts, call);
  const bits = modifierBits(params.modifiers);
  const button = params.button ?? "left";
  const baseline = watch.baseline(target.doc);
  const landing = new Landing(parts, target);
  try {
    for (;;) {
      const [spot] = await Promise.all([locate(parts, call, target, CLICK, { guard: true }), baseline]);
      watch.noteBefore(target.doc, spot.version);
      if (target.doc.owner) await waitUncovered(parts, call, spot);
      await guardOthers(parts, call, target);
      watch.acted = true;
      // Sent together: a move alone waits for the next frame, a press makes it come at once.
      const detached = await Promise.all([
        input.move(spot.point, bits),
        input.click(spot.point, button, count, bits),
      ]).then(() => null, onlyDetached);
      const seen = await afterPress(parts, call, watch, target);
      if (seen === "left") return await landing.explainGone();
      // A press that made a frame leave for another program detaches the debugger, but it was made.
      if (detached && !seen.changed && seen.presses < count) throw detached;
      if (seen.changed) throw changedSince(seen.changed, call.meant);
      if (seen.verdict !== "missed") return;
      call.deadline.check();
    }
  } finally {
    landing.close();
  }
}

/** Wait until nothing around a frame covers it; a document alone sees only what is in it. */
async function waitUncovered(parts: Parts, call: PageCall, spot: Spot): Promise<void> {
  for (;;) {
    const cover = await coverAt(parts, call, spot);
    if (!cover) return;
    if (call.deadline.left() < RESERVE_MS) {
      const what = `${cover.role}${cover.name ? ` '${cover.name}'` : ""}${cover.ref ? ` [${cover.ref}]` : ""}`;
      const hint = "close what is in front of it; a snapshot shows it";
      const data = { reason: "covered", covered_by: cover };
      throw new Failure(
        "not_actionable",
        `The ${what} covers the frame that ${spot.target.ref} is in.`,
        hint,
        data,
      );
    }
    await call.deadline.race(new Promise((resolve) => setTimeout(resolve, POLL_MS)));
  }
}

function onlyDetached(error: unknown): Failure {
  if (error instanceof Failure && error.data.detached) return error;
  throw error;
}

/** What the guard saw. A document that has gone by now was left because of the press. */
async function afterPress(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
): Promise<GuardVerdict | "left"> {
  try {
    const seen = await unguard(parts, call, target);
    watch.noteAfter(target.doc, seen.version);
    return seen;
  } catch (error) {
    if (error instanceof Failure && error.code === "page_navigated") return "left";
    throw error;
  }
}

/**
 * Bring the mouse over an element and make sure, right before it matters, that the element gets the events. `isHover`
 * where nothing else is to be done.
 */
export async function aim(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  input: Input,
  target: Target,
  needs: Need[],
  isHover = false,
): Promise<Spot> {
  for (;;) {
    const [spot] = await Promise.all([locate(parts, call, target, needs), watch.baseline(target.doc)]);
    watch.noteBefore(target.doc, spot.version);
    await input.move(spot.point);
    let came = false;
    const heard = (doc: Doc, hit: Hit): void => {
      watch.noteAfter(doc, hit.version);
      came ||= doc === target.doc && hit.came;
    };
    const cover = await coverAt(parts, call, spot, isHover ? heard : null);
    // Its frame may have been elsewhere by then.
    if (!cover && (came || !isHover)) return spot;
    // What opens under the mouse may take the element's place.
    if (came && !(await is(parts, call, target, "visible"))) return spot;
    call.deadline.check();
  }
}

export function hover(parts: Parts, call: PageCall, params: ElementParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    if (!watch.trusted) return pageOnly(parts, call, watch, "hover", target, params);
    watch.acted = true;
    await aim(parts, call, watch, inputFor(parts, call), target, HOVER, true);
  });
}

/** Click only where the state differs, and make sure that it took. */
export function setChecked(
  parts: Parts,
  call: PageCall,
  params: ElementParams,
  wanted: boolean,
): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    watch.trusted = await hasTrusted(parts, call);
    if ((await is(parts, call, target, "checked")) === wanted) return watch.baseline();
    if (watch.trusted) await clickTrusted(parts, call, watch, target, {}, 1);
    else await pageOnly(parts, call, watch, wanted ? "check" : "uncheck", target, params);
    const { pending } = parts.navigations.state(call.tab);
    // Some pages ask somebody else before they show it.
    const until = performance.now() + SETTLE_MS;
    do {
      if (pending.has(0) || (await is(parts, call, target, "checked")) === wanted) return;
      await call.deadline.race(new Promise((resolve) => setTimeout(resolve, POLL_MS)));
    } while (performance.now() < until);
    const text = `The element was clicked but is ${wanted ? "not checked" : "still checked"}.`;
    throw new Failure(
      "not_actionable",
      text,
      wanted ? "look at the page: it took the check back" : "a radio button is unchecked by checking another",
      { reason: "unchanged" },
    );
  });
}

async function is(
  parts: Parts,
  call: PageCall,
  { doc, number, ref }: Target,
  what: "checked" | "visible",
): Promise<boolean> {
  if (what === "checked") await parts.internals.renew(call, doc);
  const request = { op: "read", command: "is", number, params: { what, ref } } as const;
  return (await parts.documents.ask<{ value: boolean }>(doc, request, call.deadline)).value;
}
