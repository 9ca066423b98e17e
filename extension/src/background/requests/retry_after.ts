// How long servers asked to wait that were asked for a tab's page too often: pages don't see this header.

import type { Shares } from "../tabs/shares";

export interface Answer {
  tabId: number;
  statusCode: number;
  responseHeaders?: { name: string; value?: string }[];
}

const BUSY = new Set([429, 503]);

export class RetryAfter {
  /** For each tab whose page is such an answer, when it may be asked for again, as milliseconds of the clock. */
  readonly #until = new Map<number, number>();

  constructor(private readonly shares: Pick<Shares, "get">) {}

  /** chrome.webRequest.onHeadersReceived of pages. */
  take({ tabId, statusCode, responseHeaders = [] }: Answer): void {
    this.#until.delete(tabId);
    if (!BUSY.has(statusCode) || !this.shares.get(tabId)) return;
    const header = responseHeaders.find(({ name }) => name.toLowerCase() === "retry-after")?.value?.trim();
    if (!header) return;
    const until = /^\d+$/.test(header) ? Date.now() + Number(header) * 1000 : Date.parse(header);
    if (!Number.isNaN(until)) this.#until.set(tabId, until);
  }

  /** Seconds that are left; null where the tab's page asks for none. */
  secondsOf(tab: number): number | null {
    const until = this.#until.get(tab);
    return until === undefined ? null : Math.max(0, Math.ceil((until - Date.now()) / 1000));
  }
}
