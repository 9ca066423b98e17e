// Records, numbered and measured, as the columns that cross the wire.

import type { DocumentTree, NodeExtra } from "../../../protocol/generated";
import { metaAsksNoAi } from "../../../shared/ai_opt_out";
import { State } from "../../../shared/state";
import { ROLE_OF_TEXT, Tables, tagOf } from "../../../shared/tables";
import type { FrameRecord } from "../earlier";
import { type Extent, extentOf, extentsOf } from "../layout/scroll_extents";
import { fold } from "../naming/text";
import type { Refs } from "../tree/refs";
import type { Records } from "../walk/records";
import type { Walk } from "../walk/walk";

/** What was told of each record, for a later walk that takes it over. */
export interface Told {
  numbers: Int32Array;
  roles: Int32Array;
  tags: Int32Array;
}

/** What was told of the records that were taken over. */
export function carried(told: Told, { origins, length }: Records): Told {
  const now: Told = untold(length);
  for (let i = 0; i < length; i++) {
    const origin = origins[i] as number;
    if (origin < 0) continue;
    now.numbers[i] = told.numbers[origin] as number;
    now.roles[i] = told.roles[origin] as number;
    now.tags[i] = told.tags[origin] as number;
  }
  return now;
}

function untold(count: number): Told {
  return {
    numbers: new Int32Array(count),
    roles: new Int32Array(count),
    tags: new Int32Array(count).fill(UNKNOWN),
  };
}

export interface Numbered {
  told: Told;
  tree: DocumentTree;
  frames: { number: number; element: HTMLIFrameElement; at: number }[];
}

const UNKNOWN = -2;

/** What the document itself tells, beside its nodes. */
export interface Head {
  key: string;
  frame: number;
  version: number;
}

/** What a document's columns say beside its nodes, and how its nodes are measured. */
export interface Surface {
  url: string;
  title: string;
  viewport: [number, number];
  scroll: [number, number];
  size: [number, number];
  /** It asks that no AI uses it. */
  no_ai?: boolean;
  /** The focused element, through open shadow roots. */
  active: Element | null;
  /** What there is to scroll through in an element; null where all of it is seen. */
  extentOf(element: Element): Extent | null;
  /** The boxes of the records that stay, four numbers each; leaves without area are dropped. */
  measure(walk: Walk): Int32Array;
  /** Marks what something lies over, given the boxes. */
  cover?(walk: Walk, boxes: Int32Array): void;
}

/** What a document says beside its nodes. */
export function surfaceOf(document: Document, drawn: Pick<Surface, "measure" | "cover">): Surface {
  const view = document.defaultView as Window;
  return {
    url: document.URL,
    title: document.title,
    viewport: [view.innerWidth, view.innerHeight],
    scroll: [Math.round(view.scrollX), Math.round(view.scrollY)],
    size: sizeOf(document),
    ...(pageAsksNoAi(document) && { no_ai: true }),
    active: focused(document),
    extentOf,
    ...drawn,
  };
}

/** A walk's records where they are, with the flags that they have there. */
export interface Drawn extends Pick<Surface, "active"> {
  walk: Walk;
  page: Omit<Surface, "active" | "measure" | "cover" | "extentOf">;
  boxes: Int32Array;
  rolls: ReturnType<typeof extentsOf>;
}

/** Find out where a walk's records are, and what of them can be seen and used. */
export function draw(
  walk: Walk,
  { active, measure, cover, extentOf, ...page }: Surface,
  offscreen: boolean,
): Drawn {
  const boxes = measure(walk);
  encloseContent(walk, boxes);
  markScreen(walk, boxes, ...page.viewport, offscreen);
  markObscured(walk);
  cover?.(walk, boxes);
  return { walk, page, active, boxes, rolls: extentsOf(walk, boxes, extentOf) };
}

/** The columns of a document whatever it is read by. */
export function columnsOf(
  { walk, page, active, boxes, rolls }: Drawn,
  refs: Pick<Refs, "note">,
  head: Head,
  { roles, tags } = new Tables(),
  before: Told | null = null,
): Numbered {
  const { records } = walk;
  const count = records.length;
  const told = untold(count);
  const depths = new Int32Array(count);
  const tree: DocumentTree = {
    ...head,
    ...page,
    roles: roles.entries,
    tags: tags.entries,
    number: [],
    depth: [],
    role: [],
    tag: [],
    flags: [],
    name: [],
    box: [],
    extra: [],
  };
  const frameAt = new Map(walk.frames.map((frame): [number, FrameRecord] => [frame.index, frame]));
  const frames: Numbered["frames"] = [];
  const { dropped, isText, parents, origins, names, extras, nodes } = records;
  for (let i = 0; i < count; i++) {
    const up = parents[i] as number;
    const depth = up < 0 ? 0 : (depths[up] as number);
    if (dropped[i]) {
      depths[i] = depth;
      continue;
    }
    depths[i] = depth + 1;
    const at = tree.number.length;
    const origin = before ? (origins[i] as number) : -1;
    const name = names[i] as string;
    let flags = records.flags[i] as number;
    let number = 0;
    let role = ROLE_OF_TEXT;
    let tag = UNKNOWN;
    if (isText[i]) {
      if (origin >= 0) tag = before?.tags[origin] as number;
      if (tag === UNKNOWN) {
        const holder = unseenParent(walk, i);
        tag = holder ? tags.index(tagOf(holder.localName, holder.getAttribute("class"))) : -1;
      }
      if (sharesLine(walk, i)) flags |= State.INLINE;
    } else {
      const element = nodes[i] as Element;
      if (origin >= 0) {
        number = before?.numbers[origin] as number;
        role = before?.roles[origin] as number;
        tag = before?.tags[origin] as number;
      }
      // What was dropped the last time was told nothing of.
      if (!number) {
        number = refs.note(element, records.roles[i] as string, name);
        role = roles.index(records.roles[i] as string);
        tag = tags.index(tagOf(element.localName, element.getAttribute("class")));
      }
      if (element === active) flags |= State.FOCUSED;
      const scroll = rolls.get(i);
      const extra = scroll ? { ...extras[i], scroll } : extras[i];
      if (extra) tree.extra.push([at, extra as NodeExtra]);
      if (records.roles[i] === "iframe") {
        const frame = frameAt.get(i);
        if (frame) frames.push({ number, element: frame.element, at });
      }
    }
    told.numbers[i] = number;
    told.roles[i] = role;
    told.tags[i] = tag;
    tree.number.push(number);
    tree.depth.push(depth);
    tree.role.push(role);
    tree.tag.push(tag);
    tree.name.push(isText[i] ? fold(name) : name);
    tree.flags.push(flags);
    const b = i * 4;
    tree.box.push(boxes[b] as number, boxes[b + 1] as number, boxes[b + 2] as number, boxes[b + 3] as number);
  }
  return { tree, frames, told };
}

