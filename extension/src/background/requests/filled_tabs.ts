// Tabs in which a secret was filled in: where their requests may go, until the documents of that time are gone.
//
// A page can tell a secret to the tabs that it opened and to the one that opened it, so they are kept like it.

import type { Store } from "../store";
import type { SecretTabs } from "./new_tabs";

const KEY = "filled_tabs";
/** Documents in the browser's cache of pages: going back brings them, and what they know. */
const MOST_ENDED = 50;

export class FilledTabs {
  readonly #origins = new Map<number, string[]>();
  readonly #openers = new Map<number, number>();
  readonly #documents = new Map<number, string>();
  readonly #ended = new Map<string, string[]>();
  /** Origins of which a document was in a filled tab: their workers and other tabs may know what it knows. */
  readonly #met = new Set<string>();
  /** Tabs with a document of another origin at a host of those, such as another port. */
  readonly #apart = new Set<number>();

  constructor(private readonly store: Pick<Store, "load" | "save">) {}

  async load(): Promise<void> {
    for (const [tab, origins] of await this.store.load<[number, string[]][]>(KEY, []))
      this.#origins.set(tab, origins);
  }

  /** A secret for these origins is filled into a tab; answers the tabs that may hear of it. */
  fill(tab: number, origins: readonly string[]): number[] {
    const tabs = this.#groupOf(tab);
    for (const each of tabs) {
      const known = this.#origins.get(each);
      this.#origins.set(
        each,
        origins.filter((origin) => known?.includes(origin) ?? true),
      );
    }
    this.#save();
    return tabs;
  }

  /** A page opened a tab; answers whether it may hear of a secret. */
  opened(opener: number, tab: number): boolean {
    this.#openers.set(tab, opener);
    const origins = this.#origins.get(opener);
    if (origins) this.#origins.set(tab, origins);
    this.#save();
    return origins !== undefined;
  }

  /** A tab has a new document; answers whether that changes where its requests may go. */
  committed(tab: number, document = ""): boolean {
    const before = this.#origins.get(tab);
    const isTold = this.#groupOf(tab).some((each) => each !== tab && this.#origins.has(each));
    const back = this.#ended.get(document);
    if (before && !isTold) {
      this.#ended.set(this.#documents.get(tab) ?? "", before);
      for (const [oldest] of this.#ended) if (this.#ended.size > MOST_ENDED) this.#ended.delete(oldest);
      this.#origins.delete(tab);
    }
    if (back && document) this.#origins.set(tab, back);
    this.#documents.set(tab, document);
    if (this.#origins.get(tab) === before) return false;
    this.#save();
    return true;
  }

  forget(tab: number): boolean {
    this.#openers.delete(tab);
    this.#documents.delete(tab);
    this.#apart.delete(tab);
    const had = this.#origins.delete(tab);
    if (had) this.#save();
    return had;
  }

  isFilled(tab: number): boolean {
    return this.#origins.has(tab);
  }

  /** A frame of a tab loads a document: its origin's workers may get to know a secret; answers whether that is new. */
  met(tab: number, url: string): boolean {
    if (!isWeb(url) || !this.#origins.has(tab)) return false;
    const { origin } = new URL(url);
    if (this.#met.has(origin)) return false;
    this.#met.add(origin);
    return true;
  }

  /** A tab goes to an address; answers whether that changes which tabs are left alone beside those of a host. */
  goes(tab: number, url: string): boolean {
    const isApart = this.#isNear(url) && !this.#origins.has(tab);
    if (isApart === this.#apart.has(tab)) return false;
    if (isApart) this.#apart.add(tab);
    else this.#apart.delete(tab);
    return true;
  }

  /** Whether an address has a host where a secret may be known, and another origin. */
  #isNear(url: string): boolean {
    if (this.#origins.size === 0 || !isWeb(url)) return false;
    const { origin, hostname } = new URL(url);
    const known = this.#known();
    return !known.includes(origin) && known.some((each) => new URL(each).hostname === hostname);
  }

  #known(): string[] {
    return [...new Set([...this.#met, ...[...this.#origins.values()].flat()])];
  }

  /** Whether a request takes a secret's tab to an origin that the secret doesn't belong to. */
  leaves(tab: number, url: string): boolean {
    const origins = this.#origins.get(tab);
    return origins !== undefined && isWeb(url) && !origins.includes(new URL(url).origin);
  }

  /** What the browser's rules are made of; null where no tab has a secret. */
  get rules(): SecretTabs | null {
    const all = [...this.#origins.values()];
    if (all.length === 0) {
      this.#met.clear();
      this.#apart.clear();
      return null;
    }
    const [first = [], ...others] = all;
    const origins = first.filter((origin) => others.every((each) => each.includes(origin)));
    const hosts = [...new Set(this.#known().map((origin) => new URL(origin).hostname))];
    return { origins, hosts, tabs: [...this.#origins.keys()], apart: [...this.#apart] };
  }

  #groupOf(tab: number): number[] {
    const found = new Set([tab]);
    for (const each of found)
      for (const [opened, opener] of this.#openers) {
        if (opened === each) found.add(opener);
        if (opener === each) found.add(opened);
      }
    return [...found];
  }

  #save(): void {
    this.store.save(KEY, () => [...this.#origins]);
  }
}

function isWeb(url: string): boolean {
  return /^https?:/.test(url);
}
