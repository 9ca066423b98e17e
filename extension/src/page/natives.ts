// What the script takes from the page's world before the page's first line runs. A page may replace any of it later:
// nothing here is looked up again, and nothing of a page runs because of us.

// biome-ignore lint/suspicious/noExplicitAny: functions of the platform, of any kind
export type Func = (...args: any[]) => any;

export const { apply, construct, defineProperty, getOwnPropertyDescriptor, deleteProperty } = Reflect;
const bind = Function.prototype.bind;
const call = Function.prototype.call;

/** A method as a function whose first argument is its object. */
// biome-ignore lint/suspicious/noExplicitAny: the object may be anything
export const uncurried = (method: Func): ((self: any, ...args: any[]) => any) => apply(bind, call, [method]);

const getterOf = (owner: object, name: string): ((self: object) => unknown) => {
  const getter = getOwnPropertyDescriptor(owner, name)?.get;
  return getter ? uncurried(getter) : () => undefined;
};

export const sourceOf = uncurried(Function.prototype.toString) as (fn: object) => string;
export const slice = uncurried(String.prototype.slice) as (text: string, from: number, to: number) => string;
export const toText = String;
export const writeJson = JSON.stringify;
export const readJson = JSON.parse;
export const { floor, max } = Math;
export const currentWindow = window;
export const { timeOrigin } = performance;
export const clock = performance.now.bind(performance);
export const wallClock = Date.now;
const getEntries = performance.getEntriesByType.bind(performance);
export const resourcesLoaded = (): PerformanceResourceTiming[] =>
  getEntries("resource") as PerformanceResourceTiming[];

export const listen = uncurried(EventTarget.prototype.addEventListener) as (
  target: EventTarget,
  type: string,
  // biome-ignore lint/suspicious/noExplicitAny: events of any kind
  listener: (event: any) => void,
  options?: object | boolean,
) => void;
export const unlisten = uncurried(EventTarget.prototype.removeEventListener);
export const dispatch = uncurried(EventTarget.prototype.dispatchEvent);
export const NativePromise = Promise;
export const react = uncurried(Promise.prototype.then);
const PageEvent = CustomEvent;
export const makeEvent = (name: string, detail: string): CustomEvent => new PageEvent(name, { detail });
export const detailOf = getterOf(CustomEvent.prototype, "detail") as (event: CustomEvent) => unknown;
export const stopEvent = uncurried(Event.prototype.stopImmediatePropagation) as (event: Event) => void;
export const targetOf = getterOf(Event.prototype, "target") as (event: Event) => EventTarget | null;
export const currentScriptOf = getterOf(Document.prototype, "currentScript") as (
  document: Document,
) => Element | null;
export const readyStateOf = getterOf(Document.prototype, "readyState") as (document: Document) => string;

export const setTimer = setTimeout.bind(window) as (task: () => void, ms: number) => number;
export const clearTimer = clearTimeout.bind(window) as (timer: number) => void;
export const nextFrame = requestAnimationFrame.bind(window);
export const cancelFrame = cancelAnimationFrame.bind(window);
export const postPort = uncurried(MessagePort.prototype.postMessage);

export const requestUrl =
  typeof Request === "function" ? getterOf(Request.prototype, "url") : () => undefined;
export const requestMethod =
  typeof Request === "function" ? getterOf(Request.prototype, "method") : () => undefined;
export const hrefOf = getterOf(URL.prototype, "href");

const playStateOf = getterOf(Animation.prototype, "playState");
const effectOf = getterOf(Animation.prototype, "effect");
const currentTimeOf = getterOf(Animation.prototype, "currentTime");
const computedTimingOf = uncurried(AnimationEffect.prototype.getComputedTiming);
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

/** A map whose methods no page can replace. */
export class SafeMap<Key, Value> {
  readonly #map = new NativeMap<Key, Value>();
  get(key: Key): Value | undefined {
    return mapGet(this.#map, key);
  }
  set(key: Key, value: Value): void {
    mapSet(this.#map, key, value);
  }
  delete(key: Key): void {
    mapDelete(this.#map, key);
  }
  get size(): number {
    return mapSize(this.#map) as number;
  }
  clear(): void {
    mapClear(this.#map);
  }
}

/** The same, without keeping its keys alive. */
export class SafeWeakMap<Key extends object, Value> {
  readonly #map = new NativeWeakMap<Key, Value>();
  get(key: Key): Value | undefined {
    return weakGet(this.#map, key);
  }
  set(key: Key, value: Value): void {
    weakSet(this.#map, key, value);
  }
  has(key: Key): boolean {
    return weakHas(this.#map, key);
  }
}

const NativeMap = Map;
const NativeWeakMap = WeakMap;
const mapGet = uncurried(Map.prototype.get);
const mapSet = uncurried(Map.prototype.set);
const mapDelete = uncurried(Map.prototype.delete);
const mapClear = uncurried(Map.prototype.clear);
const mapSize = getterOf(Map.prototype, "size");
const weakGet = uncurried(WeakMap.prototype.get);
const weakSet = uncurried(WeakMap.prototype.set);
const weakHas = uncurried(WeakMap.prototype.has);

/** Whether a value has an object's own data property, without running a getter of the page; its value. */
export function plainValue(owner: unknown, name: string): unknown {
  if (typeof owner !== "object" || owner === null) return undefined;
  try {
    return getOwnPropertyDescriptor(owner, name)?.value;
  } catch {
    return undefined;
  }
}
