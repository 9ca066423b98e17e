// What there is to scroll through: where the content of scroll containers is, told to a record that is kept.

import { Odd } from "../walk/records";
import type { Walk } from "../walk/walk";

/** The content of an element that scrolls: where it begins, its height, where what is seen begins in it, and its height. */
export interface Extent {
  start: number;
  height: number;
  from: number;
  seen: number;
}

/** What there is to scroll through in a live element; null where all of it is seen. */
export function extentOf(element: Element): Extent | null {
  const { scrollHeight: height, clientHeight: seen } = element;
  if (height <= seen) return null;
  const from = element.scrollTop;
  return { start: element.getBoundingClientRect().top + element.clientTop - from, height, from, seen };
}

/** What there is to scroll through, by the record that is told it: what scrolls, else the only record in it. */
export function extentsOf(
  { records }: Walk,
  boxes: Int32Array,
  extent: (element: Element) => Extent | null,
): Map<number, [number, number, number, number]> {
  const found = new Map<number, [number, number, number, number]>();
  const { odd, dropped, ends, isText } = records;
  for (let i = 0; i < records.length; i++) {
    if (!((odd[i] as number) & Odd.ROLLS)) continue;
    let at = i;
    while (at < (ends[i] as number) && dropped[at]) at++;
    // A block that isn't kept itself holds a single record at most.
    if (at === ends[i] || isText[at]) continue;
    const range = extent(records.nodes[i] as Element);
    if (!range) continue;
    const start = Math.round(range.start) - (boxes[at * 4 + 1] as number);
    found.set(at, [start, Math.round(range.height), Math.round(range.from), Math.round(range.seen)]);
  }
  return found;
}
