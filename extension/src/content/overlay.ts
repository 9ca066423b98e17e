// What we draw over a page: in a closed shadow root that is no part of snapshots and takes no events.

import type { Engine } from "../engine/dom/engine";

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
