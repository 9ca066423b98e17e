// Holds requests that may change something before they leave the browser, until the kernel has decided on each.
//
// The worker decides nothing about permission. It lets go what can't change anything by its method and address, reports
// the rest, and obeys. Whatever goes wrong (no answer, no connection, a frame that can't be prepared) blocks: nothing
// leaves. Only tabs on which an agent or a skill works are held.

import type {
  NetworkRulesParams,
  PauseRequestsParams,
  ReleaseRequestParams,
  RequestPaused,
} from "../../protocol/generated";
import { messageOf } from "../../shared/errors";
import { DOCUMENT_MS, PERSON_MS, STANDING_MS, TICK_MS } from "../../shared/limits";
import { Deadline } from "../deadline";
import { Signal } from "../signal";
import type { Store } from "../store";
import type { CdpSessions, SessionEvent } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import type { CassetteMode, Cassettes } from "./cassettes";
import { EnteredDocuments } from "./entered_documents";
import { FilledTabs } from "./filled_tabs";
import { REFUSED } from "./network_log";
import { NetworkRules } from "./network_rules";
import type { NewTabs } from "./new_tabs";
import { bodyOf, headerOf, type PausedRequest, patternsOf, saysMore, saysWord } from "./paused_request";

const KEY = "held_tabs";
const WAITING_KEY = "held_requests";
const BLOCKED = "net::ERR_BLOCKED_BY_CLIENT";
const SAFE = new Set(["GET", "HEAD", "OPTIONS"]);

/** What chrome.webNavigation says of a document that was loaded, or of one that was not. */
export interface FirstLoad {
  tabId: number;
  frameId: number;
  url: string;
  error?: string;
  documentId?: string;
}

type Settings = Omit<PauseRequestsParams, "on" | "filled_origins">;
type FirstRequest = Pick<chrome.webRequest.OnBeforeRequestDetails, "tabId" | "method" | "url">;

/** What is known of a tab. */
interface TabRecord {
  /** Its requests are held, in this way. */
  settings?: Settings;
  /** The held tab that opened it. */
  opener?: number;
  /** It is new, and as far as is known no held page opened it. */
  isStranger?: boolean;
  /** It was on its way to a document when holding began, as far as is known. */
  isFresh?: boolean;
  /** It was held, and was closed a moment ago. */
  isGone?: boolean;
  /** What a redirect was kept from: it is gone to again once the tab is held. */
  again?: string;
}

/** A request that waits: what a later worker needs to carry a verdict out. */
interface Waiting {
  tab: number;
  session: string | null;
  requestId: string;
  networkId: string | undefined;
  resourceType: string;
  asking: boolean;
}

interface Held extends Waiting {
  /** What a cassette needs of it; a worker that started anew doesn't have it. */
  request?: PausedRequest;
  timer: ReturnType<typeof setTimeout>;
}

export class HeldRequests {
  /** A request waits for the kernel's verdict. */
  readonly reported = new Signal<{ tab: number; request: RequestPaused }>();
  /** A person is asked about a request of the tab: that takes its time. */
  readonly asking = new Signal<number>();
  /** A page opened a tab with a request that may change something: that was blocked. */
  readonly blocked = new Signal<{ tab: number; url: string }>();
  readonly messages = new Signal<{ tab: number; url: string; count: number }>();
  /** A rule answered a request, or it was refused. */
  readonly ruled = new Signal<{ tab: number; session: string | null; id?: string; source: string }>();
  /** Whether somebody else wants the debugger to report a tab's requests. */
  isWatched: (tab: number) => boolean = () => false;
  readonly #filled: FilledTabs;
  readonly #documents: EnteredDocuments;
  readonly #tabs = new Map<number, TabRecord>();
  readonly #held = new Map<string, Held>();
  /** The last address that each tab's document was requested from, while anything is held. */
  readonly #requested = new Map<number, { method: string; url: string }>();
  #ending: ReturnType<typeof setTimeout> | undefined;
  readonly #sockets = new Map<string, string>();
  readonly #counts = new Map<string, { tab: number; url: string; count: number }>();

