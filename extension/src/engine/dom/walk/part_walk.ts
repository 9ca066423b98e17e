// A walk that goes nowhere but to some elements: what it finds in them is what a walk of the whole document finds there.

import type { FlatTree } from "../tree/flat_tree";
import type { NodeRecord, Records } from "./records";

export class WalkPart {
  /** The elements that are walked with all that is in them. */
  private readonly whole = new Set<Element>();
  /** Elements of which only they themselves count. */
  private readonly alone = new Set<Element>();
  /** What the walk passes on its way. */
  private readonly way = new Set<Element>();
  /** How many of the elements the walk is in. */
  private depth = 0;
  private from = 0;
  private readonly spans: [number, number][] = [];

  constructor(private readonly flat: FlatTree) {}

  add(element: Element): void {
    this.whole.add(element);
    this.pass(element);
  }

  addAlone(element: Element): void {
    this.alone.add(element);
    this.pass(element);
  }

  /** Whether an element is one of those, or around one. */
  passes(element: Element): boolean {
    return this.way.has(element);
  }

  /** How many elements are walked with all that is in them. */
  get size(): number {
    return this.whole.size;
  }

  /** Whether the walk goes into an element. */
  takes(element: Element): boolean {
    return this.depth > 0 || this.way.has(element);
  }

  /** Whether text counts where the walk is. */
  get inside(): boolean {
    return this.depth > 0;
  }

  enter(element: Element, { list }: Records): void {
    if (!this.whole.has(element)) return;
    if (this.depth++ === 0) this.from = list.length;
  }

  leave(element: Element, { list }: Records): void {
    if (this.whole.has(element) && --this.depth === 0) this.spans.push([this.from, list.length]);
  }

  /** Drop what the walk only came by. */
  dropRest({ list }: Records): void {
    let next = 0;
    for (const record of list) {
      while ((this.spans[next]?.[1] ?? Number.POSITIVE_INFINITY) <= record.at) next++;
      const isInside = record.at >= (this.spans[next]?.[0] ?? Number.POSITIVE_INFINITY);
      if (!isInside && !this.countsAlone(record)) record.dropped = true;
    }
  }

  private countsAlone({ isText, source }: NodeRecord): boolean {
    return !isText && this.alone.has(source as Element);
  }

  private pass(element: Element): void {
    for (let at: Element | null = element; at && !this.way.has(at); at = this.flat.parent(at))
      this.way.add(at);
  }
}
