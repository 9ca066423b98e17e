// Records, numbered, as the columns that cross the wire.

import type { DocumentTree, NodeExtra } from "../../../protocol/generated";
import { metaAsksNoAi } from "../../../shared/ai_opt_out";
import { type Columns, emptyColumns, type Tables, tagOf } from "../../../shared/columns";
import { State } from "../../../shared/state";
import { scrollExtents } from "../layout/scroll_extents";
import { fold } from "../naming/text";
import type { Refs } from "../tree/refs";
import type { NodeRecord, Records } from "../walk/records";

/** A document's tree, and its frames. */
export interface NumberedTree {
  tree: DocumentTree;
  frames: { number: number; element: HTMLIFrameElement; at: number }[];
}

/** What a document says beside its nodes. */
export function headOf(
  document: Document,
): Pick<DocumentTree, "url" | "title" | "viewport" | "scroll" | "size" | "no_ai"> {
  const view = document.defaultView as Window;
  const root = document.scrollingElement ?? document.documentElement;
  return {
    url: document.URL,
    title: document.title,
    viewport: [view.innerWidth, view.innerHeight],
    scroll: [Math.round(view.scrollX), Math.round(view.scrollY)],
    size: root ? [root.scrollWidth, root.scrollHeight] : [0, 0],
    ...(pageAsksNoAi(document) && { no_ai: true }),
  };
}

/** Whether a `meta` element of the document asks that no AI uses it. */
export function pageAsksNoAi(document: Document): boolean {
  const metas = [...document.getElementsByTagName("meta")];
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
  const extents = scrollExtents(records);
  const depths = new Map<NodeRecord, number>();
  for (const record of records.list) {
    const depth = record.up ? (depths.get(record.up) as number) : 0;
    depths.set(record, record.dropped ? depth : depth + 1);
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
    tree.tag.push(holder ? tags.index(tagOf(holder.localName, holder.getAttribute("class"))) : -1);
    tree.name.push(isText ? fold(label) : label);
    tree.flags.push(flags);
    tree.box.push(record.x, record.y, record.width, record.height);
    const scroll = extents.get(record);
    const extra: NodeExtra | null = scroll ? { ...record.extra, scroll } : record.extra;
    if (extra) tree.extra.push([at, extra]);
    if (role === "iframe") frames.push({ number, element: element as HTMLIFrameElement, at });
  }
  return { tree, frames };
}

/** The element around the whole of a run of text, where that is no node itself. */
function unseenParent({ source, lastText, up: above }: NodeRecord): Element | null {
  const parent = source.parentElement;
  if (lastText) {
    let around = lastText.parentElement;
    while (around && around !== parent) around = around.parentElement;
    if (!around) return null;
  }
  for (let up = above; up; up = up.up) if (up.source === parent) return up.dropped ? parent : null;
  return parent;
}

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
