// Cassettes: reports what a tab's pages exchange with the network, or answers for the network from what the kernel has.
//
// The kernel keeps the cassette. Where it has no answer, or says nothing, the request is blocked: a replayed page never
// reaches the network.

import type {
  AnswerRequestParams,
  CassetteParams,
  ExchangeRecorded,
  RequestWanted,
} from "../../protocol/generated";
import { messageOf } from "../../shared/errors";
import { STANDING_MS } from "../../shared/limits";
import { Signal } from "../signal";
import type { Store } from "../store";
import type { Debuggers } from "../tabs/debuggers";
import { headerOf, type PausedRequest, textOf } from "./paused_request";

const KEY = "cassette_tabs";
/** Bytes of a body that is kept. */
const LARGEST_BODY = 20_000_000;
const REDIRECTS = new Set([301, 302, 303, 307, 308]);

export type CassetteMode = Exclude<CassetteParams["mode"], "off">;

interface Waiting {
  tab: number;
  session: string | null;
  requestId: string;
  timer: ReturnType<typeof setTimeout>;
}

export class Cassettes {
  /** A request of a replayed page waits for its answer. */
  readonly wanted = new Signal<{ tab: number; request: RequestWanted }>();
  /** A recorded page got an answer, or none. */
  readonly recorded = new Signal<{ tab: number; exchange: ExchangeRecorded }>();
  readonly #modes = new Map<number, CassetteMode>();
  readonly #waiting = new Map<string, Waiting>();

  constructor(
    private readonly debuggers: Pick<Debuggers, "sendTo">,
    private readonly store: Pick<Store, "load" | "save">,
  ) {}

  /** A worker that starts anew goes on as the one before. */
  async load(): Promise<number[]> {
    for (const [tab, mode] of await this.store.load<[number, CassetteMode][]>(KEY, []))
      this.#modes.set(tab, mode);
    return [...this.#modes.keys()];
  }

  modeOf(tab: number): CassetteMode | undefined {
    return this.#modes.get(tab);
  }

  isAny(): boolean {
    return this.#modes.size > 0;
  }

  /** Tabs that are never to reach the network. */
  replaying(): number[] {
    return [...this.#modes].flatMap(([tab, mode]) => (mode === "replay" ? [tab] : []));
  }

  set(tab: number, mode: CassetteMode | undefined): void {
    if (mode) this.#modes.set(tab, mode);
    else if (!this.#modes.delete(tab)) return;
    this.store.save(KEY, () => [...this.#modes]);
  }

  /** Let a request go where its tab's cassette wants it to; answers why that failed, null where it didn't. */
  async pass(tab: number, session: string | null, request: PausedRequest): Promise<string | null> {
    const { requestId } = request;
    const mode = /^https?:/.test(request.request.url) ? this.#modes.get(tab) : undefined;
    if (mode !== "replay")
      return this.#send(tab, session, "Fetch.continueRequest", {
        requestId,
        ...(mode && { interceptResponse: true }),
        ...(request.sentHeaders && { headers: request.sentHeaders }),
      });
    const id = crypto.randomUUID();
    // The kernel looks its answer up; where it doesn't, it is gone.
    const timer = setTimeout(() => void this.answer({ id, status: 0 }), STANDING_MS);
    this.#waiting.set(id, { tab, session, requestId, timer });
    this.wanted.emit({ tab, request: { id, ...(await this.#describe(tab, session, request)) } });
    return null;
  }

  /** The network has answered a request: report what it says, and let the page have it. */
  async takeResponse(tab: number, session: string | null, response: PausedRequest): Promise<void> {
    const { requestId, responseStatusCode: status = 0, responseHeaders: headers = [] } = response;
    const read = await this.#bodyOf(tab, session, response);
    const exchange = { ...(await this.#describe(tab, session, response)), status, headers, ...read };
    this.recorded.emit({ tab, exchange });
    const method = response.responseErrorReason ? "Fetch.failRequest" : "Fetch.continueResponse";
    const reason = response.responseErrorReason && { errorReason: response.responseErrorReason };
    await this.#send(tab, session, method, { requestId, ...reason });
  }

  /** Answer a request that waits; false where the page had given it up, or it is another tab's. */
  async answer({ id, status, headers, body }: AnswerRequestParams, tab?: number): Promise<boolean> {
    const waiting = this.#waiting.get(id);
    if (!waiting || waiting.tab !== (tab ?? waiting.tab)) return false;
    this.#waiting.delete(id);
    clearTimeout(waiting.timer);
    const { requestId, session } = waiting;
    const failure = status
      ? await this.#send(waiting.tab, session, "Fetch.fulfillRequest", {
          requestId,
          responseCode: status,
          responseHeaders: headers ?? [],
          body: body ?? "",
        })
      : await this.#send(waiting.tab, session, "Fetch.failRequest", {
          requestId,
          errorReason: "BlockedByClient",
        });
    return failure === null;
  }

  async #bodyOf(
    tab: number,
    session: string | null,
    { requestId, resourceType, responseStatusCode, responseErrorReason, responseHeaders = [] }: PausedRequest,
  ): Promise<Pick<ExchangeRecorded, "response" | "note">> {
    if (responseErrorReason) return { note: responseErrorReason };
    if (REDIRECTS.has(responseStatusCode ?? 0)) return { response: "" };
    const header = (name: string): string =>
      responseHeaders.find((each) => each.name.toLowerCase() === name)?.value ?? "";
    if (resourceType === "EventSource" || header("content-type").startsWith("text/event-stream"))
      return { note: "a stream of events has no end to record" };
    if (Number(header("content-length")) > LARGEST_BODY) return { note: "too large to record" };
    try {
      const read = await this.debuggers.sendTo<{ body: string; base64Encoded: boolean }>(
        tab,
        session,
        "Fetch.getResponseBody",
        { requestId },
      );
      const body = read.base64Encoded ? read.body : base64(read.body);
      return body.length > LARGEST_BODY * 1.4 ? { note: "too large to record" } : { response: body };
    } catch (error) {
      return { note: messageOf(error) };
    }
  }

  async #describe(
    tab: number,
    session: string | null,
    request: PausedRequest,
  ): Promise<Omit<RequestWanted, "id">> {
    const read = (): Promise<{ postData?: string; base64Encoded?: boolean } | null> =>
      this.debuggers
        .sendTo<{ postData?: string; base64Encoded?: boolean }>(tab, session, "Network.getRequestPostData", {
          requestId: request.networkId,
        })
        .catch(() => null);
    return {
      method: request.request.method,
      url: request.request.url,
      resource_type: request.resourceType,
      content_type: headerOf(request, "content-type"),
      body: await textOf(request, read),
    };
  }

  #send(tab: number, session: string | null, method: string, params: object): Promise<string | null> {
    return this.debuggers.sendTo(tab, session, method, params).then(() => null, messageOf);
  }
}

function base64(text: string): string {
  const bytes = new TextEncoder().encode(text);
  let binary = "";
  for (let at = 0; at < bytes.length; at += 32_768)
    binary += String.fromCharCode(...bytes.subarray(at, at + 32_768));
  return btoa(binary);
}
