// Whether an element can get input, and where: visible, at rest, enabled, in view, and nothing else in its place.

import type { Engine } from "../engine/dom/engine";
import {
  Clips,
  contentRects,
  controlOf,
  coverOf,
  isOnInnerControl,
  isWithin,
  proxyOf,
  QUARTERS,
  saysMore,
} from "../engine/dom/layout/hit_test";
import { imageOf, rectOf } from "../engine/dom/layout/image_maps";
import { leaves, scriptedSizes } from "../engine/dom/layout/leaving";
import { isEditingHost } from "../engine/dom/semantics/roles";
import { isRendered } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import { Failure } from "../shared/errors";
import { ALIVE_MS, DOCUMENT_MS, FRAME_MS, TICK_MS } from "../shared/limits";
import type { Located, Need, Point, Position } from "../shared/messages";
import { elementInWords } from "../shared/refs";
import { elementOf, findElement, labelOf, refOf } from "./find_element";
import { namedAt, placeIn } from "./surface";

/** How long an action may wait, and what ends it early. */
export interface Limit {
  timeoutMs: number;
  signal: AbortSignal;
}

/** Why an element can't get input, as a word and as a sentence. */
interface Obstacle {
  reason: "hidden" | "moving" | "disabled" | "readonly" | "not_editable" | "covered" | "outside";
  text: string;
  hint?: string;
  cover?: Element;
  /** Waiting can't help. */
  permanent?: true;
}

type Attempt<T> = { ready: T } | Obstacle;

/** Scrolling that is tried in turn where something fixed covers the element. */
const ALIGNMENTS: ScrollIntoViewOptions[] = [
  { block: "center", inline: "center" },
  { block: "nearest", inline: "nearest" },
  { block: "end", inline: "end" },
  { block: "start", inline: "start" },
];

/** Wait until the element can get input, and say where. */
export function locate(
  engine: Engine,
  number: number,
  needs: readonly Need[],
  limit: Limit,
  position: Position = "center",
  dragged: number | null = null,
): Promise<Located> {
  return retry(engine, number, limit, async (element, round) => {
    const [beside, side] = dropBeside(element, position, dragged ? elementOf(engine, dragged) : null);
    const found = await placeFor(engine, beside, needs, side, round);
    return "reason" in found ? found : { ready: found };
  });
}

/** Wait for the needs alone, without scrolling and places: for actions that happen in the page. */
export function waitUntilReady(
  engine: Engine,
  number: number,
  needs: readonly Need[],
  limit: Limit,
): Promise<Element> {
  return retry(engine, number, limit, (element) => obstacleTo(engine, element, needs) ?? { ready: element });
}

/**
 * Where to drop beside an element. Lists that move their items while one is dragged put it after those that it has
 * passed: dragged down, before an item is after the one over it; dragged up, after an item is before the one below it.
 */
function dropBeside(element: Element, position: Position, dragged: Element | null): [Element, Position] {
  const parent = dragged && dom.get(dragged, "parentElement");
  if (position === "center" || !parent || dom.get(element, "parentElement") !== parent)
    return [element, position];
  const items = [...dom.get(parent, "children")].filter((one) => one === dragged || isVisible(one));
  const [from, to] = [items.indexOf(dragged), items.indexOf(element)];
  const isBackwards = position === "before" ? from < to : from > to;
  const next = items[position === "before" ? to - 1 : to + 1];
  if (!isBackwards || !next || next === dragged) return [element, position];
  return [next, position === "before" ? "after" : "before"];
}

/** Attempt something at every change and frame until nothing is in its way. */
async function retry<T>(
  engine: Engine,
  number: number,
  limit: Limit,
  attempt: (element: Element, round: number) => Attempt<T> | Promise<Attempt<T>>,
): Promise<T> {
  const started = performance.now();
  const deadline = started + limit.timeoutMs;
  for (let round = 0; ; round++) {
    await untilLeft(engine, number, limit, deadline);
    const found = await attempt(findElement(engine, number), round);
    if ("ready" in found) return found.ready;
    // A page in which nothing has changed for so long enables nothing by itself; that is seen after a moment's wait.
    const isStill = engine.watch.quietFor > DOCUMENT_MS && performance.now() - started > ALIVE_MS;
    if (found.permanent || (isStill && found.reason === "disabled") || performance.now() >= deadline)
      throw refusal(engine, number, found);
    await Promise.race([nextFrame(), engine.watch.next(Math.max(1, deadline - performance.now()))]);
    // A change wakes us before it is rendered, and a busy page changes all the time.
    await nextFrame();
    limit.signal.throwIfAborted();
  }
}

/**
 * Wait while an element fades away: the one that takes its place has the same name, and is the target.
 *
 * Fails with `stale_ref` and the reason `left` where it is gone then. Nothing was done to it.
 */
