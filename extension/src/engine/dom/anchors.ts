// Rules that look at more than what is around an element: at what is in it (`:has()`), and at its size (`@container`).

import type { Anchor } from "./compounds";

type Root = Document | ShadowRoot;

/** More containers than these aren't watched one by one. */
const MOST_CONTAINERS = 300;

export class Anchors {
  private facts: readonly Anchor[] = [];
  /** Which of the rules held for an element when it was last looked at. */
  private held = new WeakMap<Element, string>();
  private sizes = new WeakMap<Element, string>();

  /** Everything is looked at again, or style sheets say something else: nothing of before counts. */
  forget(): void {
    this.held = new WeakMap();
  }

  /** Elements on the way to a change for which other rules hold than before. */
  differing(path: Iterable<Element>, anchors: readonly Anchor[]): Element[] {
    if (anchors !== this.facts) this.forget();
    this.facts = anchors;
    const found: Element[] = [];
    if (!anchors.length) return found;
    for (const element of path) {
      let now = "";
      let concerned = false;
      for (const { bare, whole } of anchors) {
        const matches = element.matches(bare);
        concerned ||= matches;
        now += matches && element.matches(whole) ? "1" : "0";
      }
      if (!concerned) continue;
      if (this.held.get(element) !== now) found.push(element);
      this.held.set(element, now);
    }
    return found;
  }

  /** Containers that have another size than at the last call; null where there are too many. */
  resized(roots: readonly Root[], selector: string): Element[] | null {
    const found: Element[] = [];
    if (!selector) return found;
    let count = 0;
    for (const root of roots) {
      const containers = [...root.querySelectorAll(selector)];
      if (root instanceof ShadowRoot) containers.push(root.host);
      count += containers.length;
      if (count > MOST_CONTAINERS) return null;
      for (const element of containers) {
        const { containerType, inlineSize, blockSize } = getComputedStyle(element);
        const now = `${inlineSize} ${containerType === "inline-size" ? "" : blockSize}`;
        const before = this.sizes.get(element);
        if (before !== undefined && before !== now) found.push(element);
        this.sizes.set(element, now);
      }
    }
    return found;
  }
}
