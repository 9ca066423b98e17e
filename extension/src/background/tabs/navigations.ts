// What the shared tabs' frames are doing, as webNavigation reports it: which document is there, what is on its way.

import { Failure } from "../../shared/errors";
import { type Deadline, pause } from "../deadline";
import { Signal } from "../signal";
import type { CdpEvent } from "./debuggers";

export interface NavigationEvent {
  tabId: number;
  frameId: number;
  url: string;
  documentId?: string;
  documentLifecycle?: string;
  parentDocumentId?: string;
  error?: string;
  transitionType?: string;
  transitionQualifiers?: string[];
}

export interface PendingNavigation {
  url: string;
  committed: boolean;
  /** When it began, as acts are numbered. */
  at: number;
}

/** One tab's navigations so far. */
export interface TabState {
  /** Frames with a navigation begun and not yet parsed, and whether it is committed. */
  pending: Map<number, PendingNavigation>;
  /** Main documents committed so far. */
  commits: number;
  /** When the last one was, as acts are numbered. */
  committedAt: number;
  /** Navigations that the page requested, as the debugger reports at once; most begin a moment later. */
  requests: number;
  /** Changes of the address within a document. */
  moves: number;
  url: string;
  dom: boolean;
  loaded: boolean;
  /** Something in the document waits for a name and a password, so that it may never load whole. */
  asksPassword: boolean;
  /** Why the last navigation of the main frame failed, as net::ERR_NAME. */
  error: string | null;
  failures: number;
  /** The main document that was committed last. */
  document: string | null;
}

export type Kind = "before" | "committed" | "dom" | "completed" | "failed" | "moved" | "asks_password";

/** What the debugger reports when a page requests another one, in its tab or in a new one. */
const REQUESTS: ReadonlySet<string> = new Set(["Page.frameRequestedNavigation", "Page.windowOpen"]);

export class Navigations {
  readonly happened = new Signal<{ tab: number; kind: Kind; event: NavigationEvent }>();
  readonly #tabs = new Map<number, TabState>();

  state(tab: number): TabState {
    let state = this.#tabs.get(tab);
    if (!state) {
      const counts = { commits: 0, committedAt: 1, requests: 0, moves: 0, failures: 0 };
      state = {
        pending: new Map(),
        ...counts,
        url: "",
        dom: true,
        loaded: true,
        asksPassword: false,
        error: null,
        document: null,
      };
      this.#tabs.set(tab, state);
    }
    return state;
  }

  forget(tab: number): void {
    this.#tabs.delete(tab);
  }

  /** Take in one webNavigation event. */
  take(kind: Kind, event: NavigationEvent): void {
    if (event.documentLifecycle && event.documentLifecycle !== "active") return;
    const state = this.state(event.tabId);
    apply(state, kind, event);
    this.happened.emit({ tab: event.tabId, kind, event });
  }

  /** Take in what the debugger reports: an input's answer comes after the navigation that it requested. */
  takeCdp({ tab, method }: CdpEvent): void {
    if (REQUESTS.has(method)) this.state(tab).requests++;
  }

  /** The tab is complete: also where a page comes back from the back/forward cache. */
  complete(tab: number, url: string): void {
    const state = this.state(tab);
    if (state.pending.get(0)?.committed === false) return;
    state.dom = state.loaded = true;
    state.pending.delete(0);
    this.happened.emit({ tab, kind: "completed", event: { tabId: tab, frameId: 0, url } });
  }

  /** Wait until the tab's state fulfils a condition, `ms` at most; whether it came to that. */
  async until(
    tab: number,
    condition: (state: TabState) => boolean,
    deadline: Deadline,
    ms = Number.POSITIVE_INFINITY,
  ): Promise<boolean> {
    const isMet = (): boolean => condition(this.state(tab));
    if (isMet()) return true;
    const over = Number.isFinite(ms) ? pause(ms, deadline) : deadline.over();
    const met = this.happened.nextOr((change) => change.tab === tab && isMet(), over);
    return (await met) !== undefined;
  }
}

function apply(state: TabState, kind: Kind, event: NavigationEvent): void {
  const main = event.frameId === 0;
  if (kind === "before") {
    state.pending.set(event.frameId, { url: event.url, committed: false, at: Date.now() });
    if (main) state.error = null;
  } else if (kind === "committed") {
    const pending = state.pending.get(event.frameId);
    // The same object, by which a watcher knows a navigation again.
    if (pending) pending.committed = true;
    else state.pending.set(event.frameId, { url: event.url, committed: true, at: Date.now() });
    if (!main) return;
    // The old document's frames are gone with it.
    for (const frame of state.pending.keys()) if (frame !== 0) state.pending.delete(frame);
    state.commits++;
    state.committedAt = Date.now();
    state.url = event.url;
    state.document = event.documentId ?? null;
    state.dom = state.loaded = state.asksPassword = false;
  } else if (kind === "asks_password") {
    state.asksPassword = true;
  } else if (kind === "moved") {
    state.pending.delete(event.frameId);
    if (!main) return;
    state.moves++;
    state.url = event.url;
  } else {
    // A document that was still loading is stopped by the next navigation; that one hasn't failed.
    const isStopped =
      kind === "failed" && event.documentId !== undefined && event.documentId === state.document;
    if (kind === "failed" && main && !isStopped) {
      state.error = event.error ?? "net::ERR_FAILED";
      state.failures++;
    }
    if ((kind !== "failed" || isStopped) && main) {
      state.dom = true;
      state.loaded ||= kind !== "dom";
      // A newer navigation that only began is not over because the older document is parsed.
      if (state.pending.get(0)?.committed === false) return;
    }
    state.pending.delete(event.frameId);
  }
}

const PLAIN = /^https?:$/;

/** The address a kernel may send a tab to, as the browser will read it. */
export function checkUrl(text: string): string {
  if (text === "about:blank") return text;
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
  if (/[\u0000-\u0020\u007f\\]/.test(text))
    throw refused("The address contains a space, control character or backslash.", "write it encoded");
  if (!URL.canParse(text)) {
    const why = `Not an address: ${text.slice(0, 200)}`;
    throw new Failure("page_unreachable", why, "write it with http:// or https://", {}, false);
  }
  const url = new URL(text);
  if (!PLAIN.test(url.protocol))
    throw refused(`Addresses that begin with ${url.protocol} are refused.`, "use http or https");
  if (url.username || url.password)
    throw refused("Addresses with a user name in them are refused.", "log in on the page itself");
  return url.href;
}

function refused(why: string, hint: string): Failure {
  return new Failure("not_allowed", why, hint);
}
