// Scrolling: the page, a box that scrolls, or an element into view.

import type { Engine } from "../engine/dom/engine";
import * as dom from "../engine/dom/tree/dom";
import { nextFrame } from "../hit_safety/actionability";
import type { ScrollParams } from "../protocol/generated";

/** Scroll by a distance or to an end; an element without either is brought into view. */
export async function scroll(engine: Engine, element: Element | null, params: ScrollParams): Promise<void> {
  const { dx = 0, dy = 0, to } = params;
  if (element && !dx && !dy && !to) {
    dom.call(element, "scrollIntoView", { block: "center", inline: "center", behavior: "instant" });
  } else {
    const box = scroller(engine, element);
    const options = { ...(to ? endOf(box, to) : { left: dx, top: dy }), behavior: "instant" };
    Reflect.apply(to ? Element.prototype.scrollTo : Element.prototype.scrollBy, box, [options]);
  }
  // Scroll events, and what pages load on them, come with the next frame.
  await nextFrame();
}

/** That more was loaded is seen to by the kernel: here `end` is the bottom. */
function endOf(box: Element, to: NonNullable<ScrollParams["to"]>): ScrollToOptions {
  if (to === "left" || to === "right") return { left: to === "left" ? 0 : dom.get(box, "scrollWidth") };
  return { top: to === "top" ? 0 : dom.get(box, "scrollHeight") };
}

/** The box that scrolls: the element, the one that fills it, or the nearest around it, else the page. */
function scroller(engine: Engine, element: Element | null): Element {
  const inner = element && innerScroller(engine, element);
  if (inner) return inner;
  for (let at = element; at; at = engine.flat.parent(at)) if (scrolls(at)) return at;
  const page = dom.get(engine.document, "scrollingElement") ?? dom.get(engine.document, "documentElement");
  return element || dom.get(page, "scrollHeight") > dom.get(page, "clientHeight")
    ? page
    : (largestScroller(engine) ?? page);
}

function scrolls(element: Element): boolean {
  const style = getComputedStyle(element);
  return (
    (dom.get(element, "scrollHeight") > dom.get(element, "clientHeight") &&
      /auto|scroll|overlay/.test(style.overflowY)) ||
    (dom.get(element, "scrollWidth") > dom.get(element, "clientWidth") &&
      /auto|scroll|overlay/.test(style.overflowX))
  );
}

/** The outermost box that scrolls downwards under the middle of an element, in it: grids scroll such a part of theirs. */
function innerScroller(engine: Engine, element: Element): Element | null {
  if (scrolls(element)) return element;
  const { x, y, width, height } = dom.getBoundingClientRect(element);
  let found: Element | null = null;
  let at = engine.flat.elementAt(engine.document, x + width / 2, y + height / 2);
  for (; at && at !== element; at = engine.flat.parent(at))
    if (scrolls(at) && dom.get(at, "scrollHeight") > dom.get(at, "clientHeight")) found = at;
  return at === element ? found : null;
}

/** In pages whose body doesn't scroll, the largest box that does. */
function largestScroller(engine: Engine): Element | null {
  const view = window as Window;
  let at = engine.flat.elementAt(engine.document, view.innerWidth / 2, view.innerHeight / 2);
  let found: Element | null = null;
  for (; at; at = engine.flat.parent(at)) {
    if (
      dom.get(at, "scrollHeight") > dom.get(at, "clientHeight") + 1 &&
      /auto|scroll/.test(getComputedStyle(at).overflowY)
    )
      found = at;
  }
  return found;
}
