// Input on its way to a page. While one document takes another's place the browser may lose it, and then all input to
// the new document too: nothing but loading it again brings that back (seen in Chromium 156).

import { Failure } from "../../shared/errors";
import { Deadline, within } from "../deadline";
import type { Debuggers } from "../tabs/debuggers";
import type { Navigations, PendingNavigation, TabState } from "../tabs/navigations";

/** How long input waits for a document that is on its way: most come within this, and a slow one may never come. */
const ARRIVAL_MS = 300;
/** Input that was on its way when its document was replaced is answered within this, or never. */
const LAST_WORDS_MS = 500;
/** The first input of a document is answered within this, or its page is asked whether it does anything at all. */
const FIRST_MS = 1_000;
/** A page that runs scripts and is drawn answers input within this. */
const ALIVE_MS = 500;

export class Delivery {
  readonly #arrivals = new WeakMap<PendingNavigation, Promise<void>>();
  /** For each tab, how many main documents were committed when input was answered last. */
  readonly #proven = new Map<number, number>();

  constructor(
    private readonly debuggers: Pick<Debuggers, "send">,
    private readonly navigations: Navigations,
  ) {}

  /**
   * Send an input event; over when the page has handled it, or when its document was replaced. Fails with
   * `page_unreachable` where the browser has lost the document's input.
   */
  async send(tab: number, method: string, params: object, deadline: Deadline): Promise<void> {
    const state = this.navigations.state(tab);
    const coming = state.pending.get(0);
    if (coming && !coming.committed) await deadline.race(this.#arrival(tab, coming));
    const { commits } = state;
    const sent = this.debuggers.send(tab, method, params, deadline);
    const close = new AbortController();
    const ends: Promise<unknown>[] = [sent, this.#replaced(tab, commits, close.signal)];
    if (this.#proven.get(tab) !== commits) ends.push(this.#lost(tab, commits, close.signal, deadline));
    try {
      const answered = await Promise.race(ends);
      if (answered !== REPLACED) this.#proven.set(tab, commits);
    } finally {
      close.abort();
      sent.catch(() => undefined);
    }
  }

  forget(tab: number): void {
    this.#proven.delete(tab);
  }

  /** Until a main document that is on its way is there, or won't come; one that is slow is waited for once. */
  #arrival(tab: number, coming: PendingNavigation): Promise<void> {
    let arrival = this.#arrivals.get(coming);
    if (!arrival) {
      const patience = new Deadline(ARRIVAL_MS, "the navigation");
      const isOver = ({ pending }: TabState): boolean => pending.get(0) !== coming || coming.committed;
      arrival = this.navigations
        .until(tab, isOver, patience)
        .catch(() => undefined)
        .finally(() => patience.close());
      this.#arrivals.set(coming, arrival);
    }
    return arrival;
  }

  /** A moment after another main document has taken this one's place. */
  #replaced(tab: number, commits: number, closed: AbortSignal): Promise<typeof REPLACED> {
    return new Promise((resolve) => {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const stop = this.navigations.happened.on((change) => {
        if (change.tab !== tab || this.navigations.state(tab).commits === commits) return;
        timer ??= setTimeout(() => resolve(REPLACED), LAST_WORDS_MS);
      });
      closed.addEventListener("abort", () => {
        clearTimeout(timer);
        stop();
      });
    });
  }

  /** Fails where the page runs scripts and is drawn, and answers no input. */
  async #lost(tab: number, commits: number, closed: AbortSignal, deadline: Deadline): Promise<never> {
    const isOpen = (): boolean =>
      !closed.aborted && !deadline.signal.aborted && this.#proven.get(tab) !== commits;
    const pass = (ms: number): Promise<unknown> =>
      within(new Promise((resolve) => closed.addEventListener("abort", resolve)), ms);
    await pass(FIRST_MS);
    const asked = isOpen() && this.debuggers.send(tab, "Runtime.evaluate", FRAME, deadline);
    const isAlive = asked && (await asked.then(() => true).catch(() => false));
    if (isAlive) await pass(ALIVE_MS);
    const isSame = this.navigations.state(tab).commits === commits;
    if (!isAlive || !isOpen() || !isSame) return new Promise<never>(() => undefined);
    throw new Failure(
      "page_unreachable",
      "The browser has lost this page's input: it came while the page took another one's place.",
      "load the page again with page.reload(); reading it works as it is",
    );
  }
}

const REPLACED = Symbol("replaced");
/** Answered by a page that runs scripts, and is drawn: what is not drawn may let the mouse wait. */
const FRAME = {
  expression: "new Promise((done) => requestAnimationFrame(() => done(0)))",
  awaitPromise: true,
};
