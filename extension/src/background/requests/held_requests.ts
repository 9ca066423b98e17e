// Holds requests that may change something before they leave the browser, until the kernel has decided on each.
//
// The worker decides nothing about permission. It lets go what can't change anything by its method and address, reports
// the rest, and obeys. Whatever goes wrong (no answer, no connection, a frame that can't be prepared) blocks: nothing
// leaves. Only tabs on which an agent or a skill works are held.

import type { HoldRequestsParams, ReleaseRequestParams, RequestHeld } from "../../protocol/generated";
import { messageOf } from "../../shared/errors";
import { Deadline } from "../deadline";
import { Signal } from "../signal";
import type { Store } from "../store";
import type { CdpSessions, SessionEvent } from "../tabs/cdp_sessions";
import type { DebuggerApi, Debuggers } from "../tabs/debuggers";
import type { NewTabs } from "./new_tabs";
import { bodyOf, headerOf, type PausedRequest, patternsOf, saysWord } from "./paused_request";

const KEY = "held_tabs";
/** The kernel judges at once; where it doesn't, it is gone. */
const ANSWER_MS = 10_000;
/** A person may take this long; then the request is blocked. */
const ASK_MS = 15 * 60_000;
/** WebSocket messages are counted for so long before they are reported. */
const COUNT_MS = 250;
/** How long new tabs stay guarded after the last held tab was closed. */
const LINGER_MS = 5_000;
const BLOCKED = "net::ERR_BLOCKED_BY_CLIENT";
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** What chrome.webNavigation says of a document that was loaded, or of one that was not. */
export interface FirstLoad {
  tabId: number;
  frameId: number;
  url: string;
  error?: string;
}

type Settings = Omit<HoldRequestsParams, "on">;

interface Held {
  tab: number;
  session: string | null;
  request: PausedRequest;
  timer: ReturnType<typeof setTimeout>;
  asking: boolean;
}

export class HeldRequests {
  /** A request waits for the kernel's verdict. */
  readonly reported = new Signal<{ tab: number; request: RequestHeld }>();
  /** A person is asked about a request of the tab: that takes its time. */
  readonly asking = new Signal<number>();
  /** A page opened a tab with a request that may change something: that was blocked. */
  readonly blocked = new Signal<{ tab: number; url: string }>();
  readonly messages = new Signal<{ tab: number; url: string; count: number }>();
  readonly #tabs = new Map<number, Settings>();
  readonly #held = new Map<string, Held>();
  /** The held tabs that opened tabs. */
  readonly #openers = new Map<number, number>();
  /** New tabs that, as far as is known, no held page opened. */
  readonly #strangers = new Set<number>();
  /** Held tabs that were closed a moment ago. */
  readonly #gone = new Set<number>();
  #ending: ReturnType<typeof setTimeout> | undefined;
  readonly #sockets = new Map<string, string>();
  readonly #counts = new Map<string, { tab: number; url: string; count: number }>();
  #next = 1;

