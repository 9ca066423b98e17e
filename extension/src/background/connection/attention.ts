// What a person should see while the side panel is closed: how many runs wait, as a badge; one that came to wait or
// ended, as a notification.

import type { RunSummary } from "../../protocol/generated";
import type { Notice } from "../../shared/notices";
import type { WantedRun } from "../../shared/ui";
import type { Kernels } from "./kernels";

interface AttentionApi {
  /** Show a text on the toolbar's icon; empty for none. */
  badge(text: string): void;
  notify(id: string, title: string, message: string): void;
  clear(id: string): void;
}

type State = RunSummary["state"];

const WAITS: ReadonlySet<State> = new Set<State>(["awaiting_user", "blocked"]);
const ENDS: ReadonlySet<State> = new Set<State>(["succeeded", "failed", "cancelled"]);
const LENGTH = 200;

export class Attention {
  /** The runs that wait, by kernel and run. */
  readonly #waiting = new Set<string>();
  readonly #states = new Map<string, State>();

  constructor(
    private readonly api: AttentionApi,
    private readonly isPanelOpen: () => boolean,
  ) {}

  /** Follow what the kernels report, and which of them are there. */
  follow(kernels: Kernels): void {
    kernels.notices.on(({ kernel, notice }) => this.take(kernel, notice));
    let known = new Set<string>();
    kernels.changed.on(() => {
      const now = new Set(kernels.connected());
      for (const kernel of known) if (!now.has(kernel)) this.leave(kernel);
      for (const kernel of now) {
        // In a session that begins, nothing waits yet; and a kernel imports much to answer its first ask.
        if (known.has(kernel) || !kernels.resumed(kernel)) continue;
        const asked = kernels.ask(kernel, "list_runs", { limit: 50 });
        asked.then(({ runs }) => this.refresh(kernel, runs)).catch(() => undefined);
      }
      known = now;
    });
  }

  /** A kernel reported something. */
  take(kernel: string, notice: Notice): void {
    if (notice.notice === "question_open") {
      const { run, title, words } = notice.data;
      this.#notify(keyOf(kernel, run), `Waits for you: ${title}`, words);
    } else if (notice.notice === "run_changed") {
      const { run, title, state, words } = notice.data;
      const key = keyOf(kernel, run);
      const before = this.#states.get(key);
      this.#note(key, state);
      if (ENDS.has(state) && before !== undefined && !ENDS.has(before)) this.#notify(key, title, words);
    }
  }

  /** A kernel is there again: these are its runs. */
  refresh(kernel: string, runs: readonly RunSummary[]): void {
    this.leave(kernel);
    for (const { id, state, live } of runs) if (live !== false) this.#note(keyOf(kernel, id), state);
    this.#show();
  }

  /** A kernel is gone: nobody can answer it. */
  leave(kernel: string): void {
    for (const key of [...this.#states.keys()]) {
      if (!key.startsWith(keyOf(kernel, ""))) continue;
      this.#states.delete(key);
      this.#waiting.delete(key);
      this.api.clear(key);
    }
    this.#show();
  }

  #note(key: string, state: State): void {
    this.#states.set(key, state);
    if (WAITS.has(state)) this.#waiting.add(key);
    else if (this.#waiting.delete(key) && !ENDS.has(state)) this.api.clear(key);
    this.#show();
  }

  #notify(key: string, title: string, message: string): void {
    if (!this.isPanelOpen()) this.api.notify(key, plain(title), plain(message));
  }

  #show(): void {
    this.api.badge(this.#waiting.size === 0 ? "" : String(this.#waiting.size));
  }
}

const keyOf = (kernel: string, run: string): string => `${kernel} ${run}`;

/** The run that a notification is about. */
export function runOf(key: string): WantedRun {
  const [kernel = "", run = ""] = key.split(" ");
  return { kernel, run };
}

/** Words on one line, in which nothing hides. */
const plain = (text: string): string => text.replace(/[\p{C}\p{Zl}\p{Zp}]+/gu, " ").slice(0, LENGTH);
