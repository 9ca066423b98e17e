// What the extension shows over a page: the mouse while the page is driven, and outlines. It is in a closed shadow root
// that is no part of snapshots and takes no events.

import type { Engine } from "../engine/dom/engine";
import { rectOf } from "../engine/dom/layout/image_maps";
import * as dom from "../engine/dom/tree/dom";
import { findElement } from "../hit_safety/find_element";
import { ALIVE_MS, SHOWN_MS } from "../shared/limits";
import type { Point } from "../shared/messages";

const RIPPLE_SIZE = 40;

const STYLE = `
  :host { all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }
  .layer { all: initial; display: block; position: fixed; inset: 0; width: auto; height: auto; pointer-events: none; }
  .cursor { position: fixed; width: 18px; height: 24px; background: #1971c2;
            clip-path: polygon(0 0, 0 75%, 24% 58%, 42% 100%, 60% 92%, 43% 53%, 78% 53%);
            transition: left 80ms linear, top 80ms linear; filter: drop-shadow(0 0 1px #fff); }
  .ripple { position: fixed; box-sizing: border-box; width: ${RIPPLE_SIZE}px; height: ${RIPPLE_SIZE}px;
            border: 3px solid #1971c2; border-radius: 50%; background: rgb(25 113 194 / 0.18); }
  .frame { position: fixed; box-sizing: border-box; border: 2px solid #1971c2; border-radius: 4px;
           background: rgb(25 113 194 / 0.1); }
  .outline { position: fixed; box-sizing: border-box; border: 2px solid #e8590c; border-radius: 3px;
             background: rgb(232 89 12 / 0.12); }
  .badge { position: fixed; right: 12px; bottom: 12px; max-width: 60vw; display: flex; align-items: center; gap: 8px;
           box-sizing: border-box; padding: 7px 12px; border-radius: 16px; background: rgb(33 37 41 / 0.92); color: #fff;
           font: 13px/1.3 system-ui, sans-serif; box-shadow: 0 1px 6px rgb(0 0 0 / 0.35); }
  .dot { flex: none; width: 10px; height: 10px; border-radius: 50%; background: #fa5252; }
  .dot.paused { background: #868e96; }
  .dot.pointing { background: #ff922b; }
  .badge.top { right: auto; bottom: auto; top: 12px; left: 50%; max-width: 90vw; transform: translateX(-50%); }
  .words { overflow: hidden; white-space: nowrap; text-overflow: ellipsis; }
  @media (prefers-reduced-motion: reduce) { .cursor { transition: none; } }
`;

/** What is shown over this document now. */
const layers = new Set<HTMLElement>();
let isVeiled = false;

/** Hide all that the extension shows over the page while a screenshot is taken; whether there is anything. */
export function veil(on: boolean): boolean {
  isVeiled = on;
  for (const { style } of layers) style.visibility = on ? "hidden" : "";
  return layers.size > 0;
}

export abstract class Overlay {
  #host: HTMLElement | null = null;
  #layer: HTMLElement | null = null;

  constructor(protected readonly engine: Engine) {}

