// Pictures that styles draw where a cell has no text.

import { fold } from "../naming/text";
import * as dom from "../tree/dom";

const MOST_ELEMENTS = 20;
const DRAWINGS = new Set(["img", "svg", "canvas", "picture"]);

/** What titles say of the pictures in an element without text: "" where none says it, null where there are none. */
export function pictureIn(element: Element): string | null {
  if (!dom.firstChild(element)) return null;
  const inside = [...dom.querySelectorAll(element, "*")].slice(0, MOST_ELEMENTS);
  const said = inside.map(
    (each) => dom.getAttribute(each, "aria-label")?.trim() || dom.getAttribute(each, "title")?.trim() || "",
  );
  const drawn = inside.filter((each, place) => isDrawn(each, said[place] !== ""));
  return drawn.length ? fold([...new Set(said.filter(Boolean))].join(" ")).trim() : null;
}

function isDrawn(element: Element, isTitled: boolean): boolean {
  const { display, visibility, backgroundImage, maskImage } = getComputedStyle(element);
  if (display === "none" || visibility === "hidden") return false;
  if (isTitled || DRAWINGS.has(dom.localName(element))) return true;
  if (backgroundImage !== "none" || (maskImage && maskImage !== "none")) return true;
  return ["::before", "::after"].some((which) => /["(]/.test(getComputedStyle(element, which).content));
}
