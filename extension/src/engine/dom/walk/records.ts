// What a walk finds, in document order, before it is numbered and measured.

import type { NodeExtra } from "../../../protocol/generated";

export interface NodeRecord {
  /** The element; for a run of text its first text node. */
  readonly source: Element | Text;
  readonly isText: boolean;
  /** The last node of a run of text. */
  lastText: Text | null;
  readonly up: NodeRecord | null;
  /** Its place in the list, and one past the last record inside. */
  readonly at: number;
  end: number;
  role: string;
  label: string;
  flags: number;
  extra: NodeExtra | null;
  /** It is no node itself; its children stand in its place. */
  dropped: boolean;
  /** How many nodes are its children, those of dropped records counted as their parent's. */
  kids: number;
  /** The line that it starts and ends in: equal numbers mean no line break between. */
  readonly firstLine: number;
  lastLine: number;
  /** A person can scroll in it. */
  scrollable: boolean;
  x: number;
  y: number;
  width: number;
  height: number;
}

export class Records {
  readonly list: NodeRecord[] = [];

  get last(): NodeRecord | undefined {
    return this.list[this.list.length - 1];
  }

  /** Add an element; `close` ends it. */
  open(source: Element, up: NodeRecord | null, role: string, line: number): NodeRecord {
    return this.add(source, false, up, role, "", line);
  }

  /** Add a run of text. */
  text(source: Text, up: NodeRecord | null, text: string, line: number): void {
    this.add(source, true, up, "text", text, line);
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

  private add(
    source: Element | Text,
    isText: boolean,
    up: NodeRecord | null,
    role: string,
    label: string,
    line: number,
  ): NodeRecord {
    const at = this.list.length;
    const record: NodeRecord = {
      source,
      isText,
      lastText: null,
      up,
      at,
      end: at + 1,
      role,
      label,
      flags: 0,
      extra: null,
      dropped: false,
      kids: 0,
      firstLine: line,
      lastLine: line,
      scrollable: false,
      x: 0,
      y: 0,
      width: 0,
      height: 0,
    };
    this.list.push(record);
    return record;
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
