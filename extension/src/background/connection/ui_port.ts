// The extension's pages send their requests over a port; nobody else can open one.

import type { AskName, Asks } from "../../protocol/generated";
import { ASK_NAMES } from "../../protocol/generated";
import { baseOfPage, isLocal } from "../../shared/address";
import { toWireError } from "../../shared/errors";
import { ABSENT_MS, POLL_MS } from "../../shared/limits";
import type { UiReply, UiRequest, WantedRun } from "../../shared/ui";
import { viewTab } from "../commands/tabs";
import type { Emulations } from "../tabs/emulations";
import type { Shares } from "../tabs/shares";
import type { Kernels } from "./kernels";
import type { PairingRequests } from "./pairing_requests";

type UiPort = Pick<chrome.runtime.Port, "postMessage" | "onMessage" | "onDisconnect" | "sender">;

const PANEL = "/sidepanel.html";

type Listen = (serve: (request: UiRequest) => void) => void;

/** Listen at once, and serve later: what comes to a port without a listener is lost, and a worker takes time to start. */
export function listenTo(port: Pick<UiPort, "onMessage">): Listen {
  const early: UiRequest[] = [];
  let take = (request: UiRequest): void => void early.push(request);
  port.onMessage.addListener((request: UiRequest) => take(request));
  return (serve) => {
    take = serve;
    for (const request of early.splice(0)) serve(request);
  };
}

export class UiPorts {
  /** The pages that watch, and the window whose front tab they mean. */
  readonly #watching = new Map<UiPort, number | undefined>();
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** What a side panel that opens soon shows first. */
  #wanted: (WantedRun & { until: number }) | null = null;

  constructor(
    private readonly kernels: Kernels,
    private readonly shares: Shares,
    private readonly pairing: PairingRequests,
    private readonly tabs: Pick<typeof chrome.tabs, "query">,
    private readonly emulations: Pick<Emulations, "changed" | "wordsOf">,
  ) {
    kernels.changed.on(() => this.#pushSoon());
    emulations.changed.on(() => this.#pushSoon());
    kernels.notices.on(({ kernel, notice }) => {
      for (const port of this.#watching.keys()) post(port, { ui: "notice", kernel, notice });
    });
  }

  /** Whether a side panel is open, in any window. */
  get isPanelOpen(): boolean {
    return this.#panels.length > 0;
  }

  /** Show a run in the side panels, and in the one that is opening. */
  show({ kernel, run }: WantedRun): void {
    // As long a panel that was opened for something may take to ask for it.
    this.#wanted = { kernel, run, until: performance.now() + ABSENT_MS };
    for (const port of this.#panels) post(port, { ui: "show", kernel, run });
  }

  /** The first panel that opens after it shows what was wanted. */
  #showFirst(reply: (message: UiReply) => void): void {
    const wanted = this.#wanted;
    this.#wanted = null;
    if (wanted && performance.now() < wanted.until)
      reply({ ui: "show", kernel: wanted.kernel, run: wanted.run });
  }

  get #panels(): UiPort[] {
    return [...this.#watching.keys()].filter(isPanel);
  }

  /** Serve one of our pages, which may have said something already. */
  connect(port: UiPort, listen: Listen = listenTo(port)): void {
    const shown = new Set<string>();
    listen((request) => {
      if (request.ui === "pair_request") shown.add(request.id);
      this.#serve(port, request).catch((error) => console.error("skillbook: the page's wish failed", error));
    });
    port.onDisconnect.addListener(() => {
      this.#watching.delete(port);
      // The page was closed without a decision; after one there is nothing left to cancel.
      for (const id of shown) this.pairing.cancel(id);
    });
  }

  async #serve(port: UiPort, request: UiRequest): Promise<void> {
    const reply = (message: UiReply): void => port.postMessage(message);
    if (request.ui === "watch") {
      const isNew = !this.#watching.has(port);
      this.#watching.set(port, request.window);
      await this.#push(port);
      if (isNew && isPanel(port)) this.#showFirst(reply);
    } else if (request.ui === "ask") {
      post(port, await this.#ask(request));
    } else if (request.ui === "share") {
      this.shares.add(request.tab, request.kernel, "user");
    } else if (request.ui === "unshare") {
      this.shares.remove(request.tab, "unshared");
    } else if (request.ui === "stop") {
      this.kernels.stop(request.kernel);
    } else if (request.ui === "retry") {
      this.kernels.retry(request.kernel);
    } else if (request.ui === "forget") {
      this.kernels.forget(request.kernel);
    } else if (request.ui === "invite") {
      await this.pairing.invite(request.tab);
    } else if (request.ui === "pair_request") {
      reply({ ui: "pair_request", request: this.pairing.find(request.id) });
    } else if (request.ui === "pair") {
      const { outcome, message } = await this.pairing.confirm(request.id);
      reply({ ui: "pair_done", ok: outcome === "paired", message });
    } else {
      this.pairing.cancel(request.id);
    }
  }

  /** What a person wants of a kernel; its answer, or why there is none. */
  async #ask({ id, kernel, name, params }: UiRequest & { ui: "ask" }): Promise<UiReply> {
    try {
      if (!ASK_NAMES.has(name)) throw new Error(`there is no ask ${name}`);
      const result = await this.kernels.ask(kernel, name as AskName, params as Asks[AskName]["params"]);
      return { ui: "answer", id, result };
    } catch (error) {
      const { code, message, hint = "" } = toWireError(error);
      return { ui: "answer", id, error: { code, message, hint } };
    }
  }

  #pushSoon(): void {
    if (this.#watching.size === 0 || this.#timer !== undefined) return;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      // A page that is gone is taken out by its port's end; what else fails here is asked again soon.
      for (const port of this.#watching.keys()) this.#push(port).catch(() => undefined);
    }, POLL_MS);
  }

  async #push(port: UiPort): Promise<void> {
    const windowId = this.#watching.get(port);
    const which = windowId === undefined ? { lastFocusedWindow: true } : { windowId };
    const [front] = await this.tabs.query({ active: true, ...which });
    const current = front && /^https?:/.test(front.url ?? "") ? viewTab(front) : null;
    const share = current ? this.shares.get(current.id) : undefined;
    const sharedWith = share?.kernel ?? null;
    const keepsActs = share?.recording === "";
    const base = baseOfPage(current?.url);
    const pairable = base !== null && !isLocal(base) ? base : null;
    const kernels = await this.kernels.view();
    const shownAs = current ? this.emulations.wordsOf(current.id) : "";
    const state = { kernels, current, sharedWith, keepsActs, pairable, shownAs };
    post(port, { ui: "state", state });
  }
}

const isPanel = ({ sender }: UiPort): boolean => sender?.url?.endsWith(PANEL) === true;

/** A page that was closed meanwhile gets nothing. */
function post(port: UiPort, reply: UiReply): void {
  try {
    port.postMessage(reply);
  } catch {
    // its `onDisconnect` takes it out
  }
}
