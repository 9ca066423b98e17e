// The screenshot takes the person's mouse and keys and sends them to the page as their own input.

import { useEffect, useLayoutEffect, useRef } from "react";
import { POLL_MS, STANDING_MS } from "../../shared/limits";
import { showHidden } from "../common/text";
import { Button } from "./button";
import { onKeydown } from "./keys";
import type { Message, ShotSize } from "./page_view";

const BUTTONS = ["left", "middle", "right"];
const MODIFIER_KEYS = ["Alt", "Control", "Meta", "Shift"];
const MOST_TEXT = 10_000;

interface Props {
  on: boolean;
  problem: string;
  size: ShotSize;
  className: string;
  send: (message: Message) => void;
  end: () => void;
  children: React.ReactNode;
}

/** A picture that takes input while it is `on`. */
export function RemoteInput({ on, problem, size, className, send, end, children }: Props): React.ReactNode {
  const frame = useRef<HTMLDivElement>(null);
  const latest = useRef({ size, send, end });
  latest.current = { size, send, end };
  const wasOn = useRef(false);
  useLayoutEffect(() => {
    if (wasOn.current === on) return;
    wasOn.current = on;
    latest.current.send({ type: "remote_input", on, events: [] });
    if (on) frame.current?.focus({ preventScroll: true });
  }, [on]);
  useEffect(() => {
    if (!on || !frame.current) return;
    const now = latest;
    const follower = new Follower(
      frame.current,
      () => now.current.size,
      (events) => now.current.send({ type: "remote_input", on: true, events }),
      () => now.current.end(),
    );
    return () => {
      follower.stop();
      if (wasOn.current) now.current.send({ type: "remote_input", on: false, events: [] });
      wasOn.current = false;
    };
  }, [on]);
  const more = on
    ? {
        tabIndex: 0,
        role: "application",
        "aria-label": "The page: what you press and type goes to it; Shift+Escape ends this",
      }
    : {};
  return (
    <>
      {on && (
        <div className="sbp-remote-input">
          <span>Clicks and keys here go to the page as your own.</span>
          <Button kind="sbp-quiet" onClick={end}>
            End (Shift+Esc)
          </Button>
          <span className="sbp-problem" role="alert">
            {showHidden(problem)}
          </span>
        </div>
      )}
      <div
        ref={frame}
        className={on ? `${className} sbp-remote` : className}
        style={{ aspectRatio: `${size.width} / ${size.height}` }}
        {...more}
      >
        {children}
      </div>
    </>
  );
}

/** Passes on what happens in a picture, until `stop` is called. */
class Follower {
  #held: number | null = null;
  #movedAt = 0;
  /** Whether the person clicked elsewhere since. */
  #away = false;
  readonly #stop = new AbortController();

