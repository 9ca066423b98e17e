// Ref numbers: one an element for the document's life, given in document order at first sight, never given twice.

import * as dom from "./dom";

type Lookup = { element: Element } | { error: "unknown" | "stale" };

export class Refs {
  private readonly numbers = new WeakMap<Element, number>();
  private readonly elements = new Map<number, WeakRef<Element>>();
  private readonly roles: string[] = [];
  private readonly names: string[] = [];
  private first = 1;
  private next = 1;

  constructor(private readonly document: Document) {}

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
      number = this.next++;
      this.numbers.set(element, number);
      this.elements.set(number, new WeakRef(element));
    }
    this.roles[number - this.first] = role;
    this.names[number - this.first] = name;
    return number;
  }

  /** The number that an element has, or 0. */
  numberOf(element: Element): number {
    return this.numbers.get(element) ?? 0;
  }

  /** The element of a number, if it is still in the document. */
  find(number: number): Lookup {
    const reference = this.elements.get(number);
    // Numbers before our first were given out by documents that are gone.
    if (!reference) return { error: number > 0 && number < this.next ? "stale" : "unknown" };
    const element = reference.deref();
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
    return { role: this.roles[at] ?? "", name: this.names[at] ?? "" };
  }
}
