// What is seen of elements that cut off a part of what is in them, as carousels do: nobody can scroll to the rest.

import * as dom from "../tree/dom";
import type { NodeRecord, Records } from "../walk/records";

type Clip = [x: number, y: number, width: number, height: number];

/** By node, the box in which what it holds is seen, where something in it lies outside of that as a whole. */
export function clipsOf(records: Records): Map<NodeRecord, Clip> {
  const found = new Map<NodeRecord, Clip>();
  for (const record of records.list) {
    if (record.overflow !== "cut") continue;
    // A block that isn't kept itself holds a single record at most.
    const node = record.dropped ? records.inside(record).next().value : record;
    if (!node || node.isText) continue;
    const { x, y, width, height } = dom.getBoundingClientRect(record.source as Element);
    const clip: Clip = [x, y, width, height];
    if (width && height && holdsOutside(records.list, record, clip))
      found.set(node, clip.map(Math.round) as Clip);
  }
  return found;
}

function holdsOutside(list: readonly NodeRecord[], { at, end }: NodeRecord, clip: Clip): boolean {
  for (let i = at + 1; i < end; i++) {
    const inner = list[i] as NodeRecord;
    if (!inner.dropped && !inner.isText && isOutside(inner, clip)) return true;
    if (inner.overflow === "scrolled") i = inner.end - 1;
  }
  return false;
}

function isOutside({ x, y, width, height }: NodeRecord, [left, top, wide, high]: Clip): boolean {
  const isApart = x + width <= left || y + height <= top || x >= left + wide || y >= top + high;
  return width > 0 && height > 0 && isApart;
}
