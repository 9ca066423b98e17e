// What a walk finds, in document order, before it is numbered and measured.

import type { NodeExtra } from "../../../protocol/generated";

export class NodeRecord {
  /** The last node of a run of text. */
  lastText: Text | null = null;
  /** One past the place of the last record inside. */
  end: number;
  flags = 0;
  extra: NodeExtra | null = null;
  /** It is no node itself; its children stand in its place. */
  dropped = false;
  /** How many nodes are its children, those of dropped records counted as their parent's. */
  kids = 0;
  lastLine: number;
  /** A person can scroll in it. */
  scrollable = false;
  x = 0;
  y = 0;
  width = 0;
  height = 0;

  constructor(
    /** The element; for a run of text its first text node. */
    readonly source: Element | Text,
    readonly isText: boolean,
    readonly up: NodeRecord | null,
    /** Its place in the list. */
    readonly at: number,
    public role: string,
    public label: string,
    /** The line that it starts in, as `lastLine` is the one it ends in: equal numbers mean no line break between. */
    readonly firstLine: number,
  ) {
    this.end = at + 1;
    this.lastLine = firstLine;
  }
}

export class Records {
  readonly list: NodeRecord[] = [];

  get last(): NodeRecord | undefined {
    return this.list[this.list.length - 1];
  }

  /** Add an element; `close` ends it. */
  open(source: Element, up: NodeRecord | null, role: string, line: number): NodeRecord {
    const record = new NodeRecord(source, false, up, this.list.length, role, "", line);
    this.list.push(record);
    return record;
  }

  /** Add a run of text. */
  text(source: Text, up: NodeRecord | null, text: string, line: number, flags: number): void {
    const record = new NodeRecord(source, true, up, this.list.length, "text", text, line);
    record.flags = flags;
    this.list.push(record);
    if (up) up.kids++;
  }

  /** End an element: kept, or dropped with its children in its place. */
  close(record: NodeRecord, line: number, keep: boolean): void {
    record.end = this.list.length;
    record.lastLine = line;
    record.dropped = !keep;
    if (record.up) record.up.kids += keep ? 1 : record.kids;
  }

  /** The records inside another, without those that were dropped. */
  *inside({ at, end }: NodeRecord): Generator<NodeRecord> {
    for (let i = at + 1; i < end; i++) {
      const record = this.list[i] as NodeRecord;
      if (!record.dropped) yield record;
    }
  }
}

/** Drop a record, leaving its children in its place. */
export function drop(record: NodeRecord): void {
  record.dropped = true;
  for (let up = record.up; up; up = up.up) {
    up.kids--;
    if (!up.dropped) break;
  }
}
