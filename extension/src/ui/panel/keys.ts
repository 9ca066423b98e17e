// Keys of a panel: those that it takes never come to what is around it.

import { useLayoutEffect, useRef } from "react";

type Act = (event: KeyboardEvent) => void;

const acts = new WeakMap<EventTarget, Act>();

/** Have an element take keys, once what it is in calls `takeKeys`; `event.stopPropagation()` keeps them from what is around it. */
export function onKeydown(node: EventTarget, act: Act): void {
  acts.set(node, act);
}

/** The element that has a key: a shadow root around a widget shows itself in its place. */
export const targetOf = (event: Event): Element => event.composedPath()[0] as Element;

export const isIn = (event: Event, selector: string): boolean => Boolean(targetOf(event).closest?.(selector));

/**
 * Take the keys of a panel, innermost element first. A guest takes them before a notebook does, which may take them on their
 * way down: none but combinations that nothing here takes goes on to it, since a letter there may delete a cell. A panel
 * that has its page for itself also takes the keys that nothing else there took.
 */
export function takeKeys(root: Element, isGuest: boolean): () => void {
  function take(event: KeyboardEvent): void {
    const path = event.composedPath();
    const isInside = path.includes(root);
    if (isGuest && !isInside) return;
    for (const node of isInside ? path.slice(0, path.indexOf(root) + 1) : [root]) {
      acts.get(node)?.(event);
      if (event.cancelBubble) return;
    }
    if (isGuest && !event.ctrlKey && !event.metaKey) event.stopPropagation();
  }
  window.addEventListener("keydown", take, isGuest);
  return () => window.removeEventListener("keydown", take, isGuest);
}

/** A ref for an element that takes keys. */
export function useKeydown<T extends Element>(act: Act): (node: T | null) => void {
  const latest = useRef(act);
  latest.current = act;
  const ref = useRef((node: T | null) => {
    if (node) onKeydown(node, (event) => latest.current(event));
  });
  return ref.current;
}

/** The root of a widget in a notebook: no key of it comes to the notebook. */
export function useTakenKeys(root: React.RefObject<Element | null>, isGuest: boolean): void {
  useLayoutEffect(() => (root.current ? takeKeys(root.current, isGuest) : undefined), [root, isGuest]);
}

/** Scroll a child into the view of its scroller only; what is around stays where it is. */
export function scrollWithin(scroller: Element, child: Element): void {
  const outer = scroller.getBoundingClientRect();
  const inner = child.getBoundingClientRect();
  if (inner.top < outer.top) scroller.scrollTop -= outer.top - inner.top + 24;
  else if (inner.bottom > outer.bottom) scroller.scrollTop += inner.bottom - outer.bottom + 24;
}
