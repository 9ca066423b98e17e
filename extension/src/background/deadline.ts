import { Failure } from "../shared/errors";

/** The time one command has; it ends early when the command is cancelled or its connection drops. */
export class Deadline {
  readonly #abort = new AbortController();
  readonly #end: number;
  readonly #timer: ReturnType<typeof setTimeout>;
  /** What the command waits for at the moment, for the message when its time is over. */
  waitsFor = "";

  constructor(
    ms: number,
    readonly what: string,
  ) {
    this.#end = performance.now() + ms;
    this.#timer = setTimeout(() => {
      const seen = this.waitsFor && `: it still waited for ${this.waitsFor}`;
      const text = `${what} took longer than ${Math.round(ms)} ms${seen}`;
      this.#abort.abort(new Failure("timeout", text, "", { timeout_ms: ms }));
    }, ms);
  }

  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  /** Milliseconds left, never negative. */
  left(): number {
    return Math.max(0, this.#end - performance.now());
  }

  /** Throw if the time is over or the command was cancelled. */
  check(): void {
    this.signal.throwIfAborted();
  }

  /** Rejects when the time is over or the command was cancelled; never resolves. */
  over(): Promise<never> {
    return this.race(new Promise<never>(() => undefined));
  }

  cancel(failure: Failure): void {
    this.#abort.abort(failure);
    this.close();
  }

  /** A shorter deadline, for a part of the command; it ends with this one. */
  part(ms: number, what = this.what): Deadline {
    const part = new Deadline(Math.min(ms, this.left()), what);
    const end = (): void => part.cancel(this.signal.reason);
    if (this.signal.aborted) end();
    else this.signal.addEventListener("abort", end, { once: true });
    return part;
  }

  /** Stop the clock: the command has ended. */
  close(): void {
    clearTimeout(this.#timer);
  }

  /** The promise's outcome, or the failure that ended this deadline. */
  race<T>(promise: Promise<T>): Promise<T> {
    if (this.signal.aborted) {
      promise.catch(() => undefined);
      return Promise.reject(this.signal.reason);
    }
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(this.signal.reason);
      this.signal.addEventListener("abort", stop, { once: true });
      promise.then(resolve, reject).finally(() => this.signal.removeEventListener("abort", stop));
    });
  }
}

/** The promise's value, or undefined where it isn't there after so many milliseconds. */
export function within<T>(promise: Promise<T>, ms: number): Promise<T | undefined> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve(undefined), ms);
    promise.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}

/** Wait a moment, but not beyond the deadline. */
export function pause(ms: number, deadline: Deadline): Promise<void> {
  return deadline.race(new Promise((resolve) => setTimeout(resolve, ms)));
}
