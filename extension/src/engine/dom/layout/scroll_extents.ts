// What there is to scroll through: where the content of scroll containers is, as the record that is a node says it.

import type { NodeRecord, Records } from "../walk/records";

/** Where the content of what scrolls begins, below the record's top, its height, where what is seen begins, and its height. */
type Extent = [start: number, height: number, from: number, seen: number];

/** What there is to scroll through, by the record that says so: what scrolls, else the only record in it. */
export function scrollExtents(records: Records): Map<NodeRecord, Extent> {
  const found = new Map<NodeRecord, Extent>();
  for (const record of records.list) {
    if (!record.scrollable) continue;
    // A block that isn't kept itself holds a single record at most.
    const node = record.dropped ? records.inside(record).next().value : record;
    if (!node || node.isText) continue;
    const element = record.source as Element;
    const { scrollHeight, clientHeight } = element;
    if (scrollHeight <= clientHeight) continue;
    const from = element.scrollTop;
    const start = Math.round(element.getBoundingClientRect().top + element.clientTop - from) - node.y;
    found.set(node, [start, Math.round(scrollHeight), Math.round(from), Math.round(clientHeight)]);
  }
  return found;
}
