// Measures where the records of a walk are, and drops those that are nowhere.

import { State } from "../../../shared/state";
import { INTERACTIVE } from "../semantics/aria";
import { drop, type NodeRecord, type Records } from "../walk/records";
import { rectOf } from "./image_maps";

type Edges = Pick<DOMRect, "x" | "y" | "right" | "bottom">;

/** Leaves without area aren't shown, except for these, which work all the same. */
const WORK_WITHOUT_AREA = new Set("area input option select textarea".split(" "));

/** Measure every record that is a node. */
export function measure({ list }: Records, document: Document): void {
  const range = document.createRange();
  for (const record of list) {
    if (record.dropped) continue;
    if (record.isText) measureText(record, range);
    else {
      const box = boxOf(record.source as Element, range);
      setBox(record, box);
      if (!(record.width && record.height) && (box.x === box.right || box.y === box.bottom))
        dropEmpty(record);
    }
  }
  encloseContent(list);
}

function measureText(record: NodeRecord, range: Range): void {
  const { up, source, lastText } = record;
  if (up && up.source === source.parentNode && !up.dropped && up.kids === 1) {
    Object.assign(record, { x: up.x, y: up.y, width: up.width, height: up.height });
    return;
  }
  const last = lastText ?? (source as Text);
  range.setStart(source, 0);
  range.setEnd(last, last.length);
  setBox(record, range.getBoundingClientRect());
}

/** An element's box; that of its content where it has none. */
function boxOf(element: Element, range: Range): Edges {
  const rect = rectOf(element);
  if (rect.width !== 0 || rect.height !== 0 || !element.firstChild) return rect;
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

/** Write a box, rounded so that neighbours still touch. */
function setBox(record: NodeRecord, { x, y, right, bottom }: Edges): void {
  record.x = Math.round(x);
  record.y = Math.round(y);
  record.width = Math.round(right) - record.x;
  record.height = Math.round(bottom) - record.y;
}

/** Drop a record without area, unless it holds something or works all the same. */
function dropEmpty(record: NodeRecord): void {
  if (record.kids > 0 || WORK_WITHOUT_AREA.has((record.source as Element).localName)) return;
  // Controls that show up only under the mouse are there for the keyboard all the same.
  if (!INTERACTIVE.has(record.role)) drop(record);
}

/** What has no box of its own (`display: contents` around a slot, say) is where its content is. */
function encloseContent(list: readonly NodeRecord[]): void {
  const contents = new Map<NodeRecord, Edges>();
  for (let at = list.length - 1; at >= 0; at--) {
    const record = list[at] as NodeRecord;
    const inner = contents.get(record);
    if (inner && !record.dropped && !record.width && !record.height) setBox(record, inner);
    if (!record.up) continue;
    const { x, y, width, height } = record;
    const own = !record.dropped && width && height ? { x, y, right: x + width, bottom: y + height } : null;
    const whole = union(union(own, inner), contents.get(record.up));
    if (whole) contents.set(record.up, whole);
  }
}

function union(a: Edges | null | undefined, b: Edges | null | undefined): Edges | null {
  if (!a || !b) return a ?? b ?? null;
  return {
    x: Math.min(a.x, b.x),
    y: Math.min(a.y, b.y),
    right: Math.max(a.right, b.right),
    bottom: Math.max(a.bottom, b.bottom),
  };
}

/** Mark what is outside the viewport. */
export function markOffscreen({ list }: Records, [width, height]: [number, number]): void {
  for (const record of list)
    if (!record.dropped && isAway(record, width, height)) record.flags |= State.OFFSCREEN;
}

function isAway(record: NodeRecord, viewWidth: number, viewHeight: number): boolean {
  const { x, y, width, height } = record;
  if (record.role === "option" && !width) return false;
  return !width || !height || x + width <= 0 || y + height <= 0 || x >= viewWidth || y >= viewHeight;
}
