// What a tab has under way with the network, as far as its debugger reports it.

import { Signal } from "../signal";
import type { SessionEvent } from "../tabs/cdp_sessions";

/** A request that has no answer for so long is a page's standing line to its server, and is waited for no more. */
const STANDING_MS = 10_000;
const ENDED = new Set(["Network.loadingFinished", "Network.loadingFailed"]);
/** What a WebSocket carries is no sign of a page that still loads. */
const OF_REQUESTS = /^Network\.(?!webSocket)/;
/**
 * These stay open as long as the page does, or are nothing that a page shows. The end of a document that another process
 * takes isn't reported here; `OpenRequestsOfTabs` knows of documents.
 */
const NOT_AWAITED = new Set([
  "EventSource",
  "WebSocket",
  "Ping",
  "CSPViolationReport",
  "Preflight",
  "Document",
]);

interface Watched {
  /** When each open request was sent, and by which document of which frame. */
  open: Map<string, { at: number; frame: string; loader: string }>;
  busyAt: number;
}

export class Traffic {
  /** Something was requested, answered or given up in a tab. */
  readonly changed = new Signal<number>();
  readonly #tabs = new Map<number, Watched>();

  /** The tab's requests are reported from now on; nothing went on in the `rested` milliseconds before. */
  begin(tab: number, rested = 0): void {
    if (!this.#tabs.has(tab)) this.#tabs.set(tab, { open: new Map(), busyAt: performance.now() - rested });
  }

  /** They are reported no more. */
  end(tab: number): void {
    this.#tabs.delete(tab);
  }

  /** How long nothing went on, in milliseconds: 0 while a request is open, or where nothing is reported. */
  quietFor(tab: number): number {
    const watched = this.#tabs.get(tab);
    if (!watched) return 0;
    const now = performance.now();
    const isOpen = [...watched.open.values()].some(({ at }) => now - at < STANDING_MS);
    return isOpen ? 0 : now - watched.busyAt;
  }

  /** chrome.debugger.onEvent of the tab's own session. */
  take({ tab, session, method, params }: SessionEvent): void {
    const watched = this.#tabs.get(tab);
    if (!watched || session !== null) return;
    // What a document requested ends with it, and isn't always reported.
    if (method === "Page.frameNavigated") {
      const { id, parentId, loaderId } = params.frame;
      for (const [request, { frame, loader }] of watched.open)
        if ((parentId === undefined || frame === id) && loader !== loaderId) watched.open.delete(request);
    } else if (method === "Page.frameDetached") {
      for (const [request, { frame }] of watched.open)
        if (frame === params.frameId) watched.open.delete(request);
    } else if (method === "Network.requestWillBeSent") {
      if (!NOT_AWAITED.has(params.type))
        watched.open.set(params.requestId, {
          at: performance.now(),
          frame: params.frameId,
          loader: params.loaderId,
        });
    } else if (ENDED.has(method) || isAnswered(method, params)) watched.open.delete(params.requestId);
    else if (!OF_REQUESTS.test(method)) return;
    watched.busyAt = performance.now();
    this.changed.emit(tab);
  }
}

/**
 * The end of an answer that the page doesn't read is reported when it is forgotten, after seconds or minutes. From its
 * beginning on `OpenRequestsOfTabs` knows how long it is under way, unless it came out of a service worker.
 */
function isAnswered(method: string, params: SessionEvent["params"]): boolean {
  return (
    method === "Network.responseReceived" &&
    params.type === "Fetch" &&
    params.response.fromServiceWorker !== true
  );
}
