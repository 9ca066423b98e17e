// What the script takes from the page's world before the page's first line runs. A page may replace any of it later:
// nothing here is looked up again, and nothing of a page runs because of us.

import { ALIVE_MS } from "../shared/limits";
import { getterOf, uncurried } from "./safe";

export const writeJson = JSON.stringify;
export const readJson = JSON.parse;
export const currentWindow = window;
export const { timeOrigin } = performance;
export const clock = performance.now.bind(performance);
export const wallClock = Date.now;
const getEntries = performance.getEntriesByType.bind(performance);
export const resourcesLoaded = (): PerformanceResourceTiming[] =>
  getEntries("resource") as PerformanceResourceTiming[];

export const listen = uncurried(EventTarget.prototype.addEventListener) as <Kind extends Event>(
  target: EventTarget,
  type: string,
  listener: (event: Kind) => void,
  options?: object | boolean,
) => void;
export const unlisten = uncurried(EventTarget.prototype.removeEventListener);
export const dispatch = uncurried(EventTarget.prototype.dispatchEvent);
export const NativePromise = Promise;
export const react = uncurried(Promise.prototype.then);
const PageEvent = CustomEvent;
export const makeEvent = (name: string, detail: unknown): CustomEvent => new PageEvent(name, { detail });
export const detailOf = getterOf(CustomEvent.prototype, "detail") as (event: CustomEvent) => unknown;
export const stopEvent = uncurried(Event.prototype.stopImmediatePropagation) as (event: Event) => void;
export const targetOf = getterOf(Event.prototype, "target") as (event: Event) => EventTarget | null;
export const currentScriptOf = getterOf(Document.prototype, "currentScript") as (
  document: Document,
) => Element | null;
export const readyStateOf = getterOf(Document.prototype, "readyState") as (document: Document) => string;

const NativeObserver = MutationObserver;
const observe = uncurried(MutationObserver.prototype.observe);
const disconnect = uncurried(MutationObserver.prototype.disconnect);
const recordsOf = uncurried(MutationObserver.prototype.takeRecords) as (self: object) => MutationRecord[];
const addedBy = getterOf(MutationRecord.prototype, "addedNodes") as (record: MutationRecord) => NodeList;
const changedBy = getterOf(MutationRecord.prototype, "type") as (record: MutationRecord) => string;
const textOf = getterOf(Node.prototype, "textContent") as (node: Node) => string | null;

/** Changes of the document's text, from the first look on. */
export class TextChanges {
  #at = 0;
  #askedAt = Number.NEGATIVE_INFINITY;
  readonly #observer = new NativeObserver((records) => this.#came(records));

  /** Whether text changed within so many milliseconds, or may have: nobody looked before. It looks on as long as it is asked. */
  within(ms: number): boolean {
    const now = clock();
    if (this.#askedAt === Number.NEGATIVE_INFINITY) {
      observe(this.#observer, document, { characterData: true, childList: true, subtree: true });
      this.#at = now;
    }
    this.#askedAt = now;
    this.#came(recordsOf(this.#observer));
    return now - this.#at <= ms;
  }

  #came(records: readonly MutationRecord[]): void {
    const now = clock();
    for (let index = 0; index < records.length && this.#at < now; index++)
      if (isOfText(records[index] as MutationRecord)) this.#at = now;
    if (now - this.#askedAt <= ALIVE_MS) return;
    disconnect(this.#observer);
    this.#askedAt = Number.NEGATIVE_INFINITY;
  }
}

function isOfText(record: MutationRecord): boolean {
  if (changedBy(record) === "characterData") return true;
  const added = addedBy(record);
  for (let index = 0; added[index]; index++) if (textOf(added[index] as Node)) return true;
  return false;
}

export const setTimer = setTimeout.bind(window) as (task: () => void, ms: number) => number;
export const clearTimer = clearTimeout.bind(window) as (timer: number) => void;
export const nextFrame = requestAnimationFrame.bind(window);
const postTask = scheduler.postTask.bind(scheduler);
const AT_ONCE = { priority: "user-blocking" } as const;
/** Call back once the task that runs and its microtasks are over, before the next one of the page. */
export const afterTask = (done: () => void): void => {
  // A document that is going runs no more tasks, which nobody has to know.
  react(postTask(done, AT_ONCE), undefined, () => undefined);
};

export const requestUrl =
  typeof Request === "function" ? getterOf(Request.prototype, "url") : () => undefined;
export const requestMethod =
  typeof Request === "function" ? getterOf(Request.prototype, "method") : () => undefined;
export const hrefOf = getterOf(URL.prototype, "href");

const playStateOf = getterOf(Animation.prototype, "playState");
const effectOf = getterOf(Animation.prototype, "effect");
const currentTimeOf = getterOf(Animation.prototype, "currentTime");
const computedTimingOf = uncurried(AnimationEffect.prototype.getComputedTiming) as (
  effect: AnimationEffect,
) => { endTime: number };
const animatedBy = getterOf(KeyframeEffect.prototype, "target");
export const animationsOf = uncurried(Document.prototype.getAnimations) as (
  document: Document,
) => Animation[];

/** How long an animation runs yet, in milliseconds, and on what; null if it doesn't run. */
export function timingOf(animation: Animation): { left: number; target: Element | null } | null {
  const effect = effectOf(animation) as AnimationEffect | null;
  if (!effect || playStateOf(animation) !== "running") return null;
  const left = computedTimingOf(effect).endTime - ((currentTimeOf(animation) as number | null) ?? 0);
  const target = effect instanceof KeyframeEffect ? (animatedBy(effect) as Element | null) : null;
  return { left, target };
}
