// Controls that something lies over: an open menu, a notice, a bar that stays while the page scrolls.

import type { FlatTree } from "./flat";
import { contentRects, coverOf, isUnclipped, QUARTERS } from "./hit";
import { State } from "./state";
import type { Walk } from "./walk";

/** Controls in view that are looked at; no screen shows more that a person could tell apart. */
const MOST = 600;
/** Lines of a control that are tried. */
const MOST_LINES = 3;
const NOT_ASKED = State.OFFSCREEN | State.OBSCURED;

/** Mark controls in view that get no event wherever a person could press. */
export function markCovered({ records }: Walk, boxes: Int32Array, flat: FlatTree): void {
  let asked = 0;
  for (let i = 0; i < records.length && asked < MOST; i++) {
    const flags = records.flags[i] as number;
    if (records.dropped[i] || flags & NOT_ASKED) continue;
    if (!(flags & State.ACTIONABLE) && records.roles[i] !== "iframe") continue;
    const [x = 0, y = 0, width = 0, height = 0] = boxes.subarray(i * 4, i * 4 + 4);
    if (!width || !height) continue;
    asked++;
    const element = records.nodes[i] as Element;
    if (mayReceive(flat, element, { x: x + width / 2, y: y + height / 2 })) continue;
    if (isCovered(flat, element)) records.flags[i] = flags | State.OBSCURED;
  }
}

/** Whether the point says nothing against the element: it gets it, or what it is in does, or nothing. */
function mayReceive(flat: FlatTree, element: Element, point: { x: number; y: number }): boolean {
  const cover = coverOf(flat, element, point);
  return cover === null || cover === "outside" || flat.isInside(element, cover);
}

function isCovered(flat: FlatTree, element: Element): boolean {
  if (getComputedStyle(element).pointerEvents === "none") return false;
  const view = element.ownerDocument.defaultView as Window;
  let tried = 0;
  for (const rect of contentRects(element).slice(0, MOST_LINES)) {
    for (const [across, down] of [[0.5, 0.5] as const, ...QUARTERS]) {
      const point = { x: rect.x + rect.width * across, y: rect.y + rect.height * down };
      const { x, y } = point;
      if (x < 0 || y < 0 || x >= view.innerWidth || y >= view.innerHeight) continue;
      if (mayReceive(flat, element, point)) return false;
      if (isUnclipped(flat, element, point)) tried++;
    }
  }
  return tried > 0;
}
