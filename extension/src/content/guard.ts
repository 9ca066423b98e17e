// Keeps a press that would land on something else from the page: the last check, made when the event is already
// there, so that nothing can come in between.

import type { Engine } from "../engine/dom/engine";
import type { GuardVerdict } from "../shared/messages";
import { findElement } from "./elements";
import { coverOf } from "./hit";

const STARTS: ReadonlySet<string> = new Set(["pointerdown", "mousedown"]);
const EVENTS = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "dblclick",
  "auxclick",
  "contextmenu",
] as const;
/** A guard that nobody takes away ends by itself, so that the user's own presses are never held up for long. */
const LONGEST_MS = 2_000;

export class Guard {
  private number: number | null = null;
  private verdict: GuardVerdict["verdict"] = "unseen";
  private presses = 0;
  /** The press under way was aimed at something else. */
  private blocking = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Listens from the start, so that it hears of a press before the page's own listeners do. */
  constructor(
    private readonly engine: Engine,
    private readonly window: Window,
  ) {
    for (const type of EVENTS) window.addEventListener(type, this.check, { capture: true });
  }

  /** Let only presses through that reach this element. */
  arm(number: number): void {
    this.disarm();
    this.number = number;
    this.verdict = "unseen";
    this.presses = 0;
    this.blocking = false;
    this.timer = setTimeout(() => this.disarm(), LONGEST_MS);
  }

  /** Stop guarding, and say what came. */
  disarm(): Omit<GuardVerdict, "version"> {
    clearTimeout(this.timer);
    this.number = null;
    return { verdict: this.verdict, presses: this.presses };
  }

  /** Let go of the window. */
  stop(): void {
    this.disarm();
    for (const type of EVENTS) this.window.removeEventListener(type, this.check, { capture: true });
  }

  private readonly check = (event: Event): void => {
    if (!event.isTrusted || this.number === null) return;
    if (STARTS.has(event.type)) {
      this.blocking = !this.reaches(event as MouseEvent, this.number);
      if (this.blocking) this.verdict = "missed";
      else if (this.verdict === "unseen") this.verdict = "hit";
    }
    if (!this.blocking) {
      if (event.type === "mouseup") this.presses++;
      return;
    }
    event.stopImmediatePropagation();
    event.preventDefault();
  };

  private reaches({ clientX: x, clientY: y }: MouseEvent, number: number): boolean {
    try {
      return coverOf(this.engine, findElement(this.engine, number), { x, y }) === null;
    } catch {
      // The element is gone: nothing may be pressed in its place.
      return false;
    }
  }
}