async function untilLeft(engine: Engine, number: number, limit: Limit, deadline: number): Promise<void> {
  const element = findElement(engine, number);
  const isLeaving = async (): Promise<boolean> => {
    if (leaves(element, (inner, outer) => engine.flat.isInside(inner, outer))) return true;
    const before = scriptedSizes(engine.flat, element);
    if (!before.size) return false;
    await nextFrame();
    const now = scriptedSizes(engine.flat, element);
    return [...before].some(([one, size]) => (now.get(one) ?? size) < size);
  };
  if (!(await isLeaving())) return;
  const isShown = (): boolean => standsFor(engine, element).some(isVisible);
  const wasShown = isShown();
  // So soon after an element has faded away it is removed or hidden, unless it shows again when the mouse comes.
  for (let last = performance.now(); performance.now() - last < TICK_MS; ) {
    if (performance.now() >= deadline) return;
    await nextFrame();
    limit.signal.throwIfAborted();
    const isGone = elementOf(engine, number) !== element;
    if (isGone || (wasShown && !isShown())) throw leftFailure(engine, number, isGone);
    if (await isLeaving()) last = performance.now();
  }
}

function leftFailure(engine: Engine, number: number, isGone: boolean): Failure {
  const { role, name } = engine.refs.lastKnown(number);
  const what = elementInWords({ role, name, ref: refOf(engine, number) });
  const text = `The ${what} was leaving the page, and is ${isGone ? "gone" : "hidden"} now: nothing was done.`;
  return new Failure("stale_ref", text, undefined, { ref: refOf(engine, number), reason: "left" });
}

async function placeFor(
  engine: Engine,
  element: Element,
  needs: readonly Need[],
  position: Position,
  round: number,
): Promise<Located | Obstacle> {
  const obstacle = obstacleTo(engine, element, needs);
  if (obstacle) return obstacle;
  const mustReceive = needs.includes("receives_events");
  const stands = mustReceive ? standsFor(engine, element) : [element];
  if (typeof position !== "string") placeIn(engine, element, position);
  else if (round > 0 || !stands.some((stand) => isInView(engine, stand))) {
    const alignment = ALIGNMENTS[round % ALIGNMENTS.length];
    const shown = imageOf(element) ?? withBox(engine, element);
    dom.call(shown, "scrollIntoView", { ...alignment, behavior: "instant" });
  }
  if (needs.includes("stable") && mayMove(engine, element)) {
    const before = dom.getBoundingClientRect(element);
    await nextFrame();
    const { x, y, width, height } = dom.getBoundingClientRect(element);
    const isSame = x === before.x && y === before.y && width === before.width && height === before.height;
    if (!isSame) return { reason: "moving", text: "it is moving" };
  }
  if (typeof position !== "string") return surfacePlace(engine, element, position);
  let cover: Element | null = null;
  let second: Point | null = null;
  for (const stand of stands) {
    for (const point of pointsOf(stand, position)) {
      const found = mustReceive ? coverOf(engine.flat, element, point) : null;
      if (found === null) {
        if (!mustReceive || !isOnInnerControl(engine.flat, element, point)) return located(element, point);
        second ??= point;
      } else if (found !== "outside") cover ??= found;
    }
  }
  // A row or card may consist of its controls; a press on a link in a label goes to the link.
  if (second && controlOf(element) === element) return located(element, second);
  if (second) cover ??= engine.flat.elementAt(document, second.x, second.y);
  if (cover) return { reason: "covered", text: "something covers it", cover };
  return { reason: "outside", text: "it can't be brought into view" };
}

/** The element, or what has a box in or around one that has none (`display: contents`): only boxes are scrolled to. */
function withBox(engine: Engine, element: Element): Element {
  const hasBox = (one: Element): boolean => dom.call(one, "getClientRects").length > 0;
  if (hasBox(element)) return element;
  const inside = [...dom.querySelectorAll(element, "*")].find(hasBox);
  let around = engine.flat.parent(element);
  while (!inside && around && !hasBox(around)) around = engine.flat.parent(around);
  return inside ?? around ?? element;
}

/** A place in a canvas or image, which alone must get the events there: what has a name in it isn't what was judged. */
function surfacePlace(
  engine: Engine,
  element: Element,
  position: readonly [number, number],
): Located | Obstacle {
  const point = wholePixels(rectOf(element), placeIn(engine, element, position));
  const [named] = namedAt(engine, point);
  if (named === element) return located(element, point);
  const cover = named ?? engine.flat.elementAt(document, point.x, point.y);
  if (cover) return { reason: "covered", text: "something covers it there", cover };
  return { reason: "outside", text: "that place can't be brought into view" };
}

