// What a walk finds, in document order, before it is numbered and measured.

import type { NodeExtra } from "../../../protocol/generated";
import { fold } from "../naming/text";
import { identityOf } from "../semantics/identity";
import * as dom from "../tree/dom";

/** The texts of a part of a table, row by row. */
export interface RowTexts {
  width: number;
  texts: string[];
  /** How many characters these take in a message, about. */
  size: number;
}

/** The rows of a part of a table, all of which are like the first. */
export interface PlainRows extends RowTexts {
  rows: Element[];
  /** The records of the first row and its cells, which say what those of all rows are. */
  pattern: NodeRecord[];
  /** Left and right sides of the row and its cells, and top and bottom of each row. */
  sides: [left: number, right: number][];
  tops: number[];
  bottoms: number[];
}

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
  /** Its hidden items were counted. */
  hasCounted = false;
  /** Whether what is in it and doesn't fit is cut off, or a person can scroll to it. */
  overflow: "visible" | "cut" | "scrolled" = "visible";
  /** It is a text that a style sheet adds; its source is the element. */
  isGenerated = false;
  /** It is a cell of an HTML table that no style moves: it stands below the one before it in its column. */
  isInColumn = false;
  /** What stands in it where that is rows of texts, which have no records of their own. */
  plain: PlainRows | null = null;
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
    public at: number,
    public role: string,
    public label: string,
    /** The line that it starts in, as `lastLine` is the one it ends in: equal numbers mean no line break between. */
    readonly firstLine: number,
  ) {
    this.end = at + 1;
    this.lastLine = firstLine;
  }
}

/** A place in the list, and how long the text before it is, which may go on there. */
interface Beginning {
  at: number;
  length: number;
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

  /** Add a text that a style sheet puts into an element. */
  generated(source: Element, up: NodeRecord | null, text: string, line: number, flags: number): void {
    const record = new NodeRecord(source, true, up, this.list.length, "text", text, line);
    record.isGenerated = true;
    record.flags = flags;
    this.list.push(record);
    if (up) up.kids++;
  }

  /** Where what an element says begins. */
  get beginning(): Beginning {
    const { last, list } = this;
    return { at: list.length, length: last?.isText ? last.label.length : Number.POSITIVE_INFINITY };
  }

  /** Note the title of an element that is no node itself on the first text that it shows. */
  title({ at, length }: Beginning, title: string): void {
    const before = this.list[at - 1];
    const goesOn = before !== undefined && before.label.length > length;
    const record = goesOn ? before : this.list.slice(at).find(({ dropped, label }) => !dropped && label);
    const shown = record && fold(goesOn ? record.label.slice(length) : record.label);
    if (!record || !shown || shown === title) return;
    record.extra = { ...record.extra, titled: [...(record.extra?.titled ?? []), [shown, title]] };
  }

  /** Note on an element the title of a part that shows no text. */
  hint(record: NodeRecord, title: string): void {
    record.extra = { ...record.extra, titled: [...(record.extra?.titled ?? []), ["", title]] };
  }

  /** End an element: kept, or dropped with its children in its place. */
  close(record: NodeRecord, line: number, keep: boolean): void {
    record.end = this.list.length;
    record.lastLine = line;
    record.dropped = !keep;
    if (!keep && record.up) {
      for (const [, title] of record.extra?.titled ?? []) this.hint(record.up, title);
      const looks = record.extra?.looks;
      if (looks)
        record.up.extra = { ...record.up.extra, looks: [...(record.up.extra?.looks ?? []), ...looks] };
    }
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

/** How many items without anything in them may stand between two others. */
const MOST_EMPTY = 8;

/**
 * Whether a block is one of items alike, though it may have a single thing in it, or nothing: the block before it has
 * its tag and class, and one of the two has several things. Items before it that were dropped come back.
 */
export function isOneOfItems(record: NodeRecord, list: readonly NodeRecord[]): boolean {
  const has = kindOf(record);
  let before = has ? siblingBefore(record, list) : null;
  if (!before || kindOf(before) !== has) return false;
  for (let empty = 0; !before.dropped && before.kids === 0 && empty < MOST_EMPTY; empty++) {
    before = siblingBefore(before, list);
    if (!before || kindOf(before) !== has) return false;
  }
  if (!before.dropped) return before.kids > 0;
  if (record.kids < 2) return false;
  while (before?.dropped && before.kids <= 1 && kindOf(before) === has) {
    before.dropped = false;
    before.extra = identityOf(before.source as Element);
    before = siblingBefore(before, list);
  }
  return true;
}

/** The record of the element before, where it stands in the same element. */
function siblingBefore(record: NodeRecord, list: readonly NodeRecord[]): NodeRecord | null {
  let before = list[record.at - 1] ?? null;
  while (before && before !== record.up && before.up !== record.up) before = before.up;
  if (!before || before === record.up || before.isText) return null;
  return dom.parentNode(before.source) === dom.parentNode(record.source) ? before : null;
}

/** Tag and first class of a block without a role; empty for others. */
function kindOf({ source, role, isText }: NodeRecord): string {
  if (isText || role !== "generic") return "";
  const first = /\S+/.exec(dom.getAttribute(source as Element, "class") ?? "")?.[0];
  return first ? `${dom.localName(source as Element)}.${first}` : "";
}
