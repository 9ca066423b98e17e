// Where things are: boxes of records, those of untouched blocks taken over while the block stands where it stood.

import { rectOf } from "./areas";
import { INTERACTIVE } from "./aria";
import type { Changed } from "./changes";
import { NEVER, Odd, type Records, type Span } from "./records";
import type { Walk } from "./walk";

/** Leaves without area aren't shown, except for these, which work all the same. */
const WORK_WITHOUT_AREA = new Set("area input option select textarea".split(" "));

/** Boxes in which blocks follow one another downwards. */
const STACKING = /^(?:block|flow-root|list-item|table(?:-(?:row|header|footer)-group)?)$/;
/** How blocks that follow one another may overlap, in pixels. */
const TOLERANCE = 0.1;

/** The boxes of a walk, and what is needed to take them over. */
export class Layout {
  /** Left, top, right and bottom of each record, not rounded; NaN where there was nothing to measure. */
  readonly rects: Float64Array;
  /** Left, top, width and height of each record, rounded. */
  readonly boxes: Int32Array;
  /** Records that were found to be without area. */
  private readonly empty: Uint8Array;
  private readonly scrolled = new Map<Element, number>();
  private floats = 0;
  /** By how much all floats moved; null where there are none. */
  private drift: [number, number] | null = null;

  constructor(readonly records: Records) {
    this.rects = new Float64Array(records.length * 4).fill(Number.NaN);
    this.boxes = new Int32Array(records.length * 4);
    this.empty = new Uint8Array(records.length);
  }

  /** Measure a walk's records; those of `before` that nothing but what is around them has moved are taken over. */
  measure(walk: Walk, document: Document, before: Layout | null, changed: Changed | null): void {
    const { records } = walk;
    const restless = this.prepare(before);
    const still = before && changed && !changed.moved ? restless : null;
    const range = document.createRange();
    let spans = 0;
    for (let i = 0; i < records.length; i++) {
      while (spans < records.spans.length && (records.spans[spans] as Span).at < i) spans++;
      const span = still && records.spans[spans];
      if (span && span.at === i && this.takeOverAll(walk, span, still, before as Layout, range)) {
        i += span.length - 1;
        continue;
      }
      if (records.dropped[i]) continue;
      if (records.isText[i]) {
        this.measureText(records, i, range);
        continue;
      }
      this.set(i, boxOf(records.nodes[i] as Element, range));
      const origin = records.origins[i] as number;
      if (still && !still[i] && origin >= 0 && records.around[i] !== NEVER) {
        const [dx, dy] = this.displaced(i, before as Layout, origin);
        if (this.mayMove(dx, dy)) {
          const length = (records.ends[i] as number) - i;
          this.takeOver(walk, { at: i, origin, length }, before as Layout, dx, dy);
          i += length - 1;
          continue;
        }
      }
      if (this.isEmpty(i)) this.drop(walk, i);
    }
  }

  /** Whether a box that scrolls was scrolled, or came or went. */
  hasScrolledSince(before: Layout): boolean {
    if (this.scrolled.size !== before.scrolled.size) return true;
    for (const [element, at] of this.scrolled) if (before.scrolled.get(element) !== at) return true;
    return false;
  }

  /** For each record whether something in it may have moved by itself; null where that can't be told. */
  private prepare(before: Layout | null): Uint8Array | null {
    const { records } = this;
    const { odd, parents } = records;
    const restless = new Uint8Array(records.length);
    const floats: number[] = [];
    let isKnown = !records.unknown;
    for (let i = records.length - 1; i >= 0; i--) {
      const mark = odd[i] as number;
      if (!mark) continue;
      if (mark & Odd.UNKNOWN) isKnown = false;
      if (mark & Odd.FLOAT) floats.push(i);
      if (mark & Odd.BOXLESS) restless[i] = 1;
      const scrolled = mark & Odd.SCROLLS && this.hasScrolled(i, before);
      if (!(mark & Odd.ASIDE || scrolled)) continue;
      let at = scrolled ? i : (parents[i] as number);
      for (; at >= 0 && !restless[at]; at = parents[at] as number) restless[at] = 1;
    }
    this.floats = floats.length;
    return isKnown && before && this.areTogether(floats, before) ? restless : null;
  }

  /** Whether all floats are those of before and moved alike: lines of text anywhere may flow around them. */
  private areTogether(floats: readonly number[], before: Layout): boolean {
    if (floats.length !== before.floats) return false;
    for (const i of floats) {
      const origin = this.records.origins[i] as number;
      if (origin < 0 || this.records.dropped[i]) return false;
      this.set(i, rectOf(this.records.nodes[i] as Element));
      const [dx, dy] = this.displaced(i, before, origin);
      if (Number.isNaN(dx)) return false;
      this.drift ??= [dx, dy];
      if (dx !== this.drift[0] || dy !== this.drift[1]) return false;
    }
    return true;
  }

  private hasScrolled(i: number, before: Layout | null): boolean {
    const element = this.records.nodes[i] as Element;
    const at = element.scrollTop + element.scrollLeft * 1e6;
    this.scrolled.set(element, at);
    return before?.scrolled.get(element) !== at;
  }

