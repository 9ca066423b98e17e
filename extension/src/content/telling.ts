// What shows one of some texts: a page may have copied a secret from the field that it was filled into.

import type { Engine } from "../engine/dom/engine";

/** Attributes whose text is drawn. */
const DRAWN: ReadonlySet<string> = new Set(["alt", "label", "placeholder", "value"]);

/** The elements that show one of the texts: the innermost of each, through shadow roots. */
export function elementsTelling({ document, flat }: Engine, texts: readonly string[]): Set<Element> {
  const found = new Set<Element>();
  if (!texts.length || !document.body) return found;
  const holds = (text: string | null | undefined): boolean =>
    Boolean(text) && texts.some((each) => (text as string).includes(each));
  const roots: (Element | ShadowRoot)[] = [document.body];
  for (const root of roots) {
    if (holds(root.textContent)) addInnermost(root, holds, found);
    for (const element of [...(root instanceof Element ? [root] : []), ...root.querySelectorAll("*")]) {
      if (holds((element as HTMLInputElement).value) || drawsAttribute(element, holds)) found.add(element);
      const shadow = flat.shadow(element);
      if (shadow) roots.push(shadow);
    }
  }
  for (const element of found) {
    const list = element.closest("select");
    if (list) found.add(list);
  }
  return found;
}

function addInnermost(
  within: Element | ShadowRoot,
  holds: (text: string | null) => boolean,
  found: Set<Element>,
): void {
  const nodes = [...within.childNodes];
  const inner = nodes.filter((node): node is Element => node instanceof Element && holds(node.textContent));
  for (const child of inner) addInnermost(child, holds, found);
  const own = nodes.flatMap((node) => (node instanceof Text ? node.data : []));
  if (inner.length && !holds(own.join(""))) return;
  // A shadow root's own text is drawn in its host.
  found.add(within instanceof ShadowRoot ? within.host : within);
}

function drawsAttribute(element: Element, holds: (text: string | null) => boolean): boolean {
  const telling = [...element.attributes].filter(({ value }) => holds(value));
  if (!telling.length) return false;
  if (telling.some(({ name }) => DRAWN.has(name))) return true;
  return ["::before", "::after"].some((pseudo) => holds(getComputedStyle(element, pseudo).content));
}
