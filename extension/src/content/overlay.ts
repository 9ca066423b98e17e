// What we draw over a page: in a closed shadow root that is no part of snapshots and takes no events.

import type { Engine } from "../engine/dom/engine";

const HOST = ":host { all: initial; position: fixed; inset: 0; z-index: 2147483647; pointer-events: none; }";

export class Overlay {
  private host: HTMLElement | null = null;
  private root: ShadowRoot | null = null;

  constructor(
    private readonly engine: Engine,
    private readonly style: string,
  ) {}

  /** The root to draw in, mounted where the page took it away. */
  open(): ShadowRoot {
    if (this.host?.isConnected && this.root) return this.root;
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
    document.documentElement.append(host);
    this.host = host;
    this.root = root;
    return root;
  }

  close(): void {
    this.host?.remove();
    this.host = null;
    this.root = null;
  }
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
