// What Chrome's accessibility tree says of a node.

import type { InternalFacts } from "../../shared/messages";
import { words } from "../../shared/roles";
import type { AxNode } from "./protocol";

/** Roles that stand for a number between two others. */
export const RANGES = words("meter progressbar scrollbar slider spinbutton");

export interface AxFacts {
  /** An ARIA role, or null where Chrome has only a name of its own for what HTML gives no role. */
  role: string | null;
  name: string;
  /** The name is what the element contains. */
  fromContent: boolean;
  /** The name is an `aria-label`, or was given as one. */
  labelled: boolean;
  description: string;
  /** Elements that name it, by backend id. */
  labels: number[];
  properties: ReadonlyMap<string, unknown>;
  value: unknown;
}

/** Chrome's own names for what ARIA names otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["Audio", "audio"],
  ["Canvas", "canvas"],
  ["ColorWell", "textbox"],
  ["Date", "textbox"],
  ["DateTime", "textbox"],
  ["DescriptionListDetail", "definition"],
  ["DescriptionListTerm", "term"],
  ["Details", "group"],
  ["DisclosureTriangle", "button"],
  ["DisclosureTriangleGrouped", "button"],
  ["Iframe", "iframe"],
  ["InputTime", "textbox"],
  ["LayoutTable", "table"],
  ["LayoutTableCell", "cell"],
  ["LayoutTableRow", "row"],
  ["MathMLMath", "math"],
  ["MenuListOption", "option"],
  ["Video", "video"],
  ["image", "img"],
  ["doc-backlink", "link"],
  ["doc-biblioref", "link"],
  ["doc-glossref", "link"],
  ["doc-noteref", "link"],
]);

/** The facts of every node that accessibility doesn't ignore, by backend id. */
export function factsOf(nodes: readonly AxNode[]): Map<number, AxFacts> {
  const facts = new Map<number, AxFacts>();
  for (const node of nodes) {
    const { backendDOMNodeId: backend, properties = [] } = node;
    if (node.ignored || backend === undefined || facts.has(backend)) continue;
    const description = fold(node.description?.value);
    const text = fold(node.name?.value);
    // Glyphs of icon fonts (private use area) say nothing; a tooltip does.
    const name = /^[\uE000-\uF8FF\s]+$/.test(text) ? description : text;
    const source = node.name?.sources?.find(({ value, superseded }) => value?.value && !superseded);
    const labels = properties.find((one) => one.name === "labelledby")?.value.relatedNodes ?? [];
    facts.set(backend, {
      role: roleOf(node.role?.value ?? ""),
      name,
      fromContent: name !== "" && source?.type === "contents",
      labelled: source?.attribute === "aria-label",
      description,
      labels: labels.flatMap(({ backendDOMNodeId }) => backendDOMNodeId ?? []),
      properties: new Map(properties.map((one) => [one.name, one.value.value])),
      value: node.value?.value,
    });
  }
  return facts;
}

/** ARIA writes its roles in small letters, Chrome those of its own with a capital. */
function roleOf(role: string): string | null {
  const isAria = /^[a-z]/.test(role) && !/^(generic|none|presentation)$/.test(role);
  return ALIASES.get(role) ?? (isAria ? role : null);
}

/** Text with its white space folded. */
export function fold(text: unknown): string {
  return typeof text === "string" ? text.replace(/\s+/g, " ").trim() : "";
}

/** Chrome's properties that ARIA calls the same but for the prefix. */
const STATES =
  `busy checked disabled expanded invalid level modal multiline multiselectable orientation pressed readonly
  required selected valuemax valuemin valuetext`.split(/\s+/);

/** What a custom element says by its `ElementInternals`, out of what Chrome says of it; null where that is nothing. */
export function internalsOf(nodes: readonly AxNode[]): InternalFacts | null {
  const [ax] = factsOf(nodes).values();
  if (!ax?.role) return null;
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
