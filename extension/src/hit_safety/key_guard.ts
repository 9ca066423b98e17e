// Keeps keys and text that would go to something else from the page: the focus may leave an element between its being
// given and the keys' coming, and then they would land wherever it went.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import type { ExpectedTarget } from "../protocol/generated";
import type { KeyVerdict } from "../shared/messages";
import { fieldOf, isDisabled } from "./actionability";
import { changedFrom, sentElsewhere } from "./expected_target";
import { findElement, labelOf } from "./find_element";

const EVENTS = ["keydown", "keypress", "beforeinput", "input", "submit"] as const;
/** A guard that nobody takes away ends by itself, so that the user's own keys are never held up for long. */
const LONGEST_MS = 2_000;

/** What came, but for the document's version. */
type Came = Omit<KeyVerdict, "version">;
type Counted = Omit<Came, "refused">;

export class KeyGuard {
  #armed = false;
  #number: number | null = null;
  #verdict: Counted = { reached: 0, missed: null, changed: null };
  #meant: ExpectedTarget | null = null;
  #longest = LONGEST_MS;
  /** Whether text that came in was taken, as far as that is told. */
  #taken = true;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly engine: Engine,
    window: Window,
    private readonly onHit: () => void,
  ) {
    engine.listening.add(window, EVENTS, this.#check, {});
  }

  /** Let keys through to this element only; null stands for none in this document, 0 for the document itself. */
  arm(number: number | null, pauses = 0, meant: ExpectedTarget | null = null): void {
    this.#armed = true;
    this.#taken = true;
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
    return { ...this.#verdict, refused: this.#refused() };
  }

  /** Whether the field was disabled between the text's coming and its being taken. */
  #refused(): boolean {
    if (this.#taken || !this.#number) return false;
    const found = this.engine.refs.find(this.#number);
    return "element" in found && isDisabled(this.engine, found.element);
  }

  #restart(): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.disarm(), this.#longest);
  }

  readonly #check = (event: Event): void => {
    if (!event.isTrusted || !this.#armed) return;
    this.#restart();
    if (event.type === "submit") {
      const elsewhere = sentElsewhere(this.engine, this.#number, this.#meant, event);
      if (elsewhere) this.#keepOff(event);
      this.#verdict.changed ??= elsewhere;
      return;
    }
    if (event.type === "input") {
      this.#taken = true;
      return;
    }
    if (event.type === "beforeinput") this.#taken = false;
    if (this.#reaches() && !this.#differs()) {
      if (event.type !== "keypress" && ++this.#verdict.reached === 1) this.onHit();
      return;
    }
    if (!this.#verdict.changed) this.#verdict.missed ??= this.#focused();
    this.#keepOff(event);
  };

  #keepOff(event: Event): void {
    event.stopImmediatePropagation();
    event.preventDefault();
  }

  #reaches(): boolean {
    try {
      return this.#number !== null && holdsFocus(this.engine, this.#number);
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

/** What holds the focus for what is in it, and does nothing with keys itself. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    "alertdialog article banner complementary contentinfo dialog document form generic group heading " +
    "main navigation none paragraph presentation region search section tabpanel"
  ).split(" "),
);

/** Whether an element has the keyboard focus; 0 stands for the document itself. */
export function holdsFocus(engine: Engine, number: number): boolean {
  const { flat, document } = engine;
  const active = flat.active(document);
  if (number === 0) return active === null || isPlain(engine, active as HTMLElement);
  const element = findElement(engine, number);
  // An element without focus of its own leaves the keys to the field in it, or to its document.
  const holders = [element, controlOf(element), fieldOf(element)];
  return holders.some((holder) => holder !== null && flat.isInside(active, holder));
}

function isPlain(engine: Engine, active: HTMLElement): boolean {
  const { body, documentElement } = engine.document;
  if (active === documentElement || (active === body && !active.isContentEditable)) return true;
  return active.tabIndex < 0 && !active.isContentEditable && PLAIN.has(engine.roles.of(active));
}
