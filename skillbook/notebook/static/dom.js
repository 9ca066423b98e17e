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
      for (const [event, act] of Object.entries(value)) node.addEventListener(event, act);
    else if (value !== false && value !== null && value !== undefined)
      node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined && child !== false));
  return node;
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
