// Image maps: an area is where the image that uses its map is, in the shape of its coordinates.

interface Rect {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Given = string | null | undefined;

/** Where an area is, given its attributes and where its image is. */
export function areaIn(image: Rect, coords: Given, shape: Given): Rect {
  const numbers = (coords ?? "").split(",").map(Number.parseFloat);
  const kind = (shape ?? "rect").toLowerCase();
  if (kind === "default" || numbers.length < 3 || numbers.some(Number.isNaN)) return image;
  if (kind.startsWith("circ")) {
    const [x = 0, y = 0, radius = 0] = numbers;
    return { x: image.x + x - radius, y: image.y + y - radius, width: 2 * radius, height: 2 * radius };
  }
  const across = numbers.filter((_, i) => i % 2 === 0);
  const down = numbers.filter((_, i) => i % 2 === 1);
  const [left, top] = [Math.min(...across), Math.min(...down)];
  const [width, height] = [Math.max(...across) - left, Math.max(...down) - top];
  return { x: image.x + left, y: image.y + top, width, height };
}
