// Elements without markup: text goes in as text nodes only, so nothing from a page is ever parsed.

/**
 * Make an element. `props.text` is its text, `props.on` its listeners; other props are attributes, where
 * true sets an empty attribute and false, null or undefined none.
 */
export function h(tag, props = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (name === "text") node.textContent = value;
    else if (name === "on")
      for (const [event, act] of Object.entries(value))
        if (event === "keydown") onKeydown(node, act);
        else node.addEventListener(event, act);
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

const keyActs = new WeakMap();

/** Have an element take keys, once what it is in calls `takeKeys`; `event.stopPropagation()` keeps them from what is around it. */
export function onKeydown(node, act) {
  keyActs.set(node, act);
}

/** The element that has a key: a shadow root around the widget shows itself in its place. */
export const targetOf = (event) => event.composedPath()[0];

/**
 * Take the keys of a widget before the notebook does, which may have taken them on their way down to it. None but
 * combinations that nothing here takes goes on to the notebook: a letter there may delete a cell. Ends with the returned function.
 */
export function takeKeys(root) {
  function take(event) {
    const path = event.composedPath();
    if (!path.includes(root)) return;
    for (const node of path.slice(0, path.indexOf(root) + 1)) {
      keyActs.get(node)?.(event);
      if (event.cancelBubble) return;
    }
    if (!event.ctrlKey && !event.metaKey) event.stopPropagation();
  }
  window.addEventListener("keydown", take, true);
  return () => window.removeEventListener("keydown", take, true);
}

let serial = 0;

/** An id for `label for` and `aria-describedby`, unique in the document. */
export function uniqueId(prefix) {
  serial += 1;
  return `sbp-${prefix}-${serial}-${Math.random().toString(36).slice(2, 7)}`;
}

/** Scroll a child into the view of its scroller only; the notebook stays where it is. */
export function scrollWithin(scroller, child) {
  const outer = scroller.getBoundingClientRect();
  const inner = child.getBoundingClientRect();
  if (inner.top < outer.top) scroller.scrollTop -= outer.top - inner.top + 24;
  else if (inner.bottom > outer.bottom) scroller.scrollTop += inner.bottom - outer.bottom + 24;
}
