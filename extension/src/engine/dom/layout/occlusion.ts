// Controls that something lies over: an open menu, a notice, a bar that stays while the page scrolls; and all that an
// open modal dialog keeps from being used.

import { State } from "../../../protocol/generated";
import type { Point } from "../../../shared/messages";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import type { NodeRecord, Records } from "../walk/records";
import { isUncoveredByScrolling } from "./bars";
import { Clips, contentRects, coverOf, isWithin, QUARTERS } from "./hit_test";
import { imageOf } from "./image_maps";

/** Controls in view that are tried; no screen shows more that a person could tell apart. */
const MOST = 600;
/** Lines of a control that are tried. */
const MOST_LINES = 3;
/** Nobody presses what is no larger, in CSS pixels. */
const DOT = 4;
const POINTS = [[0.5, 0.5], ...QUARTERS] as const;

/** Mark everything outside open modal dialogs. */
export function markBehindModals({ list }: Records, modals: readonly NodeRecord[]): void {
  const open = modals.filter((modal) => !modal.dropped);
  if (!open.length) return;
  const free = new Set<NodeRecord>();
  for (const modal of open) {
    for (const inner of list.slice(modal.at, modal.end)) free.add(inner);
    for (let up = modal.up; up; up = up.up) free.add(up);
  }
  for (const record of list) if (!free.has(record)) record.flags |= State.OBSCURED;
}

/** Mark controls in view that get no event wherever a person could press. */
export function markCovered({ list }: Records, flat: FlatTree): void {
  const clips = new Clips(flat);
  let tried = 0;
  for (const record of list) {
    const { flags, width, height, x, y } = record;
    if (record.dropped || flags & (State.OFFSCREEN | State.OBSCURED)) continue;
    if (!(flags & State.ACTIONABLE) && record.role !== "iframe") continue;
    // What is cut down to a dot is there for screen readers, whatever lies over it.
    if (width <= DOT || height <= DOT) continue;
    if (++tried > MOST) return;
    const element = record.source as Element;
    const center = { x: x + width / 2, y: y + height / 2 };
    if (mayReceive(flat, element, center) || !isCovered(flat, element, clips)) continue;
    const cover = coverOf(flat, element, center);
    if (cover instanceof Element && isUncoveredByScrolling(flat, element, cover)) continue;
    record.flags |= State.OBSCURED;
  }
}
/** Whether the point says nothing against the element: it gets it, or what it is in does, or nothing. */
function mayReceive(flat: FlatTree, element: Element, point: Point): boolean {
  const cover = coverOf(flat, element, point);
  if (cover === null || cover === "outside" || flat.isInside(element, cover)) return true;
  // An image that isn't rendered yet doesn't know of its map.
  return dom.localName(element) === "area" && cover === imageOf(element);
}

function isCovered(flat: FlatTree, element: Element, clips: Clips): boolean {
  if (getComputedStyle(element).pointerEvents === "none") return false;
  const clip = clips.around(element);
  // Not covered, but cut away, unless it sticks out.
  if (clip.empty) return false;
  let tried = 0;
  for (const rect of contentRects(element).slice(0, MOST_LINES)) {
    for (const [across, down] of POINTS) {
      const point = { x: rect.x + rect.width * across, y: rect.y + rect.height * down };
      if (!isWithin(clip, point)) continue;
      if (mayReceive(flat, element, point)) return false;
      tried++;
    }
  }
  return tried > 0;
}
