// First pass: a document's flat tree, node by node, each joined with what accessibility says by backend id.

import { LISTENERS, marksSecret, TEST_IDS } from "../../shared/attributes";
import { areaIn } from "../../shared/image_maps";
import type { AxFacts } from "./ax";
import { type Bounds, union, type VirtualDocument, type VirtualNode } from "./nodes";
import type { Captured, CapturedDocument } from "./protocol";
import { INTERACTIVE, roleByMarkup } from "./roles";

/** What is joined with a capture, all by backend id. */
export interface Joined {
  ax: ReadonlyMap<number, AxFacts>;
  /** Fields that were secret once. */
  secret: ReadonlySet<number>;
  /** Elements on which scripts listen for clicks. */
  listeners: ReadonlySet<number>;
}

const ELEMENT = 1;
const TEXT = 3;

/** Build one of the captured documents. */
export function buildTree(captured: Captured, at: number, joined: Joined): VirtualDocument {
  const document = captured.documents[at] as CapturedDocument;
  const text = (index: number | undefined): string => captured.strings[index ?? -1] ?? "";
  const nodes = makeNodes(document, text, joined);
  layOut(document, nodes, text);
  placeAreas(nodes);
  for (const node of nodes) if (node && node.tag !== "#text") classify(node);
  readFields(document, nodes, text);
  const roots = nodes.filter((node) => node?.parent === null) as VirtualNode[];
  for (const root of roots) markRendered(root);
  const elements = new Map<number, VirtualNode>();
  const tiers = { semantic: 0, interactive: 0, structural: 0 };
  for (const node of nodes) {
    if (!node || node.tag === "#text") continue;
    elements.set(node.backend, node);
    tiers[node.tier]++;
  }
  return Object.freeze({
    frameId: text(document.frameId),
    url: text(document.documentURL),
    baseUrl: text(document.baseURL) || text(document.documentURL),
    title: text(document.title),
    viewport: (document.layout.bounds[0] ?? [0, 0, 0, 0]) as unknown as Bounds,
    scroll: [document.scrollOffsetX ?? 0, document.scrollOffsetY ?? 0] as const,
    size: [document.contentWidth ?? 0, document.contentHeight ?? 0] as const,
    roots,
    elements,
    tiers,
  });
}

type Nodes = (VirtualNode | null)[];

/** What layout and fields say later. */
const UNKNOWN = {
  ...{ role: "generic", tier: "structural" as const, bounds: null, display: "contents", cursor: "auto" },
  ...{ visible: true, clickable: true, rendered: false, skipsContent: false, scroll: null },
  ...{ value: null, checked: false, selected: false, source: "", frame: null },
};

/** Elements and texts at their places in the capture, null for everything else. */
function makeNodes(
  { nodes }: CapturedDocument,
  text: (index: number | undefined) => string,
  { ax, secret, listeners }: Joined,
): Nodes {
  const made: Nodes = [];
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
    const node: VirtualNode = {
      ...UNKNOWN,
      ...{ backend, tag, attributes, parent, children: [], text: text(nodes.nodeValue[i]) },
      ax: ax.get(backend) ?? null,
      secret: secret.has(backend) || marksSecret(tag, kind, attributes.get("autocomplete") ?? null),
      listens: listeners.has(backend),
    };
    parent?.children.push(node);
    made.push(node);
  });
  return made;
}

/** Sort an element into its tier; its role is Chrome's word where Chrome has one. */
function classify(node: VirtualNode): void {
  const { ax, attributes } = node;
  const role = ax && meantRole(node, ax);
  if (role) {
    node.role = role;
    node.tier = "semantic";
    return;
  }
  // What Chrome knows and calls generic is that; what it doesn't know is behind a dialog, or hidden from readers.
  if (!ax) node.role = roleByMarkup(node);
  const isMarked = node.cursor === "pointer" || [...attributes.keys()].some((name) => MARKS.has(name));
  if (INTERACTIVE.has(node.role) || isMarked || node.listens) node.tier = "interactive";
}

/** Chrome's role in ARIA's sense, or null. */
function meantRole({ tag, attributes }: VirtualNode, { role, name }: AxFacts): string | null {
  if (role === null || attributes.has("role")) return role && !(NEED_NAME.test(role) && !name) ? role : null;
  if (tag === "svg") return "graphics-document";
  if (LAYOUT.test(role) && !/^(table|td|th|tr)$/.test(tag)) return null;
  return (NEED_NAME.test(role) || SECTION_ENDS.test(role)) && !name ? null : role;
}

