// Where an iframe's content stands in its parent.

import type { Engine } from "../engine/dom/engine";
import { findElement } from "../hit_safety/find_element";
import type { FrameBox } from "../shared/messages";

/** The iframe's content box in its document's viewport, and the scale of what is in it. */
export function frameBox(engine: Engine, number: number, intoView: boolean): FrameBox {
  const frame = findElement(engine, number) as HTMLElement;
  if (intoView) frame.scrollIntoView({ block: "center", inline: "center", behavior: "instant" });
  const rect = frame.getBoundingClientRect();
  const style = getComputedStyle(frame);
  const px = (text: string): number => Number.parseFloat(text) || 0;
  const left = frame.clientLeft + px(style.paddingLeft);
  const top = frame.clientTop + px(style.paddingTop);
  const scale = frame.offsetWidth ? rect.width / frame.offsetWidth : 1;
  return {
    x: rect.x + left * scale,
    y: rect.y + top * scale,
    width: (frame.clientWidth - px(style.paddingLeft) - px(style.paddingRight)) * scale,
    height: (frame.clientHeight - px(style.paddingTop) - px(style.paddingBottom)) * scale,
    scale,
  };
}
