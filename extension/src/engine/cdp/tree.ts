// First pass: a document's flat tree, node by node, each joined with what accessibility says by backend id.

import { marksSecret } from "../../shared/attributes";
import { areaIn } from "../../shared/image_maps";
import { INTERACTIVE } from "../../shared/roles";
import { hidesItself } from "../../shared/secret_fields";
import { textBefore, type Walk } from "../../shared/text_before";
import type { AxFacts } from "./ax";
import type { Capture } from "./capture";
import type { CapturedDocument } from "./protocol";

export type Bounds = readonly [x: number, y: number, width: number, height: number];

/** What layout says of a node. */
interface Layout {
  /** Where it is in the document; null for what has no box. */
  bounds: Bounds | null;
  display: string;
  cursor: string;
  /** `visibility` says visible. */
  visible: boolean;
  /** How the page hides what is typed, such as `disc`. */
  textSecurity: string;
  /** `pointer-events` lets the mouse reach it. */
  clickable: boolean;
  /** It shows nothing of what is in it. */
  skipsContent: boolean;
  /** What it scrolls through, relative to its box: where the content begins, its height, how far, how much is seen. */
  scroll: readonly [number, number, number, number] | null;
}

export interface VirtualNode extends Layout {
  readonly backend: number;
  /** The element's name in HTML; "#text" for texts. */
  readonly tag: string;
  readonly text: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly parent: VirtualNode | null;
  readonly children: VirtualNode[];
  readonly ax: AxFacts | null;
  /** Chrome's word where Chrome has one. */
  readonly role: string;
  /** It, or something in it, is laid out and not skipped. */
  rendered: boolean;
  /** Nobody may read its value. */
  secret: boolean;
  /** What a field has in it now, which may differ from its attribute. */
  readonly value: string | null;
  readonly checked: boolean;
  readonly selected: boolean;
  /** Where what it shows comes from. */
  readonly source: string;
  /** The document in it, by its place in the capture. */
  readonly frame: number | null;
  /** Scripts listen on it for clicks. */
  readonly listens: boolean;
}

/** One document at one moment. */
export interface VirtualDocument {
  readonly url: string;
  readonly baseUrl: string;
  readonly title: string;
  readonly viewport: Bounds;
  readonly scroll: readonly [number, number];
  readonly size: readonly [number, number];
  /** `html` and what else is at the top. */
  readonly roots: readonly VirtualNode[];
  readonly elements: ReadonlyMap<number, VirtualNode>;
  /** Scripts listen on the document for clicks. */
  readonly delegated: boolean;
}

type Nodes = readonly (VirtualNode | null)[];

const ELEMENT = 1;
const TEXT = 3;

/** Build one of the captured documents; `secret` are fields that were secret once. */
export function buildTree(capture: Capture, secret: ReadonlySet<number>): VirtualDocument {
  const { document, text } = capture;
  const nodes = makeNodes(capture, secret);
  placeAreas(nodes);
  markSecret(nodes);
  const roots = nodes.filter((node) => node?.parent === null) as VirtualNode[];
  for (const root of roots) markRendered(root);
  const elements = nodes.filter((node) => node && node.tag !== "#text") as VirtualNode[];
  return {
    url: text(document.documentURL),
    baseUrl: text(document.baseURL) || text(document.documentURL),
    title: text(document.title),
    viewport: (document.layout.bounds[0] ?? [0, 0, 0, 0]) as unknown as Bounds,
    scroll: [document.scrollOffsetX ?? 0, document.scrollOffsetY ?? 0],
    size: [document.contentWidth ?? 0, document.contentHeight ?? 0],
    roots,
    delegated: capture.listeners.has(document.nodes.backendNodeId[0] as number),
    elements: new Map(elements.map((node) => [node.backend, node])),
  };
}