  constructor(
    private readonly frame: HTMLElement,
    private readonly size: () => ShotSize,
    private readonly pass: (events: Record<string, unknown>[]) => void,
    private readonly end: () => void,
  ) {
    const alive = setInterval(() => document.hidden || pass([]), 2 * STANDING_MS);
    this.#stop.signal.addEventListener("abort", () => clearInterval(alive));
    onKeydown(frame, (event) => this.#typed(event));
    this.#listen(frame, "mousedown", (event: MouseEvent) => this.#pressed(event));
    this.#listen(frame, "wheel", (event: WheelEvent) => this.#wheeled(event));
    this.#listen(frame, "paste", (event: ClipboardEvent) => this.#pasted(event));
    this.#listen(frame, "focus", () => {
      this.#away = false;
    });
    for (const type of ["click", "dblclick", "auxclick", "contextmenu", "dragstart"])
      this.#listen(frame, type, (event) => this.#take(event));
    this.#listen(window, "keydown", (event: KeyboardEvent) => this.#strayed(event), true);
    this.#listen(document, "mousedown", (event) => this.#noteAway(event), true);
    this.#listen(document, "mouseup", (event: MouseEvent) => this.#released(event), true);
    this.#listen(document, "mousemove", (event: MouseEvent) => this.#moved(event), true);
  }

  stop(): void {
    this.#stop.abort();
    onKeydown(this.frame, () => undefined);
  }

  #listen<E extends Event>(
    target: EventTarget,
    type: string,
    act: (event: E) => void,
    capture = false,
  ): void {
    target.addEventListener(type, act as (event: Event) => void, {
      capture,
      passive: false,
      signal: this.#stop.signal,
    });
  }

  #take(event: Event): void {
    event.preventDefault();
    event.stopPropagation();
  }

  #placeOf({ clientX, clientY }: MouseEvent): { x: number; y: number } {
    const shown = this.frame.getBoundingClientRect();
    const { width, height, origin } = this.size();
    return {
      x: origin[0] + ((clientX - shown.left) / shown.width) * width,
      y: origin[1] + ((clientY - shown.top) / shown.height) * height,
    };
  }

  #mouse(kind: string, event: MouseEvent): void {
    const count = Math.min(Math.max(event.detail, 1), 3);
    const button = BUTTONS[event.button] ?? "left";
    this.pass([{ kind, ...this.#placeOf(event), button, count, modifiers: modifiersOf(event) }]);
  }

  #noteAway(event: Event): void {
    this.#away = !event.composedPath().includes(this.frame);
  }

  #pressed(event: MouseEvent): void {
    if (!BUTTONS[event.button]) return;
    this.#take(event);
    this.frame.focus({ preventScroll: true });
    this.#held = event.button;
    this.#mouse("down", event);
  }

  /** The release counts wherever it is: a drag may end outside of the picture. */
  #released(event: MouseEvent): void {
    if (this.#held === null || event.button !== this.#held) return;
    this.#held = null;
    this.#take(event);
    this.#mouse("up", event);
  }

  /** A page needs no more of a mouse that passes by. */
  #moved(event: MouseEvent): void {
    const isOver = this.#held !== null || event.composedPath().includes(this.frame);
    if (event.timeStamp - this.#movedAt < POLL_MS || !isOver) return;
    this.#movedAt = event.timeStamp;
    const button = this.#held === null ? {} : { button: BUTTONS[this.#held] };
    this.pass([{ kind: "move", ...this.#placeOf(event), ...button, modifiers: modifiersOf(event) }]);
  }

  #wheeled(event: WheelEvent): void {
    this.#take(event);
    const { deltaX: dx, deltaY: dy } = event;
    this.pass([{ kind: "wheel", ...this.#placeOf(event), dx, dy, modifiers: modifiersOf(event) }]);
  }

  #pasted(event: ClipboardEvent): void {
    const text = event.clipboardData?.getData("text/plain");
    if (!text) return;
    this.#take(event);
    this.pass([{ kind: "text", text: text.slice(0, MOST_TEXT) }]);
  }

  #typed(event: KeyboardEvent): void {
    if (MODIFIER_KEYS.includes(event.key) || event.isComposing) return;
    event.stopPropagation();
    if ((event.ctrlKey || event.metaKey) && event.key.toLowerCase() === "v") return; // `#pasted` has its text
    event.preventDefault();
    const combined = event.ctrlKey || event.metaKey || (event.altKey && event.key.length > 1);
    const names = modifiersOf(event).filter((name) => name !== "Shift" || event.key.length > 1);
    if (event.key === "Escape" && event.shiftKey) this.end();
    else if (event.key.length === 1 && !combined) this.pass([{ kind: "text", text: event.key }]);
    else this.pass([{ kind: "key", text: [...names, event.key].join("+") }]);
  }

  /** A picture that is hidden for a moment loses the focus: what the person types on is for the page, not a shortcut. */
  #strayed(event: KeyboardEvent): void {
    if (this.#away || document.activeElement !== document.body) return;
    event.stopImmediatePropagation();
    this.frame.focus({ preventScroll: true });
    this.#typed(event);
  }
}

const modifiersOf = (event: MouseEvent | KeyboardEvent): string[] =>
  MODIFIER_KEYS.filter((name) => event.getModifierState(name));
