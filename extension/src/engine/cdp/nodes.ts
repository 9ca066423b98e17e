// The virtual tree: what the engine knows of each node of a document.

import { type AxFacts, fold } from "./ax";

export type Bounds = readonly [x: number, y: number, width: number, height: number];

/**
 * Semantic is what accessibility gives a role; interactive is what it doesn't know, though people can act on it;
 * structural is layout alone.
 */
export type Tier = "semantic" | "interactive" | "structural";

export interface VirtualNode {
  readonly backend: number;
  /** The element's name in HTML; "#text" for texts. */
  readonly tag: string;
  readonly text: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: VirtualNode | null;
  readonly children: VirtualNode[];
  readonly ax: AxFacts | null;
  role: string;
  tier: Tier;
  /** Where it is in the document; null for what has no box. */
  bounds: Bounds | null;
  display: string;
  cursor: string;
  /** `visibility` says visible. */
  visible: boolean;
  /** `pointer-events` lets the mouse reach it. */
  clickable: boolean;
  /** It, or something in it, is laid out and not skipped. */
  rendered: boolean;
  /** It shows nothing of what is in it. */
  skipsContent: boolean;
  /** What it scrolls through, relative to its box: where the content begins, its height, how far, how much is seen. */
  scroll: readonly [number, number, number, number] | null;
  /** Nobody may read its value. */
  readonly secret: boolean;
  /** What a field has in it now, which may differ from its attribute. */
  value: string | null;
  checked: boolean;
  selected: boolean;
  /** Where what it shows comes from. */
  source: string;
  /** The document in it, by its place in the capture. */
  frame: number | null;
  readonly listens: boolean;
}

/** One document at one moment. */
export interface VirtualDocument {
  readonly frameId: string;
  readonly url: string;
  readonly baseUrl: string;
  readonly title: string;
  readonly viewport: Bounds;
  readonly scroll: readonly [number, number];
  readonly size: readonly [number, number];
  /** `html` and what else is at the top. */
  readonly roots: readonly VirtualNode[];
  readonly elements: ReadonlyMap<number, VirtualNode>;
  readonly tiers: Readonly<Record<Tier, number>>;
}

/** The text that a node shows, without what its fields have in them. */
export function plainText(node: VirtualNode): string {
  return fold(node.children.map(textIn).join(""));
}

function textIn(node: VirtualNode): string {
  if (node.tag === "#text") return node.text;
  if (/^(select|textarea|script|style)$/.test(node.tag) || node.attributes.get("aria-hidden") === "true")
    return "";
  const text = node.children.map(textIn).join("");
  return isInline(node) ? text : ` ${text} `;
}

/** Elements that HTML sets apart, also where CSS puts them side by side. */
const BLOCK =
  /^(article|aside|d[dlt]|div|fieldset|figure|footer|form|h[1-6]|header|li|main|nav|ol|p|pre|section|summary|table|t[dhr]|ul)$/;

/** Whether text flows through an element. */
export function isInline({ display, tag }: VirtualNode): boolean {
  return /^(inline|contents|ruby)/.test(display) && !BLOCK.test(tag);
}

export function union(a: Bounds, b: Bounds): Bounds {
  const x = Math.min(a[0], b[0]);
  const y = Math.min(a[1], b[1]);
  return [x, y, Math.max(a[0] + a[2], b[0] + b[2]) - x, Math.max(a[1] + a[3], b[1] + b[3]) - y];
}
