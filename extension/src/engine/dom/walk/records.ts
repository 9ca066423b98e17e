// What a walk finds, in document order, before it is numbered and measured.

import type { NodeExtra } from "../../../protocol/generated";

/** On records that no later walk may take over. */
export const NEVER = -1;

/** What a record's box may depend on beside what is around and before it; and whether a person can scroll in it. */
export const Odd = { ASIDE: 1, FLOAT: 2, SCROLLS: 4, LOOSE: 8, UNKNOWN: 16, ROLLS: 32 } as const;

/** Neighbouring blocks that were taken over together: `length` records from `at` stood from `origin` on. */
export interface Span {
  at: number;
  origin: number;
  length: number;
}

/** Columns of 32 bits: copied as a whole where blocks are taken over, which most records are most of the time. */
const WORDS = [
  ...["parents", "ends", "flags", "kids", "starts", "stops"],
  ...["around", "weights", "after", "origins"],
] as const;
const BYTES = ["isText", "dropped", "gaps", "odd", "apart"] as const;
const FIRST_ROOM = 256;

export class Records {
  /** Elements; for text runs the first text node. */
  readonly nodes: (Element | Text)[] = [];
  readonly roles: string[] = [];
  readonly names: string[] = [];
  readonly extras: (NodeExtra | null)[] = [];
  /** For text runs made of several text nodes, the last one. */
  readonly lastTexts = new Map<number, Text>();
  readonly spans: Span[] = [];

  isText!: Uint8Array<ArrayBuffer>;
  dropped!: Uint8Array<ArrayBuffer>;
  /** Whether whitespace, or the edge of a box, stands before the record. */
  gaps!: Uint8Array<ArrayBuffer>;
  /** What is odd about the record's box. */
  odd!: Uint8Array<ArrayBuffer>;
  /** Records whose names aren't their content: in other names they stand apart. */
  apart!: Uint8Array<ArrayBuffer>;

  parents!: Int32Array<ArrayBuffer>;
  /** One past the last record inside. */
  ends!: Int32Array<ArrayBuffer>;
  flags!: Int32Array<ArrayBuffer>;
  /** Kept children, counting those of dropped children as one's own. */
  kids!: Int32Array<ArrayBuffer>;
  /** The line that a record starts and ends in: equal numbers mean no line break between. */
  starts!: Int32Array<ArrayBuffer>;
  stops!: Int32Array<ArrayBuffer>;
  /**
   * For a block that a later walk may take over as it is: what held around it (`NEVER` on other records), by how much
   * it made names more than joined text runs, and the line after it.
   */
  around!: Int32Array<ArrayBuffer>;
  weights!: Int32Array<ArrayBuffer>;
  after!: Int32Array<ArrayBuffer>;
  /** Where the record stood in the walk that it was taken over from; -1 for what was looked at. */
  origins!: Int32Array<ArrayBuffer>;

  /** Set by whoever meets such a gap; the next record takes it. */
  gap = false;
  /** Something odd is in no record's box: it stands in the page itself. */
  unknown = false;

  /** `room` as large as is likely to be needed. */
  constructor(room = FIRST_ROOM) {
    for (const column of WORDS) this[column] = new Int32Array(room);
    for (const column of BYTES) this[column] = new Uint8Array(room);
  }

  get length(): number {
    return this.nodes.length;
  }

  /** Add an element; it is closed by `close`. */
  open(element: Element, parent: number, role: string, line: number): number {
    const at = this.nodes.length;
    this.add(element, parent, role, "", line, 0);
    return at;
  }

  /** Add a text run. */
  text(node: Text, parent: number, text: string, line: number): void {
    this.add(node, parent, "text", text, line, 1);
    if (parent >= 0) this.kids[parent] = (this.kids[parent] as number) + 1;
  }

  /** Close an element: kept, or dropped with its children in its place. */
  close(at: number, line: number, keep: boolean): void {
    this.ends[at] = this.nodes.length;
    this.stops[at] = line;
    this.dropped[at] = keep ? 0 : 1;
    const parent = this.parents[at] as number;
    if (parent >= 0)
      this.kids[parent] = (this.kids[parent] as number) + (keep ? 1 : (this.kids[at] as number));
  }

  /** Let a later walk take the block over, as long as nothing in it changes. */
  seal(at: number, around: number, weight: number, line: number): void {
    this.around[at] = around;
    this.weights[at] = weight;
    this.after[at] = line;
  }

