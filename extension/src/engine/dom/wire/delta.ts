// What a tree has that the one sent before had not: splices of nodes, and ranges of nodes that stand elsewhere.

import type { DocumentDelta, DocumentTree, NodeExtra } from "../../../protocol/generated";
import { type Columns, emptyColumns } from "../../../shared/columns";

/** A tree as it was sent, with the lengths that its tables had. */
export interface Sent {
  stamp: number;
  tree: DocumentTree;
  roles: number;
  tags: number;
  /** By the node's place; most have none. */
  extras: (NodeExtra | undefined)[];
}

/** More parts than these cost more than the tree. */
const MOST_PARTS = 400;
/** How far to look for a node that stands in both. */
const LOOK_AHEAD = 24;

/** Remember a tree as sent. */
export function sentOf(tree: DocumentTree, stamp: number): Sent {
  const extras: (NodeExtra | undefined)[] = new Array(tree.number.length);
  for (const [at, extra] of tree.extra) extras[at] = extra;
  return { stamp, tree, roles: tree.roles.length, tags: tree.tags.length, extras };
}

/** What changed since a tree was sent; null where the whole tree says it shorter. */
export function deltaOf(before: Sent, now: Sent): DocumentDelta | null {
  if (before.tree.roles !== now.tree.roles || before.tree.tags !== now.tree.tags) return null;
  const changes = new Comparison(before, now).compare();
  if (!changes) return null;
  const { key, frame, url, title, lang, version, viewport, scroll, size, no_ai, next, roles, tags } =
    now.tree;
  const { ready_state, elements, css, unkept } = now.tree;
  return {
    ...{ key, frame, url, title, version, viewport, scroll, size, ready_state, elements },
    ...(lang && { lang }),
    ...(no_ai && { no_ai }),
    ...(next && { next }),
    ...(css && { css, unkept }),
    base: before.stamp,
    stamp: now.stamp,
    roles: roles.slice(before.roles),
    tags: tags.slice(before.tags),
    ...changes,
    frames: [],
  };
}

type Changes = Columns & Pick<DocumentDelta, "splices" | "shifts">;

class Comparison {
  private readonly changes: Changes = { splices: [], shifts: [], ...emptyColumns() };
  private places: Map<number, number> | null = null;

  constructor(
    private readonly before: Sent,
    private readonly now: Sent,
  ) {}

  compare(): Changes | null {
    const { changes } = this;
    const old = this.before.tree.number.length;
    const size = this.now.tree.number.length;
    let i = 0;
    let j = 0;
    while (i < old || j < size) {
      if (i < old && j < size && this.isSame(i, j)) {
        this.shift(i++, j++);
        continue;
      }
      const [next, then] = this.meet(i, j, old, size);
      this.splice(i, next - i, j, then - j);
      i = next;
      j = then;
      const parts = changes.splices.length + changes.shifts.length;
      if (parts > MOST_PARTS || changes.number.length > size / 2) return null;
    }
    return changes;
  }

  private isSame(i: number, j: number): boolean {
    const a = this.before.tree;
    const b = this.now.tree;
    return (
      a.number[i] === b.number[j] &&
      a.flags[i] === b.flags[j] &&
      a.name[i] === b.name[j] &&
      a.depth[i] === b.depth[j] &&
      a.role[i] === b.role[j] &&
      a.tag[i] === b.tag[j] &&
      a.box[i * 4 + 2] === b.box[j * 4 + 2] &&
      a.box[i * 4 + 3] === b.box[j * 4 + 3] &&
      isSameExtra(this.before.extras[i], this.now.extras[j])
    );
  }

  /** The nearest places from which on both may be the same again. */
  private meet(i: number, j: number, old: number, size: number): [number, number] {
    const a = this.before.tree.number;
    const b = this.now.tree.number;
    if (i < old && j < size && a[i] === b[j]) return [i + 1, j + 1];
    let best: [number, number] = [old, size];
    let found = 0;
    for (let k = j; k < size && found < LOOK_AHEAD; k++) {
      const place = b[k] ? this.placeOf(b[k] as number) : -1;
      if (place < i) continue;
      found++;
      if (place - i + k - j < best[0] - i + best[1] - j) best = [place, k];
    }
    return best;
  }

  private placeOf(number: number): number {
    if (!this.places) {
      this.places = new Map();
      for (const [at, one] of this.before.tree.number.entries()) if (one) this.places.set(one, at);
    }
    return this.places.get(number) ?? -1;
  }

  private shift(i: number, j: number): void {
    const a = this.before.tree.box;
    const b = this.now.tree.box;
    const dx = (b[j * 4] as number) - (a[i * 4] as number);
    const dy = (b[j * 4 + 1] as number) - (a[i * 4 + 1] as number);
    if (!dx && !dy) return;
    const { shifts } = this.changes;
    const last = shifts[shifts.length - 1];
    if (last && last[1] === j && last[2] === dx && last[3] === dy) last[1] = j + 1;
    else shifts.push([j, j + 1, dx, dy]);
  }

  private splice(at: number, removed: number, from: number, inserted: number): void {
    const { tree, extras } = this.now;
    const { changes } = this;
    const last = changes.splices[changes.splices.length - 1];
    if (last && last[0] + last[1] === at) {
      last[1] += removed;
      last[2] += inserted;
    } else changes.splices.push([at, removed, inserted]);
    for (let j = from; j < from + inserted; j++) {
      const extra = extras[j];
      if (extra) changes.extra.push([changes.number.length, extra]);
      changes.number.push(tree.number[j] as number);
      changes.depth.push(tree.depth[j] as number);
      changes.role.push(tree.role[j] as number);
      changes.tag.push(tree.tag[j] as number);
      changes.flags.push(tree.flags[j] as number);
      changes.name.push(tree.name[j] as string);
      for (let side = 0; side < 4; side++) changes.box.push(tree.box[j * 4 + side] as number);
    }
  }
}

function isSameExtra(a: NodeExtra | undefined, b: NodeExtra | undefined): boolean {
  return a === b || (a !== undefined && b !== undefined && JSON.stringify(a) === JSON.stringify(b));
}
