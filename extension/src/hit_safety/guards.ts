// The last check of all input, made when the event is already there and before the page gets it, so that nothing
// can come in between: a press or a key that would land on something else than the target is kept from the page.

import type { Engine } from "../engine/dom/engine";
import { controlOf, coverOf, proxyOf, receives } from "../engine/dom/layout/hit_test";
import * as dom from "../engine/dom/tree/dom";
import { LONGEST_MS } from "../shared/limits";
import type { ChangedTarget, KeyVerdict, NamedElement, PointerVerdict } from "../shared/messages";
import { fieldOf, isDisabled } from "./actionability";
import { stop, Target } from "./expected_target";
import { labelOf } from "./find_element";

abstract class Guard {
  protected target: Target;
  /** What the target is now, where input was kept from it because it isn't what was expected. */
  protected changed: ChangedTarget | null = null;
  #armed = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** What was judged when the blocker asked; the event itself comes right after. */
  #passed = "";

  /** Listens from the start, so that it gets an event before the page's listeners do. */
  constructor(
    protected readonly engine: Engine,
    window: Window,
    types: readonly string[],
    /** The first press or key has reached the target. */
    protected readonly onHit: () => void,
    /** What the document's blocker asks by: it began to listen before the page did. */
    private readonly asking: string,
  ) {
    this.target = new Target(engine, null);
    engine.listening.add(window, [...types, "submit"], this.#check, {});
    const asked = types.map((type) => `${asking}:${type}`);
    if (asking) engine.listening.add(window, asked, this.#answer, {});
  }

  /** Whether input of a command is on its way. */
  get isArmed(): boolean {
    return this.#armed;
  }

  /** The element that gets the input, while it is there. */
  get element(): Element | null {
    return this.target.element;
  }

  /** Whether the page may have an event, which is of a type. */
  protected abstract allows(event: Event, type: string): boolean;

  /** Guard while a command has so many milliseconds: a busy page may get its input at the very end of them. */
  protected start(target: Target, ms: number): void {
    this.target = target;
    this.changed = null;
    this.#armed = true;
    // A guard whose command has ended stands a while: input of it may still be on its way.
    this.#endIn(ms + LONGEST_MS);
  }

  /** The command has ended without taking its guard away. */
  abandon(): void {
    if (this.#armed) this.#endIn(LONGEST_MS);
  }

  protected end(): void {
    clearTimeout(this.#timer);
    this.#armed = false;
  }

  #endIn(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.end(), ms);
  }

  readonly #check = (event: Event): void => {
    if (!event.isTrusted || !this.#armed) return;
    if (event.type !== "submit") {
      const wasJudged = this.#passed === event.type;
      this.#passed = "";
      if (!wasJudged && !this.allows(event, event.type)) stop(event);
      return;
    }
    const redirected = this.target.redirected(event);
    if (redirected) stop(event);
    this.changed ??= redirected;
  };

  readonly #answer = (event: Event): void => {
    if (!this.#armed) return;
    const type = event.type.slice(this.asking.length + 1);
    this.#passed = this.allows(event, type) ? type : "";
    if (!this.#passed) event.preventDefault();
  };
}

const PRESS_STARTS = ["pointerdown", "mousedown"];
/** Presses on these go to another document, or to a program. */
const HOLDERS = new Set("embed fencedframe frame iframe object".split(" "));
/** What a press ends in; it goes to whatever is there by then. */
const PRESS_ENDS = ["click", "dblclick", "auxclick", "contextmenu", "dragstart"];

/** Lets only presses through that reach the target, and find it as it was expected. */
export class PointerGuard extends Guard {
  #verdict: PointerVerdict["verdict"] = "unseen";
  #presses = 0;
  /** The press under way was aimed at something else. */
  #blocking = false;
  /** The press under way has reached the target. */
  #begun = false;
  /** What had the focus before the press under way, and what it held. */
  #focused: Element | null = null;
  #held = "";
  /** What the press is to make of a checkbox or radio button. */
  #toggles: boolean | null = null;
  /** The presses of this document when the guard was armed. */
  #earlier = 0;

  constructor(engine: Engine, window: Window, onHit: () => void, asking: string) {
    super(engine, window, [...PRESS_STARTS, "pointerup", "mouseup", ...PRESS_ENDS], onHit, asking);
  }

  /** Guard a target for so long; one without an element lets no press through. */
  arm(target: Target, ms: number): void {
    this.#verdict = "unseen";
    this.#presses = 0;
    this.#blocking = this.#begun = false;
    this.#toggles = null;
    this.#earlier = countOf("mousedown");
    this.start(target, ms);
  }

  /** Stop guarding, and report what came. */
  disarm(): PointerVerdict {
    this.end();
    const { element } = this.target;
    const isHere = element !== null && !HOLDERS.has(dom.localName(element));
    if (this.#verdict === "unseen" && isHere && countOf("mousedown") === this.#earlier)
      this.#verdict = "never";
    const field = toggleOf(element);
    const awaited = field && dom.isConnected(field) && field.checked !== this.#toggles ? this.#toggles : null;
    return { verdict: this.#verdict, presses: this.#presses, changed: this.changed, awaited };
  }

  protected override allows(event: Event, type: string): boolean {
    // What the page laid over the target when the press began gets no part of it but its end.
    if (type === "mousedown" && this.#begun && this.#isCovered(event as MouseEvent)) return false;
    if (PRESS_STARTS.includes(type)) this.#begin(event as MouseEvent, type);
    // The page may change under a press that began well: it doesn't end in something else then.
    const isAstray = PRESS_ENDS.includes(type) && !this.#contains(event, type);
    if (type === "click") this.changed ??= this.#changedAsLeft();
    if (this.#blocking || isAstray || (type === "click" && this.changed)) return false;
    if (type === "mouseup") {
      if (this.#slipped(event as MouseEvent)) this.#verdict = "missed";
      else this.#presses++;
      this.#begun = false;
    }
    if (type === "click" && this.#isOwn(event)) this.#toggles = null;
    return true;
  }

  #begin(event: MouseEvent, type: string): void {
    if (type === "pointerdown") {
      this.#focused = this.engine.flat.active(this.engine.document);
      this.#held = heldBy(this.#focused);
    }
    this.#blocking = !this.#reaches(event);
    // What a first press does to the label is its effect.
    if (!this.#blocking && this.#presses === 0)
      this.changed ??= this.target.difference(type === "pointerdown") ?? this.target.strayControl(event);
    if (this.changed) this.#blocking = true;
    this.#begun = !this.#blocking;
    if (this.changed) return;
    if (this.#blocking) this.#verdict = "missed";
    else if (this.#verdict === "unseen") {
      this.#verdict = "hit";
      const field = toggleOf(this.target.element);
      this.#toggles = field && (field.type === "radio" || !field.checked);
      this.onHit();
    }
  }

  /**
   * Whether a field that lost the focus by the press moved the target away under it, as messages of forms do that are
   * checked then: the press ends elsewhere, and there is no click.
   */
  #slipped(event: MouseEvent): boolean {
    const { element } = this.target;
    const { flat, document } = this.engine;
    if (!this.#begun || this.#presses || event.button !== 0 || !element || !dom.isConnected(element))
      return false;
    const left = this.#focused;
    if (!left || !fieldOf(left) || flat.active(document) === left) return false;
    if (flat.isInside(left, element) || flat.isInside(element, left)) return false;
    const { left: x, right, top, bottom } = dom.getBoundingClientRect(element);
    const isThere =
      event.clientX >= x && event.clientX < right && event.clientY >= top && event.clientY < bottom;
    return !isThere && right > x && bottom > top && !this.#contains(event, "mouseup");
  }

  /** The field that lost the focus by the press, if the page changed it then: what the press sends is something else. */
  #changedAsLeft(): ChangedTarget | null {
    const field = this.#focused;
    const { flat, document } = this.engine;
    if (this.#presses > 1 || !field || flat.active(document) === field || !dom.isConnected(field))
      return null;
    if (heldBy(field) === this.#held) return null;
    return { ...labelOf(this.engine, field), what: "left", now: "" };
  }

  /** Whether the target itself gets an event, and not what a page shows in its place. */
  #isOwn(event: Event): boolean {
    const { flat } = this.engine;
    const control = controlOf(this.target.element as Element);
    const [found] = event.composedPath();
    return proxyOf(flat, control) === null || (found instanceof Element && flat.isInside(found, control));
  }

  #isCovered(event: MouseEvent): boolean {
    const { element } = this.target;
    return element !== null && dom.isConnected(element) && !this.#reaches(event);
  }

  /** Whether the element is there, enabled, and gets what happens at the event's point. */
  #reaches({ clientX: x, clientY: y }: MouseEvent): boolean {
    const { element } = this.target;
    return (
      element !== null &&
      !isDisabled(this.engine, element) &&
      coverOf(this.engine.flat, element, { x, y }) === null
    );
  }

  /** Whether an event's target is the element, in it, a label of its, or what is dragged with it. */
  #contains(event: Event, type: string): boolean {
    const { flat } = this.engine;
    const { element } = this.target;
    if (!element) return false;
    const [found] = event.composedPath();
    if (!(found instanceof Element) || receives(flat, element, found)) return true;
    if (!flat.isInside(element, found)) return false;
    // A closed root doesn't say which of its elements it is.
    return type === "dragstart" || (flat.shadow(found) !== null && this.#reaches(event as MouseEvent));
  }
}

/** The browser's own count of events that came to this document, whatever listeners made of them. */
function countOf(...types: string[]): number {
  return types.reduce((sum, type) => sum + (performance.eventCounts.get(type) ?? 0), 0);
}

/** What a field of the browser holds that text is typed into; empty for everything else. */
function heldBy(element: Element | null): string {
  const field = element && fieldOf(element);
  const isTyped = field && ["input", "textarea"].includes(dom.localName(field));
  return isTyped ? (field as HTMLInputElement).value : "";
}

/** The checkbox or radio button that an element is, or is a label of. */
function toggleOf(element: Element | null): HTMLInputElement | null {
  const control = element && controlOf(element);
  const toggles = control && /^(checkbox|radio)$/.test((control as HTMLInputElement).type ?? "");
  return toggles && dom.localName(control) === "input" ? (control as HTMLInputElement) : null;
}

const TYPED = ["keydown", "beforeinput", "input"];

/** Lets keys and text through to the target only: the focus may leave it between its getting it and the keys' coming. */
export class KeyGuard extends Guard {
  #reached = 0;
  #missed: NamedElement | null = null;
  /** Whether text that came in was taken, as far as the page's events show that. */
  #taken = true;
  /** The keys and texts of this document when the guard was armed. */
  #earlier = 0;

  constructor(engine: Engine, window: Window, onHit: () => void, asking: string) {
    super(engine, window, ["keydown", "keypress", "beforeinput", "input"], onHit, asking);
  }

  /** Guard a target for so long. */
  arm(target: Target, ms: number): void {
    this.#reached = 0;
    this.#missed = null;
    this.#taken = true;
    this.#earlier = countOf(...TYPED);
    this.start(target, ms);
  }

  /** Stop guarding, and report what came. */
  disarm(): KeyVerdict {
    this.end();
    const { element } = this.target;
    // The field was disabled between the text's coming and its being taken.
    const refused = !this.#taken && element !== null && isDisabled(this.engine, element);
    const came = countOf(...TYPED) > this.#earlier;
    // A text that is inserted where nothing takes it makes no event.
    const away = came || this.target.number === null || this.#reaches() ? null : this.#focused();
    return { reached: this.#reached, missed: this.#missed, changed: this.changed, refused, came, away };
  }

  protected override allows(_: Event, type: string): boolean {
    if (type === "input") {
      this.#taken = true;
      return true;
    }
    if (type === "beforeinput") this.#taken = false;
    if (this.#reaches() && !this.#differs()) {
      if (type !== "keypress" && ++this.#reached === 1) this.onHit();
      return true;
    }
    if (!this.changed) this.#missed ??= this.#focused();
    return false;
  }

  #reaches(): boolean {
    const { number, element } = this.target;
    if (number !== 0 && element === null) return false;
    if (hasFocus(this.engine, element)) return true;
    return this.#reached > 0 && element !== null && isEditedInPlace(this.engine, element);
  }

  /** Whether the element isn't what was expected; what a first key does to it is its effect. */
  #differs(): boolean {
    if (this.#reached === 0) this.changed ??= this.target.difference();
    return this.changed !== null;
  }

  #focused(): NamedElement {
    const { flat, document } = this.engine;
    const active = flat.active(document);
    const isElement = active !== null && active !== dom.get(document, "body");
    return isElement ? labelOf(this.engine, active) : { ref: "", role: "document", name: "" };
  }
}

/** Whether the focus went from what is no field to a field over it: a grid's cell opens one at the first key. */
function isEditedInPlace({ flat, document }: Engine, element: Element): boolean {
  const active = flat.active(document);
  if (!active || fieldOf(element) !== null || fieldOf(active) !== active) return false;
  const { x, y, width, height } = dom.getBoundingClientRect(element);
  const over = dom.getBoundingClientRect(active);
  const [across, down] = [x + width / 2, y + height / 2];
  return over.left <= across && across < over.right && over.top <= down && down < over.bottom;
}

/** What holds the focus for what is in it, and does nothing with keys itself. */
const PLAIN: ReadonlySet<string> = new Set(
  (
    "alertdialog article banner complementary contentinfo dialog document form generic group heading " +
    "main navigation none paragraph presentation region search section tabpanel"
  ).split(" "),
);

/** Whether keys go to an element; null stands for the document itself, where no element takes them. */
export function hasFocus(engine: Engine, element: Element | null): boolean {
  const { flat, document } = engine;
  const active = flat.active(document);
  if (!element) return active === null || isPlain(engine, active as HTMLElement);
  // An element that can't have the focus leaves the keys to the field in it, or to its document.
  const holders = [element, controlOf(element), fieldOf(element)];
  return holders.some((holder) => holder !== null && flat.isInside(active, holder));
}

function isPlain(engine: Engine, active: HTMLElement): boolean {
  const body = dom.get(engine.document, "body");
  if (
    active === dom.get(engine.document, "documentElement") ||
    (active === body && !dom.get(active, "isContentEditable"))
  )
    return true;
  return (
    dom.get(active, "tabIndex") < 0 &&
    !dom.get(active, "isContentEditable") &&
    PLAIN.has(engine.roles.of(active))
  );
}
