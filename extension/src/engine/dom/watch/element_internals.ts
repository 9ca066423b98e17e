// What custom elements say of themselves by `ElementInternals`: no script but their own sees that, Chrome's accessibility
// tree does.

import type { InternalFacts } from "../../../shared/messages";
import * as dom from "../tree/dom";

export class ElementInternals {
  private readonly facts = new WeakMap<Element, InternalFacts>();
  /** Names of defined custom elements that were met, and whose role no attribute says. */
  readonly tags = new Set<string>();

  /** What an element says so; null where that is nothing, or isn't known. */
  readonly of = (element: Element): InternalFacts | null => {
    const tag = dom.localName(element);
    if (!tag.includes("-") || dom.hasAttribute(element, "role")) return null;
    if (!this.tags.has(tag) && dom.matches(element, ":defined")) this.tags.add(tag);
    return this.facts.get(element) ?? null;
  };

  /** A state or property, as an attribute gives it or the element's internals. */
  aria(element: Element, name: string): string | null {
    return dom.getAttribute(element, `aria-${name}`) ?? this.of(element)?.aria[name] ?? null;
  }

  /** Remember what elements say so now; whether any of them said something else before. */
  note(elements: readonly (Element | null)[], facts: readonly (InternalFacts | null)[]): boolean {
    let differs = false;
    elements.forEach((element, i) => {
      if (!element) return;
      const now = facts[i] ?? null;
      differs ||= JSON.stringify(this.facts.get(element) ?? null) !== JSON.stringify(now);
      if (now) this.facts.set(element, now);
      else this.facts.delete(element);
    });
    return differs;
  }
}
