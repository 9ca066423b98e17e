// How a page drags an element, and whether what was dragged is where it was to be dropped.

import type { Engine } from "../engine/dom/engine";
import * as dom from "../engine/dom/tree/dom";
import { isVisible, nextFrame } from "../hit_safety/actionability";
import { elementOf } from "../hit_safety/find_element";
import { Failure } from "../shared/errors";
import { ALIVE_MS } from "../shared/limits";

/** Whether an element may be dragged without any change of the document: by the browser, or in a canvas. */
export function dragsUnseen(element: Element): boolean {
  return dom.closest(element, "[draggable=true],a[href],img,canvas,svg,input") !== null;
}

/** Fails where two elements of one list aren't side by side in this order; elsewhere nothing can be said. */
export async function requireBeside(
  engine: Engine,
  number: number,
  dragged: number,
  position: "before" | "after",
): Promise<void> {
  // Lists show the new order within this.
  const until = performance.now() + ALIVE_MS;
  while (!isBeside(elementOf(engine, dragged), elementOf(engine, number), position)) {
    if (performance.now() >= until) {
      const text = `It was dropped, but is not ${position} the element that it was dragged to.`;
      const hint = "look at the page: it may be at another place of the list, or where it was";
      throw new Failure("not_actionable", text, hint, { reason: "dropped_elsewhere" });
    }
    await nextFrame();
  }
}

function isBeside(dragged: Element | null, element: Element | null, position: "before" | "after"): boolean {
  const parent = dragged && dom.get(dragged, "parentElement");
  if (!dragged || !element || !parent || parent !== dom.get(element, "parentElement")) return true;
  const items = [...dom.get(parent, "children")].filter((one) => one === dragged || isVisible(one));
  return items.indexOf(dragged) - items.indexOf(element) === (position === "before" ? -1 : 1);
}
