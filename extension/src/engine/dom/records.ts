// What a walk finds, in document order, before it is numbered and measured.

import type { NodeExtra } from "../../protocol/generated";

export class Records {
  /** Elements; for text runs the first text node. */
  readonly nodes: (Element | Text)[] = [];
  /** For text runs made of several text nodes, the last one. */
  readonly lastTexts = new Map<number, Text>();
  readonly isText: boolean[] = [];
  readonly parents: number[] = [];
  /** One past the last record inside. */
  readonly ends: number[] = [];
  readonly roles: string[] = [];
  readonly names: string[] = [];
  readonly flags: number[] = [];
  readonly extras: (NodeExtra | null)[] = [];
  readonly dropped: boolean[] = [];
  /** Records whose names aren't their content: in other names they stand apart. */
  readonly apart = new Set<number>();
  /** Kept children, counting those of dropped children as one's own. */
  readonly kids: number[] = [];
  /** The line that a record starts and ends in: equal numbers mean no line break between. */
  readonly starts: number[] = [];
  readonly stops: number[] = [];
  /** Whether whitespace, or the edge of a box, stands before the record. */
  readonly gaps: boolean[] = [];
  /** Set by whoever meets such a gap; the next record takes it. */
  gap = false;

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
    this.gap = false;
  }
}
