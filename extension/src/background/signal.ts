/** Something that listeners can be told of. */
export class Signal<T> {
  readonly #listeners = new Set<(value: T) => void>();

  /** Listen; the answer stops listening. */
  on(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The next value that fits. */
  next(fits: (value: T) => boolean = () => true): Promise<T> {
    return new Promise((resolve) => {
      const stop = this.on((value) => {
        if (!fits(value)) return;
        stop();
        resolve(value);
      });
    });
  }

  emit(value: T): void {
    for (const listener of [...this.#listeners]) listener(value);
  }
}