  constructor(
    private readonly api: Pick<DebuggerApi, "sendCommand">,
    private readonly debuggers: Pick<Debuggers, "ensure" | "attached" | "lost" | "kept">,
    private readonly sessions: Pick<CdpSessions, "hold" | "spawned">,
    private readonly store: Pick<Store, "load" | "save">,
    readonly newTabs: Pick<NewTabs, "guard" | "leaveAlone" | "watch" | "end" | "isGuarded">,
    private readonly reload: (tab: number, url: string) => Promise<unknown>,
  ) {
    sessions.spawned.on(({ tab, session }) => {
      if (this.#tabs.has(tab)) void this.#enable(tab, session);
    });
    debuggers.attached.on((tab) => {
      if (this.#tabs.has(tab)) void this.#holdAnew(tab);
    });
    debuggers.lost.on(({ tab, reason }) => {
      if (!this.#tabs.has(tab)) return;
      if (reason === "canceled_by_user") return this.forget(tab, false);
      // A frame that leaves for an app's scheme drives the debugger off, and Chrome lets go what waited.
      this.#dropAll(tab);
      void newTabs.watch(tab);
      void debuggers.ensure(tab).catch(() => undefined);
    });
  }

  /** A worker that starts anew finds its tabs held as they were. */
  async load(): Promise<void> {
    for (const [tab, settings] of await this.store.load<[number, Settings][]>(KEY, [])) {
      this.#tabs.set(tab, settings);
      this.debuggers.kept.add(tab);
      await this.newTabs.guard(settings.new_tab_words ?? []);
    }
    if (this.#tabs.size === 0) await this.newTabs.end();
  }

  /** A tab was opened. Whether by a page of ours is known once it loads something. */
  created({ id, openerTabId }: chrome.tabs.Tab): void {
    if (id === undefined || (this.#tabs.size === 0 && !this.#ending)) return;
    if (openerTabId !== undefined) this.openedBy(openerTabId, id);
    if (!this.#openers.has(id)) this.#strangers.add(id);
  }

  /** A page opened a tab. */
  openedBy(opener: number, tab: number): void {
    if (!this.isOn(opener) && !this.#gone.has(opener)) return;
    this.#strangers.delete(tab);
    this.#openers.set(tab, opener);
    if (!this.isOn(tab)) void this.newTabs.watch(tab);
  }

  /** A new tab has loaded its first document, or couldn't: one that no held page opened loads what it likes. */
  async loaded({ tabId: tab, frameId, url, error }: FirstLoad): Promise<void> {
    if (frameId !== 0) return;
    const isBlocked = error === BLOCKED && this.newTabs.isGuarded(tab);
    const opener = this.#openers.get(tab);
    if (opener !== undefined && isBlocked) this.blocked.emit({ tab: opener, url });
    if (!this.#strangers.delete(tab)) return;
    await this.newTabs.leaveAlone(tab);
    if (isBlocked) await this.reload(tab, url);
  }

  isOn(tab: number): boolean {
    return this.#tabs.has(tab);
  }

  isAsking(tab: number): boolean {
    return [...this.#held.values()].some((held) => held.tab === tab && held.asking);
  }

  /** Hold a tab's requests from now on; answers how many frames and workers of other processes there are. */
  async hold(tab: number, settings: Settings, deadline: Deadline): Promise<number> {
    const known = this.#tabs.get(tab);
    this.#tabs.set(tab, settings);
    this.debuggers.kept.add(tab);
    this.#save();
    if (known) {
      const frames = await this.sessions.hold(tab, true, deadline);
      if (!known.secret_origins !== !settings.secret_origins)
        await deadline.race(Promise.all([null, ...frames].map((session) => this.#enable(tab, session))));
      return frames.length;
    }
    try {
      await deadline.race(this.debuggers.ensure(tab));
      await deadline.race(this.#enable(tab, null));
      const frames = (await this.sessions.hold(tab, true, deadline)).length;
      await deadline.race(this.newTabs.guard(settings.new_tab_words ?? []));
      await deadline.race(this.newTabs.leaveAlone(tab));
      return frames;
    } catch (error) {
      this.forget(tab, false);
      throw error;
    }
  }

  async #holdAnew(tab: number): Promise<void> {
    const deadline = new Deadline(ANSWER_MS, "holding requests");
    try {
      await this.#enable(tab, null);
      await this.sessions.hold(tab, true, deadline);
      await this.newTabs.leaveAlone(tab);
    } catch {
      // The debugger is gone again: its coming back brings us here once more.
    }
  }

  /** Let a tab go; what nobody decided on is blocked first. */
  async letGo(tab: number, deadline: Deadline): Promise<void> {
    if (!this.#tabs.has(tab)) return;
    await this.blockAll(tab);
    this.forget(tab, false);
    const sessions = [null, ...(await this.sessions.hold(tab, false, deadline))];
    await Promise.all(
      sessions.flatMap((session) =>
        ["Fetch.disable", "Network.disable"].map((method) => this.#send(tab, session, method)),
      ),
    );
  }

  /** Block whatever of a tab waits. */
  async blockAll(tab: number): Promise<void> {
    const ids = [...this.#held].filter(([, held]) => held.tab === tab).map(([id]) => id);
    await Promise.all(ids.map((id) => this.release({ id, verdict: "block" })));
  }

  /** The tab is gone, or let go. */
  forget(tab: number, isGone = true): void {
    if (isGone && this.#tabs.has(tab)) this.#gone.add(tab);
    this.#openers.delete(tab);
    this.#strangers.delete(tab);
    if (!this.#tabs.delete(tab)) return;
    this.debuggers.kept.delete(tab);
    this.#dropAll(tab);
    this.#save();
    if (this.#tabs.size > 0) {
      void this.newTabs.leaveAlone(tab);
      return;
    }
    clearTimeout(this.#ending);
    // A page may open a tab and close itself: what it opened is still loading.
    if (isGone) this.#ending = setTimeout(() => this.#end(), LINGER_MS);
    else this.#end();
  }

  #end(): void {
    this.#ending = undefined;
    if (this.#tabs.size > 0) return;
    this.#openers.clear();
    this.#strangers.clear();
    this.#gone.clear();
    void this.newTabs.end();
  }

  /** Carry a verdict out; false where the page had given the request up, or it is another tab's. */
  async release({ id, verdict }: ReleaseRequestParams, tab?: number): Promise<boolean> {
    const held = this.#held.get(id);
    if (!held || held.tab !== (tab ?? held.tab)) return false;
    if (verdict === "ask") {
      clearTimeout(held.timer);
      held.timer = this.#blockAfter(id, ASK_MS);
      held.asking = true;
      this.asking.emit(held.tab);
      return true;
    }
    this.#drop(id);
    const done = verdict === "allow" ? await this.#allow(held) : await this.#block(held);
    return done === null;
  }

  /** chrome.debugger.onEvent, of every session. */
  take(event: SessionEvent): void {
    const { tab, session, method, params } = event;
    if (method === "Fetch.requestPaused" && this.#tabs.has(tab)) void this.#paused(tab, session, params);
    else if (method === "Network.webSocketCreated") this.#sockets.set(params.requestId, params.url);
    else if (method === "Network.webSocketClosed") this.#sockets.delete(params.requestId);
    else if (method === "Network.webSocketFrameSent" && this.#tabs.has(tab))
      this.#count(tab, params.requestId);
  }

  async #paused(tab: number, session: string | null, request: PausedRequest): Promise<void> {
    const settings = this.#tabs.get(tab);
    if (!settings || !this.#mayChange(request, settings)) {
      await this.#send(tab, session, "Fetch.continueRequest", { requestId: request.requestId });
      return;
    }
    const id = `r${this.#next++}`;
    const held = { tab, session, request, timer: this.#blockAfter(id, ANSWER_MS), asking: false };
    this.#held.set(id, held);
    const readBody = (): Promise<{ postData?: string } | null> =>
      this.#ask(tab, session, "Network.getRequestPostData", { requestId: request.networkId });
    const { body, size } = await bodyOf(request, readBody);
    const { url, method } = request.request;
    this.reported.emit({
      tab,
      request: {
        id,
        method,
        url,
        resource_type: request.resourceType,
        frame_origin: headerOf(request, "origin") || null,
        content_type: headerOf(request, "content-type"),
        body,
        size,
        navigation: request.resourceType === "Document",
      },
    });
  }

  #mayChange({ request }: PausedRequest, { words, secret_origins: origins }: Settings): boolean {
    if (!/^https?:/.test(request.url)) return !SAFE.has(request.method);
    if (!SAFE.has(request.method) || saysWord(request.url, words ?? [])) return true;
    return !!origins && !origins.includes(new URL(request.url).origin);
  }

  #allow({ tab, session, request }: Held): Promise<string | null> {
    return this.#send(tab, session, "Fetch.continueRequest", { requestId: request.requestId });
  }

  /** A document that isn't loaded leaves the page as it is; an error would put a page of its own in its place. */
  #block({ tab, session, request }: Held): Promise<string | null> {
    const { requestId, resourceType } = request;
    if (resourceType === "Document")
      return this.#send(tab, session, "Fetch.fulfillRequest", { requestId, responseCode: 204 });
    return this.#send(tab, session, "Fetch.failRequest", { requestId, errorReason: "BlockedByClient" });
  }

  #blockAfter(id: string, ms: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => void this.release({ id, verdict: "block" }), ms);
  }

  #dropAll(tab: number): void {
    for (const [id, held] of this.#held) if (held.tab === tab) this.#drop(id);
  }

  #drop(id: string): void {
    clearTimeout(this.#held.get(id)?.timer);
    this.#held.delete(id);
  }

  /** Service workers are passed by: what they send in a page's name nobody would see. */
  async #enable(tab: number, session: string | null): Promise<void> {
    const failures = await Promise.all([
      this.#send(tab, session, "Fetch.enable", { patterns: patternsOf(this.#tabs.get(tab) ?? {}) }),
      this.#send(tab, session, "Network.enable"),
      this.#send(tab, session, "Network.setBypassServiceWorker", { bypass: true }),
    ]);
    if (session === null && failures[0]) throw new Error(failures[0]);
  }

  #count(tab: number, socket: string): void {
    const url = this.#sockets.get(socket) ?? "";
    const key = `${tab} ${url}`;
    const known = this.#counts.get(key);
    if (known) {
      known.count += 1;
      return;
    }
    const made = { tab, url, count: 1 };
    this.#counts.set(key, made);
    setTimeout(() => {
      this.#counts.delete(key);
      this.messages.emit(made);
    }, COUNT_MS);
  }

  #save(): void {
    this.store.save(KEY, () => [...this.#tabs]);
  }

  /** Run a command on a session; answers why it failed, null where it didn't. */
  #send(tab: number, session: string | null, method: string, params: object = {}): Promise<string | null> {
    const target = session === null ? { tabId: tab } : { tabId: tab, sessionId: session };
    return this.api.sendCommand(target, method, { ...params }).then(() => null, messageOf);
  }

  async #ask<T>(tab: number, session: string | null, method: string, params: object): Promise<T | null> {
    const target = session === null ? { tabId: tab } : { tabId: tab, sessionId: session };
    return this.api.sendCommand(target, method, { ...params }).catch(() => null) as Promise<T | null>;
  }
}
