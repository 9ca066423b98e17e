// Which element took the place of one that a page rendered anew, as many do with a whole list at every change.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { visibleName } from "../hit_safety/visible_name";

/** So many elements of one kind are compared; in larger pages nothing is said of what takes an element's place. */
const MOST = 400;

interface Remembered {
  root: ParentNode;
  number: number;
  selector: string;
  role: string;
  name: string;
  around: string;
  index: number;
  count: number;
}

/** One action at a time is done in a document. */
let remembered: Remembered | null = null;

/** Keep by what an element is known again once it is gone. */
export function rememberPlace(engine: Engine, number: number, element: Element): void {
  const stated = dom.getAttribute(element, "role");
  const kind = {
    number,
    root: dom.getRootNode(element) as ParentNode,
    selector: stated ? `[role="${CSS.escape(stated)}"]` : dom.localName(element),
    role: engine.roles.of(element),
    name: visibleName(engine, element),
  };
  const same = alike(engine, kind);
  const index = same.indexOf(element);
  remembered = index < 0 ? null : { ...kind, around: textAround(element, same), index, count: same.length };
}

/** The element that stands where one was, or null where there is none, or nobody can say which. */
export function replacementOf(engine: Engine, number: number): Element | null {
  if (remembered?.number !== number) return null;
  const { around, index, count } = remembered;
  const same = alike(engine, remembered);
  const here = same.filter((element) => textAround(element, same) === around);
  if (here.length === 1) return here[0] ?? null;
  return same.length === count ? (same[index] ?? null) : null;
}

type Kind = Pick<Remembered, "root" | "selector" | "role" | "name">;

function alike(engine: Engine, { root, selector, role, name }: Kind): Element[] {
  const found = [...dom.querySelectorAll(root, selector)];
  if (found.length > MOST) return [];
  return found.filter(
    (element) => engine.roles.of(element) === role && visibleName(engine, element) === name,
  );
}

/** The text of the largest part of the page that holds an element and none that is like it. */
function textAround(element: Element, same: readonly Element[]): string {
  const others = same.filter((other) => other !== element);
  let around = element;
  for (
    let up = dom.get(around, "parentElement");
    up && others.length && !others.some((other) => up?.contains(other));
    up = dom.get(up, "parentElement")
  )
    around = up;
  return fold(dom.get(around, "textContent") ?? "");
}
