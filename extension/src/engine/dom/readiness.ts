// Keeps a document's picture ready while the page has nothing to do, so that a snapshot finds little left to do.

import { pause } from "./pause";

/** Work at a stretch, in milliseconds, and how long the page has to be idle for it: to go on costs more than it saves. */
const MOST_MS = 25;
const LEAST_MS = 8;
/** How long changes gather before they are looked at. */
const GATHER_MS = 250;
/** At most one part in so many of the page's time is used. */
const SHARE = 10;
/** Where nobody has asked for so long, nothing is kept ready any more. */
const FORSAKEN_MS = 60_000;

export class Readiness {
  private scheduled = false;
  private waiting: ReturnType<typeof setTimeout> | null = null;
  private spent = 0;
  private askedAt = performance.now();
  private stopped = false;

  /** `getReady` works for about so many milliseconds and says whether all is done; `settled` is called then. */
  constructor(
    private readonly document: Document,
    private readonly getReady: (ms: number) => boolean,
    private readonly settled: () => void = () => {},
  ) {
    if (document.readyState === "loading")
      document.addEventListener("DOMContentLoaded", this.begin, { once: true });
    else this.begin();
  }

  /** Somebody asks: go on keeping ready. */
  asked(): void {
    this.askedAt = performance.now();
  }

  /** Something changed. */
  readonly changed = (): void => {
    if (this.stopped || this.scheduled || this.waiting !== null) return;
    if (performance.now() - this.askedAt > FORSAKEN_MS) return;
    this.waiting = setTimeout(this.begin, GATHER_MS + this.spent * SHARE);
  };

  stop(): void {
    this.stopped = true;
    if (this.waiting !== null) clearTimeout(this.waiting);
    this.document.removeEventListener("DOMContentLoaded", this.begin);
  }

  private readonly begin = (): void => {
    this.waiting = null;
    this.spent = 0;
    this.schedule();
  };

  private schedule(): void {
    if (this.scheduled || this.stopped) return;
    this.scheduled = true;
    requestIdleCallback((deadline) => void this.work(deadline));
  }

  private readonly work = async (deadline: IdleDeadline): Promise<void> => {
    let isDone = false;
    try {
      // Short tasks cost no more than long ones where they share the page's idle time.
      while (!isDone && !this.stopped && deadline.timeRemaining() >= LEAST_MS) {
        const began = performance.now();
        isDone = this.getReady(MOST_MS);
        this.spent += performance.now() - began;
        if (!isDone) await pause();
      }
    } finally {
      this.scheduled = false;
    }
    if (isDone) this.settled();
    else this.schedule();
  };
}
