/** Exponential back-off with full jitter: a random wait below a bound that doubles up to a cap. */
export class Backoff {
  #attempt = 0;

  constructor(
    private readonly baseMs = 200,
    private readonly capMs = 10_000,
    private readonly random: () => number = Math.random,
  ) {}

  /** Milliseconds to wait before the next attempt. */
  next(): number {
    const bound = Math.min(this.capMs, this.baseMs * 2 ** Math.min(this.#attempt++, 30));
    return Math.round(this.random() * bound);
  }

  reset(): void {
    this.#attempt = 0;
  }
}
