// Dragging with the mouse: plain pointer drags, and HTML5 drag and drop by intercepted drag data.

import { changedSince } from "../../hit_safety/target_changed";
import type { ActionOutcome, DragParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS, POLL_MS, SHOWN_MS } from "../../shared/limits";
import type { Need, Point } from "../../shared/messages";
import { type CommandContext, callContent, isOutOfPatience } from "../commands/context";
import { Deadline, pause } from "../deadline";
import { findTarget, frameCoverAt, locate, type Target } from "../tabs/targets";
import { actOn, type ElementAction, pageOnly, requireExpected } from "./action";
import { covered, moveTo } from "./click";
import { guardOthers, ignoreGone, keptByBrowser, unguard } from "./guards";
import { TrustedInput } from "./trusted_input";

const GRAB: Need[] = ["visible", "stable", "enabled", "receives_events"];
const MOVES = 5;
/** Farther than any page waits for before a press counts as a drag. */
const START_PX = 12;
/** As far as a hand moves that holds. */
const NUDGE_PX = 2;
/**
 * Where a failed drag lets go: away from where it took hold, since that would be a click there. The browser doesn't
 * report a release outside of its window to the page.
 */
const CORNER: Point = { x: 0, y: 0 };

/** How far a drag has come. */
interface Progress {
  /** The button is down. */
  isDown: boolean;
  /** What the page's HTML5 drag carries, once it has begun one. */
  data: unknown;
}

export function drag(context: CommandContext, params: DragParams): Promise<ActionOutcome> {
  return actOn(context, params.ref, async (action) => {
    const { watch, services, tab, trusted } = action;
    const goal = params.to_ref ? await findTarget(action, params.to_ref) : null;
    if (!goal && !params.dx && !params.dy) {
      throw new Failure("invalid_params", "The drag goes nowhere.", "name another element, or dx and dy");
    }
    if (!watch.isTrusted) return pageOnly(action, "drag", params);
    const progress: Progress = { isDown: false, data: null };
    const stop = services.debuggers.events.on((event) => {
      if (event.tab === tab && event.method === "Input.dragIntercepted") progress.data = event.params.data;
    });
    try {
      await trusted.interceptDrags(true);
      await dragTo(action, goal, params, progress);
    } finally {
      stop();
      if (progress.isDown) await letGo(action, progress.data);
      else await trusted.interceptDrags(false).catch(() => undefined);
    }
  });
}

async function dragTo(
  action: ElementAction,
  goal: Target | null,
  params: DragParams,
  progress: Progress,
): Promise<void> {
  const { target: source, trusted } = action;
  if (goal && goal.doc.frameId !== 0) await requireFrameFree(action, goal);
  const { point: from } = await moveTo(action, GRAB);
  const { expected } = action;
  if (goal && expected?.onto) await requireExpected(action, goal, { seen: expected.onto });
  const ms = action.deadline.left();
  await callContent(action, source.doc, { op: "guard", number: source.number, ms, expected });
  await guardOthers(action, source);
  action.watch.acted = true;
  progress.isDown = true;
  await trusted.press(from, "left");
  const held = goal && (await hold(action, from));
  const start = {
    x: from.x + Math.sign(params.dx || 1) * START_PX,
    y: from.y + Math.sign(params.dy || 1) * START_PX,
  };
  await moveAlong(trusted, from, start);
  const { position = "center" } = params;
  const dragged = goal?.doc === source.doc ? source.number : null;
  const to = goal
    ? (await locate(action, goal, ["visible"], { position, dragged })).point
    : { x: from.x + (params.dx ?? 0), y: from.y + (params.dy ?? 0) };
  if (progress.data === null) await moveAlong(trusted, start, to);
  // Only now is it known whether the page began an HTML5 drag: the first moves made it do so.
  if (goal) await locate(action, goal, ["visible"]);
  if (progress.data !== null)
    for (const type of ["dragEnter", "dragOver", "drop"] as const)
      await trusted.drag(type, to, progress.data);
  await trusted.release(to, "left");
  progress.isDown = false;
  const { verdict, changed } = await unguard(action, source);
  if (changed) throw changedSince(changed, expected);
  if (verdict === "never") throw keptByBrowser(source);
  if (verdict !== "missed") {
    if (goal && dragged && goal.number && position !== "center") {
      const { number } = goal;
      const check = callContent(action, source.doc, { op: "require_beside", number, dragged, position });
      await check.catch((error) => {
        if (error instanceof Failure && error.data.reason === "dropped_elsewhere") throw error;
        ignoreGone(action, error);
      });
    } else if (held !== null && progress.data === null) await requireSeen(action, held);
    return;
  }
  const text = `Something came over ${source.ref} before it was taken hold of: nothing was dragged.`;
  throw new Failure("not_actionable", text, "look at the page again", { reason: "covered" });
}