  /** Take over neighbours whose first and last stand as they did to each other; so does what is between them. */
  private takeOverAll(walk: Walk, span: Span, still: Uint8Array, before: Layout, range: Range): boolean {
    const { records } = walk;
    const { nodes, ends, odd, dropped, isText } = records;
    const { at, origin, length } = span;
    const parent = (nodes[at] as Element).parentElement;
    let last = at;
    let bottom = Number.NEGATIVE_INFINITY;
    for (let i = at; i < at + length; i = ends[i] as number) {
      if (isText[i] || still[i] || (odd[i] as number) & Odd.ASIDE) return false;
      if ((nodes[i] as Element).parentElement !== parent) return false;
      last = i;
      if (dropped[i]) continue;
      const r = (origin + i - at) * 4;
      if (!((before.rects[r + 1] as number) >= bottom - TOLERANCE)) return false;
      bottom = before.rects[r + 3] as number;
    }
    if (
      last === at ||
      dropped[at] ||
      dropped[last] ||
      !parent ||
      !STACKING.test(getComputedStyle(parent).display)
    )
      return false;
    this.set(at, boxOf(nodes[at] as Element, range));
    this.set(last, boxOf(nodes[last] as Element, range));
    const [dx, dy] = this.displaced(at, before, origin);
    const [ex, ey] = this.displaced(last, before, origin + last - at);
    if (dx !== ex || dy !== ey || !this.mayMove(dx, dy)) return false;
    this.takeOver(walk, span, before, dx, dy);
    return true;
  }

  private measureText(records: Records, i: number, range: Range): void {
    const node = records.nodes[i] as Text;
    const up = records.parents[i] as number;
    if (up >= 0 && records.nodes[up] === node.parentNode && !records.dropped[up] && records.kids[up] === 1) {
      this.rects.copyWithin(i * 4, up * 4, up * 4 + 4);
      this.boxes.copyWithin(i * 4, up * 4, up * 4 + 4);
      return;
    }
    const last = records.lastTexts.get(i) ?? node;
    range.setStart(node, 0);
    range.setEnd(last, last.length);
    this.set(i, range.getBoundingClientRect());
  }

  /** By how much a record moved; NaN where its size changed too. */
  private displaced(i: number, { rects }: Layout, origin: number): [dx: number, dy: number] {
    const a = i * 4;
    const b = origin * 4;
    const now = this.rects;
    const dx = (now[a] as number) - (rects[b] as number);
    const dy = (now[a + 1] as number) - (rects[b + 1] as number);
    const same =
      (now[a + 2] as number) - (rects[b + 2] as number) === dx &&
      (now[a + 3] as number) - (rects[b + 3] as number) === dy;
    return same ? [dx, dy] : [Number.NaN, Number.NaN];
  }

  private mayMove(dx: number, dy: number): boolean {
    return !Number.isNaN(dx) && (!this.drift || (dx === this.drift[0] && dy === this.drift[1]));
  }

  private takeOver(walk: Walk, { at, origin, length }: Span, before: Layout, dx: number, dy: number): void {
    const { rects, boxes } = this;
    rects.set(before.rects.subarray(origin * 4, (origin + length) * 4), at * 4);
    if (dx || dy) {
      for (let r = at * 4; r < (at + length) * 4; r += 4) {
        // What has no box says it is at the origin, wherever it is.
        if (!(rects[r] || rects[r + 1] || rects[r + 2] || rects[r + 3])) continue;
        rects[r] = (rects[r] as number) + dx;
        rects[r + 1] = (rects[r + 1] as number) + dy;
        rects[r + 2] = (rects[r + 2] as number) + dx;
        rects[r + 3] = (rects[r + 3] as number) + dy;
        if (!Number.isNaN(rects[r])) this.round(r >> 2);
      }
    } else boxes.set(before.boxes.subarray(origin * 4, (origin + length) * 4), at * 4);
    for (let i = at; i < at + length; i++) if (before.empty[origin + i - at]) this.drop(walk, i);
  }

  private drop(walk: Walk, i: number): void {
    this.empty[i] = 1;
    dropEmpty(walk, i);
  }

  private isEmpty(i: number): boolean {
    const { boxes, rects } = this;
    const r = i * 4;
    if (boxes[r + 2] && boxes[r + 3]) return false;
    return rects[r] === rects[r + 2] || rects[r + 1] === rects[r + 3];
  }

  private set(i: number, { x, y, right, bottom }: Edges): void {
    const { rects } = this;
    const r = i * 4;
    rects[r] = x;
    rects[r + 1] = y;
    rects[r + 2] = right;
    rects[r + 3] = bottom;
    this.round(i);
  }

  private round(i: number): void {
    const { rects } = this;
    const r = i * 4;
    roundInto(
      this.boxes,
      i,
      rects[r] as number,
      rects[r + 1] as number,
      rects[r + 2] as number,
      rects[r + 3] as number,
    );
  }
}

type Edges = Pick<DOMRect, "x" | "y" | "right" | "bottom">;

function boxOf(element: Element, range: Range): Edges {
  const rect = rectOf(element);
  if (rect.width !== 0 || rect.height !== 0 || !element.firstChild) return rect;
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

function roundInto(
  boxes: Int32Array,
  i: number,
  left: number,
  top: number,
  right: number,
  bottom: number,
): void {
  const x = Math.round(left);
  const y = Math.round(top);
  boxes[i * 4] = x;
  boxes[i * 4 + 1] = y;
  boxes[i * 4 + 2] = Math.round(right) - x;
  boxes[i * 4 + 3] = Math.round(bottom) - y;
}

/** Round a box so that neighbours still touch. */
export function setBox(boxes: Int32Array, i: number, { x, y, right, bottom }: Edges): void {
  roundInto(boxes, i, x, y, right, bottom);
}

/** Drop a record without area, unless it holds something or works all the same. */
export function dropEmpty({ records }: Pick<Walk, "records">, i: number): void {
  const tag = (records.nodes[i] as Element).localName;
  if ((records.kids[i] as number) > 0 || WORK_WITHOUT_AREA.has(tag)) return;
  // Controls that show up only under the mouse are there for the keyboard all the same.
  if (INTERACTIVE.has(records.roles[i] as string)) return;
  records.drop(i);
}
