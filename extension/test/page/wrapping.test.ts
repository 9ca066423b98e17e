import { afterEach, expect, it } from "vitest";
import { apply } from "../../src/page/safe";
import { Wrapping } from "../../src/page/wrapping";

class Thing {
  #n = 1;
  add(n: number, _more?: number): number {
    this.#n += n;
    return this.#n;
  }
}

let wrapping: Wrapping | undefined;
afterEach(() => wrapping?.stop());

it("looks like what it stands for, is taken back, and passes through where a page kept it", () => {
  const native = Thing.prototype.add;
  const before = Object.getOwnPropertyDescriptor(Thing.prototype, "add");
  const text = String(native);
  let calls = 0;
  wrapping = new Wrapping();
  wrapping.method(Thing.prototype, "add", (method, self, args) => {
    calls++;
    return apply(method, self, args);
  });
  const kept = Thing.prototype.add;
  expect(kept).not.toBe(native);
  expect([kept.name, kept.length, String(kept), `${Function.prototype.toString}`]).toEqual([
    "add",
    native.length,
    text,
    "function toString() { [native code] }",
  ]);
  expect(Object.getOwnPropertyDescriptor(Thing.prototype, "add")).toEqual({ ...before, value: kept });
  expect(new Thing().add(2)).toBe(3);
  expect(calls).toBe(1);
  wrapping.stop();
  expect(Thing.prototype.add).toBe(native);
  expect(kept.call(new Thing(), 5)).toBe(6);
  expect(calls).toBe(1);
});

it("leaves what a page has put in its place", () => {
  const native = Thing.prototype.add;
  wrapping = new Wrapping();
  wrapping.method(Thing.prototype, "add", (method, self, args) => apply(method, self, args));
  const ours = Thing.prototype.add;
  const theirs = function (this: Thing, n: number): number {
    return ours.call(this, n) * 10;
  };
  Thing.prototype.add = theirs;
  wrapping.stop();
  expect(Thing.prototype.add).toBe(theirs);
  expect(new Thing().add(1)).toBe(20);
  Thing.prototype.add = native;
});

it("makes objects of the class that was asked for", () => {
  class Channel {
    readonly made: unknown;
    constructor() {
      this.made = new.target;
    }
  }
  Object.assign(globalThis, { Channel });
  const made: object[] = [];
  wrapping = new Wrapping();
  wrapping.constructor_("Channel", (object) => made.push(object));
  const Wrapped = (globalThis as unknown as { Channel: typeof Channel }).Channel;
  class Own extends Wrapped {}
  expect([new Wrapped().made, new Own().made]).toEqual([Channel, Own]);
  expect(Wrapped.prototype.constructor).toBe(Wrapped);
  expect(new Own() instanceof Channel).toBe(true);
  expect(made).toHaveLength(3);
  wrapping.stop();
  expect(Channel.prototype.constructor).toBe(Channel);
});
