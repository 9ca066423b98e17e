// The mouse that a person sees while the page is driven: a cursor, a ripple where it presses, and a frame around the
// element. All of it is gone a moment after the last of them.

import type { Engine } from "../engine/dom/engine";
import { rectOf } from "../engine/dom/layout/image_maps";
import type { Point } from "../shared/messages";
import { Overlay, placeBox } from "./overlay";

const LINGER_MS = 1_200;
const RIPPLE_MS = 500;
const FRAME_MS = 700;
const SIZE = 40;

const STYLE = `
  .cursor { position: fixed; width: 18px; height: 24px; background: #1971c2;
            clip-path: polygon(0 0, 0 75%, 24% 58%, 42% 100%, 60% 92%, 43% 53%, 78% 53%);
            transition: left 80ms linear, top 80ms linear; filter: drop-shadow(0 0 1px #fff); }
  .ripple { position: fixed; box-sizing: border-box; width: ${SIZE}px; height: ${SIZE}px;
            border: 3px solid #1971c2; border-radius: 50%; background: rgb(25 113 194 / 0.18); }
  .frame { position: fixed; box-sizing: border-box; border: 2px solid #1971c2; border-radius: 4px;
           background: rgb(25 113 194 / 0.1); }
  @media (prefers-reduced-motion: reduce) { .cursor { transition: none; } }
`;

export class Effects {
  private readonly overlay: Overlay;
  private cursor: HTMLElement | null = null;
  private timer: ReturnType<typeof setTimeout> | undefined;

  constructor(private readonly engine: Engine) {
    this.overlay = new Overlay(engine, STYLE);
  }

  /** The mouse is here now; with `press` it presses. */
  point({ x, y }: Point, press: boolean): void {
    const layer = this.begin();
    if (!this.cursor?.isConnected) {
      this.cursor = this.make("cursor");
      layer.append(this.cursor);
    }
    this.cursor.style.left = `${x}px`;
    this.cursor.style.top = `${y}px`;
    if (!press) return;
    const ripple = this.make("ripple");
    ripple.style.left = `${x - SIZE / 2}px`;
    ripple.style.top = `${y - SIZE / 2}px`;
    layer.append(ripple);
    this.fade(ripple, RIPPLE_MS, [
      { transform: "scale(0.3)", opacity: 1 },
      { transform: "scale(1)", opacity: 0 },
    ]);
  }

  /** Frame the element that is acted on. */
  flash(element: Element): void {
    const frame = this.make("frame");
    placeBox(frame, rectOf(element));
    this.begin().append(frame);
    this.fade(frame, FRAME_MS, [{ opacity: 1 }, { opacity: 1, offset: 0.6 }, { opacity: 0 }]);
  }

  clear(): void {
    clearTimeout(this.timer);
    this.cursor = null;
    this.overlay.close();
  }

  private begin(): HTMLElement {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.clear(), LINGER_MS);
    const layer = this.overlay.open();
    this.overlay.raise();
    return layer;
  }

  private make(name: string): HTMLElement {
    const made = this.engine.document.createElement("div");
    made.className = name;
    return made;
  }

  /** Without an end by itself in hidden tabs; the overlay's own end takes it along there. */
  private fade(element: HTMLElement, duration: number, frames: Keyframe[]): void {
    element.animate(frames, { duration, fill: "forwards", easing: "ease-out" }).onfinish = () =>
      element.remove();
  }
}
