// Where the mouse came last: what it came over may vanish because of that.

import type { Engine } from "../engine/dom/engine";
import { receives } from "../engine/dom/hit";

const EVENTS = ["mouseover", "mousemove"] as const;

export class Trail {
  private last: WeakRef<Element> | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly window: Window,
  ) {
    for (const type of EVENTS) window.addEventListener(type, this.note, { capture: true, passive: true });
  }

  /** Whether the mouse came over the element last, or over what is in it. */
  cameOver(element: Element): boolean {
    const last = this.last?.deref();
    return last !== undefined && receives(this.engine.flat, element, last);
  }

  stop(): void {
    for (const type of EVENTS) this.window.removeEventListener(type, this.note, { capture: true });
  }

  private readonly note = (event: Event): void => {
    const [target] = event.composedPath();
    if (event.isTrusted && target instanceof Element) this.last = new WeakRef(target);
  };
}
