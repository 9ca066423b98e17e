// Records, numbered, as the columns that cross the wire.

import {
  type DocumentTree,
  type NodeExtra,
  State,
  type PlainRows as WireRows,
} from "../../../protocol/generated";
import { metaAsksNoAi } from "../../../shared/ai_opt_out";
import { relOf } from "../../../shared/attributes";
import { type Columns, emptyColumns, type Tables, tagOf } from "../../../shared/columns";
import { clipsOf } from "../layout/clips";
import { fold } from "../naming/text";
import * as dom from "../tree/dom";
import type { Refs } from "../tree/refs";
import type { NodeRecord, PlainRows, Records } from "../walk/records";

/** A document's tree, and its frames. */
export interface NumberedTree {
  tree: DocumentTree;
  frames: { number: number; element: HTMLIFrameElement; at: number }[];
}

/** A language tag (BCP 47) is far shorter; what is longer is none. */
const LONGEST_TAG = 35;

/** Roles of what a template fills with a text. */
const PLAIN = new Set(["text", "paragraph", "generic"]);
const MOST_GAPS = 8;

/** What a document says beside its nodes. */
export function headOf(
  document: Document,
): Pick<
  DocumentTree,
  "url" | "title" | "lang" | "viewport" | "scroll" | "size" | "no_ai" | "next" | "ready_state"
> {
  const view = window as Window;
  const top = dom.get(document, "documentElement");
  const root = dom.get(document, "scrollingElement") ?? top;
  const lang = (top && dom.getAttribute(top, "lang")) ?? "";
  const next = nextPage(document);
  return {
    url: dom.get(document, "URL"),
    title: dom.get(document, "title"),
    ...(lang && { lang: lang.slice(0, LONGEST_TAG) }),
    viewport: [view.innerWidth, view.innerHeight],
    scroll: [Math.round(view.scrollX), Math.round(view.scrollY)],
    size: root ? [dom.get(root, "scrollWidth"), dom.get(root, "scrollHeight")] : [0, 0],
    ...(pageAsksNoAi(document) && { no_ai: true }),
    ...(next && { next }),
    ready_state: dom.get(document, "readyState"),
  };
}

/** The page after this one, as the document's head names it. */
function nextPage(document: Document): string {
  const links = [...dom.call(document, "getElementsByTagName", "link")];
  const href = links.find((link) => relOf(link.getAttribute("rel")) === "next")?.getAttribute("href") ?? "";
  const base = dom.get(document, "baseURI");
  return href && URL.canParse(href, base) ? new URL(href, base).href : "";
}

/** Whether a `meta` element of the document asks that no AI uses it. */
export function pageAsksNoAi(document: Document): boolean {
  const metas = [...dom.call(document, "getElementsByTagName", "meta")];
  return metas.some((meta) => metaAsksNoAi(meta.getAttribute("name"), meta.getAttribute("content")));
}

/** Number the records that are nodes, and put them into columns. */
export function columnsOf(
  records: Records,
  head: Omit<DocumentTree, keyof Columns | "roles" | "tags">,
  { roles, tags }: Tables,
  refs: Refs,
  focused: Element | null,
): NumberedTree {
  const tree: DocumentTree = { ...head, roles: roles.entries, tags: tags.entries, ...emptyColumns() };
  const frames: NumberedTree["frames"] = [];
  const plain: WireRows[] = [];
  const extents = scrollExtents(records);
  const clips = clipsOf(records);
  /** How deep what is in a record is, by the record's place. */
  const depths: number[] = [];
  for (const record of records.list) {
    const depth = record.up ? (depths[record.up.at] as number) : 0;
    depths.push(record.dropped ? depth : depth + 1);
    if (record.dropped) continue;
    const { role, label, isText } = record;
    const element = record.source as Element;
    const at = tree.number.length;
    const number = isText ? 0 : refs.note(element, role, label);
    const holder = isText ? unseenParent(record) : element;
    let { flags } = record;
    if (isText && sharesLine(records, record)) flags |= State.INLINE;
    if (element === focused) flags |= State.FOCUSED;
    tree.number.push(number);
    tree.depth.push(depth);
    tree.role.push(roles.index(role));
    tree.tag.push(holder ? tags.index(tagOf(dom.localName(holder), dom.getAttribute(holder, "class"))) : -1);
    tree.name.push(isText ? fold(label) : label);
    tree.flags.push(flags);
    tree.box.push(record.x, record.y, record.width, record.height);
    if (record.plain) plain.push(plainOf(record.plain, at, element, { roles, tags }, refs));
    const scroll = extents.get(record);
    const gaps = holder && PLAIN.has(role) ? emptyBefore(holder, record.up) : 0;
    const more = scroll ? { scroll } : gaps ? { gaps } : null;
    const clip = clips.get(record);
    const facts = clip ? { ...more, clip } : more;
    const extra: NodeExtra | null = facts ? { ...record.extra, ...facts } : record.extra;
    if (extra) tree.extra.push([at, extra]);
    if (role === "iframe") frames.push({ number, element: element as HTMLIFrameElement, at });
  }
  if (plain.length) tree.plain = plain;
  return { tree, frames };
}

