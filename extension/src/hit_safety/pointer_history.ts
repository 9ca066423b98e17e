// Where the mouse came last: what it came over may vanish because of that.

import type { Engine } from "../engine/dom/engine";
import { receives } from "../engine/dom/layout/hit_test";

const EVENTS = ["mouseover", "mousemove"] as const;

export class PointerHistory {
  private last: WeakRef<Element> | null = null;

  constructor(
    private readonly engine: Engine,
    window: Window,
  ) {
    engine.listening.add(window, EVENTS, this.note);
  }

  /** Whether the mouse came over the element last, or over what is in it. */
  cameOver(element: Element): boolean {
    const last = this.last?.deref();
    return last !== undefined && receives(this.engine.flat, element, last);
  }

  private readonly note = (event: Event): void => {
    const [target] = event.composedPath();
    if (event.isTrusted && target instanceof Element) this.last = new WeakRef(target);
  };
}
