// The walk before, as far as it still holds.

import type { Changed } from "./changes";
import { NEVER } from "./walk/records";
import { INLINE_BY_DEFAULT } from "./walk/visit";
import type { Walk } from "./walk/walk";

const NEARBY = 12;

export interface FrameRecord {
  index: number;
  element: HTMLIFrameElement;
}

/** Neighbouring blocks that are taken over, for their new place. */
export interface Repeated {
  walk: Walked;
  first: number;
  end: number;
  parent: number;
  lines: number;
}

/** What stays of a walk. */
export type Walked = Pick<Walk, "records" | "frames" | "modals">;

/** An earlier walk over the document, and what has changed since. */
export interface Earlier {
  walk: Walked;
  /** Where a block stands in it that is still as it was, else -1. */
  find(element: Element, inherited: number): number;
  /** Whether everything in the element may be other than it was. */
  isNew(element: Element): boolean;
}

export class EarlierWalk implements Earlier {
  private at = 0;
  private places: Map<Node, number> | null = null;

  constructor(
    readonly walk: Walked,
    private readonly changed: Changed,
  ) {}

  find(element: Element, inherited: number): number {
    const { path } = this.changed;
    const { records } = this.walk;
    const place = this.placeOf(element, path.has(element));
    if (place < 0) return -1;
    const holds = records.around[place] === inherited && !path.has(element);
    this.at = holds ? (records.ends[place] as number) : place + 1;
    return holds ? place : -1;
  }

  isNew(element: Element): boolean {
    return this.changed.whole.has(element);
  }

  /** Where a block that may be taken over stands, or -1; one that has changed is looked for nearby only. */
  private placeOf(element: Element, changed: boolean): number {
    const { nodes, around } = this.walk.records;
    const end = Math.min(nodes.length, this.at + NEARBY);
    for (let i = this.at; i < end; i++) if (nodes[i] === element) return around[i] === NEVER ? -1 : i;
    // Searching everything is for blocks that moved: what flows in a line is soon looked at anew.
    if (changed || INLINE_BY_DEFAULT.has(element.localName)) return -1;
    if (!this.changed.path.size) return this.further(element, end);
    if (!this.places) {
      this.places = new Map();
      for (let i = 0; i < nodes.length; i++) if (around[i] !== NEVER) this.places.set(nodes[i] as Node, i);
    }
    return this.places.get(element) ?? -1;
  }

  /** The same where nothing moved: what a walk that was broken off did not reach is nowhere. */
  private further(element: Element, from: number): number {
    const { nodes, around } = this.walk.records;
    for (let i = from; i < nodes.length; i++) if (nodes[i] === element) return around[i] === NEVER ? -1 : i;
    return -1;
  }
}
