// Where a frame lies in the document around it, and bringing a point of it into view there.

import type { Engine } from "../engine/dom/engine";
import { Clips, isWithin } from "../engine/dom/layout/hit_test";
import * as dom from "../engine/dom/tree/dom";
import { findElement } from "../hit_safety/find_element";
import type { ContentRequest, FrameBox, Point } from "../shared/messages";

/** Where a frame shows its document, and the scale of it; with a point of that document, once the point is in view. */
export function frameBox(
  engine: Engine,
  number: number,
  through: ContentRequest<"frame_box">["through"],
): FrameBox {
  const frame = findElement(engine, number) as HTMLElement;
  const box = contentBox(frame);
  if (!through) return box;
  const point = { x: box.x + through.point.x * box.scale, y: box.y + through.point.y * box.scale };
  if (!through.center && isWithin(new Clips(engine.flat).within(frame), point)) return box;
  scrollTo(engine, frame, point);
  return contentBox(frame);
}

function contentBox(frame: HTMLElement): FrameBox {
  const rect = dom.getBoundingClientRect(frame);
  const style = getComputedStyle(frame);
  const px = (text: string): number => Number.parseFloat(text) || 0;
  const left = dom.get(frame, "clientLeft") + px(style.paddingLeft);
  const top = dom.get(frame, "clientTop") + px(style.paddingTop);
  const scale = dom.get(frame, "offsetWidth") ? rect.width / dom.get(frame, "offsetWidth") : 1;
  return {
    x: rect.x + left * scale,
    y: rect.y + top * scale,
    width: (dom.get(frame, "clientWidth") - px(style.paddingLeft) - px(style.paddingRight)) * scale,
    height: (dom.get(frame, "clientHeight") - px(style.paddingTop) - px(style.paddingBottom)) * scale,
    scale,
  };
}

/** Scroll what a frame lies in until one of its points is in the middle: a tall frame's own middle may be far away. */
function scrollTo(engine: Engine, frame: HTMLElement, point: Point): void {
  let { x, y } = point;
  const root = dom.get(engine.document, "scrollingElement");
  for (let at = engine.flat.parent(frame); at; at = engine.flat.parent(at)) {
    const isPage = at === root;
    if (!isPage && getComputedStyle(at).overflow === "visible") continue;
    const { left, top, width, height } = isPage
      ? new DOMRect(0, 0, window.innerWidth, window.innerHeight)
      : dom.getBoundingClientRect(at);
    const before = dom.getBoundingClientRect(frame);
    const by = { left: x - left - width / 2, top: y - top - height / 2, behavior: "instant" };
    Reflect.apply(Element.prototype.scrollBy, at, [by]);
    const after = dom.getBoundingClientRect(frame);
    x += after.x - before.x;
    y += after.y - before.y;
  }
}
