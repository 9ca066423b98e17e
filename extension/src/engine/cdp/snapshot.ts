// The immutable snapshot of one document: rows as the columns that cross the wire.

import type { DocumentTree } from "../../protocol/generated";
import { metaAsksNoAi } from "../../shared/ai_opt_out";
import { State } from "../../shared/state";
import { ROLE_OF_TEXT, Tables, tagOf } from "../../shared/tables";
import { Flattening, type Row } from "./flatten";
import { type Bounds, union, type VirtualDocument, type VirtualNode } from "./nodes";

/** An element in the snapshot: what its ref number is requested for. */
export interface Shown {
  backend: number;
  role: string;
  name: string;
}

/** A frame's element, and its place in the columns. */
export interface FrameAt {
  node: VirtualNode;
  at: number;
}

export interface DocumentSnapshot {
  tree: DocumentTree;
  /** In document order; in the tree their numbers are their places here, from 1, until `number` replaces them. */
  shown: Shown[];
  frames: FrameAt[];
}

export type Head = Pick<DocumentTree, "key" | "frame" | "version">;

/** Flatten a document. */
export function snapshotOf(document: VirtualDocument, head: Head): DocumentSnapshot {
  const { url, title, viewport, scroll, size, elements } = document;
  const rows = new Flattening(document).rows();
  const modals = new Set<Row>();
  markModals(rows, modals);
  const tables = new Tables();
  const metas = [...elements.values()].filter(({ tag }) => tag === "meta");
  const noAi = metas.some(({ attributes }) =>
    metaAsksNoAi(attributes.get("name"), attributes.get("content")),
  );
  const tree: DocumentTree = {
    ...head,
    ...{ url, title, roles: tables.roles.entries, tags: tables.tags.entries },
    viewport: [Math.round(viewport[2]), Math.round(viewport[3])],
    scroll: [Math.round(scroll[0]), Math.round(scroll[1])],
    size: [Math.round(size[0]), Math.round(size[1])],
    ...(noAi && { no_ai: true }),
    ...{ number: [], depth: [], role: [], tag: [], flags: [], name: [], box: [], extra: [] },
  };
  const snapshot: DocumentSnapshot = { tree, shown: [], frames: [] };
  const columns = new Columns(snapshot, tables, document, modals);
  for (const row of rows) columns.add(row, 0, null, modals.size > 0);
  return snapshot;
}

/** Put ref numbers in the place of places. */
export function number({ tree }: DocumentSnapshot, numbers: readonly number[]): void {
  tree.number = tree.number.map((place) => (place === 0 ? 0 : (numbers[place - 1] as number)));
}

/** Open modal dialogs, and everything around them; whether there is one in these rows. */
function markModals(rows: readonly Row[], found: Set<Row>): boolean {
  let any = false;
  for (const row of rows) {
    if (!(row.flags & State.MODAL) && !markModals(row.rows, found)) continue;
    found.add(row);
    any = true;
  }
  return any;
}

class Columns {
  constructor(
    private readonly snapshot: DocumentSnapshot,
    private readonly tables: Tables,
    private readonly document: VirtualDocument,
    private readonly modals: ReadonlySet<Row>,
  ) {}

  /** Add a row and all in it; `inert` where a modal dialog is open that isn't around it. */
  add(row: Row, depth: number, up: VirtualNode | null, inert: boolean): void {
    const { tree, shown, frames } = this.snapshot;
    const { node, role, name } = row;
    const at = tree.number.length;
    const isBehind = inert && !this.modals.has(row);
    const box = this.boxOf(row);
    tree.number.push(role === null ? 0 : shown.push({ backend: node.backend, role, name }));
    tree.depth.push(depth);
    tree.role.push(role === null ? ROLE_OF_TEXT : this.tables.roles.index(role));
    tree.tag.push(this.tagIn(row, up));
    tree.name.push(name);
    tree.flags.push(
      row.flags | (isBehind ? State.OBSCURED : 0) | (this.isAway(role, box) ? State.OFFSCREEN : 0),
    );
    tree.box.push(...box);
    if (role === "iframe") frames.push({ node, at });
    if (role !== null) this.addScroll(row, box[1]);
    if (Object.keys(row.extra).length > 0) tree.extra.push([at, row.extra]);
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
    const element = role === null ? node.parent : node;
    if (!element || (role === null && element === up)) return -1;
    return this.tables.tags.index(tagOf(element.tag, element.attributes.get("class") ?? null));
  }

  private boxOf(row: Row): [number, number, number, number] {
    const { scroll } = this.document;
    const [x, y, width, height] = this.boundsOf(row) ?? [scroll[0], scroll[1], 0, 0];
    const [left, top] = [Math.round(x - scroll[0]), Math.round(y - scroll[1])];
    return [left, top, Math.round(x - scroll[0] + width) - left, Math.round(y - scroll[1] + height) - top];
  }

  /** What has no box of its own is where its content is. */
  private boundsOf({ node, role, rows, texts }: Row): Bounds | null {
    if (role === null) return enclose(texts.map(({ bounds }) => bounds));
    const { bounds } = node;
    if (bounds && (bounds[2] > 0 || bounds[3] > 0)) return bounds;
    return enclose(rows.map((inner) => this.boundsOf(inner))) ?? contentBounds(node) ?? bounds;
  }

  private isAway(role: string | null, [x, y, width, height]: readonly number[] & { length: 4 }): boolean {
    const [, , right, bottom] = this.document.viewport;
    const [w, h] = [width ?? 0, height ?? 0];
    if (w === 0 || h === 0) return !(role === "option" && w === 0);
    return (x ?? 0) + w <= 0 || (y ?? 0) + h <= 0 || (x ?? 0) >= right || (y ?? 0) >= bottom;
  }
}

function enclose(all: readonly (Bounds | null)[]): Bounds | null {
  let found: Bounds | null = null;
  for (const one of all) if (one && (one[2] > 0 || one[3] > 0)) found = found ? union(found, one) : one;
  return found;
}

function contentBounds(node: VirtualNode): Bounds | null {
  return enclose(node.children.map((child) => enclose([child.bounds]) ?? contentBounds(child)));
}
