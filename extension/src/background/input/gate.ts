// A gate in every new document of a tab that the debugger is attached to. It lets no input through until the content
// script is there, so that what was meant for one document never reaches the one that took its place.

import type { GateOrder } from "../../shared/messages";
import { makeNonce } from "../connection/proof";
import type { Store } from "../store";

const KEY = "gate";
/** The script world that gates are in; pages can't see into it. */
const WORLD = "skillbook gate";
/** A gate that nobody opens does so by itself, so that the user's own input is never held up for long. */
const LONGEST_MS = 2_000;

export class Gate {
  /** The event that opens gates; no page knows its name. */
  #name = "";

  /** A worker that starts anew must be able to open the gates that the one before put up. */
  async load(store: Store): Promise<void> {
    this.#name = await store.load(KEY, makeNonce());
    store.save(KEY, () => this.#name);
  }

  /** Parameters of `Page.addScriptToEvaluateOnNewDocument`. */
  get script(): { source: string; worldName: string } {
    const source = `(${shut})(${JSON.stringify(this.#name)}, ${LONGEST_MS})`;
    return { source, worldName: WORLD };
  }

  /** What the content script of a document is told; `held` says that it lets no input through for a moment itself. */
  order(held: boolean): GateOrder {
    return { name: this.#name, held };
  }
}

/** Runs in every new document before anything else does. */
function shut(name: string, longest: number): void {
  const world = globalThis as { isShut?: boolean };
  if (world.isShut) return;
  world.isShut = true;
  const pointer = ["pointerdown", "mousedown", "pointerup", "mouseup", "click", "dblclick", "auxclick"];
  const kinds = [...pointer, "contextmenu", "dragstart", "keydown", "keypress", "keyup", "beforeinput"];
  const keepOff = (event: Event): void => {
    if (!event.isTrusted) return;
    event.stopImmediatePropagation();
    event.preventDefault();
  };
  const open = (): void => {
    clearTimeout(timer);
    for (const kind of kinds) removeEventListener(kind, keepOff, true);
  };
  const timer = setTimeout(open, longest);
  for (const kind of kinds) addEventListener(kind, keepOff, true);
  addEventListener(name, open, { once: true });
}