  constructor(
    private readonly debuggers: Pick<Debuggers, "ensure" | "attached" | "lost" | "kept" | "sendTo">,
    private readonly sessions: Pick<CdpSessions, "hold" | "spawned">,
    private readonly store: Pick<Store, "load" | "save">,
    readonly newTabs: Pick<
      NewTabs,
      "guard" | "guardAll" | "hold" | "leaveAlone" | "watch" | "end" | "isGuarded" | "open"
    >,
    private readonly reload: (tab: number, url: string) => Promise<unknown>,
    readonly cassettes: Cassettes,
    private readonly rules = new NetworkRules(store),
  ) {
    this.#filled = new FilledTabs(store);
    this.#documents = new EnteredDocuments((tab) =>
      debuggers
        .sendTo<{ targetInfo: { targetId: string; url: string } }>(tab, null, "Target.getTargetInfo")
        .then(({ targetInfo }) => targetInfo)
        .catch(() => null),
    );
    sessions.spawned.on(({ tab, session, until }) => {
      if (this.isPaused(tab)) until.push(this.#enable(tab, session));
    });
    debuggers.attached.on((tab) => {
      if (this.isPaused(tab)) void this.#holdAnew(tab);
    });
    debuggers.lost.on(({ tab, reason }) => {
      if (!this.isPaused(tab)) return;
      if (reason === "canceled_by_user") {
        this.rules.set(tab, {});
        return this.forget(tab, false);
      }
      // A frame that leaves for an app's scheme drives the debugger off, and Chrome lets go what waited.
      this.#dropAll(tab);
      void newTabs.watch(tab);
      void debuggers.ensure(tab).catch(() => undefined);
    });
  }

