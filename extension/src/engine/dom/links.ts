// What elements say of each other by ids: with one of the two, the other is to be looked at again.

import type { FlatTree } from "./tree/flat_tree";
import { REFERENCES, referencesOf } from "./tree/id_references";

type Root = Document | ShadowRoot;

const BY_ATTRIBUTE = { list: "list", popovertarget: "popoverTargetElement" } as const;

/** What is to be looked at again so far. */
export interface Marks {
  path: ReadonlySet<Element>;
  whole: ReadonlySet<Element>;
}

export class Links {
  /** What each element named when it was last looked at; null where that can't be known. */
  private readonly named = new Map<Element, readonly Element[] | null>();
  private controls = new WeakMap<HTMLLabelElement, Element | null>();
  private readonly labels: HTMLCollectionOf<HTMLLabelElement>;

  constructor(
    private readonly document: Document,
    private readonly flat: FlatTree,
  ) {
    this.labels = document.getElementsByTagName("label");
  }

  /** An element that says, or is told, something by an id. */
  note(element: Element): void {
    if (!this.named.has(element)) this.named.set(element, namedBy(element));
  }

  /** Everything is looked at again: what labels stand for is known from then on. */
  renew(roots: readonly Root[]): void {
    this.controls = new WeakMap();
    for (const label of this.labelsIn(roots)) this.controls.set(label, label.control);
    for (const element of [...this.named.keys()]) {
      if (element.isConnected) this.named.set(element, namedBy(element));
      else this.named.delete(element);
    }
  }

  /** Mark what depends on marked elements, or names others than before. */
  mark(roots: readonly Root[], marks: Marks, markWhole: (element: Element) => void): void {
    for (let size = -1; size !== marks.whole.size; ) {
      size = marks.whole.size;
      const reach = new Reach(this.flat, marks);
      for (const [element, before] of this.named) {
        if (!element.isConnected) this.named.delete(element);
        else this.markNaming(element, before, reach, markWhole);
      }
      for (const label of this.labelsIn(roots)) this.markLabel(label, reach, markWhole);
    }
  }

  private markNaming(
    element: Element,
    before: readonly Element[] | null,
    reach: Reach,
    markWhole: (element: Element) => void,
  ): void {
    const now = namedBy(element);
    this.named.set(element, now);
    const same = before && now?.length === before.length && now.every((each, i) => each === before[i]);
    if (!same || now?.some((each) => reach.holds(each))) markWhole(element);
  }

  private markLabel(label: HTMLLabelElement, reach: Reach, markWhole: (element: Element) => void): void {
    const before = this.controls.get(label);
    const { control } = label;
    this.controls.set(label, control);
    const both = [label, before, control].filter((each) => each?.isConnected) as Element[];
    if (before !== control || both.some((each) => reach.holds(each))) both.forEach(markWhole);
  }

  /** Labels name their controls also where they are hidden, and so were never met. */
  private *labelsIn(roots: readonly Root[]): Generator<HTMLLabelElement> {
    for (const root of roots) {
      const labels = root === this.document ? this.labels : root.querySelectorAll("label");
      for (const label of [...labels]) if (label.htmlFor || label.id) yield label;
    }
  }
}

/** The elements that an element names by ids, or by properties in their place. */
function namedBy(element: Element): readonly Element[] | null {
  const references = REFERENCES.filter((attribute) => element.hasAttribute(attribute));
  const found: (Element | null | undefined)[] = references.flatMap((name) => referencesOf(element, name));
  let known = references.length > 0;
  for (const [attribute, property] of Object.entries(BY_ATTRIBUTE)) {
    if (!element.hasAttribute(attribute)) continue;
    known = true;
    found.push((element as unknown as Record<string, Element | null | undefined>)[property]);
  }
  return known ? found.filter((each) => each instanceof Element) : null;
}

/** Which elements are marked, or in one that is marked as a whole. */
class Reach {
  private readonly known = new Map<Element, boolean>();

  constructor(
    private readonly flat: FlatTree,
    private readonly marks: Marks,
  ) {}

  holds(element: Element): boolean {
    return this.marks.path.has(element) || this.isInside(element);
  }

  private isInside(element: Element): boolean {
    const climbed: Element[] = [];
    let found = false;
    for (let at: Element | null = element; at; at = this.flat.parent(at)) {
      const known = this.known.get(at);
      if (known !== undefined || this.marks.whole.has(at)) {
        found = known ?? true;
        break;
      }
      climbed.push(at);
    }
    for (const each of climbed) this.known.set(each, found);
    return found;
  }
}
