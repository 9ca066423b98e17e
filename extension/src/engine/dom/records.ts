// What a walk finds, in document order, before it is numbered and measured.

import type { NodeExtra } from "../../protocol/generated";

/** On records that no later walk may take over. */
export const NEVER = -1;

export class Records {
  /** Elements; for text runs the first text node. */
  readonly nodes: (Element | Text)[] = [];
  /** For text runs made of several text nodes, the last one. */
  lastTexts = new Map<number, Text>();
  readonly isText: boolean[] = [];
  readonly parents: number[] = [];
  /** One past the last record inside. */
  readonly ends: number[] = [];
  readonly roles: string[] = [];
  readonly names: string[] = [];
  flags: number[] = [];
  readonly extras: (NodeExtra | null)[] = [];
  dropped: boolean[] = [];
  /** Records whose names aren't their content: in other names they stand apart. */
  readonly apart = new Set<number>();
  /** Kept children, counting those of dropped children as one's own. */
  kids: number[] = [];
  /** The line that a record starts and ends in: equal numbers mean no line break between. */
  readonly starts: number[] = [];
  readonly stops: number[] = [];
  /** Whether whitespace, or the edge of a box, stands before the record. */
  readonly gaps: boolean[] = [];
  /** Set by whoever meets such a gap; the next record takes it. */
  gap = false;
  /**
   * For a block that a later walk may take over as it is: what held around it (`NEVER` on other records), by how much
   * it made names more than joined text runs, and the line after it.
   */
  readonly around: number[] = [];
  readonly weights: number[] = [];
  readonly after: number[] = [];
  /** Where the record stood in the walk that it was taken over from; -1 for what was looked at. */
  readonly origins: number[] = [];

  get length(): number {
    return this.nodes.length;
  }

  /** Add an element; it is closed by `close`. */
  open(element: Element, parent: number, role: string, line: number): number {
    const at = this.nodes.length;
    this.add(element, parent, role, "", line, false);
    return at;
  }

  /** Add a text run. */
  text(node: Text, parent: number, text: string, line: number): void {
    this.add(node, parent, "text", text, line, true);
    if (parent >= 0) this.kids[parent] = (this.kids[parent] as number) + 1;
  }

  /** Close an element: kept, or dropped with its children in its place. */
  close(at: number, line: number, keep: boolean): void {
    this.ends[at] = this.nodes.length;
    this.stops[at] = line;
    this.dropped[at] = !keep;
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

  /** Whether the record is, or holds, an element that is kept. */
  holdsElement(at: number): boolean {
    for (let i = at; i < (this.ends[at] as number); i++) if (!this.isText[i] && !this.dropped[i]) return true;
    return false;
  }

  /** Take over a block from an earlier walk, as it was. */
  repeat(from: Records, first: number, parent: number, lines: number): void {
    const at = this.nodes.length;
    const shift = at - first;
    const end = from.ends[first] as number;
    for (let i = first; i < end; i++) {
      this.nodes.push(from.nodes[i] as Element);
      this.isText.push(from.isText[i] as boolean);
      this.parents.push((from.parents[i] as number) + shift);
      this.ends.push((from.ends[i] as number) + shift);
      this.roles.push(from.roles[i] as string);
      this.names.push(from.names[i] as string);
      this.flags.push(from.flags[i] as number);
      this.extras.push(from.extras[i] as NodeExtra | null);
      this.dropped.push(from.dropped[i] as boolean);
      this.kids.push(from.kids[i] as number);
      this.starts.push((from.starts[i] as number) + lines);
      const stop = from.stops[i] as number;
      this.stops.push(stop < 0 ? stop : stop + lines);
      this.gaps.push(from.gaps[i] as boolean);
      this.around.push(from.around[i] as number);
      this.weights.push(from.weights[i] as number);
      this.after.push((from.after[i] as number) + lines);
      this.origins.push(i);
      const last = from.isText[i] && from.lastTexts.get(i);
      if (last) this.lastTexts.set(i + shift, last);
      if (from.apart.has(i)) this.apart.add(i + shift);
    }
    this.parents[at] = parent;
    this.gap = true;
    if (parent >= 0)
      this.kids[parent] = (this.kids[parent] as number) + (this.dropped[at] ? (this.kids[at] as number) : 1);
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

  /** Drop a text run again, because its parent's name says it. */
  dropText(at: number): void {
    this.dropped[at] = true;
    for (let up = this.parents[at] as number; up >= 0; up = this.parents[up] as number) {
      this.kids[up] = (this.kids[up] as number) - 1;
      if (!this.dropped[up]) break;
    }
  }

  private add(
    node: Element | Text,
    parent: number,
    role: string,
    name: string,
    line: number,
    text: boolean,
  ): void {
    this.nodes.push(node);
    this.isText.push(text);
    this.parents.push(parent);
    this.ends.push(this.nodes.length);
    this.roles.push(role);
    this.names.push(name);
    this.flags.push(0);
    this.extras.push(null);
    this.dropped.push(false);
    this.kids.push(0);
    this.starts.push(line);
    this.stops.push(line);
    this.gaps.push(this.gap);
    this.around.push(NEVER);
    this.weights.push(0);
    this.after.push(0);
    this.origins.push(-1);
    this.gap = false;
  }
}
