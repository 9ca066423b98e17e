// Image maps: an area has no box of its own; it is where the image that uses its map says.

export interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The image that an area is a part of; null for other elements. */
export function imageOf(area: Element): Element | null {
  if (area.localName !== "area") return null;
  const name = area.closest("map")?.getAttribute("name");
  const root = area.getRootNode() as Document | ShadowRoot;
  return name ? root.querySelector(`img[usemap=${JSON.stringify(`#${name}`)}]`) : null;
}

/** Where an area is, given where its image is. */
export function areaIn(area: Element, image: Rect): Rect {
  const numbers = (area.getAttribute("coords") ?? "").split(",").map(Number.parseFloat);
  const shape = (area.getAttribute("shape") ?? "rect").toLowerCase();
  if (shape === "default" || numbers.length < 3 || numbers.some(Number.isNaN)) return image;
  if (shape.startsWith("circ")) {
    const [x = 0, y = 0, radius = 0] = numbers;
    return { x: image.x + x - radius, y: image.y + y - radius, width: 2 * radius, height: 2 * radius };
  }
  const across = numbers.filter((_, i) => i % 2 === 0);
  const down = numbers.filter((_, i) => i % 2 === 1);
  const [left, top] = [Math.min(...across), Math.min(...down)];
  const [width, height] = [Math.max(...across) - left, Math.max(...down) - top];
  return { x: image.x + left, y: image.y + top, width, height };
}

/** An element's box, also an area's. */
export function rectOf(element: Element): DOMRect {
  const image = imageOf(element);
  if (!image) return element.getBoundingClientRect();
  return DOMRect.fromRect(areaIn(element, image.getBoundingClientRect()));
}
