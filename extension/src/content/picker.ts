// A person points at an element in the page itself. While the kernel waits for that, and only then, presses don't reach
// the page; nothing but trusted events counts, so that a page can't point at anything.

import type { Engine } from "../engine/dom/engine";
import * as dom from "../engine/dom/tree/dom";
import { stop } from "../hit_safety/expected_target";
import { State } from "../protocol/generated";
import { ALIVE_MS, SHOWN_MS } from "../shared/limits";
import type { ContentReport } from "../shared/messages";
import { Badge } from "./badge";
import { Highlight } from "./overlay";

const PRESSES = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick"];
const TYPES = [...PRESSES, "contextmenu", "dragstart", "keydown", "keypress", "keyup"];

export class Picker {
  #state: "off" | "on" | "afterwards" = "off";
  #timer: ReturnType<typeof setTimeout> | undefined;
  #pressed: Element[] | null = null;
  #actionable: ReadonlySet<number> = new Set();
  #read = { version: -1, at: Number.NEGATIVE_INFINITY };
  readonly #badge: Badge;
  readonly #outline: Highlight;

  /** Listens from the start, so that it gets a press before the page's listeners do. */
  constructor(
    private readonly engine: Engine,
    private readonly window: Window,
    private readonly send: (report: ContentReport) => void,
    /** Whether the press that comes is a command's, and not a person's. */
    private readonly isActing: () => boolean,
  ) {
    this.#badge = new Badge(engine);
    this.#outline = new Highlight(engine);
    engine.listening.add(window, TYPES, this.#check, {});
    engine.listening.add(window, ["pointermove", "pointerout"], this.#moved);
  }

  /** Wait for a person's choice, so long at most; the page shows the text. */
  start(text: string, timeoutMs: number): void {
    this.#end("on", timeoutMs);
    if (this.window.parent === this.window && text) this.#badge.show(text, "pointing");
  }

  stop(): void {
    if (this.#state === "on") this.#end("off");
  }

  #end(state: "off" | "on" | "afterwards", forMs = 0): void {
    clearTimeout(this.#timer);
    this.#state = state;
    this.#pressed = null;
    this.#badge.clear();
    this.#outline.clear();
    if (state !== "off") this.#timer = setTimeout(() => this.#end("off"), forMs);
  }

  readonly #check = (event: Event): void => {
    if (this.#state === "off" || !event.isTrusted || this.isActing()) return;
    if (event.type.startsWith("key")) {
      if ((event as KeyboardEvent).key !== "Escape") return;
      stop(event);
      if (event.type === "keydown" && this.#state === "on") this.#choose([]);
      return;
    }
    stop(event);
    if (this.#state !== "on") return;
    const press = event as PointerEvent;
    if (event.type === "pointerdown") this.#pressed = press.button === 0 ? this.#around(press) : null;
    else if (event.type === "pointerup" && this.#pressed) {
      const [element] = this.#around(press);
      // A press that ends on something else chooses neither.
      const path = element && this.#pressed.includes(element) ? this.#numbersOf(this.#pressed) : [];
      this.#pressed = null;
      if (path.length) this.#choose(path);
    }
  };

  #numbersOf(path: readonly Element[]): number[] {
    this.engine.takeSnapshot(); // numbers what came since the last one
    return path.map((element) => this.engine.refs.numberOf(element)).filter(Boolean);
  }

  #choose(path: number[]): void {
    // After the choice: its own click, and the second press of a double click, are kept from the page too.
    this.#end("afterwards", SHOWN_MS);
    const { refs, frame } = this.engine;
    this.send({ report: "picked", frame, path, highest: refs.highest });
  }

  readonly #moved = (event: Event): void => {
    if (this.#state !== "on" || !event.isTrusted) return;
    const left = event.type === "pointerout" && (event as PointerEvent).relatedTarget === null;
    const control = left ? null : this.#controlOf(this.#around(event as PointerEvent));
    // What is in a frame outlines itself.
    if (control && dom.localName(control) !== "iframe") this.#outline.outline([control]);
    else this.#outline.clear();
  };

  /** What a choice here comes to: the nearest element that can be acted on, else the nearest. */
  #controlOf(path: readonly Element[]): Element | null {
    this.#readAgain();
    const { refs } = this.engine;
    return path.find((element) => this.#actionable.has(refs.numberOf(element))) ?? path[0] ?? null;
  }

  #readAgain(): void {
    const { version } = this.engine.watch;
    const now = performance.now();
    // What can be acted on is read again at most so often while the page changes under the mouse.
    if (version === this.#read.version || now - this.#read.at < ALIVE_MS) return;
    const { number, flags } = this.engine.takeSnapshot().tree;
    this.#actionable = new Set(number.filter((_, index) => (flags[index] as number) & State.ACTIONABLE));
    this.#read = { version, at: now };
  }

  /** What is at an event's place, and all that it is in. */
  #around({ clientX, clientY }: PointerEvent): Element[] {
    const { flat, document } = this.engine;
    const path: Element[] = [];
    for (let at = flat.elementAt(document, clientX, clientY); at; at = flat.parent(at)) path.push(at);
    return path;
  }
}
