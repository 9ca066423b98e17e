// Which windows can script one another: a window and the one that opened it, and so on, also by their names.
//
// The browser reports which page opens a window, and not whether the two can reach one another then. So what is kept
// are candidates, from the extension's start on. Whether a candidate is tied to its opener is found out when somebody
// wants to know: it still has an opener, or both have their documents in one process, as documents that can reach into
// one another do. A window that was opened by `noopener`, or that left its group of windows (COOP), has neither.
// Tabs that were open before the extension started may have opened one another in any way.

import type { Store } from "../store";

const KEY = "related_windows";
/** In the place of the opener of tabs that were open before the extension started. */
const BEFORE = -1;

export interface WindowsApi {
  tabs: Pick<typeof chrome.tabs, "query">;
  /** The process of a tab's main document. */
  processOf: (tab: number) => Promise<number | undefined>;
  /** Whether a tab's main document has an opener; undefined where the document doesn't say. */
  hasOpener: (tab: number) => Promise<boolean | undefined>;
}

/** A window that another one opened. */
interface Opened {
  by: number;
  /** Whether it was tied to its opener when that was found out last. */
  tied?: boolean;
}

export class RelatedWindows {
  readonly #opened = new Map<number, Opened>();
  /** Closed windows through which others are related. */
  readonly #closed = new Set<number>();

  constructor(
    private readonly api: WindowsApi,
    private readonly store: Pick<Store, "load" | "save">,
  ) {}

  /** `tabs` are the open ones. */
  async load(tabs: Promise<chrome.tabs.Tab[]>): Promise<void> {
    const [open, known] = await Promise.all([
      tabs.then((all) => new Set(all.flatMap(({ id }) => id ?? []))),
      this.store.load<[number, Opened][] | null>(KEY, null),
    ]);
    const before = [...open].map((tab): [number, Opened] => [tab, { by: BEFORE }]);
    for (const [tab, opened] of known ?? before) this.#opened.set(tab, opened);
    for (const tab of this.#opened.keys()) if (!open.has(tab)) this.#closed.add(tab);
    this.#prune();
  }

  /** A page opened a tab. */
  opened(by: number, tab: number): void {
    this.#opened.set(tab, { by });
    this.#save();
  }

  closed(tab: number): void {
    this.#closed.add(tab);
    this.#prune();
  }

  /** The browser gave the page another tab id. */
  replaced(old: number, tab: number): void {
    const opened = this.#opened.get(old);
    if (opened) this.#opened.set(tab, opened);
    for (const each of this.#opened.values()) if (each.by === old) each.by = tab;
    this.closed(old);
  }

  /**
   * The open windows that can script a tab, or that it can script. A window whose opener is gone counts as tied to it
   * where that wasn't found out before and `isShared`.
   */
  async of(tab: number, isShared: (tab: number) => boolean): Promise<number[]> {
    const candidates = this.#candidates(tab);
    if (candidates.size === 1) return [];
    const open = new Map((await this.api.tabs.query({})).map((each) => [each.id, each]));
    const live = [...candidates].filter((each) => open.has(each));
    if (live.length < 2) return [];
    const process = new Map(
      await Promise.all(live.map(async (each) => [each, await this.api.processOf(each)] as const)),
    );
    const ties = new Ties();
    for (const first of live)
      for (const second of live)
        if (process.get(first) !== undefined && process.get(first) === process.get(second))
          ties.tie(first, second);
    const tied = async (child: number): Promise<void> => {
      const opened = this.#opened.get(child);
      if (!opened) return;
      if (ties.isTied(child, opened.by)) opened.tied = true;
      else if (await this.#isTied(child, opened, open, isShared)) ties.tie(child, opened.by);
    };
    await Promise.all([...candidates].map(tied));
    // One of them may have opened whichever of these has an opener.
    const before = live.filter((each) => this.#opened.get(each)?.by === BEFORE);
    if (before.some((each) => ties.isTied(each, BEFORE))) for (const each of before) ties.tie(each, BEFORE);
    this.#save();
    return live.filter((each) => each !== tab && ties.isTied(each, tab));
  }

  async #isTied(
    tab: number,
    opened: Opened,
    open: ReadonlyMap<number | undefined, chrome.tabs.Tab>,
    isShared: (tab: number) => boolean,
  ): Promise<boolean> {
    const isBefore = opened.by === BEFORE;
    const shown = open.get(tab);
    if (!shown) return opened.tied !== false;
    if (isBefore && opened.tied === false) return false;
    if (!isBefore && !open.has(opened.by)) return opened.tied ?? isShared(tab);
    const url = shown.url ?? "";
    // The browser's own pages are in no group of windows; an empty page is in its opener's process.
    const isAlone =
      shown.discarded || /^(chrome|devtools)[\w-]*:/.test(url) || (isBefore && /^about:/.test(url));
    opened.tied = !isAlone && (await this.api.hasOpener(tab)) !== false;
    return opened.tied;
  }

  /** The windows that are connected with a tab by having been opened, closed ones included. */
  #candidates(tab: number): Set<number> {
    const found = new Set([tab]);
    for (const each of found) {
      const by = this.#opened.get(each)?.by;
      if (by !== undefined) found.add(by);
      for (const [child, opened] of this.#opened) if (opened.by === each) found.add(child);
    }
    return found;
  }

  #prune(): void {
    const parents = new Set([...this.#opened.values()].map(({ by }) => by));
    const spare = [...this.#closed].filter((tab) => !parents.has(tab));
    for (const tab of spare) {
      this.#closed.delete(tab);
      this.#opened.delete(tab);
    }
    if (spare.length) this.#prune();
    else this.#save();
  }

  #save(): void {
    this.store.save(KEY, () => [...this.#opened]);
  }
}

/** Which windows are tied, directly or through others. */
class Ties {
  readonly #groups = new Map<number, Set<number>>();

  tie(first: number, second: number): void {
    const [one, other] = [this.#of(first), this.#of(second)];
    if (one === other) return;
    for (const each of other) {
      one.add(each);
      this.#groups.set(each, one);
    }
  }

  isTied(first: number, second: number): boolean {
    return this.#of(first) === this.#of(second);
  }

  #of(tab: number): Set<number> {
    const known = this.#groups.get(tab) ?? new Set([tab]);
    this.#groups.set(tab, known);
    return known;
  }
}
