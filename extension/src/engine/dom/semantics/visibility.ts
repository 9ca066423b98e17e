// What is rendered, and how text flows around it.

import { imageOf } from "../layout/image_maps";
import * as dom from "../tree/dom";

const RENDERED: CheckVisibilityOptions = { visibilityProperty: true };

/** Elements that never show anything of their own. */
export const UNRENDERED = new Set(
  "base col colgroup datalist head link meta noscript param rp script source style template title track".split(
    " ",
  ),
);

/** Inside an svg: definitions, not drawings. */
export const SVG_UNRENDERED = new Set(
  "clipPath defs desc filter linearGradient marker mask metadata pattern radialGradient script style symbol title".split(
    " ",
  ),
);

type Rendering =
  /** Rendered, with a box. */
  | "box"
  /** No box of its own (`display: contents`); its children have. */
  | "contents"
  /** Invisible by `visibility`; its children may be visible. */
  | "invisible"
  /** Not rendered, and neither is anything in it. */
  | "none";

/** Whether and how an element is rendered by the rules of CSS (`aria-hidden` and `inert` are not looked at). */
export function renderingOf(element: Element): Rendering {
  if (dom.checkVisibility(element, RENDERED)) return "box";
  const image = imageOf(element);
  if (image) return renderingOf(image);
  const style = getComputedStyle(element);
  const display = style.display;
  if (display === "none" || display === "") return "none";
  if (style.visibility !== "visible") return "invisible";
  // What remains is a box-less element, or one whose ancestor skips its contents (closed details, content-visibility).
  return display === "contents" && !skipped(element) ? "contents" : "none";
}

/** Boxes that can't be contained, so that `content-visibility` doesn't hold for them (CSS Containment 2, §3.1). */
const UNCONTAINED = /^(inline$|contents|(inline-)?table(?!-caption)|ruby)/;

/** Whether an element shows nothing of its contents, though itself. */
export function skipsContent(style: Pick<CSSStyleDeclaration, "contentVisibility" | "display">): boolean {
  return style.contentVisibility === "hidden" && !UNCONTAINED.test(style.display);
}

/** Whether an element is a `details` that shows nothing but its summary. */
export function isFoldedUp(element: Element): boolean {
  return dom.localName(element) === "details" && !(element as HTMLDetailsElement).open;
}

function skipped(element: Element): boolean {
  let inner: Element = element;
  for (let at: Node | null = element; at; at = dom.get(at as Element, "assignedSlot") ?? dom.parentNode(at)) {
    if (at instanceof ShadowRoot) at = at.host;
    if (at instanceof Element && at !== element && isFoldedUp(at)) {
      if (dom.parentNode(inner) === at && inner !== dom.querySelector(at, ":scope > summary")) return true;
    }
    if (at instanceof Element) inner = at;
    if (at instanceof Element && at !== element && getComputedStyle(at).display !== "contents") {
      return !dom.checkVisibility(at) || skipsContent(getComputedStyle(at));
    }
  }
  return false;
}

/** Whether a person could see the element: rendered, visible and not hidden from all users. */
export function isRendered(element: Element): boolean {
  const how = renderingOf(element);
  return how === "box" || how === "contents";
}

/** What is kept for screen readers alone has a box of this many pixels at most. */
const TINY = 1;
/** And stands so many pixels beside the page; what is scrolled out of view is nearer to where it belongs. */
const AWAY = -999;

/** Whether nobody can see the text in an element that is rendered, though it has a place. */
export function hidesText(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.opacity === "0") return true;
  if (style.position !== "absolute") return false;
  const { width, height } = dom.getBoundingClientRect(element);
  const isClipped = width <= TINY && height <= TINY && style.overflowX !== "visible";
  const isAway = [style.left, style.top].some((place) => Number.parseFloat(place) <= AWAY);
  return (isClipped || isAway) && !saysWhatIsShown(element);
}

/** Whether what stands beside an element shows to the eye what the element says to screen readers. */
function saysWhatIsShown(element: Element): boolean {
  const around = dom.parentElement(element);
  const beside = around ? [...dom.children(around)] : [];
  return beside.some(
    (each) =>
      each !== element &&
      (dom.getAttribute(each, "aria-hidden") === "true" || /^(svg|i)$/.test(dom.localName(each))),
  );
}

/** Whether an element's display lets text flow through it. Browsers set apart what has no box (`contents`), too. */
export function isInlineDisplay(display: string): boolean {
  return display === "inline" || display.startsWith("ruby");
}

/** Whether an element sits in a line of text (its box may be a block inside). */
export function isInlineLevel(display: string): boolean {
  return display.startsWith("inline") || display === "contents" || display.startsWith("ruby");
}
