// The worker's part of the graph: what shared tabs have requested because of acts, which of it is open and which failed. A
// page says more of its own requests; by the times of these alone the worker knows which an act may have caused.

import type { RequestFailed } from "../../protocol/generated";
import { ALIVE_MS, DOCUMENT_MS, FRAME_MS, STANDING_MS } from "../../shared/limits";
import { Signal } from "../signal";
import type { Shares } from "../tabs/shares";
import { type End, FailedRequests } from "./failed_requests";

type Events = "onBeforeRequest" | "onResponseStarted" | "onCompleted" | "onErrorOccurred";
type Api = Pick<typeof chrome.webRequest, Events>;
type Request = Pick<chrome.webRequest.WebRequestDetails, "requestId" | "type" | "method" | "url">;
type Answer = Pick<
  chrome.webRequest.OnResponseStartedDetails,
  "requestId" | "type" | "statusCode" | "responseHeaders"
>;

/** These hold up nothing that is read; that they fail is reported. */
const LOOKS = ["font", "image", "media", "object", "other", "stylesheet"] as const;
const IS_LOOKS: ReadonlySet<string> = new Set(LOOKS);
const IS_DOCUMENT: ReadonlySet<string> = new Set(["main_frame", "sub_frame"]);
const TYPES = ["main_frame", "sub_frame", "script", "xmlhttprequest"] as const;

interface OpenRequest {
  at: number;
  caused: boolean;
  /** The act that has caused it, as far as that can be known; 0 for none. */
  act: number;
  type: string;
  method: string;
  url: string;
}

class OpenRequests {
  readonly #open = new Map<string, OpenRequest>();
  readonly #acts = new Set<number>();
  /** The last command that did something. */
  #lastAct = 0;
  /** When the document's load began, which is an act as well. */
  #load = 1;
  /** When the last command that did something in the page that is there ended, and what it caused was last answered. */
  #actedAt = Number.NEGATIVE_INFINITY;
  #causedAt = Number.NEGATIVE_INFINITY;
  readonly #failed: FailedRequests;

  constructor(
    private readonly onChange: () => void,
    private readonly onScripts: (act: number) => void,
    onFailed: (request: RequestFailed) => void,
  ) {
    this.#failed = new FailedRequests(onFailed);
  }

  /** A command does something in the page, until `over` is called. */
  act(): Act {
    // Acts are numbered by the time, as loads of documents are: later ones come after, also those of another worker.
    const id = Math.max(this.#lastAct + 1, Date.now());
    this.#lastAct = id;
    this.#acts.add(id);
    const over = (): void => {
      // One that opened another page did nothing in that.
      if (this.#acts.delete(id)) this.#actedAt = performance.now();
    };
    return { id, over };
  }

  /** The act because of which scripts load just now; 0 for none. */
  get scripts(): number {
    for (const { type, act } of this.#open.values()) if (type === "script" && act) return act;
    return 0;
  }

  /** What acts from this one on have requested and wasn't answered. */
  openSince(since: number): OpenRequest[] {
    const standing = performance.now() - STANDING_MS;
    return [...this.#open.values()].filter(({ act, at }) => act >= since && at > standing);
  }

  began = (request: Request): undefined => {
    const { requestId, type } = request;
    this.#failed.began(request, this.#isCaused(), this.#lastAct);
    if (IS_LOOKS.has(type)) return;
    if (type === "main_frame") {
      this.#acts.clear();
      this.#actedAt = this.#causedAt = Number.NEGATIVE_INFINITY;
      this.#load = Date.now();
    }
    const caused = this.#isCaused();
    // Scripts that no act has caused are the load's.
    const other = type === "script" ? this.#load : 0;
    const act = caused || IS_DOCUMENT.has(type) ? this.#lastAct : other;
    const { method, url } = request;
    const before = this.scripts;
    this.#open.set(requestId, { at: performance.now(), caused, act, type, method, url });
    this.onChange();
    if (before !== this.scripts) this.onScripts(this.scripts);
  };

  /** It was answered as a whole, or broke. */
  over = (end: End): void => {
    this.ended(end);
    this.#failed.ended(end);
  };

  ended = ({ requestId }: Pick<Request, "requestId">): void => {
    const request = this.#open.get(requestId);
    const before = this.scripts;
    if (!this.#open.delete(requestId)) return;
    if (before !== this.scripts) this.onScripts(this.scripts);
    if (request?.caused) this.#causedAt = performance.now();
    this.onChange();
  };

  /** Streams of events stay open as long as the page does. */
  started = ({ requestId, type: kind, statusCode, responseHeaders = [] }: Answer): void => {
    this.#failed.started({ requestId, statusCode });
    if (kind === "main_frame" && statusCode !== 204) this.#failed.replaced({ requestId });
    const type = responseHeaders.find(({ name }) => name.toLowerCase() === "content-type")?.value;
    if (type?.startsWith("text/event-stream")) this.ended({ requestId });
  };

  #isCaused(): boolean {
    if (this.#acts.size) return true;
    const now = performance.now();
    const acted = now - this.#actedAt;
    // After an act ended, or what it caused was answered, what is requested within this is caused by it, too.
    // A page that asks its server over and over does so by itself.
    return acted < ALIVE_MS || (acted < DOCUMENT_MS && now - this.#causedAt < FRAME_MS);
  }
}

/** Something that a command does, by its number, and how to say that it is over. */
interface Act {
  id: number;
  over: () => void;
}

export class OpenRequestsOfTabs {
  /** A tab requested something, or got an answer. */
  readonly changed = new Signal<number>();
  /** A tab begins to load scripts because of an act, or, with 0, has loaded them. */
  readonly scripts = new Signal<{ tab: number; act: number }>();
  /** A request of a tab failed, or one like it that had failed was answered. */
  readonly failed = new Signal<{ tab: number; request: RequestFailed }>();
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

  /**
   * A command begins to do something in a tab: what is requested from now on may be what it causes, until its `over` is
   * called.
   */
  act(tab: number): Act {
    return this.#tabs.get(tab)?.act() ?? { id: 0, over: () => undefined };
  }

  /** What acts from this one on have requested and wasn't answered. */
  openSince(tab: number, since: number): OpenRequest[] {
    return this.#tabs.get(tab)?.openSince(since) ?? [];
  }

  /** The act because of which scripts load in a tab just now; 0 for none. */
  scriptsOf(tab: number): number {
    return this.#tabs.get(tab)?.scripts ?? 0;
  }

  #begin(tab: number): void {
    if (this.#tabs.has(tab)) return;
    const requests = new OpenRequests(
      () => this.changed.emit(tab),
      (act) => this.scripts.emit({ tab, act }),
      (request) => this.failed.emit({ tab, request }),
    );
    this.#tabs.set(tab, requests);
    const filter = { urls: ["<all_urls>"], tabId: tab, types: [...TYPES, ...LOOKS] };
    this.api.onBeforeRequest.addListener(requests.began, filter);
    this.api.onResponseStarted.addListener(requests.started, filter, ["responseHeaders"]);
    this.api.onCompleted.addListener(requests.over, filter);
    this.api.onErrorOccurred.addListener(requests.over, filter);
  }

  #end(tab: number): void {
    const requests = this.#tabs.get(tab);
    if (!requests) return;
    this.#tabs.delete(tab);
    this.api.onBeforeRequest.removeListener(requests.began);
    this.api.onResponseStarted.removeListener(requests.started);
    this.api.onCompleted.removeListener(requests.over);
    this.api.onErrorOccurred.removeListener(requests.over);
  }
}
