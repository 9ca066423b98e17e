// Controls that something lies over: an open menu, a notice, a bar that stays while the page scrolls.

import { State } from "../../../shared/state";
import type { FlatTree } from "../tree/flat_tree";
import type { Verdicts } from "../verdicts";
import type { Walk } from "../walk/walk";
import { Clips, isWithin } from "./clips";
import { contentRects, coverOf, QUARTERS } from "./hit_test";
import { imageOf } from "./image_maps";

/** Controls in view that are looked at; no screen shows more that a person could tell apart. */
const MOST = 600;
/** Lines of a control that are tried. */
const MOST_LINES = 3;
/** Nobody presses what is no larger, in CSS pixels. */
const DOT = 4;
/** So many are asked before the time is looked at, so that each stretch gets somewhere. */
const NEWS_BETWEEN_LOOKS = 25;
const NOT_ASKED = State.OFFSCREEN | State.OBSCURED;
const POINTS = [[0.5, 0.5], ...QUARTERS] as const;

/** Mark controls in view that get no event wherever a person could press, until then; whether that was all. */
export function markCovered(
  { records }: Walk,
  boxes: Int32Array,
  document: Document,
  flat: FlatTree,
  verdicts: Pick<Verdicts, "find" | "note">,
  until = Number.POSITIVE_INFINITY,
): boolean {
  const clips = new Clips(flat, document);
  let asked = 0;
  let news = 0;
  for (let i = 0; i < records.length && asked < MOST; i++) {
    const flags = records.flags[i] as number;
    if (records.dropped[i] || flags & NOT_ASKED) continue;
    if (!(flags & State.ACTIONABLE) && records.roles[i] !== "iframe") continue;
    const width = boxes[i * 4 + 2] as number;
    const height = boxes[i * 4 + 3] as number;
    // What is cut down to a dot is there for screen readers, whatever lies over it.
    if (width <= DOT || height <= DOT) continue;
    asked++;
    const element = records.nodes[i] as Element;
    const x = boxes[i * 4] as number;
    const y = boxes[i * 4 + 1] as number;
    let covered = verdicts.find(element, [x, y, x + width, y + height]);
    if (covered === undefined) {
      if (++news % NEWS_BETWEEN_LOOKS === 0 && performance.now() > until) return false;
      const middle = { x: x + width / 2, y: y + height / 2 };
      covered = !mayReceive(flat, element, middle) && isCovered(flat, element, clips);
      verdicts.note(element, covered);
    }
    if (covered) records.flags[i] = flags | State.OBSCURED;
  }
  return true;
}

/** Whether the point says nothing against the element: it gets it, or what it is in does, or nothing. */
function mayReceive(flat: FlatTree, element: Element, point: { x: number; y: number }): boolean {
  const cover = coverOf(flat, element, point);
  if (cover === null || cover === "outside" || flat.isInside(element, cover)) return true;
  // An image that isn't drawn yet doesn't know of its map.
  return element.localName === "area" && cover === imageOf(element);
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
