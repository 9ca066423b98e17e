// Dragging with the mouse: plain pointer drags, and HTML5 drag and drop by intercepted drag data.

import type { ActionOutcome, DragParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { Need, Point } from "../../shared/messages";
import type { PageCall, Parts } from "../commands/context";
import { Deadline } from "../deadline";
import { findTarget, guardOthers, locate, type Target, unguard } from "../tabs/targets";
import { act, hasTrusted, inPage, inputFor } from "./action";
import { aim } from "./click";
import { Input } from "./input";

const GRAB: Need[] = ["visible", "stable", "enabled", "receives_events"];
const STEPS = 5;
/** Farther than any page waits for before a press counts as a drag. */
const START_PX = 12;
/**
 * Where a failed drag lets go: away from where it took hold, since that would be a click there. The page isn't told of
 * a release outside of its window.
 */
const CORNER: Point = { x: 0, y: 0 };
const LET_GO_MS = 1_000;

export function drag(parts: Parts, call: PageCall, params: DragParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const source = await findTarget(parts, call, params.ref);
    const target = params.to_ref ? await findTarget(parts, call, params.to_ref) : null;
    if (!target && !params.dx && !params.dy) {
      throw new Failure("invalid_params", "The drag goes nowhere.", "name another element, or dx and dy");
    }
    watch.trusted = await hasTrusted(parts, call);
    if (!watch.trusted) {
      await watch.baseline();
      watch.acted = true;
      await inPage(parts, call, watch, source.doc, "drag", source.number, params);
      return;
    }
    const input = inputFor(parts, call);
    let data: unknown = null;
    let held = false;
    const stop = parts.debuggers.events.on((event) => {
      if (event.tab === call.tab && event.method === "Input.dragIntercepted") data = event.params.data;
    });
    try {
      await input.interceptDrags(true);
      const { point: from } = await aim(parts, call, watch, input, source, GRAB);
      await parts.documents.ask<null>(source.doc, { op: "guard", number: source.number }, call.deadline);
      await guardOthers(parts, call, source);
      watch.acted = true;
      held = true;
      await input.press(from, "left");
      const start = {
        x: from.x + Math.sign(params.dx || 1) * START_PX,
        y: from.y + Math.sign(params.dy || 1) * START_PX,
      };
      await moveAlong(input, from, start);
      const to = target
        ? (await locate(parts, call, target, ["visible"], { position: params.position ?? "center" })).point
        : { x: from.x + (params.dx ?? 0), y: from.y + (params.dy ?? 0) };
      if (data === null) await moveAlong(input, start, to);
      // Only now: the first moves made the page start its drag.
      if (target) await locate(parts, call, target, ["visible"]);
      if (data !== null) {
        await input.drag("dragEnter", to, data);
        await input.drag("dragOver", to, data);
        await input.drag("drop", to, data);
      }
      await input.release(to, "left");
      held = false;
      const seen = await unguard(parts, call, source);
      if (seen.verdict === "missed") throw missedSource(source);
    } finally {
      stop();
      if (held) await letGo(parts, call, source, data);
      else await input.interceptDrags(false).catch(() => undefined);
    }
  });
}

/** A drag that failed must not leave the button down; it has time of its own, as the command's may be over. */
async function letGo(parts: Parts, call: PageCall, source: Target, data: unknown): Promise<void> {
  const deadline = new Deadline(LET_GO_MS, "letting go");
  const input = new Input(parts, call.tab, deadline);
  // The guard would keep the release from the page too.
  await unguard(parts, { ...call, deadline }, source).catch(() => undefined);
  const steps = [input.move(CORNER, 0, "left"), input.release(CORNER, "left"), input.interceptDrags(false)];
  if (data !== null) steps.unshift(input.drag("dragCancel", CORNER, data));
  // Why the drag failed says more than why this does: the tab may be gone.
  await Promise.allSettled(steps);
  deadline.close();
}

function missedSource({ ref }: Target): Failure {
  const text = `Something came over ${ref} before it was taken hold of: nothing was dragged.`;
  return new Failure("not_actionable", text, "look at the page again", { reason: "covered" });
}

async function moveAlong(input: Input, from: Point, to: Point): Promise<void> {
  for (let step = 1; step <= STEPS; step++) {
    const part = step / STEPS;
    await input.move({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }, 0, "left");
  }
}
