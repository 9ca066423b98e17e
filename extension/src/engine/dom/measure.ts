// Where things are: boxes of records, those of untouched blocks taken over while the block stands where it stood.

import { rectOf } from "./areas";
import { INTERACTIVE } from "./aria";
import type { Changed } from "./changes";
import { NEVER, type Records } from "./records";
import type { Walk } from "./walk";

/** What a record's box may depend on beside what is around and before it. */
const Odd = { ASIDE: 1, FLOAT: 2, SCROLLS: 4 } as const;

const STUDIED_AT_ONCE = 100;
/** Leaves without area aren't shown, except for these, which work all the same. */
const WORK_WITHOUT_AREA = new Set("area input option select textarea".split(" "));

/** The boxes of a walk, and what is needed to take them over. */
export class Layout {
  /** Left, top, right and bottom of each record, not rounded; NaN where there was nothing to measure. */
  readonly rects: Float64Array;
  /** For each record what is odd about it; null until that is known. */
  odd: Uint8Array | null = null;
  private readonly scrolled = new Map<Element, number>();

  constructor(readonly records: Records) {
    this.rects = new Float64Array(records.length * 4).fill(Number.NaN);
  }

  /** Measure a walk's records; those of `before` that nothing has moved are taken over. */
  measure(
    walk: Walk,
    document: Document,
    boxes: Int32Array,
    before: Layout | null,
    changed: Changed | null,
  ): void {
    const { records } = walk;
    const still = before && changed && !changed.moved ? this.prepare(before) : null;
    const range = document.createRange();
    for (let i = 0; i < records.length; i++) {
      if (records.dropped[i]) continue;
      if (records.isText[i]) this.measureText(records, i, range, boxes);
      else {
        this.set(boxes, i, boxOf(records.nodes[i] as Element, range));
        const origin = records.origins[i] as number;
        if (
          still &&
          !still[i] &&
          origin >= 0 &&
          records.around[i] !== NEVER &&
          this.isWhere(i, before as Layout, origin)
        ) {
          this.takeOver(walk, i, before as Layout, origin, boxes);
          i = (records.ends[i] as number) - 1;
        } else if (isEmpty(boxes, i, this.rects)) dropEmpty(walk, i);
      }
    }
  }

  /** Find out what is odd, while the page is idle. */
  study(): void {
    const odd = new Uint8Array(this.records.length);
    let i = 0;
    const work = (deadline: IdleDeadline): void => {
      do {
        const end = Math.min(odd.length, i + STUDIED_AT_ONCE);
        for (; i < end; i++) odd[i] = this.oddity(i);
      } while (i < odd.length && deadline.timeRemaining() > 2);
      if (i < odd.length) requestIdleCallback(work);
      else this.odd = odd;
    };
    requestIdleCallback(work);
  }

  /** For each record whether something in it may have moved by itself; null where that can't be told. */
  private prepare(before: Layout): Uint8Array | null {
    const { records } = this;
    const earlier = before.odd;
    if (!earlier) return null;
    const odd = new Uint8Array(records.length);
    let floats = 0;
    for (const mark of earlier) if (mark & Odd.FLOAT) floats++;
    let fresh = 0;
    for (let i = 0; i < odd.length; i++) {
      const origin = records.origins[i] as number;
      odd[i] = origin >= 0 ? (earlier[origin] as number) : this.oddity(i);
      if ((odd[i] as number) & Odd.FLOAT) origin >= 0 ? floats-- : fresh++;
    }
    this.odd = odd;
    const restless = new Uint8Array(records.length);
    for (let i = odd.length - 1; i >= 0; i--) {
      const mark = odd[i] as number;
      const moves = mark & Odd.ASIDE || (mark & Odd.SCROLLS && this.hasScrolled(i, before));
      if (moves)
        for (let at = mark & Odd.ASIDE ? (records.parents[i] as number) : i; at >= 0 && !restless[at]; ) {
          restless[at] = 1;
          at = records.parents[at] as number;
        }
    }
    return floats || fresh ? null : restless;
  }

  private hasScrolled(i: number, before: Layout): boolean {
    const element = this.records.nodes[i] as Element;
    const at = element.scrollTop + element.scrollLeft * 1e6;
    this.scrolled.set(element, at);
    return before.scrolled.get(element) !== at;
  }

