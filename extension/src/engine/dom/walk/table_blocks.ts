// Tables with very many rows are walked in part: their headers, and the rows that are wanted.

import type { NodeExtra, TableRows } from "../../../protocol/generated";
import * as dom from "../tree/dom";
import { MOST_CHARACTERS, textsOf } from "./plain_rows";
import type { RowTexts } from "./records";

type Block = NonNullable<NodeExtra["block"]>;

interface Cut {
  /** How many rows the table has, without headers. */
  total: number;
  /** One past the last row that was walked. */
  end: number;
  /** No further row is walked. */
  full: boolean;
}

/** A table that isn't cut, since its rows seemed to be texts and nothing else, has more in it. */
export class NotPlain extends Error {}

export class TableBlocks {
  private readonly cuts = new Map<Element, Cut>();
  /** By what holds rows: the table that they are of, and the children to walk. */
  private readonly parts = new Map<Element, { cut: Cut; children: Element[] }>();
  private readonly first: number;
  /** How many characters of texts there is room for in the message. */
  private left = MOST_CHARACTERS;
  /** What was found of parts of tables: their texts, where these are all that is in them. */
  private readonly texts = new Map<Element, RowTexts | null>();

  constructor(
    private readonly wanted: TableRows,
    private readonly changes: (table: Element) => number,
  ) {
    this.first = wanted.first ?? 0;
  }

  /** Whether a table was cut. */
  get isInUse(): boolean {
    return this.cuts.size > 0;
  }

  /** A table is walked now: choose its rows, if it has more than are wanted. */
  enter(table: Element): void {
    for (const outer of this.cuts.keys()) if (outer.contains(table)) return;
    const parts = [...dom.children(table)];
    const total = rowsIn(table);
    if (!isCut(table, this.wanted) || this.isPlain(table)) return;
    const cut = { total, end: Math.min(this.first, total), full: false };
    this.cuts.set(table, cut);
    const children: Element[] = [];
    let at = 0;
    for (const part of parts) {
      const from = this.first - at;
      const to = from + this.wanted.count;
      const isRow = dom.localName(part) === "tr";
      if (!isRow || (from <= 0 && to > 0)) children.push(part);
      const size = rowCount(part);
      if (!isRow && size > 0) this.parts.set(part, { cut, children: rowsOf(part, from, Math.min(to, size)) });
      at += size;
    }
    this.parts.set(table, { cut, children });
  }

  /** The texts of the rows of a part of a table, where these are wanted and all that is in it. */
  textsOf(section: Element): RowTexts | null {
    if (!this.wanted.plain) return null;
    const known = this.texts.get(section);
    const found = known === undefined ? textsOf(section, this.left) : known;
    if (known === undefined) this.left -= found?.size ?? 0;
    this.texts.set(section, found);
    return found;
  }

  /** Whether a part has so many rows that all of them aren't walked one by one. */
  isLarge(section: Element): boolean {
    const table = dom.parentElement(section);
    return table !== null && isCut(table, this.wanted);
  }

  /** Whether the rows of a table, but for no more than are wanted, seem to be texts and nothing else. */
  private isPlain(table: Element): boolean {
    if (!this.wanted.plain) return false;
    const others = [...dom.children(table)].filter(
      (part) => dom.localName(part) !== "tbody" || !this.textsOf(part),
    );
    return !isTooMuch(table, others, this.wanted);
  }

  /** Whether only some of an element's children are walked. */
  isPart(parent: Element): boolean {
    return this.parts.has(parent);
  }

  /** The children to walk of a part of a table, as long as there are few enough nodes. */
  *childrenOf(parent: Element, nodes: () => number): Generator<Element> {
    const part = this.parts.get(parent);
    if (!part) return;
    const { cut, children } = part;
    for (const child of children) {
      const isRow = dom.localName(child) === "tr";
      if (isRow && cut.end > this.first && nodes() >= (this.wanted.nodes ?? Number.POSITIVE_INFINITY))
        cut.full = true;
      if (isRow && cut.full) continue;
      if (isRow) cut.end++;
      yield child;
    }
  }

  /** What is reported of a table; null where it was walked whole. */
  blockOf(table: Element): Block | null {
    const cut = this.cuts.get(table);
    return cut ? [this.first, cut.end, cut.total, this.changes(table)] : null;
  }
}

/** How many elements stand in the rows of tables that are walked in part. */
export function elementsInBlocks(document: Document, wanted: TableRows): number {
  const cut: Element[] = [];
  let count = 0;
  for (const table of dom.querySelectorAll(document, "table")) {
    if (cut.some((outer) => outer.contains(table)) || !isCut(table, wanted)) continue;
    cut.push(table);
    for (const part of dom.children(table))
      if (rowCount(part)) count += dom.call(part, "getElementsByTagName", "*").length;
  }
  return count;
}

function isCut(table: Element, wanted: TableRows): boolean {
  return isTooMuch(table, [...dom.children(table)], wanted);
}

/** Whether parts of a table have more rows, or more in them, than is wanted at once. */
function isTooMuch(table: Element, parts: readonly Element[], { count, nodes }: TableRows): boolean {
  const total = parts.reduce((sum, part) => sum + rowCount(part), 0);
  return total > count || total * nodesInRow(table) > (nodes ?? Number.POSITIVE_INFINITY);
}

function rowsIn(table: Element): number {
  return [...dom.children(table)].reduce((sum, part) => sum + rowCount(part), 0);
}

/** How many rows a child of a table has, or is; those of its head don't count. */
function rowCount(part: Element): number {
  const tag = dom.localName(part);
  if (tag === "tr") return 1;
  return tag === "tbody" || tag === "tfoot" ? (part as HTMLTableSectionElement).rows.length : 0;
}

/** How many nodes a row of a table has at least. */
function nodesInRow(table: Element): number {
  const row = dom.querySelector(table, ":scope > tr:last-child, :scope > * > tr:last-child");
  return row ? 1 + dom.children(row).length : 1;
}

function rowsOf(section: Element, from: number, to: number): Element[] {
  const { rows } = section as HTMLTableSectionElement;
  const found: Element[] = [];
  for (let at = Math.max(from, 0); at < to; at++) found.push(rows[at] as Element);
  return found;
}
