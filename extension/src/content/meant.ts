// The words that an element had when a command on it was judged, held against those it has as it is carried out.

import type { Engine } from "../engine/dom/engine";
import type { Meant } from "../protocol/generated";
import { changedLabel } from "../shared/changed";
import type { Seen } from "../shared/messages";
import { findElement, refOf } from "./elements";

/** What an element is now where it isn't what was meant, else null. */
export function changedFrom(engine: Engine, number: number, meant: Meant | null | undefined): Seen | null {
  if (meant?.role == null || meant.name == null) return null;
  const element = findElement(engine, number);
  const role = engine.roles.of(element);
  const name = engine.names().of(element, role).text;
  return role === meant.role && name === meant.name ? null : { ref: refOf(engine, number), role, name };
}

/** Refuse where it isn't what was meant. */
export function requireMeant(engine: Engine, number: number | null, meant: Meant | null | undefined): void {
  const seen = number === null ? null : changedFrom(engine, number, meant);
  if (seen) throw changedLabel(seen, meant);
}