  /** A worker that starts anew finds its tabs held as they were, and what a person is asked about still waiting. */
  async load(): Promise<void> {
    await this.#filled.load();
    const [tabs, waiting] = await Promise.all([
      this.store.load<[number, Settings][]>(KEY, []),
      this.store.load<[string, Waiting][]>(WAITING_KEY, []),
    ]);
    for (const [tab, settings] of tabs) {
      this.#of(tab).settings = settings;
      this.debuggers.kept.add(tab);
      await this.newTabs.guard(settings.new_tab_words ?? [], settings.origins ?? []);
    }
    // The kernel judges at once, or is gone; a person may take longer. Then the request is blocked.
    for (const [id, each] of waiting)
      this.#held.set(id, { ...each, timer: this.#blockAfter(id, each.asking ? PERSON_MS : STANDING_MS) });
    // The kernel may never have got what it wasn't asked about; and frames' sessions end when they are held anew.
    for (const tab of [...(await this.cassettes.load()), ...(await this.rules.load())])
      this.debuggers.kept.add(tab);
    const lost = waiting.filter(([, { session, asking }]) => session !== null || !asking);
    await Promise.all(lost.map(([id]) => this.release({ id, verdict: "block" })));
    if (tabs.length === 0 && !this.#hasAnyCassette()) await this.newTabs.end();
    await this.#rule();
  }

  /** A tab was opened. Whether by a page of ours is known once it loads something. */
  created({ id, openerTabId }: chrome.tabs.Tab): void {
    if (id === undefined || (!this.#isAnyOn() && !this.#hasAnyCassette() && !this.#ending)) return;
    if (openerTabId !== undefined) this.openedBy(openerTabId, id);
    const made = this.#of(id);
    if (made.opener === undefined) made.isStranger = true;
  }

  /** A page opened a tab. */
  openedBy(opener: number, tab: number): void {
    if (this.#filled.opened(opener, tab)) void this.#rule();
    if (!this.isPaused(opener) && !this.#tabs.get(opener)?.isGone) return;
    Object.assign(this.#of(tab), { opener, isStranger: false });
    if (!this.isPaused(tab)) void this.newTabs.watch(tab);
  }

  /** A tab goes to an address: it may be one that a secret of another tab doesn't concern. */
  async goes(tab: number, url: string): Promise<void> {
    if (this.#filled.goes(tab, url)) await this.#rule();
  }

  /** A tab requests a document. */
  requested({ tabId, method, url }: FirstRequest): void {
    if (this.#isAnyOn()) this.#requested.set(tabId, { method, url });
  }

  /** A new tab has loaded its first document, or couldn't: one that no held page opened loads what it likes. */
  async loaded({ tabId: tab, frameId, url, error, documentId }: FirstLoad): Promise<void> {
    const isNews = !error && frameId === 0 && this.#filled.committed(tab, documentId);
    const isApart = !error && frameId === 0 && this.#filled.goes(tab, url);
    if (this.#filled.met(tab, url) || isNews || isApart) void this.#rule();
    const known = this.#tabs.get(tab);
    if (frameId !== 0 || !known) return;
    // Chrome hands a document that was on its way when holding began a way past it for beacons: it is asked once more.
    if (known.isFresh && known.settings && !error) void this.#enable(tab, null).catch(() => undefined);
    known.isFresh = false;
    const isBlocked = error === BLOCKED && this.newTabs.isGuarded(tab);
    const cassette = known.opener !== undefined ? this.cassettes.modeOf(known.opener) : undefined;
    if (cassette && isBlocked) {
      await this.setCassette(tab, cassette, new Deadline(STANDING_MS, "recording a tab that a page opened"));
      await this.reload(tab, url);
      return;
    }
    // Only what an answer redirects is blocked after it was requested.
    const requested = this.#requested.get(tab);
    this.#requested.delete(tab);
    if (error === BLOCKED && known.opener !== undefined && requested?.method === "GET") {
      known.again = requested.url;
      await this.#goAgain(tab);
      return;
    }
    if (known.opener !== undefined && isBlocked) this.blocked.emit({ tab: known.opener, url });
    if (!known.isStranger) return;
    known.isStranger = false;
    await this.newTabs.leaveAlone(tab);
    if (isBlocked) await this.reload(tab, url);
  }

  /** Once a new tab is held, what it is redirected to can be judged. */
  async #goAgain(tab: number): Promise<void> {
    const known = this.#tabs.get(tab);
    if (known?.again === undefined || !known.settings || this.newTabs.isGuarded(tab)) return;
    const url = known.again;
    known.again = undefined;
    await this.reload(tab, url);
  }

  isOn(tab: number): boolean {
    return this.#tabs.get(tab)?.settings !== undefined;
  }

  /** Its requests are paused, for whatever reason. */
  isPaused(tab: number): boolean {
    return this.isOn(tab) || this.cassettes.modeOf(tab) !== undefined || this.rules.isAny(tab);
  }

  #isAnyOn(): boolean {
    return [...this.#tabs.values()].some(({ settings }) => settings);
  }

  #of(tab: number): TabRecord {
    const known = this.#tabs.get(tab) ?? {};
    this.#tabs.set(tab, known);
    return known;
  }

  isAsking(tab: number): boolean {
    return [...this.#held.values()].some((held) => held.tab === tab && held.asking);
  }

  /** A secret for these origins is filled into a tab: from now on nothing leaves it unasked for others. */
  async fill(tab: number, origins: readonly string[], deadline: Deadline): Promise<void> {
    const tabs = this.#filled.fill(tab, origins).filter((each) => this.isPaused(each));
    for (const { id, url } of await this.newTabs.open())
      if (id !== undefined) this.#filled.goes(id, url ?? "");
    await deadline.race(this.#rule());
    for (const each of tabs) {
      const frames = await this.sessions.hold(each, true, deadline);
      await deadline.race(Promise.all([null, ...frames].map((session) => this.#enable(each, session))));
    }
  }

  #rule(): Promise<void> {
    const held = [...this.#tabs].flatMap(([tab, { settings }]) => (settings ? [tab] : []));
    return this.newTabs.hold(held, this.#filled.rules);
  }

  /** Hold a tab's requests from now on; answers how many frames and workers of other processes there are. */
  async hold(tab: number, settings: Settings, deadline: Deadline): Promise<number> {
    const record = this.#of(tab);
    const known = record.settings;
    record.settings = settings;
    record.isGone = false;
    this.debuggers.kept.add(tab);
    this.#save();
    if (!known) record.isFresh = true;
    else {
      const frames = await this.sessions.hold(tab, true, deadline);
      if (!known.secret_origins !== !settings.secret_origins)
        await deadline.race(Promise.all([null, ...frames].map((session) => this.#enable(tab, session))));
      return frames.length;
    }
    try {
      const { newTabs } = this;
      const rules = [newTabs.guard(settings.new_tab_words ?? [], settings.origins ?? []), this.#rule()];
      const [attached, ruled] = await Promise.allSettled([
        this.#attach(tab, deadline),
        deadline.race(Promise.all(rules)),
      ]);
      if (attached.status === "rejected") throw attached.reason;
      if (ruled.status === "rejected") throw ruled.reason;
      // Only now is a tab that a held page opened held itself: until then the rules keep what it sends.
      await deadline.race(newTabs.leaveAlone(tab));
      void this.#goAgain(tab);
      return attached.value;
    } catch (error) {
      this.forget(tab, false);
      throw error;
    }
  }

  async #attach(tab: number, deadline: Deadline): Promise<number> {
    await deadline.race(this.debuggers.ensure(tab));
    await deadline.race(this.#enable(tab, null));
    return (await this.sessions.hold(tab, true, deadline)).length;
  }

  /** Record what a tab exchanges with the network from now on, or answer for the network, or neither. */
  async setCassette(tab: number, mode: CassetteMode | undefined, deadline: Deadline): Promise<void> {
    const known = this.cassettes.modeOf(tab);
    if (mode === known) return;
    this.cassettes.set(tab, mode);
    if (!mode) {
      await deadline.race(this.newTabs.guardAll(this.cassettes.replaying(), this.#hasAnyCassette()));
      await this.#disable(tab, deadline);
      return;
    }
    this.debuggers.kept.add(tab);
    try {
      await deadline.race(this.newTabs.guardAll(this.cassettes.replaying(), true));
      await deadline.race(this.newTabs.leaveAlone(tab));
      await this.#attach(tab, deadline);
    } catch (error) {
      this.cassettes.set(tab, undefined);
      throw error;
    }
  }

  /** Answer some of a tab's requests without the network from now on; all others are judged as before. */
  async setRules(tab: number, given: NetworkRulesParams, deadline: Deadline): Promise<void> {
    const wasPaused = this.isPaused(tab);
    this.rules.set(tab, given);
    if (!this.rules.isAny(tab)) {
      if (wasPaused) await this.#disable(tab, deadline);
      this.#keepOnlyPaused(tab);
      return;
    }
    this.debuggers.kept.add(tab);
    try {
      await deadline.race(this.debuggers.ensure(tab));
      await deadline.race(this.#enable(tab, null));
      const frames = await this.sessions.hold(tab, true, deadline);
      await deadline.race(Promise.all(frames.map((session) => this.#enable(tab, session))));
    } catch (error) {
      this.rules.set(tab, {});
      this.#keepOnlyPaused(tab);
      throw error;
    }
  }

  #keepOnlyPaused(tab: number): void {
    if (!this.isPaused(tab)) this.debuggers.kept.delete(tab);
  }

  #hasAnyCassette(): boolean {
    return this.cassettes.isAny();
  }

  async #holdAnew(tab: number): Promise<void> {
    const deadline = new Deadline(STANDING_MS, "holding requests");
    try {
      await this.#enable(tab, null);
      await this.sessions.hold(tab, true, deadline);
      await this.newTabs.leaveAlone(tab);
    } catch {
      // The debugger is gone again: its coming back brings us here once more.
    }
  }

  /** How many of a tab's requests wait for their first verdict. */
  undecided(tab: number): number {
    return [...this.#held.values()].filter((held) => held.tab === tab && !held.asking).length;
  }

  /** Let a tab go; what nobody decided on is blocked first. */
  async letGo(tab: number, deadline: Deadline): Promise<void> {
    if (!this.isOn(tab)) return;
    await this.blockAll(tab);
    this.forget(tab, false);
    await this.#disable(tab, deadline);
  }

  /** Pause a tab's requests no more, as far as nobody else wants them paused. */
  async #disable(tab: number, deadline: Deadline): Promise<void> {
    const frames = await this.sessions.hold(tab, this.isPaused(tab), deadline);
    const sessions = [null, ...frames];
    if (this.isPaused(tab)) {
      await Promise.all(sessions.map((session) => this.#enable(tab, session)));
      return;
    }
    await Promise.all(sessions.map((session) => this.#send(tab, session, "Fetch.disable")));
    // Not awaited: the page's process answers it, which a JavaScript dialog stops.
    for (const session of sessions) {
      if (!this.isWatched(tab)) void this.#send(tab, session, "Network.disable");
      else {
        void this.#send(tab, session, "Network.setBypassServiceWorker", { bypass: false });
        void this.#send(tab, session, "Network.setCacheDisabled", { cacheDisabled: false });
      }
    }
  }

  /** The tab is about to be closed, and the debugger with it: what it still sends is blocked by the browser. */
  async closing(tab: number): Promise<void> {
    if (!this.isOn(tab)) return;
    await this.newTabs.watch(tab);
    await this.blockAll(tab);
  }

  /** Block whatever of a tab waits. */
  async blockAll(tab: number): Promise<void> {
    const ids = [...this.#held].filter(([, held]) => held.tab === tab).map(([id]) => id);
    await Promise.all(ids.map((id) => this.release({ id, verdict: "block" })));
  }

  /** The tab is gone, or let go. */
  forget(tab: number, isGone = true): void {
    const wasOn = this.isOn(tab);
    if (isGone && this.#filled.forget(tab) && !wasOn) void this.#rule();
    if (isGone) {
      this.cassettes.set(tab, undefined);
      this.rules.set(tab, {});
    }
    this.#keepOnlyPaused(tab);
    if (wasOn && isGone) this.#tabs.set(tab, { isGone });
    else if (!this.#tabs.get(tab)?.isGone) this.#tabs.delete(tab);
    if (!wasOn) return;
    this.#keepOnlyPaused(tab);
    this.#documents.forget(tab);
    this.#dropAll(tab);
    this.#save();
    void this.#rule();
    if (this.#isAnyOn() || this.#hasAnyCassette()) {
      void this.newTabs.leaveAlone(tab);
      return;
    }
    clearTimeout(this.#ending);
    // A page may open a tab and close itself: what it opened is still loading.
    // How long new tabs stay guarded after the last held tab was closed.
    if (isGone) this.#ending = setTimeout(() => this.#end(), DOCUMENT_MS);
    else this.#end();
  }

  #end(): void {
    this.#ending = undefined;
    if (this.#isAnyOn() || this.#hasAnyCassette()) return;
    this.#tabs.clear();
    this.#requested.clear();
    void this.newTabs.end();
  }

  /** Carry a verdict out; false where the page had given the request up, or it is another tab's. */
  async release({ id, verdict }: ReleaseRequestParams, tab?: number): Promise<boolean> {
    const held = this.#held.get(id);
    if (!held || held.tab !== (tab ?? held.tab)) return false;
    if (verdict === "ask") {
      clearTimeout(held.timer);
      held.timer = this.#blockAfter(id, PERSON_MS);
      held.asking = true;
      this.#saveWaiting();
      this.asking.emit(held.tab);
      return true;
    }
    this.#drop(id);
    const done = await (verdict === "allow" ? this.#allow(held) : this.#block(held));
    return done === null;
  }

  /** chrome.debugger.onEvent, of every session. */
  take(event: SessionEvent): void {
    const { tab, session, method, params } = event;
    if (this.isOn(tab)) this.#documents.take(event);
    if (method === "Fetch.requestPaused" && this.isPaused(tab)) void this.#paused(tab, session, params);
    else if (method === "Network.webSocketCreated") this.#sockets.set(params.requestId, params.url);
    else if (method === "Network.webSocketClosed") this.#sockets.delete(params.requestId);
    else if (method === "Network.webSocketFrameSent" && this.isOn(tab)) this.#count(tab, params.requestId);
  }

  async #paused(tab: number, session: string | null, paused: PausedRequest): Promise<void> {
    const settings = this.#tabs.get(tab)?.settings;
    const { requestId, networkId, resourceType } = paused;
    if (paused.responseStatusCode !== undefined || paused.responseErrorReason) {
      await this.cassettes.takeResponse(tab, session, paused);
      return;
    }
    const ruled = this.rules.answerOf(tab, paused);
    if (ruled) {
      this.ruled.emit({ tab, session, id: paused.networkId, source: ruled.source });
      await this.#send(tab, session, ruled.method, ruled.params);
      return;
    }
    // Judged with the headers that it is sent with.
    const request = this.rules.withHeaders(tab, paused);
    const entered = settings ? await this.#documents.entered(tab, request) : null;
    if (!settings || !(entered || this.#mayChange(tab, request, settings))) {
      await this.cassettes.pass(tab, session, request);
      return;
    }
    const id = crypto.randomUUID();
    const timer = this.#blockAfter(id, STANDING_MS);
    const waiting = { tab, session, requestId, networkId, resourceType, asking: false };
    this.#held.set(id, { ...waiting, request, timer });
    this.#saveWaiting();
    const readBody = (): Promise<{ postData?: string; base64Encoded?: boolean } | null> =>
      this.debuggers
        .sendTo<{ postData?: string; base64Encoded?: boolean }>(tab, session, "Network.getRequestPostData", {
          requestId: request.networkId,
        })
        .catch(() => null);
    const body = await bodyOf(request, readBody);
    const { url, method } = request.request;
    this.reported.emit({
      tab,
      request: {
        id,
        method,
        url,
        resource_type: resourceType,
        frame_origin: headerOf(request, "origin") || null,
        content_type: headerOf(request, "content-type"),
        headers: request.request.headers,
        ...body,
        navigation: resourceType === "Document",
        leaves: this.#filled.leaves(tab, url),
        enters: entered !== null,
        ...entered,
      },
    });
  }

  #mayChange(tab: number, { request }: PausedRequest, { words, secret_origins: origins }: Settings): boolean {
    if (!/^https?:/.test(request.url)) return !SAFE.has(request.method);
    if (!SAFE.has(request.method) || request.hasPostData || saysMore(request)) return true;
    if (saysWord(request.url, words ?? [])) return true;
    if (this.#filled.leaves(tab, request.url)) return true;
    return !!origins && !origins.includes(new URL(request.url).origin);
  }

  #allow({ tab, session, requestId, request }: Held): Promise<string | null> {
    if (request) return this.cassettes.pass(tab, session, request);
    return this.#send(tab, session, "Fetch.continueRequest", { requestId });
  }

  /** A document that isn't loaded leaves the page as it is; an error would put a page of its own in its place. */
  #block({ tab, session, requestId, networkId, resourceType }: Held): Promise<string | null> {
    // What stands in for an answer is none of the server's.
    this.ruled.emit({ tab, session, source: REFUSED, ...(networkId === undefined ? {} : { id: networkId }) });
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
    if (this.#held.delete(id)) this.#saveWaiting();
  }

  /** Service workers are passed by: what they send in a page's name nobody would see. */
  async #enable(tab: number, session: string | null): Promise<void> {
    const hasCassette = this.cassettes.modeOf(tab) !== undefined;
    const settings = this.#tabs.get(tab)?.settings ?? {};
    const isWhole = hasCassette || this.#filled.isFilled(tab);
    const patterns = [
      ...(isWhole || this.isOn(tab) ? patternsOf(settings, isWhole) : []),
      ...this.rules.patternsOf(tab),
    ];
    const held = this.#send(tab, session, "Fetch.enable", { patterns });
    const others = [
      this.#send(tab, session, "Network.enable"),
      ...(hasCassette ? [this.#send(tab, session, "Network.setCacheDisabled", { cacheDisabled: true })] : []),
      this.#send(tab, session, "Network.setBypassServiceWorker", { bypass: true }),
    ];
    const failure = await held;
    // What hasn't begun to run answers only the browser's part.
    if (session !== null) return;
    if (failure) throw new Error(failure);
    await Promise.all(others);
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
    // WebSocket messages are counted for so long before they are reported.
    setTimeout(() => {
      this.#counts.delete(key);
      this.messages.emit(made);
    }, TICK_MS);
  }

  #save(): void {
    this.store.save(KEY, () =>
      [...this.#tabs].flatMap(([tab, { settings }]) => (settings ? [[tab, settings]] : [])),
    );
  }

  #saveWaiting(): void {
    this.store.save(WAITING_KEY, () =>
      [...this.#held].map(([id, { timer: _, request: __, ...waiting }]): [string, Waiting] => [id, waiting]),
    );
  }

  /** Run a command on a session; answers why it failed, null where it didn't. */
  #send(tab: number, session: string | null, method: string, params: object = {}): Promise<string | null> {
    return this.debuggers.sendTo(tab, session, method, params).then(() => null, messageOf);
  }
}
