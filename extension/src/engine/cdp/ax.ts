// What Chrome's accessibility tree says of a node.

import type { NameSource } from "../dom/naming/names";
import { fold } from "../dom/naming/text";
import { ROLES } from "../dom/semantics/aria";
import type { AxNode, AxSource } from "./protocol";

export interface AxFacts {
  /** An ARIA role, or null where Chrome has only a name of its own for it. */
  role: string | null;
  name: string;
  from: NameSource;
  description: string;
  /** Elements that the name was taken from, by backend id. */
  named: number[];
  properties: ReadonlyMap<string, unknown>;
  /** Whether the name was given as a label's text, as `aria-label` gives it. */
  labelled: boolean;
  value: unknown;
}

/** Chrome's own names for what ARIA names otherwise. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ["ColorWell", "textbox"],
  ["Date", "textbox"],
  ["DateTime", "textbox"],
  ["DisclosureTriangle", "button"],
  ["DisclosureTriangleGrouped", "button"],
  ["Iframe", "iframe"],
  ["InputTime", "textbox"],
  ["image", "img"],
]);

/** The facts of every node that accessibility doesn't ignore, by backend id. */
export function factsOf(nodes: readonly AxNode[]): Map<number, AxFacts> {
  const facts = new Map<number, AxFacts>();
  for (const node of nodes) {
    if (node.ignored || node.backendDOMNodeId === undefined) continue;
    if (facts.has(node.backendDOMNodeId)) continue;
    const source = sourceOf(node.name?.sources);
    const name = fold(node.name?.value ?? "");
    facts.set(node.backendDOMNodeId, {
      role: roleOf(node.role?.value ?? ""),
      name,
      from: name ? kindOf(source) : "none",
      description: fold(node.description?.value ?? ""),
      named: relatedOf(source),
      properties: new Map((node.properties ?? []).map(({ name: key, value }) => [key, value.value])),
      labelled: source?.attribute === "aria-label",
      value: node.value?.value,
    });
  }
  return facts;
}

function roleOf(role: string): string | null {
  const alias = ALIASES.get(role);
  if (alias) return alias;
  return ROLES.has(role) && role !== "none" && role !== "presentation" ? role : null;
}

/** The source that won. */
function sourceOf(sources: readonly AxSource[] | undefined): AxSource | undefined {
  return sources?.find((source) => source.value?.value && !source.superseded);
}

function kindOf(source: AxSource | undefined): NameSource {
  if (!source) return "native";
  if (source.type === "contents") return "content";
  if (source.attribute === "aria-label" || source.attribute === "aria-labelledby") return "author";
  if (source.attribute === "title") return "title";
  if (source.type === "placeholder" || source.attribute === "placeholder") return "placeholder";
  if (source.attribute === "aria-placeholder") return "placeholder";
  return "native";
}

function relatedOf(source: AxSource | undefined): number[] {
  const related = source?.attributeValue?.relatedNodes ?? source?.nativeSourceValue?.relatedNodes ?? [];
  return related.flatMap(({ backendDOMNodeId }) => backendDOMNodeId ?? []);
}
