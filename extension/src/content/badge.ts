// A sign in the page that something is on: a recording, with the last step in words, or pointing at an element.

import { Overlay } from "./overlay";

export class Badge extends Overlay {
  show(text: string, sign: "recording" | "paused" | "pointing"): void {
    const layer = this.open();
    this.raise();
    const badge = this.make(sign === "pointing" ? "badge top" : "badge");
    const dot = this.make(`dot ${sign}`);
    const words = this.make("words");
    words.textContent = text;
    badge.append(dot, words);
    layer.replaceChildren(badge);
  }

  clear(): void {
    this.close();
  }
}
