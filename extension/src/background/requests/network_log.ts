// What watched tabs exchange with the network: each request is reported as it is sent and as it ends; bodies are kept here.
//
// Nothing is attached to a tab that nobody wants to watch.

import type { RequestLogged, ResponseBodyResult, WatchNetworkParams } from "../../protocol/generated";
import { Failure, messageOf } from "../../shared/errors";
import { STANDING_MS } from "../../shared/limits";
import { Deadline } from "../deadline";
import { Signal } from "../signal";
import type { Store } from "../store";
import type { CdpSessions, SessionEvent } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import { ResponseBodies } from "./response_bodies";

/** The source of a request that was held and not let go: whatever stands in for its answer isn't the server's. */
export const REFUSED = "refused";
const NOT_SENT = "not sent";
const KEY = "watched_tabs";
/** Requests of a tab whose ends are still awaited, or that can be requested again. */
const MOST_KNOWN = 2_000;
/** Characters of a request's body that are reported. */
const LONGEST_BODY = 200_000;
const WITH_BODIES = new Set(["XHR", "Fetch", "Document"]);
const TEXT = /^(?:text\/|image\/svg)|json|xml|javascript|x-www-form-urlencoded/;
/** Headers that the browser sets by itself; a script may not. */
const FORBIDDEN =
  /^(?:accept-(?:charset|encoding)|access-control-.*|connection|content-length|cookie|cookie2|date|dnt|expect|host|keep-alive|origin|permissions-policy|proxy-.*|sec-.*|referer|te|trailer|transfer-encoding|upgrade|user-agent|via|:.*)$/i;

interface Logged {
  request: RequestLogged;
  session: string | null;
  networkId: string;
  /** By the browser's own clock, in seconds. */
  sentAt: number;
  bytes: number;
}

interface WatchedTab {
  bodies: ResponseBodies;
  known: Map<string, Logged>;
  /** The newest id of each of the browser's: redirects share one. */
  ids: Map<string, string>;
  /** What a rule answered before it was reported as sent. */
  early: Map<string, string>;
  count: number;
}

export class NetworkLog {
  readonly logged = new Signal<{ tab: number; request: RequestLogged }>();
  readonly #tabs = new Map<number, WatchedTab>();

  constructor(
    private readonly debuggers: Pick<Debuggers, "attached" | "lost" | "ensure" | "keepers" | "sendTo">,
    private readonly sessions: Pick<CdpSessions, "open" | "spawned">,
    private readonly store: Pick<Store, "load" | "save">,
  ) {
    debuggers.keepers.push((tab) => this.isOn(tab));
    debuggers.attached.on((tab) => {
      if (this.isOn(tab))
        void this.#enableAll(tab, new Deadline(STANDING_MS, "watching the network")).catch(() => undefined);
    });
    debuggers.lost.on(({ tab, reason }) => {
      if (reason === "canceled_by_user") this.forget(tab);
      else if (this.isOn(tab)) void debuggers.ensure(tab).catch(() => undefined);
    });
    sessions.spawned.on(({ tab, session }) => {
      if (this.isOn(tab)) void this.#enable(tab, session);
    });
  }

  /** A worker that starts anew goes on watching; what it knew of earlier requests is gone. */
  async load(): Promise<void> {
    for (const [tab, limit] of await this.store.load<[number, number][]>(KEY, [])) this.#begin(tab, limit);
  }

  isOn(tab: number): boolean {
    return this.#tabs.has(tab);
  }

  /** Report a tab's requests from now on, or no more. */
  async watch(
    tab: number,
    { on, limit_bytes: limit = 20_000_000 }: WatchNetworkParams,
    deadline: Deadline,
  ): Promise<void> {
    const known = this.#tabs.get(tab);
    if (!on) return this.forget(tab);
    if (known) {
      known.bodies.limit = limit;
      return;
    }
    this.#begin(tab, limit);
    try {
      await this.#enableAll(tab, deadline);
    } catch (error) {
      this.forget(tab);
      throw error;
    }
  }

