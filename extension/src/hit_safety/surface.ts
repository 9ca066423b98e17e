// Canvases and images: elements in which places matter, and nothing else has a name.

import type { Engine } from "../engine/dom/engine";
import { Clips, isWithin } from "../engine/dom/layout/hit_test";
import * as dom from "../engine/dom/tree/dom";
import { Failure } from "../shared/errors";
import type { Point } from "../shared/messages";
import { scrollToPoint } from "./scroll_to_point";

const SURFACES = new Set(["canvas", "img", "svg"]);

export function isSurface(element: Element): boolean {
  return SURFACES.has(dom.localName(element));
}

/** What gets the mouse at a point, and what it is in, innermost first: the elements that have refs. */
export function namedAt(engine: Engine, { x, y }: Point): Element[] {
  engine.takeSnapshot(); // numbers what came since the last one
  const path: Element[] = [];
  for (let at = engine.flat.elementAt(engine.document, x, y); at; at = engine.flat.parent(at))
    if (engine.refs.numberOf(at)) path.push(at);
  return path;
}

/** A place in a surface as a point of the viewport, in view; it fails where the element has no such place. */
export function placeIn(engine: Engine, element: Element, [x, y]: readonly [number, number]): Point {
  if (!isSurface(element)) {
    const text = "Only a canvas or an image has places to click.";
    throw new Failure("invalid_params", text, "click the element without `at`");
  }
  const { width, height } = dom.getBoundingClientRect(element);
  if (!(x >= 0 && y >= 0 && x < width && y < height)) {
    const text = `The place ${x}, ${y} is outside: the element is ${width} × ${height} pixels.`;
    throw new Failure("invalid_params", text, "give pixels from its upper left corner");
  }
  const point = (): Point => {
    const box = dom.getBoundingClientRect(element);
    return { x: box.x + x, y: box.y + y };
  };
  if (!isWithin(new Clips(engine.flat).around(element), point())) scrollToPoint(engine, element, point());
  return point();
}
