// Keeps keys and text that would go to something else from the page: the focus may leave an element between its being
// given and the keys' coming, and then they would land wherever it went.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/hit";
import type { Meant } from "../protocol/generated";
import type { KeyVerdict } from "../shared/messages";
import { fieldOf } from "./condition";
import { findElement, labelOf } from "./elements";
import { changedFrom } from "./meant";

const EVENTS = ["keydown", "keypress", "beforeinput"] as const;
/** A guard that nobody takes away ends by itself, so that the user's own keys are never held up for long. */
const LONGEST_MS = 2_000;

/** What came, but for the document's version. */
type Came = Omit<KeyVerdict, "version">;

export class KeyGuard {
  #armed = false;
  #number: number | null = null;
  #verdict: Came = { reached: 0, missed: null, changed: null };
  #meant: Meant | null = null;
  #longest = LONGEST_MS;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly engine: Engine,
    private readonly window: Window,
    private readonly onHit: () => void,
  ) {
    for (const type of EVENTS) window.addEventListener(type, this.#check, { capture: true });
  }

  /** Let keys through to this element only; null stands for none in this document. */
  arm(number: number | null, pauses = 0, meant: Meant | null = null): void {
    this.#armed = true;
    this.#number = number;
    this.#verdict = { reached: 0, missed: null, changed: null };
    this.#meant = meant;
    this.#longest = LONGEST_MS + pauses;
    this.#restart();
  }

  /** Stop guarding, and say what came. */
  disarm(): Came {
    clearTimeout(this.#timer);
    this.#armed = false;
    return this.#verdict;
  }

  /** Let go of the window. */
  stop(): void {
    this.disarm();
    for (const type of EVENTS) this.window.removeEventListener(type, this.#check, { capture: true });
  }

  /** Whether the element has the keyboard focus. */
  holds(number: number): boolean {
    const { flat, document } = this.engine;
    const element = findElement(this.engine, number);
    const active = flat.active(document);
    // An element without focus of its own leaves the keys to the field in it, or to its document.
    const holders = [element, controlOf(element), fieldOf(element)];
    return holders.some((holder) => holder !== null && flat.isInside(active, holder));
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.disarm(), this.#longest);
  }

  readonly #check = (event: Event): void => {
    if (!event.isTrusted || !this.#armed) return;
    this.#restart();
    if (this.#reaches() && !this.#differs()) {
      if (event.type !== "keypress" && ++this.#verdict.reached === 1) this.onHit();
      return;
    }
    if (!this.#verdict.changed) this.#verdict.missed ??= this.#focused();
    event.stopImmediatePropagation();
    event.preventDefault();
  };

  #reaches(): boolean {
    try {
      return this.#number !== null && this.holds(this.#number);
    } catch {
      // The element is gone: nothing may be typed in its place.
      return false;
    }
  }

  /** Whether the element isn't what was meant; what a first key does to it is its effect. */
  #differs(): boolean {
    const verdict = this.#verdict;
    if (verdict.reached === 0 && this.#number !== null)
      verdict.changed ??= changedFrom(this.engine, this.#number, this.#meant);
    return verdict.changed !== null;
  }

  #focused(): NonNullable<KeyVerdict["missed"]> {
    const active = this.engine.flat.active(this.engine.document);
    return active ? labelOf(this.engine, active) : { ref: "", role: "document", name: "" };
  }
}
