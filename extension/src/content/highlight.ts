// Outlines around elements, in a closed shadow root that is no part of snapshots and takes no events.

import { rectOf } from "../engine/dom/areas";
import type { Engine } from "../engine/dom/engine";
import { findElement } from "./elements";

const STYLE = `
  :host { all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }
  .box { position: fixed; box-sizing: border-box; border: 2px solid #e8590c; border-radius: 3px;
         background: rgb(232 89 12 / 0.12); pointer-events: none; }
`;

export class Highlight {
  private host: HTMLElement | null = null;
  private root: ShadowRoot | null = null;
  private elements: Element[] = [];
  private timer = 0;

  constructor(private readonly engine: Engine) {}

  /** Outline these elements and no others. */
  show(numbers: readonly number[]): void {
    this.elements = numbers.map((number) => findElement(this.engine, number));
    if (!this.elements.length) {
      this.clear();
      return;
    }
    this.elements[0]?.scrollIntoView({ block: "nearest", inline: "nearest", behavior: "instant" });
    this.mount();
    this.draw();
  }

  clear(): void {
    cancelAnimationFrame(this.timer);
    this.elements = [];
    this.host?.remove();
    this.host = null;
    this.root = null;
  }

  private mount(): void {
    if (this.host?.isConnected) return;
    const { document } = this.engine;
    const host = document.createElement("div");
    host.setAttribute("aria-hidden", "true");
    this.engine.exclude(host);
    const root = host.attachShadow({ mode: "closed" });
    // A constructed sheet is no inline style, so that a page's content security policy doesn't forbid it.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    document.documentElement.append(host);
    this.host = host;
    this.root = root;
  }

  /** Follow the elements from frame to frame while any of them is there. */
  private readonly draw = (): void => {
    const { root } = this;
    const there = this.elements.filter((element) => element.isConnected);
    if (!root || !there.length) {
      this.clear();
      return;
    }
    while (root.childElementCount > there.length) root.lastElementChild?.remove();
    there.forEach((element, i) => {
      let box = root.children[i] as HTMLElement | undefined;
      if (!box) {
        box = this.engine.document.createElement("div");
        box.className = "box";
        root.append(box);
      }
      const { x, y, width, height } = rectOf(element);
      // Through the CSS object model, which a content security policy allows.
      box.style.left = `${x - 3}px`;
      box.style.top = `${y - 3}px`;
      box.style.width = `${width + 6}px`;
      box.style.height = `${height + 6}px`;
    });
    cancelAnimationFrame(this.timer);
    this.timer = requestAnimationFrame(this.draw);
  };
}
