// Bars that stay while the page scrolls beneath them: what they cover is uncovered by scrolling, which every action does.

import type { FlatTree } from "../tree/flat_tree";

/** Whether scrolling brings an element out from under what covers it. */
export function isUncoveredByScrolling(flat: FlatTree, element: Element, cover: Element): boolean {
  const bar = barOf(flat, element, cover);
  const scroller = bar && scrollerOf(flat, element);
  if (!bar || !scroller) return false;
  const room = scroller === document.scrollingElement ? viewport() : scroller.getBoundingClientRect();
  const [over, rect] = [bar.getBoundingClientRect(), element.getBoundingClientRect()];
  const { scrollTop, scrollHeight, clientHeight } = scroller;
  const fitsBelow = room.bottom - over.bottom >= rect.height;
  const fitsAbove = over.top - room.top >= rect.height;
  return (
    (fitsBelow && scrollTop >= over.bottom - rect.top) ||
    (fitsAbove && scrollHeight - clientHeight - scrollTop >= rect.bottom - over.top)
  );
}

/** The box that stays in place which a cover is in, where the element is not in it. */
function barOf(flat: FlatTree, element: Element, cover: Element): Element | null {
  for (let at: Element | null = cover; at && !flat.isInside(element, at); at = flat.parent(at))
    if (/^(fixed|sticky|-webkit-sticky)$/.test(getComputedStyle(at).position)) return at;
  return null;
}

/** What scrolls an element up and down; null where it stays in place itself. */
function scrollerOf(flat: FlatTree, element: Element): Element | null {
  for (let at: Element | null = element; at; at = flat.parent(at)) {
    const { position, overflowY } = getComputedStyle(at);
    const root = at === document.body || at === document.documentElement;
    if (
      at !== element &&
      !root &&
      /^(auto|scroll|overlay)$/.test(overflowY) &&
      at.scrollHeight > at.clientHeight
    )
      return at;
    if (/^(fixed|sticky|-webkit-sticky)$/.test(position)) return null;
  }
  return document.scrollingElement;
}

function viewport(): { top: number; bottom: number } {
  return { top: 0, bottom: innerHeight };
}
