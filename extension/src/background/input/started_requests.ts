// What an action made its page request: seen where the tab's debugger reports requests, as it does for agents.

import { type CommandContext, callContent } from "../commands/context";
import { RESERVE_MS } from "../deadline";
import type { CdpEvent } from "../tabs/debuggers";

/** So long an answer is waited for; a page that polls with long requests would be waited for at every action. */
const ANSWER_MS = 1_000;
/** A page shows an answer within this. */
const SHOWN_MS = 50;
const SHOWN_AT_MOST_MS = 300;
const ASKS = new Set(["Fetch", "XHR"]);

export class StartedRequests {
  readonly #open = new Set<string>();
  #answered = false;
  readonly #stop: () => void;

  constructor(private readonly context: CommandContext) {
    this.#stop = context.services.debuggers.events.on((event) => this.#see(event));
  }

  /** Whether the page still waits for an answer. */
  get isWaiting(): boolean {
    return this.#open.size > 0;
  }

  close(): void {
    this.#stop();
  }

  /** Wait a moment for answers, and for the page to show them; whether there was anything to wait for. */
  async answered(): Promise<boolean> {
    if (!this.isWaiting && !this.#answered) return false;
    const { services, deadline } = this.context;
    const left = Math.min(ANSWER_MS, Math.max(0, deadline.left() - RESERVE_MS));
    const end = performance.now() + left;
    while (this.isWaiting && performance.now() < end) {
      const over = new Promise<null>((resolve) => setTimeout(() => resolve(null), end - performance.now()));
      await services.debuggers.events.nextOr(() => !this.isWaiting, over);
    }
    if (!this.isWaiting && performance.now() < end) await this.#shown();
    return true;
  }

  /** A document that goes away meanwhile, or can't be asked, shows nothing more. */
  async #shown(): Promise<void> {
    const { services, tab, deadline } = this.context;
    const request = { op: "quiet", quiet_ms: SHOWN_MS, timeout_ms: SHOWN_AT_MOST_MS } as const;
    try {
      const readable = await services.documents.readable(tab, deadline);
      await Promise.all(readable.map((doc) => callContent(this.context, doc, request)));
    } catch {
      return;
    }
  }

  #see({ tab, method, params }: CdpEvent): void {
    if (tab !== this.context.tab) return;
    if (method === "Network.requestWillBeSent" && ASKS.has(params.type)) this.#open.add(params.requestId);
    else if (method === "Network.loadingFinished" || method === "Network.loadingFailed")
      this.#answered = this.#open.delete(params.requestId) || this.#answered;
  }
}
