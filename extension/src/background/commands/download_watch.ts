// Which downloads one press begins, in its tab and in tabs that it opens.

import type { DescribeResult } from "../../protocol/generated";
import { ALIVE_MS } from "../../shared/limits";
import { pause } from "../deadline";
import { Signal } from "../signal";
import type { CdpEvent } from "../tabs/debuggers";
import type { NavigationEvent } from "../tabs/navigations";
import type { CommandContext } from "./context";

export type DownloadItem = chrome.downloads.DownloadItem;

/** Addresses of tabs that have loaded nothing. */
const EMPTY = new Set(["", "about:blank"]);
const PAGES = new Set(["text/html", "application/xhtml+xml"]);

/** A file that a tab shows instead of saving it. */
export interface Shown {
  tab: number;
  url: string;
}

/** The downloads that a tab begins from here on, also in tabs that it opens, and the file that one of them shows. */
export class DownloadWatch {
  readonly items: DownloadItem[] = [];
  readonly #found = new Signal<DownloadItem>();
  /** The names that the page or the server gave, by the addresses of the tab's downloads. */
  readonly #names = new Map<string, string>();
  readonly #opened = new Set<number>();
  /** Where main documents went that weren't there yet, in any tab. */
  readonly #left: NavigationEvent[] = [];
  readonly #arrived = new Map<number, NavigationEvent>();
  readonly #created: DownloadItem[] = [];
  readonly #stops: (() => void)[];

  constructor(private readonly context: CommandContext) {
    const { services } = context;
    this.#stops = [
      services.downloads.created.on((item) => {
        this.#created.push(item);
        this.#match();
      }),
      services.debuggers.events.on((event) => this.#take(event)),
      services.opened.on(({ opener, tab }) => {
        if (opener === context.tab) this.#opened.add(tab);
        this.#match();
      }),
      services.navigations.happened.on(({ tab, kind, event }) => {
        if (event.frameId !== 0) return;
        if (kind === "before") this.#left.push(event);
        if (kind === "committed") this.#arrived.set(tab, event);
      }),
    ];
  }

  /** Wait for the first download: null once it has begun, else the file that the browser shows in its place. */
  async first(facts: DescribeResult): Promise<Shown | null> {
    const { services, deadline } = this.context;
    for (;;) {
      const loaded = services.navigations.happened.next(({ kind }) => kind !== "before", deadline);
      const next = this.#found.nextOr(() => true, loaded);
      next.catch(() => undefined);
      const shown = this.items.length ? null : await this.#shownInstead(facts);
      if (shown || this.items.length) return shown;
      await next;
    }
  }

  /** The tab's downloads, as they follow each other closely. */
  async all(): Promise<DownloadItem[]> {
    const { deadline } = this.context;
    for (;;) {
      // Pages that save several files begin the next one within this.
      const next = await this.#found.nextOr(() => true, pause(ALIVE_MS, deadline));
      if (!next) return this.items;
    }
  }

  nameOf(item: DownloadItem): string | null {
    return this.#names.get(item.url) || this.#names.get(item.finalUrl) || null;
  }

  /** A file that the browser shows where a download was expected; null where it shows a page. */
  async #shownInstead(facts: DescribeResult): Promise<Shown | null> {
    for (const tab of [this.context.tab, ...this.#opened]) {
      const url = await this.#shownIn(tab, facts);
      if (url) return { tab, url };
    }
    return null;
  }

  async #shownIn(tab: number, facts: DescribeResult): Promise<string | null> {
    const { services, deadline } = this.context;
    const { transitionType = "", url = "" } = this.#arrived.get(tab) ?? {};
    // What was posted may not be sent again.
    const isGet =
      transitionType === "link" || (transitionType === "form_submit" && facts.form?.method === "get");
    if (!isGet) return null;
    const type = await services.documents.main(tab, deadline).then(
      (doc) => doc.type,
      () => "",
    );
    return type && !PAGES.has(type) ? url : null;
  }

  /** Close the tabs that were opened for nothing but a file; the answer is which. */
  async closeEmptyTabs(): Promise<Set<number>> {
    const { tabs } = this.context.services;
    const closed = new Set<number>();
    for (const tab of this.#opened) {
      const found = await tabs.get(tab).catch(() => null);
      if (found && !EMPTY.has(found.url ?? "")) continue;
      // The browser closes some of them itself.
      if (found) await tabs.remove(tab).catch(() => undefined);
      closed.add(tab);
    }
    return closed;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #take({ tab, method, params }: CdpEvent): void {
    if (tab !== this.context.tab || method !== "Page.downloadWillBegin") return;
    this.#names.set(params.url, params.suggestedFilename);
    this.#match();
  }

  #match(): void {
    for (const item of this.#created) {
      if (this.items.includes(item) || !this.#isOurs(item)) continue;
      this.items.push(item);
      this.#found.emit(item);
    }
  }

  /** A debugger reports the addresses of the tab's downloads; without one, the page that they came from decides. */
  #isOurs(item: DownloadItem): boolean {
    const isInNewTab = this.#left.some(({ tabId, url }) => this.#opened.has(tabId) && url === item.url);
    if (isInNewTab) return true;
    const attached = this.context.services.debuggers.isAttached(this.context.tab);
    return attached ? this.#names.has(item.url) || this.#names.has(item.finalUrl) : this.#cameFromHere(item);
  }

  /** Its referrer is one of the tab's documents, or of their site and no document of another shared tab. */
  #cameFromHere({ url, referrer }: DownloadItem): boolean {
    const { services, tab: here } = this.context;
    const from = withoutHash(referrer || url);
    const isOn = (tab: number): boolean =>
      [services.navigations.state(tab), ...services.documents.known(tab)].some(
        (each) => withoutHash(each.url) === from,
      );
    if (isOn(here)) return true;
    if (services.shares.tabs().some((tab) => tab !== here && isOn(tab))) return false;
    return isOf(from, services.navigations.state(here).url);
  }
}

function withoutHash(address: string): string {
  return address.split("#", 1)[0] as string;
}

function isOf(address: string, page: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(page)) return false;
  return new URL(address).origin === new URL(page).origin;
}