/** Elements and texts at their places in the capture, null for everything else. */
function makeNodes({ document, text, ax: facts, listeners }: Capture, secret: ReadonlySet<number>): Nodes {
  const { nodes } = document;
  const rare = (given: { index: number[]; value?: number[] } | undefined): Map<number, number> =>
    new Map(given?.index.map((i, at) => [i, given.value?.[at] ?? -1]));
  const [inputs, areas, sources] = [nodes.inputValue, nodes.textValue, nodes.currentSourceURL].map(rare);
  const [checked, selected, frames] = [
    nodes.inputChecked,
    nodes.optionSelected,
    nodes.contentDocumentIndex,
  ].map(rare);
  const layouts = layoutsOf(document, text);
  const made: (VirtualNode | null)[] = [];
  nodes.nodeType.forEach((type, i) => {
    const name = text(nodes.nodeName[i]);
    const up = nodes.parentIndex[i] as number;
    const parent = made[up] ?? null;
    const isNode = type === TEXT || (type === ELEMENT && !name.startsWith("::"));
    // Only the document has no parent; what lies in a pseudo-element, or in anything else that is left out, goes too.
    if (!isNode || (!parent && nodes.nodeType[up] === ELEMENT)) {
      made.push(null);
      return;
    }
    const backend = nodes.backendNodeId[i] as number;
    const tag = type === TEXT ? "#text" : name === name.toUpperCase() ? name.toLowerCase() : name;
    const attributes = new Map<string, string>();
    const pairs = nodes.attributes[i] ?? [];
    for (let j = 0; j < pairs.length; j += 2) attributes.set(text(pairs[j]), text(pairs[j + 1]));
    const kind = (attributes.get("type") ?? "").toLowerCase();
    const ax = facts.get(backend) ?? null;
    const frame = frames?.get(i) ?? null;
    const value = inputs?.get(i) ?? areas?.get(i);
    const node: VirtualNode = {
      ...(layouts.get(i) ?? NO_BOX),
      ...{ backend, tag, attributes, parent, children: [], text: text(nodes.nodeValue[i]), ax, frame },
      role: frame === null ? roleOf(tag, attributes, parent, ax) : "iframe",
      rendered: false,
      secret: secret.has(backend) || marksSecret(tag, kind, attributes.get("autocomplete") ?? null),
      value: value === undefined ? null : text(value),
      checked: checked?.has(i) ?? false,
      selected: selected?.has(i) ?? false,
      source: text(sources?.get(i)),
      listens: listeners.has(backend),
    };
    parent?.children.push(node);
    made.push(node);
  });
  return made;
}

/** Chrome's role in ARIA's sense; for what Chrome doesn't know, what the markup says. */
function roleOf(
  tag: string,
  attributes: ReadonlyMap<string, string>,
  parent: VirtualNode | null,
  ax: AxFacts | null,
): string {
  // What accessibility doesn't know is behind a dialog, or hidden from readers.
  if (!ax) return roleByMarkup(tag, attributes, parent);
  const { role, name } = ax;
  if (tag === "svg" && !attributes.has("role")) return "graphics-document";
  if (role === null || (NEED_NAME.test(role) && !name)) return "generic";
  if (attributes.has("role")) return role;
  const isStyled = LAYOUT.test(role) && !/^(table|td|th|tr)$/.test(tag);
  return isStyled || (SECTION_ENDS.test(role) && !name) ? "generic" : role;
}

/** ARIA has no such role where nobody names it; of header and footer that holds for HTML's own. */
const NEED_NAME = /^(form|region)$/;
const SECTION_ENDS = /^section(footer|header)$/;
/** Chrome also says so of whatever CSS lays out as a table. */
const LAYOUT = /^(cell|row|table)$/;

const INPUTS: ReadonlyMap<string, string> = new Map([
  ...["button", "file", "image", "reset", "submit"].map((type): [string, string] => [type, "button"]),
  ...["checkbox", "radio"].map((type): [string, string] => [type, type]),
  ["hidden", "generic"],
  ["number", "spinbutton"],
  ["range", "slider"],
  ["search", "searchbox"],
]);

/** The role of a control, an image or a group of rows by markup; "generic" for everything else. */
function roleByMarkup(
  tag: string,
  attributes: ReadonlyMap<string, string>,
  parent: VirtualNode | null,
): string {
  const given = attributes.get("role")?.trim().toLowerCase().split(/\s+/)[0] ?? "";
  if (given) return INTERACTIVE.has(given) ? given : "generic";
  switch (tag) {
    case "a":
    case "area":
      return attributes.has("href") ? "link" : "generic";
    case "button":
    case "canvas":
      return tag;
    case "frame":
    case "iframe":
      return "iframe";
    case "input":
      return INPUTS.get((attributes.get("type") ?? "").toLowerCase()) ?? "textbox";
    case "select":
      return attributes.has("multiple") || Number(attributes.get("size")) > 1 ? "listbox" : "combobox";
    case "summary":
      return parent?.tag === "details" ? "button" : "generic";
    case "svg":
      return "graphics-document";
    case "tbody":
    case "tfoot":
    case "thead":
      return /^(grid|table|treegrid)$/.test(parent?.role ?? "") ? "rowgroup" : "generic";
    case "textarea":
      return "textbox";
    default:
      return "generic";
  }
}

const NO_BOX: Layout = {
  ...{ bounds: null, display: "contents", cursor: "auto" },
  ...{ visible: true, textSecurity: "none", clickable: true, skipsContent: false, scroll: null },
};

/** Boxes that can't be contained, so that `content-visibility` doesn't hold for them (CSS Containment 2, §3.1). */
const UNCONTAINED = /^(inline$|contents|(inline-)?table(?!-caption)|ruby)/;

