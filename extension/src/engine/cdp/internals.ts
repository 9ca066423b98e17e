// What a custom element says by its `ElementInternals`, out of Chrome's accessibility tree.

import type { InternalFacts } from "../../shared/messages";
import { RANGES } from "../dom/semantics/aria";
import { type AxFacts, factsOf } from "./ax";
import type { AxNode } from "./protocol";

/** Chrome's properties that ARIA calls the same but for the prefix. */
const STATES =
  `busy checked disabled expanded invalid level modal multiline multiselectable orientation pressed readonly
  required selected valuemax valuemin valuetext`.split(/\s+/);

/** The facts of a custom element without a role of its own; null where it says nothing. */
export function internalsOf(ax: AxFacts | null | undefined): InternalFacts | null {
  if (!ax?.role || ax.role === "generic") return null;
  const aria: Record<string, string> = {};
  for (const name of STATES) {
    const value = ax.properties.get(name);
    if (value !== undefined && value !== "" && value !== false) aria[name] = String(value);
  }
  const popup = ax.properties.get("hasPopup");
  if (popup) aria.haspopup = String(popup);
  if (ax.properties.get("expanded") === false) aria.expanded = "false";
  if (RANGES.has(ax.role) && ax.value !== undefined) aria.valuenow = String(ax.value);
  return { role: ax.role, label: ax.labelled ? ax.name : "", aria };
}

/** The same of a node that Chrome describes by itself. */
export function internalsOfNode(nodes: readonly AxNode[]): InternalFacts | null {
  const [facts] = factsOf(nodes).values();
  return internalsOf(facts);
}