  /** Note what is odd about a record's box, or about one without a record in it. */
  mark(at: number, odd: number): void {
    if (at >= 0) this.odd[at] = (this.odd[at] as number) | odd;
    else this.unknown = true;
  }

  /** Whether the record is, or holds, an element that is kept. */
  holdsElement(at: number): boolean {
    for (let i = at; i < (this.ends[at] as number); i++) if (!this.isText[i] && !this.dropped[i]) return true;
    return false;
  }

  /** Take over neighbouring blocks, those from `first` up to `end`, from an earlier walk as they were. */
  repeat(from: Records, first: number, end: number, parent: number, lines: number): void {
    const at = this.nodes.length;
    const length = end - first;
    const shift = at - first;
    while (at + length > this.ends.length) this.grow();
    append(this.nodes, from.nodes, first, end);
    append(this.roles, from.roles, first, end);
    append(this.names, from.names, first, end);
    append(this.extras, from.extras, first, end);
    for (const column of BYTES) this[column].set(from[column].subarray(first, end), at);
    for (const column of WORDS) this[column].set(from[column].subarray(first, end), at);
    if (shift) {
      add(this.parents, at, length, shift);
      add(this.ends, at, length, shift);
    }
    if (lines) {
      add(this.starts, at, length, lines);
      add(this.after, at, length, lines);
      for (let i = at; i < at + length; i++)
        if ((this.stops[i] as number) >= 0) this.stops[i] = (this.stops[i] as number) + lines;
    }
    for (let i = 0; i < length; i++) this.origins[at + i] = first + i;
    for (let block = at; block < at + length; block = this.ends[block] as number)
      this.parents[block] = parent;
    if (from.lastTexts.size > length)
      for (let i = first; i < end; i++) this.takeLast(i, from.lastTexts.get(i), shift);
    else for (const [i, last] of from.lastTexts) if (i >= first && i < end) this.takeLast(i, last, shift);
    this.spans.push({ at, origin: first, length });
  }

  /** The same records, of which flags, drops and counts can be changed without changing these. */
  copy(): Records {
    const { flags, dropped, kids } = this;
    return Object.assign(Object.create(Records.prototype), this, {
      flags: flags.slice(),
      dropped: dropped.slice(),
      kids: kids.slice(),
    });
  }

  /** Drop a record, leaving its children in its place. */
  drop(at: number): void {
    this.dropped[at] = 1;
    for (let up = this.parents[at] as number; up >= 0; up = this.parents[up] as number) {
      this.kids[up] = (this.kids[up] as number) - 1;
      if (!this.dropped[up]) break;
    }
  }

  private takeLast(at: number, last: Text | undefined, shift: number): void {
    if (last) this.lastTexts.set(at + shift, last);
  }

  private add(
    node: Element | Text,
    parent: number,
    role: string,
    name: string,
    line: number,
    text: 0 | 1,
  ): void {
    const at = this.nodes.length;
    if (at === this.ends.length) this.grow();
    this.nodes.push(node);
    this.roles.push(role);
    this.names.push(name);
    this.extras.push(null);
    this.isText[at] = text;
    this.parents[at] = parent;
    this.ends[at] = at + 1;
    this.starts[at] = line;
    this.stops[at] = line;
    this.gaps[at] = this.gap ? 1 : 0;
    this.around[at] = NEVER;
    this.origins[at] = -1;
    this.gap = false;
  }

  private grow(): void {
    for (const column of WORDS) this[column] = larger(this[column]);
    for (const column of BYTES) this[column] = larger(this[column]);
  }
}

function larger<T extends Int32Array<ArrayBuffer> | Uint8Array<ArrayBuffer>>(column: T): T {
  const grown = new (column.constructor as new (length: number) => T)(column.length * 2);
  grown.set(column);
  return grown;
}

/** Arguments that fit on the stack of any thread. */
const MOST_ARGUMENTS = 4_096;

/** Append a part of another array: at once, since a loop over it takes several times as long before it is optimised. */
function append<T>(to: T[], from: readonly T[], first: number, end: number): void {
  for (let at = first; at < end; at += MOST_ARGUMENTS)
    to.push(...from.slice(at, Math.min(end, at + MOST_ARGUMENTS)));
}

function add(column: Int32Array, at: number, length: number, by: number): void {
  for (let i = at; i < at + length; i++) column[i] = (column[i] as number) + by;
}
