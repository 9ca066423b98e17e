// Bringing a point of an element into view, where its own middle may be far away.

import type { Engine } from "../engine/dom/engine";
import * as dom from "../engine/dom/tree/dom";
import type { Point } from "../shared/messages";

/** Scroll what an element lies in until one of its points is in the middle. */
export function scrollToPoint(engine: Engine, element: Element, point: Point): void {
  let { x, y } = point;
  const root = dom.get(engine.document, "scrollingElement");
  for (let at = engine.flat.parent(element); at; at = engine.flat.parent(at)) {
    const isPage = at === root;
    if (!isPage && getComputedStyle(at).overflow === "visible") continue;
    const { left, top, width, height } = isPage
      ? new DOMRect(0, 0, window.innerWidth, window.innerHeight)
      : dom.getBoundingClientRect(at);
    const before = dom.getBoundingClientRect(element);
    const by = { left: x - left - width / 2, top: y - top - height / 2, behavior: "instant" };
    Reflect.apply(Element.prototype.scrollBy, at, [by]);
    const after = dom.getBoundingClientRect(element);
    x += after.x - before.x;
    y += after.y - before.y;
  }
}
