// Bodies of answers, up to so many bytes in all: the oldest go first.

import type { ResponseBodyResult } from "../../protocol/generated";

interface Body {
  /** null where the browser had none. */
  read: Promise<ResponseBodyResult | null>;
  bytes: number;
}

export class ResponseBodies {
  readonly #kept = new Map<string, Body>();
  readonly #dropped = new Set<string>();
  #bytes = 0;

  constructor(public limit: number) {}

  add(id: string, read: Body["read"]): void {
    const body = { read, bytes: 0 };
    this.#kept.set(id, body);
    void read.then((found) => {
      if (this.#kept.get(id) !== body) return;
      if (!found) this.#kept.delete(id);
      body.bytes = found?.body.length ?? 0;
      this.#bytes += body.bytes;
      this.#makeRoom();
    });
  }

  get(id: string): Promise<ResponseBodyResult | null> {
    return this.#kept.get(id)?.read ?? Promise.resolve(null);
  }

  /** Whether a body was kept until there was no room left for it. */
  isDropped(id: string): boolean {
    return this.#dropped.has(id);
  }

  #makeRoom(): void {
    for (const [id, { bytes }] of this.#kept) {
      if (this.#bytes <= this.limit) return;
      this.#kept.delete(id);
      this.#dropped.add(id);
      this.#bytes -= bytes;
    }
  }
}
