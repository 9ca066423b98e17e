// Image maps: an area has no box of its own; it is where the image that uses its map says.

import { areaIn } from "../../../shared/image_maps";

/** The image that an area is a part of; null for other elements. */
export function imageOf(area: Element): Element | null {
  if (area.localName !== "area") return null;
  const name = area.closest("map")?.getAttribute("name");
  const root = area.getRootNode() as Document | ShadowRoot;
  return name ? root.querySelector(`img[usemap=${JSON.stringify(`#${name}`)}]`) : null;
}

/** An element's box, also an area's. */
export function rectOf(element: Element): DOMRect {
  const image = imageOf(element);
  if (!image) return element.getBoundingClientRect();
  const coords = element.getAttribute("coords");
  return DOMRect.fromRect(areaIn(image.getBoundingClientRect(), coords, element.getAttribute("shape")));
}
