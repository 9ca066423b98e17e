// Scrolling: the page, a box that scrolls, or an element into view.

import type { Engine } from "../engine/dom/engine";
import * as dom from "../engine/dom/tree/dom";
import { nextFrame } from "../hit_safety/actionability";
import type { ScrollParams } from "../protocol/generated";

/** Scroll by a distance or to an end; an element without either is brought into view. */
export async function scroll(engine: Engine, element: Element | null, params: ScrollParams): Promise<void> {
  const { dx = 0, dy = 0, to } = params;
  if (element && !dx && !dy && !to) {
    bringIntoView(engine, element);
  } else {
    const box = scroller(engine, element);
    const options = { ...(to ? endOf(box, to) : { left: dx, top: dy }), behavior: "instant" };
    Reflect.apply(to ? Element.prototype.scrollTo : Element.prototype.scrollBy, box, [options]);
  }
  await rendered(engine);
}

/**
 * Bring an element to the middle. Sideways nothing moves if it is seen whole, or over the whole width: a grid's row is there
 * whichever of its columns are.
 */
function bringIntoView(engine: Engine, element: Element): void {
  const before: [Element, number][] = [];
  const seen = { left: 0, right: window.innerWidth };
  for (let at = engine.flat.parent(element); at; at = engine.flat.parent(at)) {
    before.push([at, dom.get(at, "scrollLeft")]);
    if (dom.get(at, "scrollWidth") <= dom.get(at, "clientWidth")) continue;
    if (getComputedStyle(at).overflowX === "visible") continue;
    const { left, right } = dom.getBoundingClientRect(at);
    seen.left = Math.max(seen.left, left);
    seen.right = Math.min(seen.right, right);
  }
  const { left, right } = dom.getBoundingClientRect(element);
  const isInside = left >= seen.left && right <= seen.right;
  const isAcross = left <= seen.left && right >= seen.right;
  dom.call(element, "scrollIntoView", { block: "center", inline: "center", behavior: "instant" });
  if (!isInside && !isAcross) return;
  for (const [around, from] of before)
    if (dom.get(around, "scrollLeft") !== from) dom.set(around, "scrollLeft", from);
}

/**
 * Resolve once a frame went by in which the page changed nothing, or after enough frames.
 *
 * Scroll events, and what pages load on them, come with the next frame; grids render cells over several.
 */
async function rendered({ watch }: Engine): Promise<void> {
  await nextFrame();
  for (let frame = 0; frame < MOST_FRAMES; frame++) {
    const { version } = watch;
    await nextFrame();
    if (watch.version === version) return;
  }
}

const MOST_FRAMES = 30;

/** That more was loaded is seen to by the kernel: here `end` is the bottom. */
function endOf(box: Element, to: NonNullable<ScrollParams["to"]>): ScrollToOptions {
  if (to === "left" || to === "right") return { left: to === "left" ? 0 : dom.get(box, "scrollWidth") };
  // A box that is filled from its bottom has its top at a negative number; the browser stops at the end of either.
  const most = dom.get(box, "scrollHeight");
  return { top: to === "top" ? -most : most };
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
  const isWider = dom.get(element, "scrollWidth") > dom.get(element, "clientWidth") + ROUNDING_PX;
  return scrollsDown(element) || (isWider && SCROLLS.test(getComputedStyle(element).overflowX));
}

function scrollsDown(element: Element): boolean {
  const isHigher = dom.get(element, "scrollHeight") > dom.get(element, "clientHeight") + ROUNDING_PX;
  return isHigher && SCROLLS.test(getComputedStyle(element).overflowY);
}

/** A box whose content fits may be as much smaller, by rounding. */
const ROUNDING_PX = 1;
const SCROLLS = /auto|scroll|overlay/;

/** What scrolls in an element: itself, or the box in it that fills its middle, as in grids. */
function innerScroller(engine: Engine, element: Element): Element | null {
  if (scrolls(element)) return element;
  const { x, y, width, height } = dom.getBoundingClientRect(element);
  return outermostAt(engine, x + width / 2, y + height / 2, element);
}

/** In pages whose body doesn't scroll, the largest box that does. */
function largestScroller(engine: Engine): Element | null {
  return outermostAt(engine, window.innerWidth / 2, window.innerHeight / 2, null);
}

/** The outermost box that scrolls downwards at a point, and is inside an element; null where the point isn't in that. */
function outermostAt(engine: Engine, x: number, y: number, within: Element | null): Element | null {
  let found: Element | null = null;
  let at = engine.flat.elementAt(engine.document, x, y);
  for (; at && at !== within; at = engine.flat.parent(at)) if (scrollsDown(at)) found = at;
  return at === within ? found : null;
}
