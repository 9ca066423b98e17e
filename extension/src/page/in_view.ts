// Elements for which the page waits to come into view: an empty one behind a list loads more of it.

import { dispatch } from "./natives";
import { apply, getterOf } from "./safe";
import type { Wrapping } from "./wrapping";

const isConnected = getterOf(Node.prototype, "isConnected") as (node: Node) => boolean;
const MOST = 1_000;

export class AwaitedInView {
  #pairs: { observer: unknown; target: Element }[] = [];

  constructor(wrapping: Wrapping) {
    const prototype = globalThis.IntersectionObserver?.prototype;
    wrapping.method(prototype, "observe", (native, self, args) => {
      const result = apply(native, self, args);
      if (this.#pairs.length >= MOST) this.#drop((pair) => !isConnected(pair.target));
      if (this.#pairs.length < MOST)
        this.#pairs[this.#pairs.length] = { observer: self, target: args[0] as Element };
      return result;
    });
    wrapping.method(prototype, "unobserve", (native, self, args) => {
      this.#drop((pair) => pair.observer === self && pair.target === args[0]);
      return apply(native, self, args);
    });
    wrapping.method(prototype, "disconnect", (native, self, args) => {
      this.#drop((pair) => pair.observer === self);
      return apply(native, self, args);
    });
  }

  /** Tell who listens which they are, by an event at each. */
  tell(event: () => Event): void {
    for (let index = 0; index < this.#pairs.length; index++) {
      const target = this.#pairs[index]?.target;
      if (target && isConnected(target)) dispatch(target, event());
    }
  }

  #drop(isGone: (pair: { observer: unknown; target: Element }) => boolean): void {
    const kept: { observer: unknown; target: Element }[] = [];
    for (let index = 0; index < this.#pairs.length; index++) {
      const pair = this.#pairs[index];
      if (pair && !isGone(pair)) kept[kept.length] = pair;
    }
    this.#pairs = kept;
  }
}