  forget(tab: number): void {
    if (this.#tabs.delete(tab)) this.#save();
  }

  /** A rule of the person's answered a request, or it was refused. */
  answered(tab: number, session: string | null, networkId: string | undefined, source: string): void {
    const logged = this.#find(tab, session, networkId);
    // It may be paused before it is reported.
    if (logged) {
      logged.request.source = source;
      this.#endIfRefused(tab, logged);
    } else if (networkId) this.#tabs.get(tab)?.early.set(`${session} ${networkId}`, source);
  }

  /** The body of an answer; fails with the reason why there is none. */
  async body(tab: number, id: string): Promise<ResponseBodyResult> {
    const watched = this.#tabs.get(tab);
    const logged = watched?.known.get(id);
    if (!watched || !logged) throw new Failure("command", "Nothing is known any more of this request.");
    const kept = await watched.bodies.get(id);
    if (kept) return kept;
    return this.#read(tab, logged).catch((error) => {
      const why = watched.bodies.isDropped(id) ? "there was no room for it" : messageOf(error);
      throw new Failure("command", `The body of this answer isn't kept: ${why}`);
    });
  }

  /** The headers that a script may send with a GET that differs from one of the page's in its query alone. */
  headersAlike(tab: number, id: string, url: string): Record<string, string> {
    const known = this.#tabs.get(tab)?.known.get(id)?.request;
    if (!known) throw new Failure("command", "Nothing is known any more of this request.");
    const [old, wanted] = [new URL(known.url), new URL(url)];
    if (known.method !== "GET" || old.origin !== wanted.origin || old.pathname !== wanted.pathname)
      throw new Failure("not_allowed", "Only the query of a GET that the page sent can be another one.");
    const headers = Object.entries(known.request_headers ?? {});
    return Object.fromEntries(headers.filter(([name]) => !FORBIDDEN.test(name)));
  }

  /** chrome.debugger.onEvent, of every session. */
  take({ tab, session, method, params }: SessionEvent): void {
    if (!method.startsWith("Network.") || !this.isOn(tab)) return;
    if (method === "Network.requestWillBeSent") this.#sent(tab, session, params);
    const logged = this.#find(tab, session, params.requestId);
    if (!logged || logged.request.done) return;
    const { request } = logged;
    if (method === "Network.requestServedFromCache") request.source ||= "cache";
    else if (method === "Network.responseReceived") this.#answer(logged, params.response, params.timestamp);
    else if (method === "Network.dataReceived") logged.bytes += params.dataLength;
    else if (method === "Network.loadingFinished") {
      request.size = Math.max(0, Math.round(params.encodedDataLength));
      request.body_size = logged.bytes;
      if (WITH_BODIES.has(request.resource_type)) this.#keepBody(tab, logged);
      this.#end(tab, logged, params.timestamp);
    } else if (method === "Network.loadingFailed") {
      request.error = params.blockedReason ? `blocked: ${params.blockedReason}` : params.errorText;
      this.#end(tab, logged, params.timestamp);
    }
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own parameters
  #sent(tab: number, session: string | null, params: any): void {
    const watched = this.#tabs.get(tab) as WatchedTab;
    const before = this.#find(tab, session, params.requestId);
    if (params.redirectResponse && before && !before.request.done) {
      this.#answer(before, params.redirectResponse, params.timestamp);
      before.request.size = Math.max(0, Math.round(params.redirectResponse.encodedDataLength ?? 0));
      this.#end(tab, before, params.timestamp);
    }
    const { url, method, headers, postData } = params.request;
    if (!/^(?:https?|wss?):/.test(url)) return;
    const id = `${tab}.${++watched.count}`;
    const request: RequestLogged = {
      id,
      method,
      url,
      resource_type: params.type ?? "Other",
      document: params.loaderId ?? "",
      initiator: params.initiator?.type ?? "",
      started: params.wallTime,
      request_headers: headers,
      post_data: postData?.slice(0, LONGEST_BODY) ?? null,
      source: watched.early.get(`${session} ${params.requestId}`) ?? "",
    };
    watched.early.delete(`${session} ${params.requestId}`);
    const logged = { request, session, networkId: params.requestId, sentAt: params.timestamp, bytes: 0 };
    watched.known.set(id, logged);
    watched.ids.set(`${session} ${params.requestId}`, id);
    for (const [oldest, { networkId, session: its }] of watched.known) {
      if (watched.known.size <= MOST_KNOWN) break;
      watched.known.delete(oldest);
      if (watched.ids.get(`${its} ${networkId}`) === oldest) watched.ids.delete(`${its} ${networkId}`);
    }
    if (!this.#endIfRefused(tab, logged)) this.logged.emit({ tab, request: { ...request } });
  }

  #endIfRefused(tab: number, logged: Logged): boolean {
    if (logged.request.source !== REFUSED) return false;
    logged.request.error = NOT_SENT;
    this.#end(tab, logged, logged.sentAt);
    return true;
  }

  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own parameters
  #answer({ request, sentAt }: Logged, response: any, at: number): void {
    request.status = response.status;
    request.status_text = response.statusText;
    request.headers = response.headers;
    request.mime = response.mimeType;
    request.protocol = response.protocol ?? "";
    if (response.fromDiskCache) request.source ||= "cache";
    if (response.fromServiceWorker) request.source ||= "worker";
    request.wait_ms = Math.max(0, (at - sentAt) * 1000);
  }

  #end(tab: number, logged: Logged, at: number): void {
    logged.request.done = true;
    logged.request.elapsed_ms = Math.max(0, (at - logged.sentAt) * 1000);
    this.logged.emit({ tab, request: { ...logged.request } });
  }

  #keepBody(tab: number, logged: Logged): void {
    const watched = this.#tabs.get(tab);
    const { id, mime = "" } = logged.request;
    if (!watched || !TEXT.test(mime)) return;
    watched.bodies.add(
      id,
      this.#read(tab, logged).catch(() => null),
    );
  }

  async #read(tab: number, { session, networkId }: Logged): Promise<ResponseBodyResult> {
    const read = await this.debuggers.sendTo<{ body: string; base64Encoded: boolean }>(
      tab,
      session,
      "Network.getResponseBody",
      { requestId: networkId },
    );
    return { body: read.body, base64: read.base64Encoded };
  }

  #find(tab: number, session: string | null, networkId: string | undefined): Logged | undefined {
    const watched = this.#tabs.get(tab);
    return watched?.known.get(watched.ids.get(`${session} ${networkId}`) ?? "");
  }

  #begin(tab: number, limit: number): void {
    this.#tabs.set(tab, {
      bodies: new ResponseBodies(limit),
      known: new Map(),
      ids: new Map(),
      early: new Map(),
      count: 0,
    });
    this.#save();
  }

  #save(): void {
    this.store.save(KEY, () => [...this.#tabs].map(([tab, { bodies }]) => [tab, bodies.limit]));
  }

  async #enableAll(tab: number, deadline: Deadline): Promise<void> {
    const opened = await this.sessions.open(tab, deadline);
    await deadline.race(Promise.all(opened.map(({ id }) => this.#enable(tab, id))));
  }

  #enable(tab: number, session: string | null): Promise<unknown> {
    return this.debuggers.sendTo(tab, session, "Network.enable").catch((error) => {
      // A frame that goes away meanwhile has nothing to report.
      if (session === null) throw error;
    });
  }
}
