import type { PickResult } from "../../protocol/generated";
import type { Deadline } from "../deadline";
import { Signal } from "../signal";

/** The tabs in which a person is to point at something, and what they chose. */
export class Picks {
  readonly picked = new Signal<PickResult & { tab: number }>();
  readonly #waiting = new Map<number, { text: string; deadline: Deadline }>();

  begin(tab: number, text: string, deadline: Deadline): () => void {
    // One that waits already is given up: the person was asked anew.
    this.picked.emit({ tab, frame: 0, path: [] });
    const waits = { text, deadline };
    this.#waiting.set(tab, waits);
    return () => this.#waiting.get(tab) === waits && this.#waiting.delete(tab);
  }

  waiting(tab: number): { text: string; deadline: Deadline } | undefined {
    return this.#waiting.get(tab);
  }
}
