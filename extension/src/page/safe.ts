// The language's own functions, as they were before the page's first line; what is made of them no page can replace.

/** A function of the platform, of any kind. */
export type Func = (...args: never[]) => unknown;

export const { apply, construct, defineProperty, getOwnPropertyDescriptor, deleteProperty } = Reflect;
const bind = Function.prototype.bind;
const call = Function.prototype.call;

/** A method as a function whose first argument is its object. */
export const uncurried = (method: Func): ((self: unknown, ...args: unknown[]) => unknown) =>
  apply(bind, call, [method]);

export const getterOf = (owner: object, name: string): ((self: object) => unknown) => {
  const getter = getOwnPropertyDescriptor(owner, name)?.get;
  return getter ? uncurried(getter) : () => undefined;
};

export const sourceOf = uncurried(Function.prototype.toString) as (fn: object) => string;
export const slice = uncurried(String.prototype.slice) as (text: string, from: number, to: number) => string;
export const { floor, max } = Math;

/** A map whose methods no page can replace. */
export class SafeMap<Key, Value> {
  readonly #map = new NativeMap<Key, Value>();
  get(key: Key): Value | undefined {
    return mapGet(this.#map, key) as Value | undefined;
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
    return weakGet(this.#map, key) as Value | undefined;
  }
  set(key: Key, value: Value): void {
    weakSet(this.#map, key, value);
  }
  has(key: Key): boolean {
    return weakHas(this.#map, key) as boolean;
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