/** The layout of the nodes that have one, by their places; of several boxes, the first one's styles. */
function layoutsOf({ layout }: CapturedDocument, text: Capture["text"]): Map<number, Layout> {
  const found = new Map<number, Layout>();
  layout.nodeIndex.forEach((i, j) => {
    const box = layout.bounds[j] as unknown as Bounds;
    const known = found.get(i);
    if (known?.bounds) {
      known.bounds = union(known.bounds, box);
      return;
    }
    const styles = (layout.styles[j] ?? []).map((style) => text(style));
    const [given, visibility, cursor, content, overflow = "", pointer, textSecurity = "none"] = styles;
    const display = given || "contents";
    const [, from = 0, , height = 0] = layout.scrollRects?.[j] ?? [];
    const [, border = 0, , seen = 0] = layout.clientRects?.[j] ?? [];
    const scrolls = /^(auto|scroll)$/.test(overflow) && height > seen;
    found.set(i, {
      bounds: box,
      display,
      cursor: cursor || "auto",
      visible: visibility === "visible",
      clickable: pointer !== "none",
      textSecurity,
      skipsContent: content === "hidden" && !UNCONTAINED.test(display),
      scroll: scrolls ? [border - from, height, from, seen] : null,
    });
  });
  return found;
}

export function union(a: Bounds, b: Bounds): Bounds {
  const x = Math.min(a[0], b[0]);
  const y = Math.min(a[1], b[1]);
  return [x, y, Math.max(a[0] + a[2], b[0] + b[2]) - x, Math.max(a[1] + a[3], b[1] + b[3]) - y];
}

/** Fields that hide themselves are as secret as those for passwords. */
function markSecret(nodes: Nodes): void {
  const known = new Map(nodes.flatMap((node) => (node ? [[node.backend, node] as const] : [])));
  for (const node of nodes) {
    if (!node || node.secret || !takesText(node)) continue;
    const { attributes, ax, tag, textSecurity } = node;
    const attribute = (name: string): string | undefined => attributes.get(name);
    const labelled = (ax?.labels ?? []).flatMap((label) => known.get(label) ?? []);
    const isLabelled = labelled.length > 0 || Boolean(attribute("aria-label"));
    node.secret = hidesItself({
      type: tag === "input" ? (attribute("type") ?? "").toLowerCase() : "",
      autocomplete: attribute("autocomplete") ?? null,
      codeNames: [attribute("name"), attribute("id")],
      labels: () => [
        ...["aria-label", "placeholder", "title"].map(attribute),
        ...labelled.map((label) => textIn(label, node)),
        isLabelled ? null : textBefore(node, WALK),
      ],
      textSecurity,
    });
  }
}

function takesText({ tag, attributes }: VirtualNode): boolean {
  if (tag === "input" || tag === "textarea") return true;
  if (tag === "select") return false;
  const editable = /^(|true|plaintext-only)$/i.test(attributes.get("contenteditable") ?? "no");
  return editable || /^(textbox|searchbox|combobox)$/.test(attributes.get("role") ?? "");
}

const WALK: Walk<VirtualNode> = {
  parent: ({ parent }) => parent,
  previous: (node) => node.parent?.children[node.parent.children.indexOf(node) - 1] ?? null,
  tag: ({ tag }) => tag,
  text: textOf,
  hasField,
};

function textOf(node: VirtualNode): string {
  return node.tag === "#text" ? node.text : node.children.map(textOf).join("");
}

function hasField(node: VirtualNode): boolean {
  const { tag, attributes } = node;
  if (tag === "input") return attributes.get("type")?.toLowerCase() !== "hidden";
  return tag === "select" || takesText(node) || node.children.some(hasField);
}

/** A label's text without what is in the field. */
function textIn(node: VirtualNode, field: VirtualNode): string {
  if (node === field) return "";
  return node.tag === "#text" ? node.text : node.children.map((child) => textIn(child, field)).join("");
}

/** Areas of image maps have no box: they are where the image that uses their map is. */
function placeAreas(nodes: Nodes): void {
  for (const area of nodes) {
    if (area?.tag !== "area") continue;
    const map = `#${area.parent?.attributes.get("name")}`;
    const image = nodes.find((node) => node?.tag === "img" && node.attributes.get("usemap") === map);
    if (!image?.bounds) continue;
    const [x, y, width, height] = image.bounds;
    const { attributes } = area;
    const box = areaIn({ x, y, width, height }, attributes.get("coords"), attributes.get("shape"));
    area.bounds = [box.x, box.y, box.width, box.height];
    area.display = "inline";
    area.visible = image.visible;
  }
}

/** Mark what is laid out, or has something in it that is; contents that are skipped aren't. */
function markRendered(node: VirtualNode): boolean {
  const isClosed = node.tag === "details" && !node.attributes.has("open");
  const summary = isClosed ? node.children.find(({ tag }) => tag === "summary") : null;
  node.rendered = node.bounds !== null;
  for (const child of node.children) {
    const isSkipped = node.skipsContent || (summary && child !== summary);
    if (!isSkipped && markRendered(child)) node.rendered = true;
  }
  return node.rendered;
}
