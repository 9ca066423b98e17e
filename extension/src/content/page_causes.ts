// Talks with the script in the page's world, by events of a random name. What that says is the page's: it may only change
// how long is waited.

import { randomKey } from "../engine/dom/tree/frames";
import type { OpenEffect } from "../protocol/generated";
import type { DocumentCauses } from "../shared/messages";

const MOST_TEXT = 80;
const MOST_EFFECTS = 40;
const NONE: DocumentCauses = { script: false, waiting: [], never: [], runs: 0 };

type Message = { op: "act"; act: number } | { op: "over" } | { op: "stop" };
interface Query {
  since: number;
  scripts: number;
  shown: boolean;
}

export class PageCausesClient {
  #name = "";
  /** The latest command that acts. */
  #act = 0;
  #state: DocumentCauses | null = null;
  readonly #atRest = new Set<() => void>();

  /** `meeting` is the event by which the script is found. */
  constructor(
    private readonly window: Window,
    private readonly meeting: string,
  ) {}

  /** Tell the page's script, if it is there. */
  tell(message: Message): void {
    if (message.op === "act") this.#act = message.act;
    if (this.#meet()) this.#send(message);
  }

  /** Whether no code of the page is left that the latest command caused; false where nobody marks that. */
  isOver(): boolean {
    const { script, waiting, never } = this.#ask({ op: "open", since: this.#act });
    return script && this.#act > 0 && !waiting.length && !never.length;
  }

  /** What acts from one on have caused and is open: at once, or when nothing is left, `timeoutMs` later at most. */
  async query(query: Query, timeoutMs: number): Promise<DocumentCauses> {
    const end = performance.now() + timeoutMs;
    for (;;) {
      const state = this.#ask({ op: "query", ...query, watch: timeoutMs > 0 });
      const left = end - performance.now();
      if (!state.script || state.waiting.length === 0 || left <= 0) return state;
      await this.#untilRest(left);
    }
  }

  /** Elements for which the page waits to come into view, but for those in shadow roots. */
  awaitedInView(): Element[] {
    const found: Element[] = [];
    if (!this.#meet()) return found;
    const hear = ({ target }: Event): void => {
      if (target instanceof Element) found.push(target);
    };
    this.window.addEventListener(`${this.#name}!`, hear, true);
    this.#send({ op: "in_view" });
    this.window.removeEventListener(`${this.#name}!`, hear, true);
    return found;
  }

  #untilRest(ms: number): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        this.#atRest.delete(done);
        resolve();
      };
      const timer = setTimeout(done, ms);
      this.#atRest.add(done);
    });
  }

  #ask(message: object): DocumentCauses {
    this.#state = null;
    if (this.#meet()) this.#send(message);
    if (this.#state || !this.#name) return this.#state ?? NONE;
    // The script that answered went with its debugger; a later one may be there.
    this.#name = "";
    if (this.#meet()) this.#send(message);
    return this.#state ?? NONE;
  }

  /** Whether the page's script is there; it answers before this returns. */
  #meet(): boolean {
    if (this.#name || !this.meeting) return this.#name !== "";
    const name = randomKey();
    let isThere = false;
    const hear = (event: Event): void => {
      const report = reportOf(event);
      if (report?.what === "hello") isThere = true;
      else if (report?.what === "state") this.#state = stateOf(report);
      else if (report?.what === "rest") for (const wake of [...this.#atRest]) wake();
    };
    this.window.addEventListener(`${name}<`, hear);
    this.window.dispatchEvent(new CustomEvent(this.meeting, { detail: name }));
    if (isThere) this.#name = name;
    else this.window.removeEventListener(`${name}<`, hear);
    return isThere;
  }

  #send(message: object): void {
    this.window.dispatchEvent(new CustomEvent(this.#name, { detail: JSON.stringify(message) }));
  }
}

function reportOf(event: Event): Record<string, unknown> | null {
  const { detail } = event as CustomEvent;
  try {
    const value: unknown = typeof detail === "string" ? JSON.parse(detail) : null;
    return typeof value === "object" ? (value as Record<string, unknown> | null) : null;
  } catch {
    return null;
  }
}

function stateOf({ waiting, never, runs }: Record<string, unknown>): DocumentCauses {
  return {
    script: true,
    waiting: effectsOf(waiting),
    never: effectsOf(never),
    runs: countOf(runs),
  };
}

function effectsOf(value: unknown): OpenEffect[] {
  return Array.isArray(value) ? value.slice(0, MOST_EFFECTS).map(effectOf) : [];
}

function effectOf(value: unknown): OpenEffect {
  const { kind, detail, url, age_ms } = (value ?? {}) as Record<string, unknown>;
  const address = typeof url === "string" && url ? textOf(url, 2_000) : null;
  return { kind: textOf(kind), detail: textOf(detail), url: address, age_ms: countOf(age_ms) };
}

/** Signs that aren't seen, or turn a text round. */
const UNSEEN = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

function textOf(value: unknown, most = MOST_TEXT): string {
  return String(value ?? "")
    .replace(UNSEEN, " ")
    .slice(0, most);
}

function countOf(value: unknown): number {
  return typeof value === "number" && value > 0 && Number.isFinite(value) ? Math.floor(value) : 0;
}
