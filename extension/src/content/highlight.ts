// Outlines around elements, which follow them.

import type { Engine } from "../engine/dom/engine";
import { rectOf } from "../engine/dom/layout/image_maps";
import { findElement } from "../hit_safety/find_element";
import { Overlay, placeBox } from "./overlay";

const STYLE = `
  .box { position: fixed; box-sizing: border-box; border: 2px solid #e8590c; border-radius: 3px;
         background: rgb(232 89 12 / 0.12); }
`;

export class Highlight {
  private readonly overlay: Overlay;
  private elements: Element[] = [];
  private timer = 0;

  constructor(private readonly engine: Engine) {
    this.overlay = new Overlay(engine, STYLE);
  }

  /** Outline these elements and no others. */
  show(numbers: readonly number[]): void {
    this.elements = numbers.map((number) => findElement(this.engine, number));
    if (!this.elements.length) {
      this.clear();
      return;
    }
    this.elements[0]?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    this.draw();
  }

  clear(): void {
    cancelAnimationFrame(this.timer);
    this.elements = [];
    this.overlay.close();
  }

  /** Follow the elements from frame to frame while any of them is there. */
  private readonly draw = (): void => {
    const there = this.elements.filter((element) => element.isConnected);
    if (!there.length) {
      this.clear();
      return;
    }
    const layer = this.overlay.open();
    while (layer.childElementCount > there.length) layer.lastElementChild?.remove();
    there.forEach((element, i) => {
      let box = layer.children[i] as HTMLElement | undefined;
      if (!box) {
        box = this.engine.document.createElement("div");
        box.className = "box";
        layer.append(box);
      }
      placeBox(box, rectOf(element));
    });
    cancelAnimationFrame(this.timer);
    this.timer = requestAnimationFrame(this.draw);
  };
}
