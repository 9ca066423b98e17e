// Puts wrappers in the place of the platform's functions, which pages can't tell from these: name, length, toString,
// prototype and property attributes stay. All are taken back when the debugger leaves; those that a page kept pass through.

import { apply, construct, defineProperty, type Func, getOwnPropertyDescriptor, SafeWeakMap } from "./safe";

/** What stands in the place of a call: `native` is to be called with `self` and `args`. */
export type Call = (native: Func, self: unknown, args: unknown[]) => unknown;

export class Wrapping {
  #isOn = true;
  readonly #natives = new SafeWeakMap<object, object>();
  readonly #undo: (() => void)[] = [];

  constructor() {
    this.method(Function.prototype, "toString", (native, self, args) =>
      apply(native, this.#nativeOf(self), args),
    );
  }

  get isOn(): boolean {
    return this.#isOn;
  }

  #nativeOf(self: unknown): unknown {
    const isObject = (typeof self === "object" || typeof self === "function") && self !== null;
    return isObject ? (this.#natives.get(self) ?? self) : self;
  }

  /** Wrap a method, if the platform has it. */
  method(owner: object | undefined, name: string, run: Call): void {
    const found = owner && getOwnPropertyDescriptor(owner, name);
    if (!owner || typeof found?.value !== "function") return;
    this.#put(owner, name, found, "value", this.#wrapper(found.value, run));
  }

  /** Wrap the getter of a property. */
  getter(owner: object | undefined, name: string, run: Call): void {
    const found = owner && getOwnPropertyDescriptor(owner, name);
    if (!owner || !found?.get) return;
    this.#put(owner, name, found, "get", this.#wrapper(found.get, run));
  }

  /** Wrap the setter of a property. */
  setter(owner: object | undefined, name: string, run: Call): void {
    const found = owner && getOwnPropertyDescriptor(owner, name);
    if (!owner || !found?.set) return;
    this.#put(owner, name, found, "set", this.#wrapper(found.set, run));
  }

  /** Wrap a constructor: `made` gets what it made, `before` may give other arguments. */
  constructor_(
    name: string,
    made: (object: object, args: unknown[]) => void,
    before: (args: unknown[]) => unknown[] = (args) => args,
  ): void {
    const found = getOwnPropertyDescriptor(globalThis, name);
    if (typeof found?.value !== "function") return;
    const native = found.value;
    const wrapper: Func = new Proxy(native as Func, {
      construct: (target: Func, args: unknown[], newTarget: Func): object => {
        const maker: Func = newTarget === wrapper ? target : newTarget;
        if (!this.#isOn) return construct(target, args, maker);
        const object: object = construct(target, before(args), maker);
        made(object, args);
        return object;
      },
    });
    this.#natives.set(wrapper, native);
    const { prototype } = native;
    const back = getOwnPropertyDescriptor(prototype, "constructor");
    this.#put(globalThis, name, found, "value", wrapper);
    if (back?.value === native)
      this.#put(prototype, "constructor", back as PropertyDescriptor, "value", wrapper);
  }

  /** Put the platform's functions back, unless the page has put others there. */
  stop(): void {
    this.#isOn = false;
    for (let index = this.#undo.length - 1; index >= 0; index--) this.#undo[index]?.();
  }

  #wrapper(native: Func, run: Call): Func {
    const wrapper = new Proxy(native, {
      apply: (target, self, args) => (this.#isOn ? run(target, self, args) : apply(target, self, args)),
    });
    this.#natives.set(wrapper, native);
    return wrapper;
  }

  #put(
    owner: object,
    name: string,
    found: PropertyDescriptor,
    part: "value" | "get" | "set",
    wrapper: unknown,
  ): void {
    if (!found.configurable && !found.writable) return;
    defineProperty(owner, name, { ...found, [part]: wrapper });
    this.#undo[this.#undo.length] = () => {
      if (getOwnPropertyDescriptor(owner, name)?.[part] === wrapper) defineProperty(owner, name, found);
    };
  }
}
