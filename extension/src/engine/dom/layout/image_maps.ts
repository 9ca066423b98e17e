// Image maps: an area has no box of its own; it is where the image that uses its map says.

import { areaIn } from "../../../shared/image_maps";
import * as dom from "../tree/dom";

/** The image that an area is a part of; null for other elements. */
export function imageOf(area: Element): Element | null {
  if (dom.localName(area) !== "area") return null;
  const name = dom.closest(area, "map")?.getAttribute("name");
  const root = dom.getRootNode(area) as Document | ShadowRoot;
  return name ? dom.querySelector(root, `img[usemap=${JSON.stringify(`#${name}`)}]`) : null;
}

/** An element's box, also an area's. */
export function rectOf(element: Element): DOMRect {
  const image = imageOf(element);
  if (!image) return dom.getBoundingClientRect(element);
  const coords = dom.getAttribute(element, "coords");
  return DOMRect.fromRect(
    areaIn(dom.getBoundingClientRect(image), coords, dom.getAttribute(element, "shape")),
  );
}
