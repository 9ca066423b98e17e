// Events that the content script makes where no input of the browser's does the same: they count as a person's.

import * as dom from "../engine/dom/tree/dom";

const scripted = new WeakSet<Event>();

/** Send an event to an element; false where the page prevents what follows. */
export function dispatch(element: Element, event: Event): boolean {
  scripted.add(event);
  return dom.call(element, "dispatchEvent", event);
}

/** Whether an event comes from the browser's input or from us, and not from the page. */
export function isInput(event: Event): boolean {
  return event.isTrusted || scripted.has(event);
}
