// Measures where things are: boxes of records, those of untouched blocks taken over while the block stands where it
// stood.

import type { Changed } from "../changes";
import { INTERACTIVE } from "../semantics/aria";
import { NEVER, Odd, type Span } from "../walk/records";
import type { Walk } from "../walk/walk";
import { type Edges, Layout } from "./boxes";
import { rectOf } from "./image_maps";

/** Leaves without area aren't shown, except for these, which work all the same. */
const WORK_WITHOUT_AREA = new Set("area input option select textarea".split(" "));

/** Boxes in which blocks follow one another downwards. */
const STACKING = /^(?:block|flow-root|list-item|table(?:-(?:row|header|footer)-group)?)$/;
/** How blocks that follow one another may overlap, in pixels. */
const TOLERANCE = 0.1;
const RECORDS_BETWEEN_LOOKS = 32;

/** The measuring of a walk's records, which may go on in another task while nothing moves. */
export class Measuring {
  readonly layout: Layout;
  private readonly range: Range;
  private readonly view: string;
  /** For each record whether something in it may have moved by itself; null where nothing can be taken over. */
  private readonly still: Uint8Array | null;
  /** By how much all floats moved; null where there are none. */
  private drift: [number, number] | null = null;
  private at = 0;
  private spans = 0;

  /** What nothing but what is around it has moved since `before` is taken over from it. */
  constructor(
    private readonly walk: Walk,
    private readonly document: Document,
    private readonly before: Layout | null,
    changed: Changed | null,
  ) {
    this.layout = new Layout(walk.records);
    this.range = document.createRange();
    this.view = this.viewNow();
    const restless = this.prepare();
    this.still = before && changed && !changed.moved ? restless : null;
  }

  /** Whether what was measured is still where it was, as far as what is measured next stands in it. */
  get stands(): boolean {
    const { layout, range, walk } = this;
    const { nodes, parents, dropped } = walk.records;
    if (this.view !== this.viewNow()) return false;
    for (let up = parents[this.at] ?? -1; up >= 0; up = parents[up] as number)
      if (!dropped[up] && !layout.isAt(up, boxOf(nodes[up] as Element, range))) return false;
    return true;
  }

  /** Measure until then; whether that was all. */
  goOn(until = Number.POSITIVE_INFINITY): boolean {
    const { layout, still, walk, range } = this;
    const { records } = walk;
    const { length, spans } = records;
    let looks = 0;
    for (let i = this.at; i < length; i++) {
      if (++looks % RECORDS_BETWEEN_LOOKS === 0 && performance.now() > until) {
        this.at = i;
        return false;
      }
      while (this.spans < spans.length && (spans[this.spans] as Span).at < i) this.spans++;
      const span = still && spans[this.spans];
      if (span && span.at === i && this.takeOverAll(span, still)) {
        i += span.length - 1;
        continue;
      }
      if (records.dropped[i]) continue;
      if (records.isText[i]) {
        this.measureText(i);
        continue;
      }
      layout.set(i, boxOf(records.nodes[i] as Element, range));
      const origin = records.origins[i] as number;
      if (still && !still[i] && origin >= 0 && records.around[i] !== NEVER) {
        const [dx, dy] = layout.displaced(i, this.before as Layout, origin);
        if (this.mayMove(dx, dy)) {
          const length = (records.ends[i] as number) - i;
          this.takeOver({ at: i, origin, length }, dx, dy);
          i += length - 1;
          continue;
        }
      }
      if (layout.isEmpty(i)) this.drop(i);
    }
    this.at = length;
    return true;
  }