  /** The element to show things in, mounted again where the page took it away. */
  protected open(): HTMLElement {
    if (this.#host?.isConnected && this.#layer) return this.#layer;
    this.close();
    const host = this.make("");
    host.setAttribute("aria-hidden", "true");
    this.engine.exclude(host);
    const root = host.attachShadow({ mode: "closed" });
    // A constructed sheet is no inline style, so that a page's content security policy doesn't forbid it.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(STYLE);
    root.adoptedStyleSheets = [sheet];
    const layer = this.make("layer");
    // In the closed root, so that a page which queries its open popovers doesn't find it.
    layer.popover = "manual";
    root.append(layer);
    dom.call(dom.get(document, "documentElement"), "append", host);
    dom.call(document, "addEventListener", "toggle", this.#onToggle, true);
    this.#host = host;
    this.#layer = layer;
    layers.add(layer);
    if (isVeiled) layer.style.visibility = "hidden";
    this.raise();
    return layer;
  }

  /** Above all dialogs and popovers that are open by now. */
  protected raise(): void {
    const layer = this.#layer;
    if (!layer?.isConnected) return;
    if (layer.matches(":popover-open")) layer.hidePopover();
    layer.showPopover();
  }

  protected close(): void {
    dom.call(document, "removeEventListener", "toggle", this.#onToggle, true);
    this.#host?.remove();
    if (this.#layer) layers.delete(this.#layer);
    this.#host = this.#layer = null;
  }

  protected make(name: string): HTMLElement {
    const made: HTMLElement = dom.call(document, "createElement", "div");
    made.className = name;
    return made;
  }

  readonly #onToggle = (event: Event): void => {
    if (event.isTrusted && (event as ToggleEvent).newState === "open") this.raise();
  };
}

/** Place a box by the CSS object model, which a content security policy allows. */
function place({ style }: HTMLElement, x: number, y: number, width?: number, height?: number): void {
  style.left = `${x}px`;
  style.top = `${y}px`;
  if (width !== undefined) style.width = `${width}px`;
  if (height !== undefined) style.height = `${height}px`;
}

function placeAround(box: HTMLElement, element: Element): void {
  const { x, y, width, height } = rectOf(element);
  place(box, x - 3, y - 3, width + 6, height + 6);
}

/** A cursor, a ripple where it presses, and a frame around the element; gone a moment after the last of them. */
export class Effects extends Overlay {
  #cursor: HTMLElement | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  /** The mouse is here now; with `press` it presses. */
  point({ x, y }: Point, press: boolean): void {
    const layer = this.#begin();
    if (!this.#cursor?.isConnected) {
      this.#cursor = this.make("cursor");
      layer.append(this.#cursor);
    }
    place(this.#cursor, x, y);
    if (!press) return;
    const ripple = this.make("ripple");
    place(ripple, x - RIPPLE_SIZE / 2, y - RIPPLE_SIZE / 2);
    layer.append(ripple);
    fade(ripple, SHOWN_MS, [
      { transform: "scale(0.3)", opacity: 1 },
      { transform: "scale(1)", opacity: 0 },
    ]);
  }

  /** Frame the element that is acted on. */
  flash(element: Element): void {
    const frame = this.make("frame");
    placeAround(frame, element);
    this.#begin().append(frame);
    fade(frame, ALIVE_MS, [{ opacity: 1 }, { opacity: 1, offset: 0.6 }, { opacity: 0 }]);
  }

  clear(): void {
    clearTimeout(this.#timer);
    this.#cursor = null;
    this.close();
  }

  #begin(): HTMLElement {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.clear(), ALIVE_MS);
    const layer = this.open();
    this.raise();
    return layer;
  }
}

/** In hidden tabs an animation doesn't end; the overlay's end takes the element along there. */
function fade(element: HTMLElement, duration: number, frames: Keyframe[]): void {
  element.animate(frames, { duration, fill: "forwards", easing: "ease-out" }).onfinish = () =>
    element.remove();
}

/** Outlines around elements, which follow them from frame to frame. */
export class Highlight extends Overlay {
  #elements: Element[] = [];
  #timer = 0;

  /** Bring the first of these elements into view, and outline them and no others. */
  show(numbers: readonly number[]): void {
    const elements = numbers.map((number) => findElement(this.engine, number));
    const [first] = elements;
    if (first)
      dom.call(first, "scrollIntoView", { block: "nearest", inline: "nearest", behavior: "instant" });
    this.outline(elements);
  }

  /** Outline these elements where they are. */
  outline(elements: Element[]): void {
    this.#elements = elements;
    this.#follow();
  }

  clear(): void {
    cancelAnimationFrame(this.#timer);
    this.#elements = [];
    this.close();
  }

  readonly #follow = (): void => {
    const there = this.#elements.filter(dom.isConnected);
    if (!there.length) {
      this.clear();
      return;
    }
    const layer = this.open();
    while (layer.childElementCount > there.length) layer.lastElementChild?.remove();
    while (layer.childElementCount < there.length) layer.append(this.make("outline"));
    there.forEach((element, i) => {
      placeAround(layer.children[i] as HTMLElement, element);
    });
    cancelAnimationFrame(this.#timer);
    this.#timer = requestAnimationFrame(this.#follow);
  };
}
