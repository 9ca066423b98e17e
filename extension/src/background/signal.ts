import type { Deadline } from "./deadline";

/** An event that listeners get with a value. */
export class Signal<T> {
  readonly #listeners = new Set<(value: T) => void>();

  /** Listen; the answer stops listening. */
  on(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The next value that fits; fails with the deadline, which does no harm where nobody waits any more. */
  next(fits: (value: T) => boolean, deadline: Deadline): Promise<T> {
    const next = this.nextOr(fits, deadline.over());
    next.catch(() => undefined);
    return next;
  }

  /** The first end of two: the next value that fits, or the other promise's; nothing listens afterwards. */
  nextOr<U>(fits: (value: T) => boolean, other: Promise<U>): Promise<T | U> {
    let stop = (): void => undefined;
    const next = new Promise<T>((resolve) => {
      stop = this.on((value) => fits(value) && resolve(value));
    });
    return Promise.race([next, other]).finally(stop);
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
}
