// A sign in the page that a recording is on, with the last step in words.

import { Overlay } from "./overlay";

export class RecordingBadge extends Overlay {
  show(text: string, on: boolean): void {
    const layer = this.open();
    this.raise();
    const badge = this.make("badge");
    const dot = this.make("dot");
    dot.classList.toggle("paused", !on);
    const words = this.make("words");
    words.textContent = text;
    badge.append(dot, words);
    layer.replaceChildren(badge);
  }

  clear(): void {
    this.close();
  }
}
