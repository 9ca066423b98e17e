// The element that a command was judged on, compared with what it is at the moment when the command is carried out.

import type { Engine } from "../engine/dom/engine";
import { coverOf } from "../engine/dom/layout/hit_test";
import { rectOf } from "../engine/dom/layout/image_maps";
import * as dom from "../engine/dom/tree/dom";
import type { ExpectedTarget } from "../protocol/generated";
import type { ChangedTarget } from "../shared/messages";
import { formOf } from "./actionability";
import { elementOf, findElement, labelOf, refOf } from "./find_element";
import { heldBy, sentBy, sentFrom } from "./form_destination";
import { otherRecord } from "./record";
import { countsStill, holds, isCalled, isStyled } from "./selector_parts";
import { linkOf } from "./surroundings";
import { changedSince } from "./target_changed";
import { controlBetween, controlName, visibleName } from "./visible_name";

/** The target of one command, and what the kernel saw of it. */
export class Target {
  constructor(
    readonly engine: Engine,
    /** The ref's number; null for no element, 0 for the document itself. */
    readonly number: number | null,
    private readonly expected: ExpectedTarget | null = null,
  ) {
    const { element } = this;
    if (!element || expected?.role == null || expected.name == null) return;
    if (visibleName(engine, element, expected.role) === expected.name)
      this.#atRest = contentOf(engine, element);
  }

  /** What the element has in it where it is called as expected; what the mouse only shows or hides doesn't change that. */
  readonly #atRest: string | null = null;

  /** The element, while it is there. */
  get element(): Element | null {
    return this.number ? elementOf(this.engine, this.number) : null;
  }

  /**
   * What the element is now, where it isn't what its caller saw. `named` is false once the mouse may have changed its
   * name, `whole` once the press may have changed its states.
   */
  unseen(named = true, whole = true): ChangedTarget | null {
    const { engine, number, expected } = this;
    if (!number || !expected?.seen) return null;
    const { name = "", record, css, parts = [], counts = [] } = expected.seen;
    const element = findElement(engine, number);
    const role = engine.roles.of(element);
    const is = (what: "seen" | "css" | "part" | "record", now: string): ChangedTarget => {
      return { ref: refOf(engine, number), role, name: visibleName(engine, element, role), what, now };
    };
    if (named && name && !isCalled(engine, element, role, name)) return is("seen", "");
    if (css && !matchesStill(element, css)) return is("css", css);
    const part =
      whole &&
      (parts.find((part) => !holds(engine, element, part)) ??
        counts.find((count) => !countsStill(engine, element, count)));
    if (part) return is("part", part.words);
    const now = record && otherRecord(engine, element, record);
    return now == null ? null : is("record", now);
  }

  /** What the element is now, where it isn't what was seen or expected. */
  difference(whole = true): ChangedTarget | null {
    return this.unseen(false, whole) ?? this.#unexpected();
  }

  #unexpected(): ChangedTarget | null {
    const { engine, number, expected } = this;
    if (!number || expected?.role == null || expected.name == null) return null;
    const element = findElement(engine, number);
    const role = engine.roles.of(element);
    const name = visibleName(engine, element, role);
    const seen = { ref: refOf(engine, number), role, name };
    const isCalledSo =
      name === expected.name ||
      isStyled(engine, element, role, expected.name) ||
      (this.#atRest !== null && this.#atRest === contentOf(engine, element));
    if (role !== expected.role || !isCalledSo) return { ...seen, what: "label", now: "" };
    if (expected.form != null) {
      const now = sentFrom(engine, element);
      if (now !== expected.form) return { ...seen, what: "form", now };
    }
    if (expected.link != null && linkOf(element) !== expected.link)
      return { ...seen, what: "link", now: linkOf(element) };
    if (expected.values != null && heldBy(engine, element) !== expected.values)
      return { ...seen, what: "values", now: "" };
    const now = expected.covered === false ? coverText(engine, element) : "";
    return now ? { ...seen, what: "cover", now } : null;
  }

  /** The control inside the element that a press comes to, where that isn't one of those that were expected there. */
  strayControl(event: Event): ChangedTarget | null {
    const { engine, element, expected } = this;
    if (!element || !expected?.controls) return null;
    const control = controlBetween(engine, element, event.composedPath()[0]);
    if (!control || expected.controls.includes(controlName(engine, control))) return null;
    return { ...labelOf(engine, control), what: "label", now: "" };
  }

  /** Refuse where the element isn't what was seen, or what was expected. */
  require(): void {
    const changed = this.unseen() ?? this.#unexpected();
    if (changed) throw changedSince(changed, this.expected);
  }

  /** Where the page is sending the element's form, if that isn't where it was expected to go. */
  redirected(event: Event): ChangedTarget | null {
    const { engine, number, expected, element } = this;
    if (!element || number === null || expected?.role == null || expected.form == null) return null;
    const form = event.target as HTMLFormElement;
    if (formOf(engine, element) !== form) return null;
    const now = sentBy(form, (event as SubmitEvent).submitter);
    if (now === expected.form) return null;
    const { role, name } = expected;
    return { ref: refOf(engine, number), role, name: name ?? "", what: "form", now };
  }

  /** Act on the element while its form can be sent nowhere but where it was expected to go. */
  guardForm(act: () => void): void {
    const view = window as Window;
    let seen: ChangedTarget | null = null;
    const check = (event: Event): void => {
      const changed = this.redirected(event);
      if (!changed) return;
      seen ??= changed;
      stop(event);
    };
    view.addEventListener("submit", check, { capture: true });
    try {
      act();
    } finally {
      view.removeEventListener("submit", check, { capture: true });
    }
    if (seen) throw changedSince(seen, this.expected);
  }
}

/** Whether an element is among those that a CSS selector finds in its root. */
function matchesStill(element: Element, css: string): boolean {
  const root = dom.getRootNode(element) as Document | ShadowRoot;
  return [...dom.querySelectorAll(root, css)].includes(element);
}

const SAID_BY = "aria-label aria-labelledby alt title value placeholder".split(" ");

/** The texts and names in an element, whether they are shown or not. */
function contentOf(engine: Engine, element: Element): string {
  const said = SAID_BY.map((name) => dom.getAttribute(element, name) ?? "").join("\0");
  const inside = [...engine.flat.children(element)].map((child) =>
    child instanceof Element ? contentOf(engine, child) : dom.textContent(child),
  );
  return `${said}(${inside.join("\0")})`;
}

/** Keep an event from the page, and the browser from acting on it. */
export function stop(event: Event): void {
  event.stopImmediatePropagation();
  event.preventDefault();
}

/** What gets the events of an element's middle in its place; nothing where that isn't in view. */
export function coverText(engine: Engine, element: Element): string {
  const { x, y, width, height } = rectOf(element);
  const cover = coverOf(engine.flat, element, { x: x + width / 2, y: y + height / 2 });
  if (cover === null || cover === "outside") return "";
  const { role, name } = labelOf(engine, cover);
  return `${role} ${name}`.trim();
}
