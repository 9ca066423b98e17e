// The first of the checks: every new document of a tab that the debugger is attached to starts with its input blocked,
// until the content script with its guards is there. Input on its way to one document never reaches the one that took its
// place. From then on it asks those guards first of all listeners: a page may have begun to listen before they did.

import { LONGEST_MS } from "../shared/limits";
import type { InputBlockerOrder } from "../shared/messages";

const KEY = "input_blocker";
/** The script world that blockers are in; pages can't see into it. */
const WORLD = "skillbook input blocker";

/** What outlives the service worker. */
interface Storage {
  load<T>(key: string, fallback: T): Promise<T>;
  save(key: string, value: () => unknown): void;
}

export class InputBlocker {
  /** The event that lifts blocks; no page knows its name. */
  #liftedBy = "";

  // A block that nobody lifts ends by itself, so that the user's input is never stopped for long.
  constructor(private readonly longestMs = LONGEST_MS) {}

  /** Use the stored name, else this new one: a restarted worker must be able to lift the blocks of the one before. */
  async load(storage: Storage, newName: string): Promise<void> {
    this.#liftedBy = await storage.load(KEY, newName);
    storage.save(KEY, () => this.#liftedBy);
  }

  /** Parameters of `Page.addScriptToEvaluateOnNewDocument`. */
  get script(): { source: string; worldName: string } {
    const source = `(${block})(${JSON.stringify(this.#liftedBy)}, ${this.longestMs})`;
    return { source, worldName: WORLD };
  }

  /** What the content script of a document has to do; with `stillBlocked` its guards let no input through. */
  order(stillBlocked: boolean): Omit<InputBlockerOrder, "causes"> {
    return { liftedBy: this.#liftedBy, stillBlocked };
  }
}

/** Runs in every new document before anything else does; it uses nothing from outside of itself. */
function block(liftedBy: string, longest: number): void {
  const world = globalThis as { isBlocked?: boolean };
  if (world.isBlocked) return;
  world.isBlocked = true;
  const pointer = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick"];
  const types = [...pointer, "contextmenu", "dragstart", "keydown", "keypress", "keyup", "beforeinput"];
  const { dispatchEvent } = EventTarget.prototype;
  let isBlocked = true;
  // Another script's world gets no event of this one, but one that is sent to where it happened.
  const passes = (event: MouseEvent): boolean => {
    const { clientX = 0, clientY = 0, button = 0 } = event;
    const place = { clientX, clientY, button, cancelable: true, composed: true };
    const [target] = event.composedPath();
    return dispatchEvent.call(target, new PointerEvent(`${liftedBy}:${event.type}`, place));
  };
  const check = (event: Event): void => {
    if (!event.isTrusted || (!isBlocked && passes(event as MouseEvent))) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const lift = (): void => {
    clearTimeout(timer);
    isBlocked = false;
  };
  const timer = setTimeout(lift, longest);
  for (const type of types) addEventListener(type, check, true);
  addEventListener(liftedBy, lift, { once: true });
}
