// Numbers of the rows and cells of large tables, which are given to a part of a table at once: a cell's is known by its row and
// its place there. Before that can change, each cell gets its number for itself.

import * as dom from "./dom";

/** Rows of one part of a table that were numbered at once. */
interface Part {
  section: WeakRef<Element>;
  /** The number of the first row; those of its cells follow, then the next row's. */
  first: number;
  width: number;
  rows: WeakRef<Element>[];
  texts: readonly string[];
  roles: [row: string, cell: string];
}

type Keep = (element: Element, number: number) => void;

export class RowRefs {
  private readonly parts: Part[] = [];
  /** The parts of rows whose cells are known by their places, and the rows' own numbers. */
  private readonly known = new WeakMap<Element, { part: Part; number: number }>();

  /** `keep` takes an element's number that isn't known by its place any more; `flush` takes in all changes so far. */
  constructor(
    private readonly keep: Keep,
    private readonly flush: () => void,
  ) {}

  /** Number rows from `first` on. */
  add(section: Element, rows: readonly Element[], rest: Omit<Part, "section" | "rows">): void {
    const part = { ...rest, section: new WeakRef(section), rows: rows.map((row) => new WeakRef(row)) };
    this.parts.push(part);
    const step = part.width + 1;
    for (const [place, row] of rows.entries())
      this.known.set(row, { part, number: part.first + place * step });
  }

  /** The number of the first of rows that were numbered at once, if they are these rows; 0 for others. */
  firstOf(rows: readonly Element[], width: number): number {
    const { part } = (rows[0] && this.known.get(rows[0])) || {};
    if (!part || part.width !== width || part.rows.length !== rows.length) return 0;
    const isSame = rows.every((row, place) => {
      const known = this.known.get(row);
      return known?.part === part && known.number === part.first + place * (width + 1);
    });
    return isSame ? part.first : 0;
  }

  /** The texts of rows that were numbered at once are these now. */
  rename(first: number, texts: readonly string[]): void {
    for (const part of this.parts) if (part.first === first) part.texts = texts;
  }

  /** Take in all changes so far, where rows were numbered at once; whether any were. */
  renew(): boolean {
    if (this.parts.length) this.flush();
    return this.parts.length > 0;
  }

  /** The number of a row or cell by its place, which all changes were taken in before; 0 for all others. */
  numberOf(element: Element): number {
    const own = this.known.get(element);
    if (own) return own.number;
    const row = dom.parentElement(element);
    const around = row && this.known.get(row);
    if (!around) return 0;
    const place = [...dom.children(row)].indexOf(element);
    return place < 0 ? 0 : around.number + 1 + place;
  }

  /** The element with a number that is known by its place. */
  find(number: number): Element | null {
    const part = this.partOf(number);
    if (!part || !this.renew()) return null;
    const [line, place] = placeIn(part, number);
    const row = part.rows[line]?.deref();
    if (!row || !this.known.has(row)) return null;
    return place ? (dom.children(row)[place - 1] ?? null) : row;
  }

  /** What a number's element was when it was numbered. */
  lastKnown(number: number): { role: string; name: string } | null {
    const part = this.partOf(number);
    if (!part) return null;
    const [line, place] = placeIn(part, number);
    if (!place) return { role: part.roles[0], name: "" };
    return { role: part.roles[1], name: part.texts[line * part.width + place - 1] ?? "" };
  }

  /** Take in changes of the document: cells of rows that change, or go away, keep their numbers. */
  see(records: readonly MutationRecord[]): void {
    if (!this.parts.length) return;
    const changes = records.filter(({ type }) => type === "childList");
    const rows = new Set<Element>();
    for (const { target, removedNodes } of changes) {
      if (this.known.has(target as Element)) rows.add(target as Element);
      for (const node of removedNodes) {
        if (this.known.has(node as Element)) rows.add(node as Element);
        else if (node instanceof Element) for (const row of this.rowsIn(node)) rows.add(row);
      }
    }
    for (const row of rows)
      this.settle(
        row,
        changes.filter(({ target }) => target === row),
      );
  }

  /** The rows in what was taken out of the document. */
  private *rowsIn(gone: Element): Generator<Element> {
    for (const { section, rows } of this.parts) {
      const held = section.deref();
      if (!held || !gone.contains(held)) continue;
      for (const each of rows) {
        const row = each.deref();
        if (row && this.known.has(row)) yield row;
      }
    }
  }

  /** Keep the numbers of a row and of the cells that it had before these changes. */
  private settle(row: Element, changes: readonly MutationRecord[]): void {
    const known = this.known.get(row);
    if (!known) return;
    this.known.delete(row);
    this.keep(row, known.number);
    const nodes: Node[] = [...dom.childNodes(row)];
    for (const { addedNodes, removedNodes, previousSibling, nextSibling } of [...changes].reverse()) {
      for (const node of addedNodes) nodes.splice(nodes.indexOf(node), 1);
      const after = previousSibling ? nodes.indexOf(previousSibling) + 1 : 0;
      nodes.splice(!previousSibling && nextSibling ? nodes.indexOf(nextSibling) : after, 0, ...removedNodes);
    }
    const cells = nodes.filter((node) => node instanceof Element);
    if (cells.length !== known.part.width) return;
    cells.forEach((cell, place) => {
      this.keep(cell, known.number + 1 + place);
    });
  }

  private partOf(number: number): Part | undefined {
    return this.parts.find(
      ({ first, width, rows }) => number >= first && number < first + rows.length * (width + 1),
    );
  }
}

function placeIn({ first, width }: Part, number: number): [line: number, place: number] {
  return [Math.floor((number - first) / (width + 1)), (number - first) % (width + 1)];
}
