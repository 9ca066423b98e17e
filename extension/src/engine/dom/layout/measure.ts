// Measures where the records of a walk are, and drops those that are nowhere.

import { State } from "../../../protocol/generated";
import { CELLS, INTERACTIVE } from "../../../shared/roles";
import * as dom from "../tree/dom";
import { drop, type NodeRecord, type Records } from "../walk/records";
import { type Edges, setBox } from "./boxes";
import { rectOf } from "./image_maps";
import { TableColumns } from "./table_columns";

/** Leaves without area aren't shown, except for these, which work all the same. */
const WORK_WITHOUT_AREA = new Set("area input option select textarea".split(" "));

/** Measure every record that is a node. */
export function measure({ list }: Records, document: Document): void {
  const range = dom.call(document, "createRange");
  const columns = new TableColumns();
  for (let at = 0; at < list.length; at++) {
    const record = list[at] as NodeRecord;
    if (record.dropped) continue;
    if (record.isInColumn && columns.place(list, at)) at = (record.up as NodeRecord).end - 1;
    else if (record.isText) measureText(record, range);
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
  if (record.isGenerated) {
    setBox(record, rectOf(source as Element));
    return;
  }
  if (up && up.source === dom.parentNode(source) && !up.dropped && up.kids === 1) {
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
  if (rect.width !== 0 || rect.height !== 0 || !dom.firstChild(element)) return rect;
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

/** Drop a record without area, unless it holds something or works all the same. */
function dropEmpty(record: NodeRecord): void {
  if (record.kids > 0 || WORK_WITHOUT_AREA.has(dom.localName(record.source as Element))) return;
  // Controls that show up only under the mouse are there for the keyboard all the same.
  if (!INTERACTIVE.has(record.role) && !isPlaceInRow(record)) drop(record);
}

/** Whether a record is an empty cell of a row that is shown: the cells behind it would stand in the wrong columns. */
function isPlaceInRow({ role, source, width, up }: NodeRecord): boolean {
  let row = up;
  while (row?.dropped) row = row.up;
  // A layout of tables gives each column its width: one without any is shown in no row.
  return (
    CELLS.has(role) &&
    Boolean(row?.width && row.height) &&
    (width > 0 || !/^t[dh]$/.test(dom.localName(source as Element)))
  );
}

/** What has no box of its own (`display: contents` around a slot, say) is where its content is. */
function encloseContent(list: readonly NodeRecord[]): void {
  for (let at = list.length - 1; at >= 0; at--) {
    const record = list[at] as NodeRecord;
    if (record.dropped || record.width || record.height) continue;
    const around = { x: Infinity, y: Infinity, right: -Infinity, bottom: -Infinity };
    for (let i = at + 1; i < record.end; i++) {
      const { dropped, x, y, width, height } = list[i] as NodeRecord;
      if (dropped || !width || !height) continue;
      around.x = Math.min(around.x, x);
      around.y = Math.min(around.y, y);
      around.right = Math.max(around.right, x + width);
      around.bottom = Math.max(around.bottom, y + height);
    }
    if (around.x < around.right) setBox(record, around);
  }
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
