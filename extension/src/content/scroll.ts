// Scrolling: the page, a box that scrolls, or an element into view.

import type { Engine } from "../engine/dom/engine";
import type { ScrollParams } from "../protocol/generated";
import { frame } from "./locate";

/** Scroll by a distance or to an end; an element without either is brought into view. */
export async function scroll(engine: Engine, element: Element | null, params: ScrollParams): Promise<void> {
  const { dx = 0, dy = 0, to } = params;
  if (element && !dx && !dy && !to) {
    element.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  } else {
    const box = scroller(engine, element);
    if (to) box.scrollTo({ ...endOf(box, to), behavior: "instant" });
    else box.scrollBy({ left: dx, top: dy, behavior: "instant" });
  }
  // Scroll events, and what pages load on them, come with the next frame.
  await frame();
}

function endOf(box: Element, to: "top" | "bottom" | "left" | "right"): ScrollToOptions {
  if (to === "top" || to === "bottom") return { top: to === "top" ? 0 : box.scrollHeight };
  return { left: to === "left" ? 0 : box.scrollWidth };
}

/** The box that scrolls: the element or the nearest around it, else the page. */
function scroller(engine: Engine, element: Element | null): Element {
  for (let at = element; at; at = engine.flat.parent(at)) {
    const style = getComputedStyle(at);
    const scrolls =
      (at.scrollHeight > at.clientHeight && /auto|scroll|overlay/.test(style.overflowY)) ||
      (at.scrollWidth > at.clientWidth && /auto|scroll|overlay/.test(style.overflowX));
    if (scrolls) return at;
  }
  const page = engine.document.scrollingElement ?? engine.document.documentElement;
  return element || page.scrollHeight > page.clientHeight ? page : (largestScroller(engine) ?? page);
}

/** In pages whose body doesn't scroll, the largest box that does. */
function largestScroller(engine: Engine): Element | null {
  const view = engine.document.defaultView as Window;
  let at = engine.flat.elementAt(engine.document, view.innerWidth / 2, view.innerHeight / 2);
  let found: Element | null = null;
  for (; at; at = engine.flat.parent(at)) {
    if (at.scrollHeight > at.clientHeight + 1 && /auto|scroll/.test(getComputedStyle(at).overflowY))
      found = at;
  }
  return found;
}
