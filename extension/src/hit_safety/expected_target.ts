// What an element was when a command on it was judged, held against what it is as it is carried out.

import type { Engine } from "../engine/dom/engine";
import { coverOf } from "../engine/dom/layout/hit_test";
import { rectOf } from "../engine/dom/layout/image_maps";
import type { ExpectedTarget } from "../protocol/generated";
import type { Changed } from "../shared/messages";
import { formOf } from "./actionability";
import { findElement, labelOf, refOf } from "./find_element";
import { sentBy, sentFrom } from "./form_destination";
import { changedSince } from "./target_changed";

/** What an element is now where it isn't what was meant, else null. */
export function changedFrom(
  engine: Engine,
  number: number,
  meant: ExpectedTarget | null | undefined,
): Changed | null {
  if (meant?.role == null || meant.name == null) return null;
  const element = findElement(engine, number);
  const role = engine.roles.of(element);
  const name = engine.names().of(element, role).text;
  const seen = { ref: refOf(engine, number), role, name };
  if (role !== meant.role || name !== meant.name) return { ...seen, what: "label", now: "" };
  if (meant.form != null) {
    const now = sentFrom(engine, element);
    if (now !== meant.form) return { ...seen, what: "form", now };
  }
  if (meant.covered === false) {
    const now = coverText(engine, element);
    if (now) return { ...seen, what: "cover", now };
  }
  return null;
}

/** Refuse where it isn't what was meant. */
export function requireMeant(
  engine: Engine,
  number: number | null,
  meant: ExpectedTarget | null | undefined,
): void {
  const seen = number === null ? null : changedFrom(engine, number, meant);
  if (seen) throw changedSince(seen, meant);
}

/** Where a form that the page is just sending goes, if that isn't where the element's form was meant to go. */
export function sentElsewhere(
  engine: Engine,
  number: number | null,
  meant: ExpectedTarget | null | undefined,
  event: Event,
): Changed | null {
  if (number === null || meant?.role == null || meant.form == null) return null;
  const found = engine.refs.find(number);
  const form = event.target as HTMLFormElement;
  if (!("element" in found) || formOf(engine, found.element) !== form) return null;
  const now = sentBy(form, (event as SubmitEvent).submitter);
  if (now === meant.form) return null;
  return { ref: refOf(engine, number), role: meant.role, name: meant.name ?? "", what: "form", now };
}

/** Do something to an element while its form can be sent nowhere but where it was meant to go. */
export function holdingForm(
  engine: Engine,
  number: number | null,
  meant: ExpectedTarget | null | undefined,
  act: () => void,
): void {
  const view = engine.document.defaultView as Window;
  let seen: Changed | null = null;
  const check = (event: Event): void => {
    const changed = sentElsewhere(engine, number, meant, event);
    if (!changed) return;
    seen ??= changed;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  view.addEventListener("submit", check, { capture: true });
  try {
    act();
  } finally {
    view.removeEventListener("submit", check, { capture: true });
  }
  if (seen) throw changedSince(seen, meant);
}

/** What gets the events of an element's middle in its place; nothing where that isn't in view. */
export function coverText(engine: Engine, element: Element): string {
  const { x, y, width, height } = rectOf(element);
  const cover = coverOf(engine.flat, element, { x: x + width / 2, y: y + height / 2 });
  if (cover === null || cover === "outside") return "";
  const { role, name } = labelOf(engine, cover);
  return `${role} ${name}`.trim();
}
