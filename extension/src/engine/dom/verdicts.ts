// Which controls were covered in the picture before, and where that may be otherwise by now: asking who gets the
// events of a point is what costs most on pages of many layers.

import type { Changed } from "./changes";
import type { Layout } from "./layout";
import type { Records } from "./records";

/** More places than these, or more that was looked at anew, and everything is asked again. */
const MOST_PLACES = 40;
const MOST_ANEW = 400;
const MARGIN = 1;
/** A text's own place, that of the element it is in, and of the one around that. */
const LEVELS = 3;

type Place = readonly [left: number, top: number, right: number, bottom: number];

export class Verdicts {
  private readonly covered = new WeakMap<Element, boolean>();
  private view = "";
  private isCurrent = false;
  private places: readonly Place[] | null = null;

  /** Whether they are those of the last picture, and nothing but texts changed since. */
  get holds(): boolean {
    return this.isCurrent;
  }

  /** More has changed than texts, or nobody looked what. */
  forget(): void {
    this.isCurrent = false;
  }

  /** Start a picture: what of the last one's still holds. */
  begin(window: Window, layout: Layout, before: Layout | null, changed: Changed | null): void {
    const view = [window.scrollX, window.scrollY, window.innerWidth, window.innerHeight].join();
    const isSame = this.isCurrent && this.view === view && changed?.calm && before;
    this.places = isSame && !layout.hasScrolledSince(before) ? changedPlaces(layout, before, changed) : null;
    this.view = view;
    this.isCurrent = true;
  }

  /** Whether a control is covered, as far as that is known still. */
  find(element: Element, box: Place): boolean | undefined {
    if (!this.places || this.places.some((place) => overlap(place, box))) return undefined;
    return this.covered.get(element);
  }

  note(element: Element, covered: boolean): void {
    this.covered.set(element, covered);
  }
}

/** Where anything is, or was, that is other than before; null for everywhere. */
function changedPlaces(layout: Layout, before: Layout, { path }: Changed): Place[] | null {
  const { records } = layout;
  const { nodes, origins, dropped, isText } = records;
  const anew = new Map<Node, number>();
  const old = before.records;
  if (path.size)
    for (let i = 0; i < old.length; i++) {
      const node = old.nodes[i] as Element | Text;
      if (path.has((old.isText[i] ? node.parentElement : node) as Element)) anew.set(node, i);
    }
  if (anew.size > MOST_ANEW) return null;
  const found: Place[] = [];
  const add = (place: Place | null): void => {
    if (place) found.push(place);
  };
  for (let i = 0; i < records.length && found.length <= MOST_PLACES; i++) {
    if (dropped[i]) continue;
    const node = nodes[i] as Node;
    const from = (origins[i] as number) >= 0 ? (origins[i] as number) : (anew.get(node) ?? -1);
    anew.delete(node);
    if (from >= 0 && isSameRect(layout.rects, i, before.rects, from)) {
      if ((origins[i] as number) < 0 && isText[i]) addAround(layout, records, i, add);
      continue;
    }
    if (isText[i]) addAround(layout, records, i, add);
    else add(placeOf(layout.rects, i));
    if (from >= 0) add(placeOf(before.rects, from));
  }
  for (const from of anew.values()) add(placeOf(before.rects, from));
  return found.length > MOST_PLACES ? null : found;
}

/** A text's place and that of what is around it: what has no record of its own may have moved there. */
function addAround(
  layout: Layout,
  { parents }: Records,
  i: number,
  add: (place: Place | null) => void,
): void {
  let at = i;
  for (let level = 0; level < LEVELS && at >= 0; level++) {
    add(placeOf(layout.rects, at));
    at = parents[at] as number;
  }
}

function placeOf(rects: Float64Array, i: number): Place | null {
  const place = [0, 1, 2, 3].map((side) => rects[i * 4 + side] as number) as unknown as Place;
  return place.some(Number.isNaN) ? null : place;
}

function isSameRect(a: Float64Array, i: number, b: Float64Array, j: number): boolean {
  for (let side = 0; side < 4; side++) if (!Object.is(a[i * 4 + side], b[j * 4 + side])) return false;
  return true;
}

function overlap(a: Place, b: Place): boolean {
  return a[0] <= b[2] + MARGIN && b[0] <= a[2] + MARGIN && a[1] <= b[3] + MARGIN && b[1] <= a[3] + MARGIN;
}
