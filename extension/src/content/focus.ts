// Whether keys go to an element, or to none in particular.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/hit";
import { fieldOf } from "./condition";
import { findElement } from "./elements";

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
