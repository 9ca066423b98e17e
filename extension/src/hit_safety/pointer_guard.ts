// Keeps a press that would land on something else from the page: the last check, made when the event is already
// there, so that nothing can come in between.

import type { Engine } from "../engine/dom/engine";
import { coverOf, receives } from "../engine/dom/layout/hit_test";
import type { ExpectedTarget } from "../protocol/generated";
import type { Changed, GuardVerdict } from "../shared/messages";
import { isDisabled } from "./actionability";
import { changedFrom, sentElsewhere } from "./expected_target";
import { findElement } from "./find_element";

const STARTS: ReadonlySet<string> = new Set(["pointerdown", "mousedown"]);
/** What a press ends in; it goes to whatever is there by then. */
const ENDS: ReadonlySet<string> = new Set(["click", "dblclick", "auxclick", "contextmenu", "dragstart"]);
const EVENTS = [
  "pointerdown",
  "mousedown",
  "pointerup",
  "mouseup",
  "click",
  "dblclick",
  "auxclick",
  "contextmenu",
  "dragstart",
  "submit",
] as const;
/** A guard that nobody takes away ends by itself, so that the user's own presses are never held up for long. */
const LONGEST_MS = 2_000;

export class PointerGuard {
  private armed = false;
  private number: number | null = null;
  private verdict: GuardVerdict["verdict"] = "unseen";
  private presses = 0;
  private meant: ExpectedTarget | null = null;
  private changed: Changed | null = null;
  /** The press under way was aimed at something else. */
  private blocking = false;
  private timer: ReturnType<typeof setTimeout> | undefined;

  /** Listens from the start, so that it hears of a press before the page's own listeners do. */
  constructor(
    private readonly engine: Engine,
    window: Window,
    private readonly onHit: () => void,
  ) {
    engine.listening.add(window, EVENTS, this.check, {});
  }

  /** Let only presses through that reach this element and find it as it was meant; null stands for none here. */
  arm(number: number | null, meant: ExpectedTarget | null = null): void {
    this.disarm();
    this.armed = true;
    this.number = number;
    this.verdict = "unseen";
    this.presses = 0;
    this.meant = meant;
    this.changed = null;
    this.blocking = false;
    this.timer = setTimeout(() => this.disarm(), LONGEST_MS);
  }

  /** Stop guarding, and say what came. */
  disarm(): Omit<GuardVerdict, "version"> {
    clearTimeout(this.timer);
    this.armed = false;
    return { verdict: this.verdict, presses: this.presses, changed: this.changed };
  }

  private readonly check = (event: Event): void => {
    if (!event.isTrusted || !this.armed) return;
    if (event.type === "submit") {
      const elsewhere = sentElsewhere(this.engine, this.number, this.meant, event);
      if (elsewhere) this.keepOff(event);
      this.changed ??= elsewhere;
      return;
    }
    if (STARTS.has(event.type)) {
      this.blocking = !this.reaches(event as MouseEvent, this.number);
      // What a first press does to the label is its effect.
      if (!this.blocking && this.presses === 0) this.changed ??= this.differs();
      if (this.changed) this.blocking = true;
      else if (this.blocking) this.verdict = "missed";
      else if (this.verdict === "unseen") {
        this.verdict = "hit";
        this.onHit();
      }
    }
    // The page may change under a press that began well: it doesn't end in something else then.
    const astray = ENDS.has(event.type) && !this.contains(event, this.number);
    if (!this.blocking && !astray) {
      if (event.type === "mouseup") this.presses++;
      return;
    }
    this.keepOff(event);
  };

  private keepOff(event: Event): void {
    event.stopImmediatePropagation();
    event.preventDefault();
  }

  private differs(): Changed | null {
    return this.number === null ? null : changedFrom(this.engine, this.number, this.meant);
  }

  private reaches({ clientX: x, clientY: y }: MouseEvent, number: number | null): boolean {
    if (number === null) return false;
    try {
      const element = findElement(this.engine, number);
      return !isDisabled(this.engine, element) && coverOf(this.engine.flat, element, { x, y }) === null;
    } catch {
      // The element is gone: nothing may be pressed in its place.
      return false;
    }
  }

  /** Whether an event's own target is the element, in it, a label of its, or what is dragged with it. */
  private contains(event: Event, number: number | null): boolean {
    if (number === null) return false;
    try {
      const { flat } = this.engine;
      const element = findElement(this.engine, number);
      const [found] = event.composedPath();
      if (!(found instanceof Element) || receives(this.engine.flat, element, found)) return true;
      if (!flat.isInside(element, found)) return false;
      // A closed root doesn't tell which of its elements it is.
      return (
        event.type === "dragstart" ||
        (flat.shadow(found) !== null && this.reaches(event as MouseEvent, number))
      );
    } catch {
      return false;
    }
  }
}
