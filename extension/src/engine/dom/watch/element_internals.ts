// What custom elements say of themselves by `ElementInternals`: no script but their own sees that. Chrome's accessibility
// tree shows it, so whoever debugs tells it.

import type { InternalFacts } from "../../../shared/messages";

/** Elements that are asked about at once, in document order. */
const MOST = 100;

export class Internals {
  private readonly told = new WeakMap<Element, InternalFacts>();
  /** Of each name the last element that was met, and whose role no attribute tells. */
  private readonly met = new Map<string, WeakRef<Element>>();
  private readonly defined = new Set<string>();

  /** What an element says so; null where that is nothing, or isn't known. */
  readonly of = (element: Element): InternalFacts | null => {
    const tag = element.localName;
    if (!tag.includes("-") || element.hasAttribute("role")) return null;
    if (!this.defined.has(tag)) this.met.set(tag, new WeakRef(element));
    return this.told.get(element) ?? null;
  };

  /** Names of custom elements that were met and are defined: others are none, or not yet. */
  get tags(): string[] {
    for (const [tag, sample] of this.met) {
      if (!sample.deref()?.matches(":defined")) continue;
      this.defined.add(tag);
      this.met.delete(tag);
    }
    return [...this.defined];
  }

  /** A state or property, as an attribute gives it or the element's internals. */
  aria(element: Element, name: string): string | null {
    return element.getAttribute(`aria-${name}`) ?? this.of(element)?.aria[name] ?? null;
  }

  /** Take note of what elements say so now; gives those that said something else before. */
  take(elements: readonly (Element | null)[], facts: readonly (InternalFacts | null)[]): Element[] {
    const changed: Element[] = [];
    elements.forEach((element, i) => {
      const before = element && this.told.get(element);
      const now = facts[i] ?? null;
      if (!element || JSON.stringify(before ?? null) === JSON.stringify(now)) return;
      if (now) this.told.set(element, now);
      else this.told.delete(element);
      changed.push(element);
    });
    return changed;
  }

  /** The elements of these names to ask about. */
  candidates(roots: readonly ParentNode[], tags: readonly string[]): Element[] {
    const selector = tags.map((tag) => `${CSS.escape(tag)}:defined:not([role])`).join(",");
    const found: Element[] = [];
    for (const root of roots) {
      if (found.length >= MOST) break;
      found.push(...root.querySelectorAll(selector));
    }
    return found.slice(0, MOST);
  }
}
