// Where input to an element should go: brought into view, and waited for until everything that it needs holds.

import type { Engine } from "../engine/dom/engine";
import { Clips, isWithin } from "../engine/dom/layout/clips";
import { contentRects, controlOf, coverOf, drawnBy, QUARTERS } from "../engine/dom/layout/hit_test";
import { imageOf, rectOf } from "../engine/dom/layout/image_maps";
import { isEditingHost } from "../engine/dom/semantics/roles";
import { isRendered } from "../engine/dom/semantics/visibility";
import { Failure } from "../shared/errors";
import type { Located, Need, Point } from "../shared/messages";
import { findElement, labelOf, refOf } from "./find_element";

/** How long an action may wait, and what ends it early. */
export interface Limit {
  timeoutMs: number;
  signal: AbortSignal;
}

type Position = "center" | "before" | "after";

/** Why an element isn't ready, as a word and as a sentence. */
interface Obstacle {
  reason: "hidden" | "moving" | "disabled" | "readonly" | "not_editable" | "covered" | "outside";
  text: string;
  hint?: string;
  cover?: Element;
}

/** Scrolling that is tried in turn where something fixed covers the element. */
const ALIGNMENTS: ScrollIntoViewOptions[] = [
  { block: "center", inline: "center" },
  { block: "nearest", inline: "nearest" },
  { block: "end", inline: "end" },
  { block: "start", inline: "start" },
];

/** Frames don't come in hidden tabs; look again after this. */
const FRAME_MS = 100;

/** Wait until the element can get input, and say where. */
export async function locate(
  engine: Engine,
  number: number,
  needs: readonly Need[],
  limit: Limit,
  position: Position = "center",
): Promise<Located> {
  const deadline = performance.now() + limit.timeoutMs;
  for (let round = 0; ; round++) {
    const element = findElement(engine, number);
    const version = engine.watch.version;
    const found = await look(engine, element, needs, position, round);
    if ("point" in found) return { ...found, version };
    if (performance.now() >= deadline) throw refusal(engine, number, found);
    await nextFrame(engine, deadline);
    limit.signal.throwIfAborted();
  }
}

/** Only the needs, without scrolling and places: for actions that happen in the page. */
export async function waitUntilReady(
  engine: Engine,
  number: number,
  needs: readonly Need[],
  limit: Limit,
): Promise<Element> {
  const deadline = performance.now() + limit.timeoutMs;
  for (;;) {
    const element = findElement(engine, number);
    const obstacle = conditionOf(engine, element, needs);
    if (!obstacle) return element;
    if (performance.now() >= deadline) throw refusal(engine, number, obstacle);
    await nextFrame(engine, deadline);
    limit.signal.throwIfAborted();
  }
}

async function look(
  engine: Engine,
  element: Element,
  needs: readonly Need[],
  position: Position,
  round: number,
): Promise<Omit<Located, "version"> | Obstacle> {
  const problem = conditionOf(engine, element, needs);
  if (problem) return problem;
  const receives = needs.includes("receives_events");
  const targets = targetsOf(engine, element, receives);
  if (round > 0 || !targets.some((target) => isInView(engine, target))) {
    const alignment = ALIGNMENTS[round % ALIGNMENTS.length];
    (imageOf(element) ?? targets[0] ?? element).scrollIntoView({ ...alignment, behavior: "instant" });
  }
  if (needs.includes("stable") && mayMove(engine, element)) {
    const before = element.getBoundingClientRect();
    await frame();
    if (!sameRect(before, element.getBoundingClientRect())) return { reason: "moving", text: "it is moving" };
  }
  let cover: Element | null = null;
  for (const target of targets) {
    for (const point of pointsOf(target, position)) {
      if (!receives) return place(element, point);
      const found = coverOf(engine.flat, element, point);
      if (found === null) return place(element, point);
      if (found !== "outside") cover ??= found;
    }
  }
  if (cover) return { reason: "covered", text: "something covers it", cover };
  return { reason: "outside", text: "it can't be brought into view" };
}

function conditionOf(engine: Engine, element: Element, needs: readonly Need[]): Obstacle | null {
  for (const need of needs) {
    if (need === "visible" && !targetsOf(engine, element, true).some(isVisible))
      return hiddenObstacle(element);
    if (need === "enabled" && isDisabled(engine, element))
      return { reason: "disabled", text: "it is disabled" };
    if (need === "editable") {
      const field = fieldOf(element);
      if (!field) {
        const hint = "fill works on fields; click and press work on everything";
        return { reason: "not_editable", text: "it is no field that text can be typed into", hint };
      }
      if (isDisabled(engine, field)) return { reason: "disabled", text: "it is disabled" };
      if (isReadOnly(field)) return { reason: "readonly", text: "it is read-only" };
    }
  }
  return null;
}

function hiddenObstacle(element: Element): Obstacle {
  const list = element.localName === "option" ? element.closest("select") : null;
  if (!list) return { reason: "hidden", text: "it is not visible" };
  return {
    reason: "hidden",
    text: "it is an option of a closed list",
    hint: "use select on the list itself",
  };
}

/** The element, and where people see what it is drawn by, or its labels, in its place, those. */
function targetsOf(engine: Engine, element: Element, others: boolean): Element[] {
  const control = controlOf(element) as HTMLInputElement;
  if (!others || control !== element) return [element];
  const drawn = drawnBy(engine.flat, element);
  return [element, ...(drawn ? [drawn] : []), ...(control.labels ?? [])];
}

function place(element: Element, point: Point): Omit<Located, "version"> {
  const { x, y, width, height } = rectOf(element);
  return { point, box: { x, y, width, height } };
}