/** Wait until nothing lies over the frame that something is to be dropped in: it would be dropped on that. */
async function requireFrameFree(action: ElementAction, goal: Target): Promise<void> {
  for (;;) {
    const spot = await locate(action, goal, ["visible"], { center: true });
    const cover = await frameCoverAt(action, goal, spot);
    if (!cover) return;
    if (isOutOfPatience(action)) throw covered(goal, cover);
    await pause(POLL_MS, action.deadline);
  }
}

/**
 * Hold what was pressed until the page shows that it has it; most do only once the mouse moves on. Answers the document's
 * version before that, null where a drag changes nothing in it.
 */
async function hold(action: ElementAction, from: Point): Promise<number | null> {
  const { target, services, deadline, trusted } = action;
  const { doc, number } = target;
  if (await callContent(action, doc, { op: "drags_unseen", number })) return null;
  const version = await services.documents.readVersion(doc, deadline);
  await trusted.move({ x: from.x + NUDGE_PX, y: from.y }, 0, "left");
  // Some pages begin a drag only once the mouse was held so long, or half as long, and none if it moves away before.
  if (version !== null) await callContent(action, doc, { op: "changed", version, timeout_ms: ALIVE_MS });
  return version;
}

/** Fails where the document is as it was when the element was taken hold of: nobody sees what is dragged so. */
async function requireSeen(action: ElementAction, version: number): Promise<void> {
  const { doc, ref } = action.target;
  // A page shows within this what was dropped.
  const request = { op: "changed", version, timeout_ms: SHOWN_MS } as const;
  const now = await callContent(action, doc, request).catch((error) => ignoreGone(action, error));
  if (now?.version !== version) return;
  const text = `The page did nothing while ${ref} was dragged and dropped.`;
  const hint = "it may be dragged by a handle in it, by keys, or not at all";
  throw new Failure("not_actionable", text, hint, { reason: "not_dragged" });
}

/** A drag that failed must not leave the button down; it gets time for that, as the command's may be over. */
async function letGo(action: ElementAction, data: unknown): Promise<void> {
  const deadline = new Deadline(ALIVE_MS, "letting go");
  const context = { ...action, deadline, effects: false };
  const input = new TrustedInput(context);
  // The guard would keep the release from the page too.
  await unguard(context, action.target).catch(() => undefined);
  const steps = [input.move(CORNER, 0, "left"), input.release(CORNER, "left"), input.interceptDrags(false)];
  if (data !== null) steps.unshift(input.drag("dragCancel", CORNER, data));
  // Why the drag failed says more than why this does: the tab may be gone.
  await Promise.allSettled(steps);
  deadline.close();
}

async function moveAlong(input: TrustedInput, from: Point, to: Point): Promise<void> {
  for (let move = 1; move <= MOVES; move++) {
    const part = move / MOVES;
    await input.move({ x: from.x + (to.x - from.x) * part, y: from.y + (to.y - from.y) * part }, 0, "left");
  }
}
