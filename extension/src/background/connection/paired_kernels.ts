// The kernels that this browser is paired with. Tokens live in chrome.storage.session: in memory, for this extension
// only, gone with the browser. Those of kernels that come back by themselves, such as `skillbook serve`, are also kept in
// the profile, where content scripts can't read them.

import type { KernelInfo } from "../../protocol/generated";
import { localBase } from "../../shared/address";
import type { Store } from "../store";

export interface Pairing {
  /** The URL that the kernel's paths come after. */
  base: string;
  /** What a proxy wants to see in every socket's URL. */
  query?: string;
  token: string;
  kernel: KernelInfo;
}

/** What a session remembers over drops and worker restarts. */
export interface SessionMemory {
  session: string | null;
  lastSeq: number;
}

interface Saved {
  pairing: Pairing;
  memory: SessionMemory;
  /** Whether it outlives the browser. */
  lasting?: boolean;
}

const KEY = "pairings";

export class PairedKernels {
  readonly #saved = new Map<string, Saved>();

  constructor(
    private readonly store: Store,
    private readonly profile: Store,
  ) {}

  /** What was saved, and the pairing that a launched browser's profile brings along. */
  async load(readPaired: () => Promise<unknown>): Promise<Saved[]> {
    const [known, lasting, paired] = await Promise.all([
      this.store.load<Saved[]>(KEY, []),
      this.profile.load<Pairing[]>(KEY, []),
      readPaired(),
    ]);
    for (const saved of known) this.#saved.set(saved.pairing.kernel.id, saved);
    for (const pairing of lasting) {
      if (!this.#saved.has(pairing.kernel.id)) this.add(pairing);
      this.keep(pairing.kernel.id, true);
    }
    const launched = parsePaired(paired);
    if (launched && this.#saved.get(launched.kernel.id)?.pairing.token !== launched.token) this.add(launched);
    return [...this.#saved.values()];
  }

  add(pairing: Pairing): Saved {
    const saved = { pairing, memory: { session: null, lastSeq: 0 } };
    this.#saved.set(pairing.kernel.id, saved);
    this.save();
    return saved;
  }

  /** The kernel says whether the pairing outlives the browser. */
  keep(kernel: string, lasting: boolean): void {
    const saved = this.#saved.get(kernel);
    if (!saved || (saved.lasting === true) === lasting) return;
    saved.lasting = lasting;
    this.#saveLasting();
    this.save();
  }

  forget(kernel: string): void {
    const was = this.#saved.get(kernel);
    this.#saved.delete(kernel);
    if (was?.lasting) this.#saveLasting();
    this.save();
  }

  #saveLasting(): void {
    this.profile.save(KEY, () =>
      [...this.#saved.values()].filter(({ lasting }) => lasting).map(({ pairing }) => pairing),
    );
  }

  save(): void {
    this.store.save(KEY, () => [...this.#saved.values()]);
  }
}

/** The `paired.json` of a launched browser; null where it is none. */
export function parsePaired(value: unknown): Pairing | null {
  if (typeof value !== "object" || value === null) return null;
  const { port, token, kernel } = value as Partial<Pairing> & { port?: unknown };
  if (!isPort(port) || typeof token !== "string" || token.length < 16) return null;
  if (typeof kernel?.id !== "string" || typeof kernel.name !== "string") return null;
  return { base: localBase(port), token, kernel: { id: kernel.id, name: kernel.name } };
}

function isPort(value: unknown): value is number {
  return Number.isInteger(value) && (value as number) > 0 && (value as number) < 65536;
}
