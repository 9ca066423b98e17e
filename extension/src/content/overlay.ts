// What we draw over a page: in a closed shadow root that is no part of snapshots and takes no events.

import type { Engine } from "../engine/dom/engine";
import { rectOf } from "../engine/dom/layout/image_maps";
import { findElement } from "../hit_safety/find_element";
import type { Point } from "../shared/messages";

const HOST = `
  :host { all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }
  .layer { all: initial; display: block; position: fixed; inset: 0; width: auto; height: auto; pointer-events: none; }
`;

export class Overlay {
  private host: HTMLElement | null = null;
  private layer: HTMLElement | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly style: string,
  ) {}

  /** The element to draw in, mounted where the page took it away. */
  open(): HTMLElement {
    if (this.host?.isConnected && this.layer) return this.layer;
    this.close();
    const { document } = this.engine;
    const host = document.createElement("div");
    host.setAttribute("aria-hidden", "true");
    this.engine.exclude(host);
    const root = host.attachShadow({ mode: "closed" });
    // A constructed sheet is no inline style, so that a page's content security policy doesn't forbid it.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync(`${HOST}\n${this.style}`);
    root.adoptedStyleSheets = [sheet];
    const layer = document.createElement("div");
    layer.className = "layer";
    // In the closed root, so that the page's own look at its open popovers doesn't find it.
    layer.popover = "manual";
    root.append(layer);
    document.documentElement.append(host);
    document.addEventListener("toggle", this.toggled, true);
    this.host = host;
    this.layer = layer;
    this.raise();
    return layer;
  }

  /** Above all dialogs and popovers that are open by now. */
  raise(): void {
    const { layer } = this;
    if (!layer?.isConnected) return;
    if (layer.matches(":popover-open")) layer.hidePopover();
    layer.showPopover();
  }

  close(): void {
    this.engine.document.removeEventListener("toggle", this.toggled, true);
    this.host?.remove();
    this.host = null;
    this.layer = null;
  }

  private readonly toggled = (event: Event): void => {
    if (event.isTrusted && (event as ToggleEvent).newState === "open") this.raise();
  };
}

/** Put a box where a rectangle is: through the CSS object model, which a content security policy allows. */
export function placeBox(
  box: HTMLElement,
  rect: { x: number; y: number; width: number; height: number },
): void {
  box.style.left = `${rect.x - 3}px`;
  box.style.top = `${rect.y - 3}px`;
  box.style.width = `${rect.width + 6}px`;
  box.style.height = `${rect.height + 6}px`;
}

const LINGER_MS = 1_200;
const RIPPLE_MS = 500;
const FRAME_MS = 700;
const SIZE = 40;

const EFFECTS_STYLE = `
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
    this.overlay = new Overlay(engine, EFFECTS_STYLE);
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

const HIGHLIGHT_STYLE = `
  .box { position: fixed; box-sizing: border-box; border: 2px solid #e8590c; border-radius: 3px;
         background: rgb(232 89 12 / 0.12); }
`;

export class Highlight {
  private readonly overlay: Overlay;
  private elements: Element[] = [];
  private timer = 0;

  constructor(private readonly engine: Engine) {
    this.overlay = new Overlay(engine, HIGHLIGHT_STYLE);
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