  private oddity(i: number): number {
    const { records } = this;
    if (records.isText[i]) return 0;
    const element = records.nodes[i] as Element;
    if (element.localName === "area") return Odd.ASIDE;
    const style = getComputedStyle(element);
    const { position } = style;
    let odd = position === "static" || position === "relative" || position === "" ? 0 : Odd.ASIDE;
    if (style.cssFloat !== "none") odd |= Odd.FLOAT;
    if (style.overflowY !== "visible") {
      odd |= Odd.SCROLLS;
      this.scrolled.set(element, element.scrollTop + element.scrollLeft * 1e6);
    }
    return odd;
  }

  private measureText(records: Records, i: number, range: Range, boxes: Int32Array): void {
    const node = records.nodes[i] as Text;
    const up = records.parents[i] as number;
    if (up >= 0 && records.nodes[up] === node.parentNode && !records.dropped[up] && records.kids[up] === 1) {
      this.rects.copyWithin(i * 4, up * 4, up * 4 + 4);
      boxes.copyWithin(i * 4, up * 4, up * 4 + 4);
      return;
    }
    const last = records.lastTexts.get(i) ?? node;
    range.setStart(node, 0);
    range.setEnd(last, last.length);
    this.set(boxes, i, range.getBoundingClientRect());
  }

  private isWhere(i: number, before: Layout, origin: number): boolean {
    for (let j = 0; j < 4; j++) if (this.rects[i * 4 + j] !== before.rects[origin * 4 + j]) return false;
    return true;
  }

  private takeOver(walk: Walk, first: number, before: Layout, origin: number, boxes: Int32Array): void {
    const { records } = walk;
    const { rects } = this;
    const end = records.ends[first] as number;
    rects.set(before.rects.subarray(origin * 4, (origin + end - first) * 4), first * 4);
    for (let i = first; i < end; i++) {
      if (records.dropped[i]) continue;
      const r = i * 4;
      roundInto(
        boxes,
        i,
        rects[r] as number,
        rects[r + 1] as number,
        rects[r + 2] as number,
        rects[r + 3] as number,
      );
      if (!records.isText[i] && isEmpty(boxes, i, rects)) dropEmpty(walk, i);
    }
  }

  private set(boxes: Int32Array, i: number, rect: Pick<DOMRect, "x" | "y" | "right" | "bottom">): void {
    const { x, y, right, bottom } = rect;
    const { rects } = this;
    const r = i * 4;
    rects[r] = x;
    rects[r + 1] = y;
    rects[r + 2] = right;
    rects[r + 3] = bottom;
    roundInto(boxes, i, x, y, right, bottom);
  }
}

function boxOf(element: Element, range: Range): Pick<DOMRect, "x" | "y" | "right" | "bottom"> {
  const rect = rectOf(element);
  if (rect.width !== 0 || rect.height !== 0 || !element.firstChild) return rect;
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

function isEmpty(boxes: Int32Array, i: number, rects: Float64Array): boolean {
  if (boxes[i * 4 + 2] && boxes[i * 4 + 3]) return false;
  const r = i * 4;
  return rects[r] === rects[r + 2] || rects[r + 1] === rects[r + 3];
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
export function setBox(
  boxes: Int32Array,
  i: number,
  rect: Pick<DOMRect, "x" | "y" | "right" | "bottom">,
): void {
  roundInto(boxes, i, rect.x, rect.y, rect.right, rect.bottom);
}

/** Drop a record without area, unless it holds something or works all the same. */
export function dropEmpty({ records }: Pick<Walk, "records">, i: number): void {
  const tag = (records.nodes[i] as Element).localName;
  if ((records.kids[i] as number) > 0 || WORK_WITHOUT_AREA.has(tag)) return;
  // Controls that show up only under the mouse are there for the keyboard all the same.
  if (INTERACTIVE.has(records.roles[i] as string)) return;
  records.dropped[i] = true;
  for (let up = records.parents[i] as number; up >= 0; up = records.parents[up] as number) {
    records.kids[up] = (records.kids[up] as number) - 1;
    if (!records.dropped[up]) break;
  }
}
