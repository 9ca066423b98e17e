// The immutable snapshot of one document: rows as the columns that cross the wire.

import { type DocumentTree, type NodeExtra, State } from "../../protocol/generated";
import { metaAsksNoAi } from "../../shared/ai_opt_out";
import { relOf } from "../../shared/attributes";
import { emptyColumns, Tables, tagOf } from "../../shared/columns";
import { type Row, TEXT } from "./flatten";
import { type Bounds, union, type VirtualDocument, type VirtualNode } from "./tree";

/** A frame's element, its place in the columns, and what more is known of it. */
interface FrameAt {
  node: VirtualNode;
  at: number;
  extra: NodeExtra;
}

export interface DocumentSnapshot {
  tree: DocumentTree;
  frames: FrameAt[];
}

type Head = Pick<DocumentTree, "key" | "frame" | "version" | "ready_state">;

/** The rows that are elements, which have ref numbers. */
export function elementsIn(rows: readonly Row[]): Row[] {
  return rows.flatMap((row) => (row.role === TEXT ? [] : [row, ...elementsIn(row.rows)]));
}

/** Write a document's rows; `numbers` are the elements' ref numbers by backend id. */
export function snapshotOf(
  document: VirtualDocument,
  rows: readonly Row[],
  numbers: ReadonlyMap<number, number>,
  head: Head,
): DocumentSnapshot {
  const { url, title, viewport, scroll, size, elements } = document;
  const tables = new Tables();
  const noAi = [...elements.values()].some(
    ({ tag, attributes }) =>
      tag === "meta" && metaAsksNoAi(attributes.get("name"), attributes.get("content")),
  );
  const link = [...elements.values()].find(
    ({ tag, attributes }) => tag === "link" && relOf(attributes.get("rel")) === "next",
  );
  const href = link?.attributes.get("href") ?? "";
  const next = href && URL.canParse(href, url) ? new URL(href, url).href : "";
  const lang = document.roots.find(({ tag }) => tag === "html")?.attributes.get("lang");
  const tree: DocumentTree = {
    ...head,
    ...{ url, title, roles: tables.roles.entries, tags: tables.tags.entries },
    viewport: [Math.round(viewport[2]), Math.round(viewport[3])],
    scroll: [Math.round(scroll[0]), Math.round(scroll[1])],
    size: [Math.round(size[0]), Math.round(size[1])],
    ...(lang && { lang: lang.slice(0, 35) }),
    ...(noAi && { no_ai: true }),
    ...(next && { next }),
    elements: [...elements.values()].filter(({ rendered }) => rendered).length,
    ...emptyColumns(),
  };
  const columns = new Columns(tree, tables, document, numbers, modalsIn(rows));
  for (const row of rows) columns.add(row, 0, null, columns.modals.size > 0);
  return { tree, frames: columns.frames };
}

/** Open modal dialogs, and everything around them. */
function modalsIn(rows: readonly Row[]): Set<Row> {
  const found = new Set<Row>();
  for (const row of rows) {
    const inner = row.flags & State.MODAL ? [] : [...modalsIn(row.rows)];
    if (inner.length || row.flags & State.MODAL) for (const one of [row, ...inner]) found.add(one);
  }
  return found;
}

class Columns {
  readonly frames: FrameAt[] = [];

  constructor(
    private readonly tree: DocumentTree,
    private readonly tables: Tables,
    private readonly document: VirtualDocument,
    private readonly numbers: ReadonlyMap<number, number>,
    readonly modals: ReadonlySet<Row>,
  ) {}

  /** Add a row and all in it; `inert` where a modal dialog is open that isn't around it. */
  add(row: Row, depth: number, up: VirtualNode | null, inert: boolean): void {
    const { tree } = this;
    const { node, role, name } = row;
    const isText = role === TEXT;
    const isBehind = inert && !this.modals.has(row);
    const box = this.boxOf(row);
    const at = tree.number.push(isText ? 0 : (this.numbers.get(node.backend) as number)) - 1;
    tree.depth.push(depth);
    tree.role.push(this.tables.roles.index(role));
    tree.tag.push(this.tagIn(row, up));
    tree.name.push(name);
    tree.flags.push(
      row.flags | (isBehind ? State.OBSCURED : 0) | (this.isAway(role, box) ? State.OFFSCREEN : 0),
    );
    tree.box.push(...box);
    const isFrame = role === "iframe";
    if (isFrame) this.frames.push({ node, at, extra: row.extra });
    if (!isText) this.addScroll(row, box[1]);
    if (isFrame || Object.keys(row.extra).length > 0) tree.extra.push([at, row.extra]);
    const isModal = (row.flags & State.MODAL) !== 0;
    for (const inner of row.rows) this.add(inner, depth + 1, node, inert && !isModal);
  }

  private addScroll({ scroller, extra }: Row, top: number): void {
    if (!scroller?.scroll || !scroller.bounds) return;
    const [start, height, from, seen] = scroller.scroll;
    const begin = Math.round(scroller.bounds[1] - this.document.scroll[1] + start) - top;
    extra.scroll = [begin, Math.round(height), Math.round(from), Math.round(seen)];
  }

  /** Of a text: the element right around it where that has no row. */
  private tagIn({ node, role }: Row, up: VirtualNode | null): number {
    const element = role === TEXT ? node.parent : node;
    if (!element || (role === TEXT && element === up)) return -1;
    return this.tables.tags.index(tagOf(element.tag, element.attributes.get("class")));
  }

  private boxOf(row: Row): [number, number, number, number] {
    const { scroll } = this.document;
    const [x, y, width, height] = boundsOf(row) ?? [scroll[0], scroll[1], 0, 0];
    const [left, top] = [Math.round(x - scroll[0]), Math.round(y - scroll[1])];
    return [left, top, Math.round(x - scroll[0] + width) - left, Math.round(y - scroll[1] + height) - top];
  }

  private isAway(role: string, [x, y, width, height]: [number, number, number, number]): boolean {
    const [, , right, bottom] = this.document.viewport;
    if (width === 0 || height === 0) return !(role === "option" && width === 0);
    return x + width <= 0 || y + height <= 0 || x >= right || y >= bottom;
  }
}

/** What has no box of its own is where its content is. */
function boundsOf({ node, role, rows, texts }: Row): Bounds | null {
  if (role === TEXT) return enclose(texts.map(({ bounds }) => bounds));
  return enclose([node.bounds]) ?? enclose(rows.map(boundsOf)) ?? contentBounds(node) ?? node.bounds;
}

function enclose(all: readonly (Bounds | null)[]): Bounds | null {
  let found: Bounds | null = null;
  for (const one of all) if (one && (one[2] > 0 || one[3] > 0)) found = found ? union(found, one) : one;
  return found;
}

function contentBounds(node: VirtualNode): Bounds | null {
  return enclose(node.children.map((child) => enclose([child.bounds]) ?? contentBounds(child)));
}
