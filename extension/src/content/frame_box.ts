// Where a frame lies in the document around it, and bringing a point of it into view there.

import type { Engine } from "../engine/dom/engine";
import { Clips, isWithin } from "../engine/dom/layout/hit_test";
import * as dom from "../engine/dom/tree/dom";
import { findElement } from "../hit_safety/find_element";
import { scrollToPoint } from "../hit_safety/scroll_to_point";
import type { ContentRequest, FrameBox } from "../shared/messages";

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
  scrollToPoint(engine, frame, point);
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