/** Points to try, best first: the middle of each line's box, then its quarters. */
function* pointsOf(element: Element, position: Position): Generator<Point> {
  const rects = contentRects(element);
  if (position !== "center") {
    const rect = element.getBoundingClientRect();
    const margin = Math.min(4, rect.height / 4);
    yield {
      x: rect.x + rect.width / 2,
      y: position === "before" ? rect.top + margin : rect.bottom - margin,
    };
    return;
  }
  for (const rect of rects) yield { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  for (const rect of rects) {
    for (const [dx, dy] of QUARTERS) {
      yield { x: rect.x + rect.width * dx, y: rect.y + rect.height * dy };
    }
  }
}

/** Whether the middle of an element is in the viewport and in every box that scrolls or clips it. */
export function isInView(engine: Engine, element: Element): boolean {
  const rect = contentRects(element)[0];
  if (!rect) return false;
  const middle = { x: rect.x + rect.width / 2, y: rect.y + rect.height / 2 };
  return isWithin(new Clips(engine.flat, element.ownerDocument).around(element), middle);
}

function refusal(engine: Engine, number: number, obstacle: Obstacle): Failure {
  const data: Record<string, unknown> = { reason: obstacle.reason };
  let text = obstacle.text;
  if (obstacle.cover) {
    const cover = labelOf(engine, obstacle.cover);
    data.covered_by = cover;
    text = `${cover.role}${cover.name ? ` '${cover.name}'` : ""}${cover.ref ? ` [${cover.ref}]` : ""} covers it`;
  }
  const element = findElement(engine, number);
  const own = labelOf(engine, element);
  const what = `${own.role}${own.name ? ` '${own.name}'` : ""} [${refOf(engine, number)}]`;
  return new Failure("not_actionable", `The ${what} can't be acted on: ${text}.`, obstacle.hint, data);
}

function sameRect(a: DOMRect, b: DOMRect): boolean {
  return a.x === b.x && a.y === b.y && a.width === b.width && a.height === b.height;
}

/** The next animation frame; hidden tabs have none, so not longer than a moment. */
export async function frame(): Promise<void> {
  await new Promise<void>((resolve) => {
    const timer = setTimeout(done, FRAME_MS);
    const id = requestAnimationFrame(done);
    function done(): void {
      clearTimeout(timer);
      cancelAnimationFrame(id);
      resolve();
    }
  });
}

async function nextFrame(engine: Engine, deadline: number): Promise<void> {
  await Promise.race([frame(), engine.watch.next(Math.max(1, deadline - performance.now()))]);
  // A change wakes us before it is drawn, and a busy page changes all the time.
  await frame();
}

/** The form that a control belongs to, also from inside a component's shadow root. */
export function formOf(engine: Engine, control: Element): HTMLFormElement | null {
  const own = (control as HTMLButtonElement).form;
  if (own instanceof HTMLFormElement) return own;
  for (let at: Element | null = control; at; at = engine.flat.parent(at))
    if (at instanceof HTMLFormElement) return at;
  return null;
}

/** Whether an element takes up room that a person can see. */
export function isVisible(element: Element): boolean {
  if (!isRendered(element) || element.closest("[inert]")) return false;
  const { width, height } = rectOf(element);
  if (width > 0 && height > 0) return true;
  // Code editors keep a field as wide as the caret.
  if (height > 0 && isField(element)) return true;
  for (const rect of contentRects(element)) if (rect.width > 0 && rect.height > 0) return true;
  return false;
}

/** Whether the element, or anything it belongs to, is disabled. */
export function isDisabled(engine: Engine, element: Element): boolean {
  const control = controlOf(element);
  if (control.matches(":disabled")) return true;
  for (let at: Element | null = control; at; at = engine.flat.parent(at)) {
    if (at.getAttribute("aria-disabled") === "true") return true;
  }
  return false;
}

const NOT_TYPED = new Set("button checkbox file hidden image radio reset submit".split(" "));

/** The element that takes what is typed: the element itself, its label's control, or the only field in it. */
export function fieldOf(element: Element): HTMLElement | null {
  const control = controlOf(element);
  if (isField(control)) return control as HTMLElement;
  const inner = [...control.querySelectorAll("input, textarea, [contenteditable]")].filter(isField);
  return inner.length === 1 ? (inner[0] as HTMLElement) : null;
}

function isField(element: Element): boolean {
  if (element.localName === "input") return !NOT_TYPED.has((element as HTMLInputElement).type);
  return (
    element.localName === "textarea" ||
    isEditingHost(element) ||
    (element as HTMLElement).isContentEditable ||
    hasEditContext(element)
  );
}

/** Whether an element is, or holds, an editor that may know more lines than it draws. */
export function isEditor(element: Element): boolean {
  const field = fieldOf(element);
  return field !== null && (hasEditContext(field) || field.getAttribute("aria-multiline") === "true");
}

/** Code editors draw themselves, and take what is typed through this. */
function hasEditContext(element: Element): boolean {
  return (element as HTMLElement & { editContext?: unknown }).editContext != null;
}

export function isReadOnly(element: Element): boolean {
  const field = element as HTMLInputElement;
  return (
    ((element.localName === "input" || element.localName === "textarea") && field.readOnly) ||
    element.getAttribute("aria-readonly") === "true"
  );
}

/** Whether an animation or transition moves the element or what it is in. */
export function mayMove(engine: Engine, element: Element): boolean {
  for (const animation of element.ownerDocument.getAnimations()) {
    if (animation.playState !== "running") continue;
    const target = (animation.effect as KeyframeEffect | null)?.target;
    if (target && engine.flat.isInside(element, target)) return true;
  }
  return false;
}
