// Icons by which a cell without text says something: images, and what styles render.

import { fold } from "../naming/text";
import * as dom from "../tree/dom";

const MOST_ELEMENTS = 20;
const GRAPHICS = new Set(["img", "svg", "canvas", "picture"]);

/**
 * What titles say of the icons in an element without text: "" if none says it, null if there are none. `onlyInside` leaves out
 * what the element shows by itself.
 */
export function iconIn(element: Element, onlyInside = false): string | null {
  const inside = [...dom.querySelectorAll(element, "*")].slice(0, MOST_ELEMENTS);
  const said = inside.map(
    (each) => dom.getAttribute(each, "aria-label")?.trim() || dom.getAttribute(each, "title")?.trim() || "",
  );
  const shown = inside.filter((each, place) => isVisible(each, said[place] !== ""));
  if (!shown.length && (onlyInside || !showsByItself(element))) return null;
  return fold([...new Set(said.filter(Boolean))].join(" ")).trim();
}

function isVisible(element: Element, isTitled: boolean): boolean {
  if (!dom.checkVisibility(element, { visibilityProperty: true })) return false;
  const { backgroundImage, maskImage } = getComputedStyle(element);
  if (isTitled || GRAPHICS.has(dom.localName(element))) return true;
  if (backgroundImage !== "none" || (maskImage && maskImage !== "none")) return true;
  return hasRenderedParts(element);
}

/** A cell's own icon. Backgrounds that fill it are how it looks, as stripes are; one that is there once says something. */
function showsByItself(element: Element): boolean {
  const { backgroundImage, backgroundRepeat } = getComputedStyle(element);
  return (
    (backgroundImage.includes("url(") &&
      backgroundRepeat.split(",").some((each) => each.trim() === "no-repeat")) ||
    hasRenderedParts(element)
  );
}

/** Whether `::before` or `::after` shows something: a sign, an image, or a shape of borders as ticks often are. */
function hasRenderedParts(element: Element): boolean {
  return ["::before", "::after"].some((which) => {
    const style = getComputedStyle(element, which);
    const { content, display, backgroundImage, maskImage } = style;
    if (content === "none" || content === "normal" || display === "none") return false;
    if (content !== '""') return /["(]/.test(content);
    if (backgroundImage !== "none" || (maskImage && maskImage !== "none")) return true;
    const isTurned = style.transform !== "none" || style.rotate !== "none";
    return isTurned && ["top", "right", "bottom", "left"].some((side) => hasBorder(style, side));
  });
}

function hasBorder(style: CSSStyleDeclaration, side: string): boolean {
  return Number.parseFloat(style.getPropertyValue(`border-${side}-width`)) > 0;
}
