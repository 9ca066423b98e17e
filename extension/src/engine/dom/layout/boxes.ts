// Where the records of a walk are: what was measured, and what is needed to take it over.

import type { Records, Span } from "../walk/records";

export type Edges = Pick<DOMRect, "x" | "y" | "right" | "bottom">;

export class Layout {
  /** Left, top, right and bottom of each record, not rounded; NaN where there was nothing to measure. */
  readonly rects: Float64Array;
  /** Left, top, width and height of each record, rounded. */
  readonly boxes: Int32Array;
  /** Records that were found to be without area. */
  readonly empty: Uint8Array;
  /** Where boxes that scroll are scrolled to. */
  readonly scrolled = new Map<Element, number>();
  /** Records that were taken over and stand where they stood, in their order. */
  readonly unmoved: Span[] = [];
  /** How many records float. */
  floats = 0;

  constructor(readonly records: Records) {
    this.rects = new Float64Array(records.length * 4).fill(Number.NaN);
    this.boxes = new Int32Array(records.length * 4);
    this.empty = new Uint8Array(records.length);
  }

  /** Whether a box that scrolls was scrolled, or came or went. */
  hasScrolledSince(before: Layout): boolean {
    if (this.scrolled.size !== before.scrolled.size) return true;
    for (const [element, at] of this.scrolled) if (before.scrolled.get(element) !== at) return true;
    return false;
  }

  /** Note where a box that scrolls is scrolled to; whether that is elsewhere than before. */
  hasScrolled(i: number, before: Layout | null): boolean {
    const element = this.records.nodes[i] as Element;
    const at = element.scrollTop + element.scrollLeft * 1e6;
    this.scrolled.set(element, at);
    return before?.scrolled.get(element) !== at;
  }

  /** By how much a record moved; NaN where its size changed too. */
  displaced(i: number, { rects }: Layout, origin: number): [dx: number, dy: number] {
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

  /** Whether a record is where an element's edges are. */
  isAt(i: number, { x, y, right, bottom }: Edges): boolean {
    const { rects } = this;
    const r = i * 4;
    return rects[r] === x && rects[r + 1] === y && rects[r + 2] === right && rects[r + 3] === bottom;
  }

  isEmpty(i: number): boolean {
    const { boxes, rects } = this;
    const r = i * 4;
    if (boxes[r + 2] && boxes[r + 3]) return false;
    return rects[r] === rects[r + 2] || rects[r + 1] === rects[r + 3];
  }

  set(i: number, { x, y, right, bottom }: Edges): void {
    const { rects } = this;
    const r = i * 4;
    rects[r] = x;
    rects[r + 1] = y;
    rects[r + 2] = right;
    rects[r + 3] = bottom;
    this.round(i);
  }

  /** Put a record where another is. */
  same(i: number, as: number): void {
    this.rects.copyWithin(i * 4, as * 4, as * 4 + 4);
    this.boxes.copyWithin(i * 4, as * 4, as * 4 + 4);
  }

  /** Put `length` records where those of before are, so far away. */
  repeat(at: number, before: Layout, origin: number, length: number, dx: number, dy: number): void {
    const { rects, boxes } = this;
    rects.set(before.rects.subarray(origin * 4, (origin + length) * 4), at * 4);
    if (!dx && !dy) {
      boxes.set(before.boxes.subarray(origin * 4, (origin + length) * 4), at * 4);
      this.unmoved.push({ at, origin, length });
      return;
    }
    for (let r = at * 4; r < (at + length) * 4; r += 4) {
      // What has no box says it is at the origin, wherever it is.
      if (!(rects[r] || rects[r + 1] || rects[r + 2] || rects[r + 3])) continue;
      rects[r] = (rects[r] as number) + dx;
      rects[r + 1] = (rects[r + 1] as number) + dy;
      rects[r + 2] = (rects[r + 2] as number) + dx;
      rects[r + 3] = (rects[r + 3] as number) + dy;
      if (!Number.isNaN(rects[r])) this.round(r >> 2);
    }
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