function located(element: Element, point: Point): Located {
  const { x, y, width, height } = rectOf(element);
  return { point, box: { x, y, width, height } };
}

function obstacleTo(engine: Engine, element: Element, needs: readonly Need[]): Obstacle | null {
  const never = needs.includes("editable") ? neverEditable(element) : null;
  if (never) return never;
  for (const need of needs) {
    if (need === "visible" && !standsFor(engine, element).some(isVisible)) return hidden(element);
    if (need === "enabled" && isDisabled(engine, element)) return DISABLED;
    if (need === "editable" && isDisabled(engine, fieldOf(element) ?? element)) return DISABLED;
  }
  return null;
}

/** Why text can't be typed into an element, now or later; null for a field that takes it once it is enabled. */
function neverEditable(element: Element): Obstacle | null {
  const field = fieldOf(element);
  if (!field) {
    const hint = "fill works on fields; click and press work on everything";
    const text = "it is no field that text can be typed into";
    return { reason: "not_editable", text, hint, permanent: true };
  }
  if (!isReadOnly(field)) return null;
  const hint = "click it: many such fields open a calendar or a list to choose in";
  return { reason: "readonly", text: "it is read-only", hint, permanent: true };
}

const DISABLED: Obstacle = {
  reason: "disabled",
  text: "it is disabled",
  hint: "look at what it needs first: fields to fill, or a choice to make",
};

function hidden(element: Element): Obstacle {
  if (dom.localName(element) !== "option" || !dom.closest(element, "select"))
    return { reason: "hidden", text: "it is not visible" };
  const hint = "use select on the list itself";
  return { reason: "hidden", text: "it is an option of a closed list", hint, permanent: true };
}

/** The element, and what people see and press in its place: what is rendered for a hidden field, and its labels. */
function standsFor(engine: Engine, element: Element): Element[] {
  const control = controlOf(element) as HTMLInputElement;
  if (control !== element) return [element];
  const rendered = proxyOf(engine.flat, element);
  const labels: Element[] = [...(dom.get(control, "labels") ?? [])];
  if (!rendered) return [element, ...labels];
  // What shows around a hidden field may be a whole line, of which the label alone passes presses on.
  const inside = labels.filter((label) => label !== rendered && engine.flat.isInside(label, rendered));
  return [element, ...inside, rendered, ...labels.filter((label) => !inside.includes(label))];
}

/** Whether nobody can press a hidden checkbox or radio button, since its labels are links: keys reach it all the same. */
export function needsKey(engine: Engine, element: Element): boolean {
  const control = controlOf(element) as HTMLInputElement;
  if (dom.localName(control) !== "input" || !/^(checkbox|radio)$/.test(control.type)) return false;
  const labels = [...(dom.get(control, "labels") ?? [])];
  const isSeen = isVisible(control) && !isProxy(control) && getComputedStyle(control).opacity !== "0";
  if (isSeen || proxyOf(engine.flat, control) || !labels.length || !isRendered(control)) return false;
  return labels.every((label) => dom.querySelector(label, "a[href]") && !saysMore(label));
}

/** Points to try, best first: the middle of each line's box, then its quarters. */
function* pointsOf(element: Element, position: Position): Generator<Point> {
  if (position !== "center") {
    const { x, y, width, height, bottom } = dom.getBoundingClientRect(element);
    const margin = Math.min(4, height / 4);
    yield { x: x + width / 2, y: position === "before" ? y + margin : bottom - margin };
    return;
  }
  const rects = contentRects(element);
  for (const rect of rects) yield wholePixels(rect, middleOf(rect));
  for (const rect of rects) {
    const { x, y, width, height } = rect;
    for (const [across, down] of QUARTERS)
      yield wholePixels(rect, { x: x + width * across, y: y + height * down });
  }
}

/** Mouse events have whole pixels and pointer events don't: where they differ, they may reach different elements. */
function wholePixels({ x: left, y: top }: DOMRect, point: Point): Point {
  const [x, y] = [Math.floor(point.x), Math.floor(point.y)];
  return x >= left && y >= top ? { x, y } : point;
}

function middleOf({ x, y, width, height }: DOMRect): Point {
  return { x: x + width / 2, y: y + height / 2 };
}

/** Whether the middle of an element is in the viewport and in every box that scrolls or clips it. */
export function isInView(engine: Engine, element: Element): boolean {
  const rect = contentRects(element)[0];
  if (!rect) return false;
  return isWithin(new Clips(engine.flat).around(element), middleOf(rect));
}

