// Input on its way to a page. While one document takes another's place the browser may lose it, and then all input to
// the new document too: nothing but loading it again brings that back (seen in Chromium 156).

import { Failure } from "../shared/errors";
import { ALIVE_MS, SHOWN_MS, TICK_MS } from "../shared/limits";

/** A script that ends where the page runs scripts and renders: one that doesn't render may let the mouse wait. */
const NEXT_FRAME = {
  expression: "new Promise((done) => requestAnimationFrame(() => done(0)))",
  awaitPromise: true,
};

/** The end of a command. */
interface Deadline {
  readonly signal: AbortSignal;
  race<T>(promise: Promise<T>): Promise<T>;
}

interface Debugger<D> {
  send<T>(tab: number, method: string, params: object, deadline: D): Promise<T>;
}

interface Navigation {
  committed: boolean;
}

/** What frames are doing. */
interface Navigations {
  state(tab: number): { pending: ReadonlyMap<number, Navigation>; commits: number };
  happened: { on(take: (change: { tab: number }) => void): () => void };
}

export class InputDelivery<D extends Deadline = Deadline> {
  readonly #arrivals = new WeakMap<Navigation, Promise<void>>();
  /** For each tab, how many main documents were committed when input was answered last. */
  readonly #answered = new Map<number, number>();

  constructor(
    private readonly debuggers: Debugger<D>,
    private readonly navigations: Navigations,
  ) {}

  /**
   * Send an input event; over when the page has handled it, or when its document was replaced. Fails with
   * `page_unreachable` where the browser has lost the document's input.
   */
  async send(tab: number, method: string, params: object, deadline: D): Promise<void> {
    const state = this.navigations.state(tab);
    const coming = state.pending.get(0);
    if (coming && !coming.committed) await deadline.race(this.#arrival(tab, coming));
    const { commits } = state;
    const sent = this.debuggers.send(tab, method, params, deadline).then(() => "answered" as const);
    const over = new AbortController();
    const ends: Promise<"answered" | "replaced">[] = [sent, this.#replaced(tab, commits, over.signal)];
    if (this.#answered.get(tab) !== commits) ends.push(this.#lost(tab, commits, over.signal, deadline));
    try {
      if ((await Promise.race(ends)) === "answered") this.#answered.set(tab, commits);
    } finally {
      over.abort();
      sent.catch(() => undefined);
    }
  }

  forget(tab: number): void {
    this.#answered.delete(tab);
  }

  /** Until a main document that is on its way is there, or won't come; input waits for a slow one once. */
  #arrival(tab: number, coming: Navigation): Promise<void> {
    let arrival = this.#arrivals.get(coming);
    if (!arrival) {
      arrival = new Promise((resolve) => {
        const end = (): void => {
          clearTimeout(timer);
          stop();
          resolve();
        };
        // How long input waits for a document that is on its way: most come within this, and a slow one may never come.
        const timer = setTimeout(end, TICK_MS);
        const stop = this.navigations.happened.on((change) => {
          if (change.tab !== tab) return;
          if (this.navigations.state(tab).pending.get(0) !== coming || coming.committed) end();
        });
      });
      this.#arrivals.set(coming, arrival);
    }
    return arrival;
  }

  /** A moment after another main document has taken this one's place. */
  async #replaced(tab: number, commits: number, over: AbortSignal): Promise<"replaced"> {
    await new Promise<void>((resolve) => {
      const stop = this.navigations.happened.on((change) => {
        if (change.tab === tab && this.navigations.state(tab).commits !== commits) resolve();
      });
      over.addEventListener("abort", stop);
    });
    // Input that was on its way when its document was replaced is answered within this, or never.
    await pause(SHOWN_MS, over);
    return "replaced";
  }

  /** Fails where the page runs scripts and renders, and answers no input. */
  async #lost(tab: number, commits: number, over: AbortSignal, deadline: D): Promise<never> {
    const isOpen = (): boolean =>
      !over.aborted && !deadline.signal.aborted && this.#answered.get(tab) !== commits;
    // The first input of a document is answered within this, or a script checks that the page does anything at all.
    await pause(ALIVE_MS, over);
    const script = isOpen() && this.debuggers.send(tab, "Runtime.evaluate", NEXT_FRAME, deadline);
    const isAlive = script && (await script.then(() => true).catch(() => false));
    // A page that runs scripts and renders frames answers input within this.
    if (isAlive) await pause(SHOWN_MS, over);
    const isSame = this.navigations.state(tab).commits === commits;
    if (!isAlive || !isOpen() || !isSame) return new Promise<never>(() => undefined);
    throw new Failure(
      "page_unreachable",
      "The browser has lost this page's input: it came while the page took another one's place.",
      "load the page again with page.reload(); reading it works as it is",
      {},
      false,
    );
  }
}

/** Some time; over at once where nobody waits any more. */
function pause(ms: number, over: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, ms);
    over.addEventListener("abort", () => {
      clearTimeout(timer);
      resolve();
    });
  });
}
