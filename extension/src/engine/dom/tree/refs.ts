// Ref numbers: one an element for the document's life, given in document order at first sight, never given twice.

import * as dom from "./dom";
import { RowRefs } from "./row_refs";

type Lookup = { element: Element } | { error: "unknown" | "stale" };

export class Refs {
  private readonly numbers = new WeakMap<Element, number>();
  private readonly elements = new Map<number, WeakRef<Element>>();
  private readonly roles: string[] = [];
  private readonly names: string[] = [];
  private first = 1;
  private next = 1;

  private readonly rows: RowRefs;

  /** `flush` takes in all changes of the document so far. */
  constructor(
    private readonly document: Document,
    flush: () => void = () => undefined,
  ) {
    this.rows = new RowRefs((element, number) => this.keep(element, number), flush);
  }

  /** Number on after `after`, unless numbering is further already. */
  startAfter(after: number): void {
    if (this.next === this.first && after >= this.next) this.first = after + 1;
    this.next = Math.max(this.next, after + 1);
  }

  /** The highest number given out so far. */
  get highest(): number {
    return this.next - 1;
  }

  /** The element's number, a new one at first sight; what it is called now is remembered for when it is gone. */
  note(element: Element, role: string, name: string): number {
    let number = this.numbers.get(element);
    if (number === undefined) {
      const inRow = this.numberOf(element);
      number = inRow || this.next++;
      // What is known by its place needs no more than to be found faster the next time.
      if (inRow) this.numbers.set(element, number);
      else this.keep(element, number);
    }
    this.roles[number - this.first] = role;
    this.names[number - this.first] = name;
    return number;
  }

  /**
   * The numbers of rows with so many cells each, and of these: the first, where each follows the one before, else all. `roles`
   * are those of rows and cells.
   */
  noteRows(
    section: Element,
    rows: readonly Element[],
    texts: readonly string[],
    roles: [row: string, cell: string],
  ): number[] {
    const width = texts.length / rows.length;
    let first = this.rows.firstOf(rows, width);
    if (first) {
      this.rows.rename(first, texts);
      return [first];
    }
    if (rows.some((row) => this.numberOf(row)))
      return rows.flatMap((row, line) => [
        this.note(row, roles[0], ""),
        ...[...dom.children(row)].map((cell, place) =>
          this.note(cell, roles[1], texts[line * width + place] as string),
        ),
      ]);
    first = this.next;
    this.next += rows.length + texts.length;
    this.rows.add(section, rows, { first, width, texts, roles });
    return [first];
  }

  /** Take in changes of the document. */
  readonly see = (records: readonly MutationRecord[]): void => this.rows.see(records);

  /** The number that an element has, or 0. */
  numberOf(element: Element): number {
    // Changes that weren't taken in yet may have moved a cell, which then has its number for itself.
    return (
      this.numbers.get(element) ??
      (this.rows.renew() ? this.numbers.get(element) : 0) ??
      this.rows.numberOf(element)
    );
  }

  private keep(element: Element, number: number): void {
    this.numbers.set(element, number);
    this.elements.set(number, new WeakRef(element));
  }

  /** The element of a number, if it is still in the document. */
  find(number: number): Lookup {
    const inRow = this.rows.find(number);
    const reference = inRow ? null : this.elements.get(number);
    // Numbers before our first were given out by documents that are gone.
    if (!inRow && !reference) return { error: number > 0 && number < this.next ? "stale" : "unknown" };
    const element = inRow ?? reference?.deref();
    if (!element) {
      this.elements.delete(number);
      return { error: "stale" };
    }
    return dom.isConnected(element) && dom.get(element, "ownerDocument") === this.document
      ? { element }
      : { error: "stale" };
  }

  /** What a number's element was last called. */
  lastKnown(number: number): { role: string; name: string } {
    const at = number - this.first;
    const role = this.roles[at];
    if (role === undefined) return this.rows.lastKnown(number) ?? { role: "", name: "" };
    return { role, name: this.names[at] ?? "" };
  }
}