function focused(within: Document): Element | null {
  let found = within.activeElement;
  for (let root = found?.shadowRoot; root?.activeElement; root = found?.shadowRoot)
    found = root.activeElement;
  return found === within.body ? null : found;
}

/** The element around the whole of a text run, where that is no node itself. */
function unseenParent({ records }: Walk, i: number): Element | null {
  const parent = (records.nodes[i] as Text).parentElement;
  const last = records.lastTexts.get(i);
  if (last) {
    let around = last.parentElement;
    while (around && around !== parent) around = around.parentElement;
    if (!around) return null;
  }
  for (let up = records.parents[i] as number; up >= 0; up = records.parents[up] as number)
    if (records.nodes[up] === parent) return records.dropped[up] ? parent : null;
  return parent;
}

/** What has no box of its own (`display: contents` around a slot, say) is where its content is. */
function encloseContent({ records }: Walk, boxes: Int32Array): void {
  for (let i = records.length - 1; i >= 0; i--) {
    if (records.dropped[i] || records.isText[i] || boxes[i * 4 + 2] || boxes[i * 4 + 3]) continue;
    let left = Number.POSITIVE_INFINITY;
    let top = left;
    let right = Number.NEGATIVE_INFINITY;
    let bottom = right;
    for (let j = i + 1; j < (records.ends[i] as number); j++) {
      const [x = 0, y = 0, width = 0, height = 0] = boxes.subarray(j * 4, j * 4 + 4);
      if (records.dropped[j] || width === 0 || height === 0) continue;
      left = Math.min(left, x);
      top = Math.min(top, y);
      right = Math.max(right, x + width);
      bottom = Math.max(bottom, y + height);
    }
    if (right > left) boxes.set([left, top, right - left, bottom - top], i * 4);
  }
}

function markScreen(walk: Walk, boxes: Int32Array, width: number, height: number, offscreen: boolean): void {
  const { records } = walk;
  const shows = new Uint8Array(records.length);
  for (let i = records.length - 1; i >= 0; i--) {
    if (records.dropped[i]) {
      if (shows[i]) markParent(i);
      continue;
    }
    const x = boxes[i * 4] as number;
    const y = boxes[i * 4 + 1] as number;
    const right = x + (boxes[i * 4 + 2] as number);
    const bottom = y + (boxes[i * 4 + 3] as number);
    const isOption = records.roles[i] === "option" && right === x;
    const empty = right === x || bottom === y;
    const away = (empty || right <= 0 || bottom <= 0 || x >= width || y >= height) && !isOption;
    if (away) records.flags[i] = (records.flags[i] as number) | State.OFFSCREEN;
    if (!away || shows[i]) markParent(i);
    else if (!offscreen) records.dropped[i] = 1;
  }

  function markParent(i: number): void {
    const up = records.parents[i] as number;
    if (up >= 0) shows[up] = 1;
  }
}

/** Everything outside an open modal dialog can't be reached. */
function markObscured(walk: Walk): void {
  const { records } = walk;
  const open = walk.modals.filter((at) => !records.dropped[at]);
  if (!open.length) return;
  const free = new Uint8Array(records.length);
  for (const at of open) {
    free.fill(1, at, records.ends[at]);
    for (let up = records.parents[at] as number; up >= 0; up = records.parents[up] as number) free[up] = 1;
  }
  for (let i = 0; i < records.length; i++) {
    if (!free[i]) records.flags[i] = (records.flags[i] as number) | State.OBSCURED;
  }
}

/** Whether a text run goes on the line of what stands before or after it. */
function sharesLine(walk: Walk, i: number): boolean {
  const { records } = walk;
  const line = records.starts[i];
  let before = i - 1;
  while (before >= 0 && records.dropped[before]) before--;
  if (before >= 0 && (records.ends[before] as number) <= i && records.stops[before] === line) return true;
  let after = i + 1;
  while (after < records.length && records.dropped[after]) after++;
  return after < records.length && records.starts[after] === line;
}

function sizeOf(document: Document): [number, number] {
  const root = document.scrollingElement ?? document.documentElement;
  return root ? [root.scrollWidth, root.scrollHeight] : [0, 0];
}

/** Whether a document asks that no AI uses it. */
export function pageAsksNoAi(document: Document): boolean {
  const metas = [...document.getElementsByTagName("meta")];
  return metas.some((meta) => metaAsksNoAi(meta.getAttribute("name"), meta.getAttribute("content")));
}