  private prepare(): Uint8Array | null {
    const { layout, before } = this;
    const { records } = layout;
    const { odd, parents } = records;
    const restless = new Uint8Array(records.length);
    const floats: number[] = [];
    let isKnown = !records.unknown;
    for (let i = records.length - 1; i >= 0; i--) {
      const mark = odd[i] as number;
      if (!mark) continue;
      if (mark & Odd.UNKNOWN) isKnown = false;
      if (mark & Odd.FLOAT) floats.push(i);
      if (mark & Odd.LOOSE) restless[i] = 1;
      const scrolled = mark & Odd.SCROLLS && layout.hasScrolled(i, before);
      if (!(mark & Odd.ASIDE || scrolled)) continue;
      let at = scrolled ? i : (parents[i] as number);
      for (; at >= 0 && !restless[at]; at = parents[at] as number) restless[at] = 1;
    }
    layout.floats = floats.length;
    return isKnown && before && this.areTogether(floats, before) ? restless : null;
  }

  /** Whether all floats are those of before and moved alike: lines of text anywhere may flow around them. */
  private areTogether(floats: readonly number[], before: Layout): boolean {
    const { layout } = this;
    const { nodes, origins, dropped } = layout.records;
    if (floats.length !== before.floats) return false;
    for (const i of floats) {
      const origin = origins[i] as number;
      if (origin < 0 || dropped[i]) return false;
      layout.set(i, rectOf(nodes[i] as Element));
      const [dx, dy] = layout.displaced(i, before, origin);
      if (Number.isNaN(dx)) return false;
      this.drift ??= [dx, dy];
      if (dx !== this.drift[0] || dy !== this.drift[1]) return false;
    }
    return true;
  }

  /** Take over neighbours whose first and last stand as they did to each other; so does what is between them. */
  private takeOverAll(span: Span, still: Uint8Array): boolean {
    const { layout, range } = this;
    const before = this.before as Layout;
    const { nodes, ends, odd, dropped, isText } = layout.records;
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
    layout.set(at, boxOf(nodes[at] as Element, range));
    layout.set(last, boxOf(nodes[last] as Element, range));
    const [dx, dy] = layout.displaced(at, before, origin);
    const [ex, ey] = layout.displaced(last, before, origin + last - at);
    if (dx !== ex || dy !== ey || !this.mayMove(dx, dy)) return false;
    this.takeOver(span, dx, dy);
    return true;
  }

  private measureText(i: number): void {
    const { layout, range } = this;
    const { nodes, parents, dropped, kids, lastTexts } = layout.records;
    const node = nodes[i] as Text;
    const up = parents[i] as number;
    if (up >= 0 && nodes[up] === node.parentNode && !dropped[up] && kids[up] === 1) {
      layout.same(i, up);
      return;
    }
    const last = lastTexts.get(i) ?? node;
    range.setStart(node, 0);
    range.setEnd(last, last.length);
    layout.set(i, range.getBoundingClientRect());
  }

  private mayMove(dx: number, dy: number): boolean {
    return !Number.isNaN(dx) && (!this.drift || (dx === this.drift[0] && dy === this.drift[1]));
  }

  private takeOver({ at, origin, length }: Span, dx: number, dy: number): void {
    const before = this.before as Layout;
    this.layout.repeat(at, before, origin, length, dx, dy);
    for (let i = at; i < at + length; i++) if (before.empty[origin + i - at]) this.drop(i);
  }

  private drop(i: number): void {
    this.layout.empty[i] = 1;
    dropEmpty(this.walk, i);
  }

  private viewNow(): string {
    const view = this.document.defaultView as Window;
    return [view.scrollX, view.scrollY, view.innerWidth, view.innerHeight].join();
  }
}

function boxOf(element: Element, range: Range): Edges {
  const rect = rectOf(element);
  if (rect.width !== 0 || rect.height !== 0 || !element.firstChild) return rect;
  range.selectNodeContents(element);
  return range.getBoundingClientRect();
}

/** Drop a record without area, unless it holds something or works all the same. */
export function dropEmpty({ records }: Pick<Walk, "records">, i: number): void {
  const tag = (records.nodes[i] as Element).localName;
  if ((records.kids[i] as number) > 0 || WORK_WITHOUT_AREA.has(tag)) return;
  // Controls that show up only under the mouse are there for the keyboard all the same.
  if (INTERACTIVE.has(records.roles[i] as string)) return;
  records.drop(i);
}
