// Which tab belongs to which kernel. A tab that isn't here doesn't exist for any kernel.

import { Signal } from "../signal";
import type { Store } from "../store";

export type SharedBy = "kernel" | "page" | "user";

export interface Share {
  kernel: string;
  /** Highest ref number given out in this tab's main documents. */
  after: number;
  /** Highest frame number given out. */
  framesAfter: number;
  /** What the page shows while what a person does in this tab is recorded; undefined where it isn't. */
  recording?: string;
}

interface ShareChange {
  tab: number;
  kernel: string;
}

const KEY = "shares";

export class Shares {
  readonly added = new Signal<ShareChange & { by: SharedBy; opener: number | null }>();
  readonly removed = new Signal<ShareChange & { reason: "closed" | "unshared" | "crashed" }>();
  readonly #shares = new Map<number, Share>();

  constructor(private readonly store: Store) {}

  async load(): Promise<void> {
    for (const [tab, share] of await this.store.load<[number, Share][]>(KEY, []))
      this.#shares.set(tab, share);
  }

  get(tab: number): Share | undefined {
    return this.#shares.get(tab);
  }

  /** The tabs of one kernel, or all. */
  tabs(kernel?: string): number[] {
    return [...this.#shares].filter(([, share]) => !kernel || share.kernel === kernel).map(([tab]) => tab);
  }

  add(tab: number, kernel: string, by: SharedBy, opener: number | null = null): void {
    const known = this.#shares.get(tab);
    if (known?.kernel === kernel) return;
    if (known) this.remove(tab, "unshared");
    this.#shares.set(tab, { kernel, after: 0, framesAfter: 0 });
    this.save();
    this.added.emit({ tab, kernel, by, opener });
  }

  remove(tab: number, reason: "closed" | "unshared" | "crashed"): void {
    const share = this.#shares.get(tab);
    if (!share) return;
    this.#shares.delete(tab);
    this.save();
    this.removed.emit({ tab, kernel: share.kernel, reason });
  }

  /** The browser gave the page another tab id. */
  replace(old: number, tab: number): void {
    const share = this.#shares.get(old);
    if (!share) return;
    this.remove(old, "closed");
    this.add(tab, share.kernel, "page", old);
  }

  save(): void {
    this.store.save(KEY, () => [...this.#shares]);
  }
}
