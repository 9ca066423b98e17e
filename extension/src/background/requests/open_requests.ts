// What shared tabs have requested that isn't answered yet and that a page may show; known also of requests that began
// before anybody waited for them, which a debugger that comes later doesn't report.

import { Signal } from "../signal";
import type { Shares } from "../tabs/shares";

type Events = "onBeforeRequest" | "onResponseStarted" | "onCompleted" | "onErrorOccurred";
type Api = Pick<typeof chrome.webRequest, Events>;
type Request = Pick<chrome.webRequest.WebRequestDetails, "requestId" | "type">;
type Answer = Pick<chrome.webRequest.OnResponseStartedDetails, "requestId" | "responseHeaders">;

/** Without images, fonts and styles, which hold up nothing that is read. */
const TYPES = ["main_frame", "sub_frame", "script", "xmlhttprequest", "websocket"] as const;
/** A request without an answer for so long is a page's standing line to its server. */
const STANDING_MS = 10_000;
/** A socket stays open; what a page shows of it comes soon after it was opened, or at any time. */
const SOCKET_MS = 1_500;

class OpenRequests {
  readonly #open = new Map<string, { at: number; standing: number }>();
  answeredAt = Number.NEGATIVE_INFINITY;
  /** When a command last did something in the page; null where none did since it was requested. */
  actedAt: number | null = null;

  constructor(private readonly onChange: () => void) {}

  began = ({ requestId, type }: Request): undefined => {
    const standing = type === "websocket" ? SOCKET_MS : STANDING_MS;
    if (type === "main_frame") this.actedAt = null;
    this.#open.set(requestId, { at: performance.now(), standing });
    this.onChange();
  };

  ended = ({ requestId }: Pick<Request, "requestId">): void => {
    if (!this.#open.delete(requestId)) return;
    this.answeredAt = performance.now();
    this.onChange();
  };

  /** Streams of events stay open as long as the page does. */
  started = ({ requestId, responseHeaders = [] }: Answer): void => {
    const type = responseHeaders.find(({ name }) => name.toLowerCase() === "content-type")?.value;
    if (type?.startsWith("text/event-stream")) this.ended({ requestId });
  };

  /** How long each has been open, in milliseconds. */
  get ages(): number[] {
    const now = performance.now();
    return [...this.#open.values()].flatMap(({ at, standing }) => (now - at < standing ? [now - at] : []));
  }
}

export class OpenRequestsOfTabs {
  /** A tab requested something, or got an answer. */
  readonly changed = new Signal<number>();
  readonly #tabs = new Map<number, OpenRequests>();

  /** Listens for a tab's requests as long as it is shared: others' don't wake the worker. */
  constructor(
    private readonly api: Api,
    private readonly shares: Pick<Shares, "added" | "removed" | "tabs">,
  ) {
    shares.added.on(({ tab }) => this.#begin(tab));
    shares.removed.on(({ tab }) => this.#end(tab));
  }

  /** The tabs that were shared before this worker started. */
  load(): void {
    for (const tab of this.shares.tabs()) this.#begin(tab);
  }

  /** How long each of a tab's requests has been open, how long ago the last answer came and the last command acted. */
  of(tab: number): { open: number[]; answered: number; acted: number | null } {
    const known = this.#tabs.get(tab);
    if (!known) return { open: [], answered: Number.POSITIVE_INFINITY, acted: null };
    const now = performance.now();
    const acted = known.actedAt === null ? null : now - known.actedAt;
    return { open: known.ages, answered: now - known.answeredAt, acted };
  }

  /** A command begins to do something in a tab: what is requested from now on may be what it causes. */
  acted(tab: number): void {
    const known = this.#tabs.get(tab);
    if (known) known.actedAt = performance.now();
  }

  /** How long nothing of a tab's was open or answered, in milliseconds. */
  quietFor(tab: number): number {
    const { open, answered } = this.of(tab);
    return open.length ? 0 : answered;
  }

  #begin(tab: number): void {
    if (this.#tabs.has(tab)) return;
    const requests = new OpenRequests(() => this.changed.emit(tab));
    this.#tabs.set(tab, requests);
    const filter = { urls: ["<all_urls>"], tabId: tab, types: [...TYPES] };
    this.api.onBeforeRequest.addListener(requests.began, filter);
    this.api.onResponseStarted.addListener(requests.started, filter, ["responseHeaders"]);
    this.api.onCompleted.addListener(requests.ended, filter);
    this.api.onErrorOccurred.addListener(requests.ended, filter);
  }

  #end(tab: number): void {
    const requests = this.#tabs.get(tab);
    if (!requests) return;
    this.#tabs.delete(tab);
    this.api.onBeforeRequest.removeListener(requests.began);
    this.api.onResponseStarted.removeListener(requests.started);
    this.api.onCompleted.removeListener(requests.ended);
    this.api.onErrorOccurred.removeListener(requests.ended);
  }
}