function refusal(engine: Engine, number: number, { reason, text, hint, cover }: Obstacle): Failure {
  const what = elementInWords({
    ...labelOf(engine, findElement(engine, number)),
    ref: refOf(engine, number),
  });
  if (!cover)
    return new Failure("not_actionable", `The ${what} can't be acted on: ${text}.`, hint, { reason });
  const covered_by = labelOf(engine, cover);
  const why = `The ${what} can't be acted on: ${elementInWords(covered_by)} covers it.`;
  return new Failure("not_actionable", why, hint, { reason, covered_by });
}

/** The next animation frame; hidden tabs have none, so not longer than a moment. */
export function nextFrame(atMostMs = FRAME_MS): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(done, atMostMs);
    const id = requestAnimationFrame(done);
    function done(): void {
      clearTimeout(timer);
      cancelAnimationFrame(id);
      resolve();
    }
  });
}

/** Two frames on, also on a slow machine: what the page made of its last input is rendered by then. */
export async function rendered(): Promise<undefined> {
  // A visible one may be slow, where its machine is.
  const atMostMs = document.visibilityState === "visible" ? ALIVE_MS : FRAME_MS;
  await nextFrame(atMostMs);
  await nextFrame(atMostMs);
}

/** The form that a control belongs to, also from inside a component's shadow root. */
export function formOf(engine: Engine, control: Element): HTMLFormElement | null {
  const form = dom.get(control as HTMLButtonElement, "form");
  if (form instanceof HTMLFormElement) return form;
  for (let at: Element | null = control; at; at = engine.flat.parent(at))
    if (at instanceof HTMLFormElement) return at;
  return null;
}

/** Whether an element takes up room that a person can see. */
export function isVisible(element: Element): boolean {
  if (!isRendered(element) || dom.closest(element, "[inert]")) return false;
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
  if (dom.matches(control, ":disabled")) return true;
  for (let at: Element | null = control; at; at = engine.flat.parent(at)) {
    if (dom.getAttribute(at, "aria-disabled") === "true") return true;
  }
  return false;
}

/** Pixels of a field that is no larger than a caret. */
const CARET = 8;
const NOT_TYPED = new Set("button checkbox file hidden image radio reset submit".split(" "));

/** The element that takes what is typed: the element itself, its label's control, or the only field in it. */
export function fieldOf(element: Element): HTMLElement | null {
  const control = controlOf(element);
  if (isField(control)) return control as HTMLElement;
  const inner = [...dom.querySelectorAll(control, "input, textarea, [contenteditable]")].filter(isField);
  return inner.length === 1 ? (inner[0] as HTMLElement) : null;
}

function isField(element: Element): boolean {
  if (dom.localName(element) === "input") return !NOT_TYPED.has((element as HTMLInputElement).type);
  return (
    dom.localName(element) === "textarea" ||
    isEditingHost(element) ||
    dom.get(element as HTMLElement, "isContentEditable") ||
    hasEditContext(element)
  );
}

/** Whether an element is, or holds, an editor that may hold more lines than it renders. */
export function isEditor(element: Element): boolean {
  const field = fieldOf(element);
  if (field === null) return false;
  return hasEditContext(field) || dom.getAttribute(field, "aria-multiline") === "true" || isProxy(field);
}

/** Whether nobody sees a field: an editor takes through it what is typed, and shows and selects that by itself. */
export function isProxy(field: Element): boolean {
  if (dom.localName(field) !== "input" && dom.localName(field) !== "textarea") return false;
  const { width, height } = dom.getBoundingClientRect(field);
  if (width <= CARET || height <= CARET || getComputedStyle(field).opacity === "0") return true;
  const parent = dom.get(field, "parentElement");
  if (!parent || getComputedStyle(parent).overflow !== "hidden") return false;
  const around = dom.getBoundingClientRect(parent);
  return around.width <= CARET || around.height <= CARET;
}

/** Whether a field is where an editor takes what is typed, and not where it shows that. */
export function rendersItself(field: Element): boolean {
  return hasEditContext(field) || isProxy(field);
}

/** Code editors render themselves, and take what is typed through this. */
function hasEditContext(element: Element): boolean {
  return dom.get(element as HTMLElement & { editContext?: unknown }, "editContext") != null;
}

export function isReadOnly(element: Element): boolean {
  const field = element as HTMLInputElement;
  return (
    ((dom.localName(element) === "input" || dom.localName(element) === "textarea") && field.readOnly) ||
    dom.getAttribute(element, "aria-readonly") === "true"
  );
}

/** Whether an animation or transition moves the element or what it is in. */
function mayMove(engine: Engine, element: Element): boolean {
  for (const animation of dom.call(document, "getAnimations")) {
    if (animation.playState !== "running") continue;
    const target = (animation.effect as KeyframeEffect | null)?.target;
    if (target && engine.flat.isInside(element, target)) return true;
  }
  return false;
}
