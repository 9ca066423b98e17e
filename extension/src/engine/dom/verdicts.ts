// Which controls were covered in the picture before, and where that may be otherwise by now: asking who gets the
// events of a point is what costs most on pages of many layers.

import { State } from "../../shared/state";
import type { Changed } from "./changes";
import type { Layout } from "./layout/boxes";
import type { Records, Span } from "./walk/records";

/** More places than these, or more that was looked at anew, and everything is asked again. */
const MOST_PLACES = 40;
const MOST_ANEW = 400;
const MARGIN = 1;
/** A text's own place, that of the element it is in, and of the one around that. */
const LEVELS = 3;

type Box = readonly [left: number, top: number, right: number, bottom: number];

/** Where something is other than before; `within` where all of it is in one control, which it can't cover. */
interface Place {
  box: Box;
  within: Node | null;
}

export class Verdicts {
  private readonly covered = new WeakMap<Element, boolean>();
  private view = "";
  private isCurrent = false;
  private places: readonly Place[] | null = null;

  /** Whether all controls were asked about. */
  isWhole = false;
  /** Of how many the picture's verdict is known. */
  known = 0;

  /** Whether they are those of the last picture, and nothing but texts changed since. */
  get holds(): boolean {
    return this.isCurrent && this.isWhole;
  }

  /** More has changed than texts, or nobody looked what. */
  forget(): void {
    this.isCurrent = false;
  }

  /** Start a picture: what of the last one's still holds. */
  begin(window: Window, layout: Layout, before: Layout | null, changed: Changed | null): void {
    const view = [window.scrollX, window.scrollY, window.innerWidth, window.innerHeight].join();
    const isSame = this.isCurrent && this.view === view && changed?.calm && before;
    this.places = isSame && !layout.hasScrolledSince(before) ? changedPlaces(layout, before) : null;
    this.view = view;
    this.isCurrent = true;
    this.known = 0;
  }

  /** Whether a control is covered, as far as that is known still. */
  find(element: Element, box: Box): boolean | undefined {
    if (!this.places) return undefined;
    if (this.places.some((place) => place.within !== element && overlap(place.box, box))) return undefined;
    const covered = this.covered.get(element);
    if (covered !== undefined) this.known++;
    return covered;
  }

  note(element: Element, covered: boolean): void {
    this.covered.set(element, covered);
    this.known++;
  }
}

/** Where anything is, or was, that is other than before; null for everywhere. */
function changedPlaces(layout: Layout, before: Layout): Place[] | null {
  const { records } = layout;
  const { nodes, origins, dropped, isText } = records;
  const anew = new Map<Node, number>();
  const old = before.records;
  forOutside(old.length, taken(records.spans), (i) => anew.set(old.nodes[i] as Node, i));
  if (anew.size > MOST_ANEW) return null;
  const gone = new Set(anew.keys());
  const found: Place[] = [];
  const add = (box: Box | null, within: Node | null): void => {
    if (box) found.push({ box, within });
  };
  const placeBefore = (i: number): number =>
    (origins[i] as number) >= 0 ? (origins[i] as number) : (anew.get(nodes[i] as Node) ?? -1);
  const isWhereItWas = (i: number): boolean => {
    const from = placeBefore(i);
    return from >= 0 && isSameRect(layout.rects, i, before.rects, from);
  };
  forOutside(records.length, layout.unmoved, (i) => {
    if (dropped[i] || found.length > MOST_PLACES) return;
    gone.delete(nodes[i] as Node);
    const isSame = isWhereItWas(i);
    if (isSame && !(isText[i] && (origins[i] as number) < 0)) return;
    const around = isText[i] ? surroundings(records, i, isWhereItWas) : [i];
    const last = around.at(-1) as number;
    const within = last !== i && isControl(records, last) ? (nodes[last] as Node) : null;
    for (const at of around) add(boxOf(layout.rects, at), within);
    if (!isSame && placeBefore(i) >= 0) add(boxOf(before.rects, placeBefore(i)), within);
  });
  for (const node of gone) add(boxOf(before.rects, anew.get(node) as number), null);
  return found.length > MOST_PLACES ? null : found;
}

/**
 * A text and what is around it: what has no record of its own may have moved there. A control that stands where it stood
 * keeps what is in it to itself.
 */
function surroundings(records: Records, i: number, isWhereItWas: (i: number) => boolean): number[] {
  const found: number[] = [];
  for (let at = i; at >= 0 && found.length < LEVELS; at = records.parents[at] as number) {
    found.push(at);
    if (at !== i && isControl(records, at) && isWhereItWas(at)) break;
  }
  return found;
}

function isControl({ flags }: Records, i: number): boolean {
  return ((flags[i] as number) & State.ACTIONABLE) !== 0;
}

/** Where what was taken over stood before, in that order. */
function taken(spans: readonly Span[]): Span[] {
  return spans
    .map(({ at, origin, length }) => ({ at: origin, origin: at, length }))
    .sort((a, b) => a.at - b.at);
}

/** Visit what lies in none of the spans, which are in their order. */
function forOutside(length: number, spans: readonly Span[], visit: (i: number) => void): void {
  let from = 0;
  for (const span of spans) {
    for (let i = from; i < span.at; i++) visit(i);
    from = span.at + span.length;
  }
  for (let i = from; i < length; i++) visit(i);
}

function boxOf(rects: Float64Array, i: number): Box | null {
  const box = [0, 1, 2, 3].map((side) => rects[i * 4 + side] as number) as unknown as Box;
  return box.some(Number.isNaN) ? null : box;
}

function isSameRect(a: Float64Array, i: number, b: Float64Array, j: number): boolean {
  for (let side = 0; side < 4; side++) if (!Object.is(a[i * 4 + side], b[j * 4 + side])) return false;
  return true;
}

function overlap(a: Box, b: Box): boolean {
  return a[0] <= b[2] + MARGIN && b[0] <= a[2] + MARGIN && a[1] <= b[3] + MARGIN && b[1] <= a[3] + MARGIN;
}