/** ARIA has no such role where nobody names it; of header and footer that holds for HTML's own. */
const NEED_NAME = /^(form|region)$/;
const SECTION_ENDS = /^section(footer|header)$/;
/** Chrome also says so of whatever CSS lays out as a table. */
const LAYOUT = /^(cell|row|table)$/;

const MARKS: ReadonlySet<string> = new Set([
  ...["contenteditable", "draggable", "tabindex"],
  ...LISTENERS,
  ...TEST_IDS,
]);

/** Boxes that can't be contained, so that `content-visibility` doesn't hold for them (CSS Containment 2, §3.1). */
const UNCONTAINED = /^(inline$|contents|(inline-)?table(?!-caption)|ruby)/;

function layOut(
  { layout }: CapturedDocument,
  nodes: Nodes,
  text: (index: number | undefined) => string,
): void {
  layout.nodeIndex.forEach((i, j) => {
    const node = nodes[i];
    if (!node) return;
    const box = layout.bounds[j] as unknown as Bounds;
    const isFirst = node.bounds === null;
    node.bounds = node.bounds ? union(node.bounds, box) : box;
    if (node.tag === "#text" || !isFirst) return;
    const [display, visibility, cursor, content, overflow, pointer] = (layout.styles[j] ?? []).map((style) =>
      text(style),
    );
    node.display = display || "contents";
    node.cursor = cursor || "auto";
    node.visible = visibility === "visible";
    node.clickable = pointer !== "none";
    node.skipsContent = content === "hidden" && !UNCONTAINED.test(node.display);
    const [, from = 0, , height = 0] = layout.scrollRects?.[j] ?? [];
    const [, border = 0, , seen = 0] = layout.clientRects?.[j] ?? [];
    if (/^(auto|scroll)$/.test(overflow ?? "") && height > seen)
      node.scroll = [border - from, height, from, seen];
  });
}

/** Areas of image maps have no box: they are where the image that uses their map is. */
function placeAreas(nodes: Nodes): void {
  const images = new Map(
    nodes.map((node) => [node?.tag === "img" ? node.attributes.get("usemap") : "", node]),
  );
  for (const node of nodes) {
    const image = node?.tag === "area" ? images.get(`#${node.parent?.attributes.get("name")}`) : null;
    if (!node || !image?.bounds) continue;
    const [x, y, width, height] = image.bounds;
    const area = areaIn({ x, y, width, height }, node.attributes.get("coords"), node.attributes.get("shape"));
    node.bounds = [area.x, area.y, area.width, area.height];
    node.display = "inline";
    node.visible = image.visible;
  }
}

/** What fields have in them, which attributes don't say. */
function readFields(
  { nodes: captured }: CapturedDocument,
  nodes: Nodes,
  text: (index: number | undefined) => string,
): void {
  const each = (
    rare: { index: number[]; value?: number[] } | undefined,
    set: (node: VirtualNode, value: number) => void,
  ) =>
    rare?.index.forEach((i, at) => {
      const node = nodes[i];
      if (node) set(node, rare.value?.[at] ?? -1);
    });
  for (const values of [captured.inputValue, captured.textValue])
    each(values, (node, value) => Object.assign(node, { value: text(value) }));
  each(captured.inputChecked, (node) => Object.assign(node, { checked: true }));
  each(captured.optionSelected, (node) => Object.assign(node, { selected: true }));
  each(captured.currentSourceURL, (node, value) => Object.assign(node, { source: text(value) }));
  each(captured.contentDocumentIndex, (node, frame) => Object.assign(node, { frame, role: "iframe" }));
}

/** Mark what is laid out, or has something in it that is; contents that are skipped aren't. */
function markRendered(node: VirtualNode): boolean {
  let inside = false;
  const summary = node.tag === "details" && !node.attributes.has("open") ? firstSummary(node) : null;
  for (const child of node.children) {
    const isSkipped = node.skipsContent || (summary !== null && child !== summary);
    if (!isSkipped && markRendered(child)) inside = true;
  }
  node.rendered = node.bounds !== null || inside;
  return node.rendered;
}

function firstSummary(details: VirtualNode): VirtualNode | undefined {
  return details.children.find(({ tag }) => tag === "summary");
}