/** The rows of texts in a part of a table. */
function plainOf(
  { rows, texts, pattern, sides, tops, bottoms }: PlainRows,
  at: number,
  section: Element,
  { roles, tags }: Pick<Tables, "roles" | "tags">,
  refs: Refs,
): WireRows {
  const [row, cell] = pattern as [NodeRecord, NodeRecord];
  const [lefts, rights, ys, ends] = [
    sides.map(([left]) => left),
    sides.map(([, right]) => right),
    tops,
    bottoms,
  ].map((edges) => edges.map(Math.round)) as [number[], number[], number[], number[]];
  return {
    at,
    numbers: refs.noteRows(section, rows, texts, [row.role, cell.role]),
    roles: [roles.index(row.role), roles.index(cell.role)],
    tags: [tags.index("tr"), tags.index("td")],
    x: lefts,
    width: rights.map((right, place) => right - (lefts[place] as number)),
    y: ys,
    height: ends.map((end, place) => end - (ys[place] as number)),
    texts,
  };
}

/** The element around the whole of a run of text, where that is no node itself. */
function unseenParent({ source, lastText, isGenerated, up: above }: NodeRecord): Element | null {
  const parent = isGenerated ? (source as Element) : dom.parentElement(source);
  if (lastText) {
    let around = lastText.parentElement;
    while (around && around !== parent) around = dom.parentElement(around);
    if (!around) return null;
  }
  for (let up = above; up; up = up.up) if (up.source === parent) return up.dropped ? parent : null;
  return parent;
}

/**
 * How many elements like one with a text, or like one around it, stand right before it with nothing in them, not even a
 * space: a template leaves them where it has no value.
 */
function emptyBefore(around: Element, above: NodeRecord | null): number {
  let up = above;
  while (up?.dropped) up = up.up;
  let count = 0;
  for (let at: Element | null = around; at && at !== up?.source && !count; at = dom.parentElement(at)) {
    const tag = dom.localName(at);
    let before = dom.previousElementSibling(at);
    if (!before || dom.localName(before) !== tag) continue;
    const classes = dom.getAttribute(at, "class");
    while (before && count < MOST_GAPS && isEmpty(before)) {
      if (dom.localName(before) !== tag || dom.getAttribute(before, "class") !== classes) break;
      count++;
      before = dom.previousElementSibling(before);
    }
  }
  return count;
}

/** Whether an element has neither text, not even a space, nor anything that shows by itself. */
const isEmpty = (element: Element): boolean =>
  !dom.firstChild(element) ||
  (!dom.textContent(element) && !dom.querySelector(element, ":not(div, span, p)"));

/** Whether a run of text goes on the line of what stands before or after it. */
function sharesLine({ list }: Records, { at, firstLine }: NodeRecord): boolean {
  let before = at - 1;
  while (list[before]?.dropped) before--;
  const left = list[before];
  if (left && left.end <= at && left.lastLine === firstLine) return true;
  let after = at + 1;
  while (list[after]?.dropped) after++;
  return list[after]?.firstLine === firstLine;
}

/** Where the content of what scrolls begins, below the record's top, its height, where what is seen begins, and its height. */
type Extent = [start: number, height: number, from: number, seen: number];

/** How much is above what is seen; a box that is filled from its bottom counts from there, in negative numbers. */
function scrolledFrom(element: Element, most: number): number {
  const top = dom.get(element, "scrollTop");
  const { display, flexDirection } = getComputedStyle(element);
  return flexDirection === "column-reverse" && display.endsWith("flex") ? most + top : top;
}

/** What there is to scroll through, by the record that says so: what scrolls, else the only record in it. */
function scrollExtents(records: Records): Map<NodeRecord, Extent> {
  const found = new Map<NodeRecord, Extent>();
  for (const record of records.list) {
    if (!record.scrollable) continue;
    // A block that isn't kept itself holds a single record at most.
    const node = record.dropped ? records.inside(record).next().value : record;
    if (!node || node.isText) continue;
    const element = record.source as Element;
    const scrollHeight = dom.get(element, "scrollHeight");
    const clientHeight = dom.get(element, "clientHeight");
    if (scrollHeight <= clientHeight) continue;
    const from = scrolledFrom(element, scrollHeight - clientHeight);
    const start =
      Math.round(dom.getBoundingClientRect(element).top + dom.get(element, "clientTop") - from) - node.y;
    found.set(node, [start, Math.round(scrollHeight), Math.round(from), Math.round(clientHeight)]);
  }
  return found;
}
