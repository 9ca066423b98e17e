// Which requests of a shared tab were answered with an error or broke: the kernel says whose they are.

import type { RequestFailed } from "../../protocol/generated";

type Begun = Pick<chrome.webRequest.WebRequestDetails, "requestId" | "type" | "method" | "url">;

/** The end of a request, as chrome.webRequest reports it. */
export type End = Begun & { statusCode?: number; error?: string; initiator?: string };

/** The page gave it up, or went elsewhere. */
const GIVEN_UP = "net::ERR_ABORTED";
/** Of an answer that had begun: the page gave that up, as one does that closes a stream. A connection's end has its own name. */
const ENDED = "net::ERR_FAILED";

interface Sent {
  at: number;
  caused: boolean;
  act: number;
  reads: boolean;
  /** The status of the answer that has begun. */
  status?: number;
}

export class FailedRequests {
  readonly #sent = new Map<string, Sent>();
  /** How often the document has sent the same while nobody did anything. */
  readonly #idle = new Map<string, number>();
  /** What has failed in the document, and was not answered since. */
  readonly #failing = new Set<string>();
  /** What has failed while nobody did anything. */
  readonly #failingByItself = new Set<string>();

  constructor(private readonly report: (request: RequestFailed) => void) {}

  /** A request begins; `caused` says whether a command's act may have caused it, `act` which was the last one by then. */
  began(request: Begun, caused: boolean, act = 0): void {
    if (request.type === "main_frame")
      for (const known of [this.#idle, this.#failing, this.#failingByItself]) known.clear();
    const key = keyOf(request);
    if (!caused) this.#idle.set(key, (this.#idle.get(key) ?? 0) + 1);
    // A redirect begins the same request once more.
    const first = this.#sent.get(request.requestId) ?? { at: performance.now(), act };
    this.#sent.set(request.requestId, {
      at: first.at,
      act: first.act,
      caused,
      reads: request.method === "GET",
    });
  }

  /** It is answered; all of the answer may take long. */
  started({ requestId, statusCode }: Pick<Begun, "requestId"> & { statusCode: number }): void {
    const sent = this.#sent.get(requestId);
    if (sent) sent.status = statusCode;
  }

  /** Another document takes the page's place: what the one before only wanted to read, nobody misses. */
  replaced({ requestId }: Pick<Begun, "requestId">): void {
    for (const [id, { reads }] of this.#sent) if (reads && id !== requestId) this.#sent.delete(id);
  }

  ended(end: End): void {
    const sent = this.#sent.get(end.requestId);
    if (!this.#sent.delete(end.requestId) || !sent || end.error === GIVEN_UP) return;
    if (end.error === ENDED && sent.status !== undefined && sent.status < 400) return;
    const key = keyOf(end);
    const { statusCode: status = null, error = "" } = end;
    const hasFailed = status === null || status >= 400;
    // Whether the document itself is there is always reported.
    if (!hasFailed && !this.#failing.delete(key) && end.type !== "main_frame") return;
    const isHabit = (this.#idle.get(key) ?? 0) > 1 || this.#failingByItself.has(key);
    if (hasFailed) this.#failing.add(key);
    if (hasFailed && !sent.caused) this.#failingByItself.add(key);
    this.report({
      method: end.method,
      url: end.url,
      resource_type: end.type,
      initiator: end.initiator ?? "",
      status,
      error,
      age_ms: performance.now() - sent.at,
      caused: sent.caused,
      act: sent.act,
      habit: isHabit,
    });
  }
}

function keyOf({ method, url }: Begun): string {
  return `${method} ${url}`;
}
