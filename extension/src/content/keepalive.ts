// A port to the worker that ends with it: the page notices that at once, and connecting again starts a new worker. An
// alarm could do that too, but only after half a minute.

import { DOCUMENT_MS, POLL_MS, STANDING_MS } from "../shared/limits";
import { NOT_SHARED } from "../shared/messages";

export class Keepalive {
  #port: chrome.runtime.Port | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #running = false;

  constructor(
    private readonly window: Window,
    private readonly isAlive: () => boolean,
    /** Opens a port; null where the debugger runs this script, which then has no ports. */
    private readonly connect: (() => chrome.runtime.Port) | null,
  ) {}

  /** Keep a port open from now on; only a tab's main document does. */
  start(): void {
    if (this.#running || this.window.top !== this.window || !this.connect) return;
    this.#running = true;
    this.window.addEventListener("pageshow", this.#shown);
    this.#connect();
  }

  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
    this.window.removeEventListener("pageshow", this.#shown);
    this.#port?.disconnect();
    this.#port = null;
  }

  /** A page that comes back from the back/forward cache has lost its port there. */
  readonly #shown = (event: PageTransitionEvent): void => {
    if (event.persisted && !this.#port) this.#connect();
  };

  #connect(): void {
    clearTimeout(this.#timer);
    if (!this.isAlive() || !this.connect) {
      this.stop();
      return;
    }
    const began = performance.now();
    const port = this.connect();
    this.#port = port;
    port.onMessage.addListener((message) => message === NOT_SHARED && this.stop());
    port.onDisconnect.addListener(() => {
      if (!this.#running || this.#port !== port) return;
      this.#port = null;
      // A port that stood for this long was no failure.
      if (performance.now() - began > DOCUMENT_MS) this.#attempt = 0;
      const bound = Math.min(STANDING_MS, POLL_MS * 2 ** this.#attempt++);
      this.#timer = setTimeout(() => this.#connect(), bound * (0.5 + Math.random() / 2));
    });
  }
}
