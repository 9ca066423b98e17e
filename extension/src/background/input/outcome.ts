// What an action did, as far as the browser saw it: watched from before the action until its effects have landed.

import type { ActionOutcome } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { CommandContext } from "../commands/context";
import { Deadline } from "../deadline";
import type { PendingNavigation, TabState } from "../tabs/navigations";
import type { Doc } from "../tabs/registry";

/** Time kept back to answer before the kernel gives up. */
const RESERVE_MS = 250;
const SUBFRAME_MS = 2_000;
/** A navigation that the page requested begins within this, or was called off. */
const BEGIN_MS = 500;

export class Watch {
  readonly #began = performance.now();
  readonly #before: Pick<TabState, "commits" | "moves" | "failures" | "requests">;
  /** Navigations that were on their way before the action. */
  readonly #earlier: Set<PendingNavigation>;
  readonly #versions = new Map<string, number>();
  readonly #after = new Map<string, number>();
  readonly #opened: number[] = [];
  readonly #stop: () => void;
  /** Input was sent: from here on an interruption leaves the outcome open. */
  acted = false;
  isTrusted = true;

  constructor(private readonly context: CommandContext) {
    const { navigations, opened } = context.services;
    const { commits, moves, failures, requests, pending } = navigations.state(context.tab);
    this.#before = { commits, moves, failures, requests };
    this.#earlier = new Set(pending.values());
    this.#stop = opened.on(({ opener, tab }) => {
      if (opener === context.tab) this.#opened.push(tab);
    });
  }

  close(): void {
    this.#stop();
  }

  /** A document's version before the action, as a reply says. */
  noteBefore(doc: Doc, version: number): void {
    this.#versions.set(doc.id, version);
  }

  /** A document's version after the action, as a reply says. */
  noteAfter(doc: Doc, version: number): void {
    this.#after.set(doc.id, version);
  }

  /** Take the documents' versions from before the action; `except` is one that another reply brings. */
  async baseline(except?: Doc): Promise<void> {
    const { documents } = this.context.services;
    await documents.main(this.context.tab, this.context.deadline);
    const rest = documents
      .known(this.context.tab)
      .filter((doc) => doc !== except && !this.#versions.has(doc.id));
    await Promise.all(
      rest.map(async (doc) => {
        const found = await documents.readVersion(doc, this.context.deadline);
        if (found !== null) this.#versions.set(doc.id, found);
      }),
    );
  }

  /** Wait for what the action set going, then say what changed. */
  async finish(): Promise<ActionOutcome> {
    const { navigations } = this.context.services;
    const { tab, deadline } = this.context;
    let changed = await this.#versionsChanged();
    await this.#awaitRequested();
    if (this.#isPending(navigations.state(tab))) {
      await this.#settle(Math.max(0, deadline.left() - RESERVE_MS));
      this.#after.clear();
      changed ||= await this.#versionsChanged();
    }
    return this.outcome(changed);
  }

  /** The outcome without a request to the page, which a dialog may hold. */
  async outcome(changed: boolean, dialog: ActionOutcome["dialog"] = null): Promise<ActionOutcome> {
    const state = this.context.services.navigations.state(this.context.tab);
    const navigated = state.commits !== this.#before.commits;
    return {
      changed: changed || navigated || state.moves !== this.#before.moves,
      navigated,
      url: state.url || ((await this.context.services.tabs.get(this.context.tab)).url ?? ""),
      input: this.isTrusted ? "trusted" : "synthetic",
      dialog,
      opened_tabs: [...this.#opened],
      elapsed_ms: performance.now() - this.#began,
    };
  }

  /** The page requested a navigation, or a new tab: wait until it has begun, which is a moment later. */
  async #awaitRequested(): Promise<void> {
    const { navigations, opened } = this.context.services;
    const before = this.#before;
    const { tab, deadline } = this.context;
    if (navigations.state(tab).requests === before.requests) return;
    const begun = (state: TabState): boolean =>
      this.#isPending(state) ||
      state.commits > before.commits ||
      state.moves > before.moves ||
      state.failures > before.failures ||
      this.#opened.length > 0;
    if (begun(navigations.state(tab))) return;
    const patience = new Deadline(Math.min(BEGIN_MS, deadline.left()), "the navigation");
    const started = navigations.until(tab, begun, patience).catch(() => undefined);
    await deadline.race(opened.nextOr(({ opener }) => opener === tab, started));
    patience.close();
  }

  /** Until no navigation is on its way: the main frame's as long as there is time, others' for a moment. */
  async #settle(left: number): Promise<void> {
    const { navigations } = this.context.services;
    const patience = new Deadline(left, "the navigation");
    const moment = new Deadline(Math.min(left, SUBFRAME_MS), "a frame's navigation");
    const stop = (): void => patience.cancel(new Failure("timeout", "the command ended"));
    this.context.deadline.signal.addEventListener("abort", stop, { once: true });
    this.context.deadline.waitsFor = "a navigation that the action started";
    const expire = (error: unknown): void => {
      this.context.deadline.check();
      if (!(error instanceof Failure) || error.code !== "timeout") throw error;
    };
    try {
      await navigations
        .until(this.context.tab, (state) => !this.#isPending(state, 0), patience)
        .catch(expire);
      await navigations.until(this.context.tab, (state) => !this.#isPending(state), moment).catch(expire);
    } finally {
      this.context.deadline.signal.removeEventListener("abort", stop);
      patience.close();
      moment.close();
    }
  }

  /** Whether a navigation that the action may have started is on its way. */
  #isPending(state: TabState, frame?: number): boolean {
    return [...state.pending].some(
      ([id, each]) => !this.#earlier.has(each) && (frame === undefined || id === frame),
    );
  }

  async #versionsChanged(): Promise<boolean> {
    const { documents } = this.context.services;
    const known = documents.known(this.context.tab);
    if (known.length !== this.#versions.size) return true;
    const now = await Promise.all(
      known.map(async (doc) => {
        const before = this.#versions.get(doc.id);
        const after = this.#after.get(doc.id);
        return (
          before === undefined ||
          (after ?? (await documents.readVersion(doc, this.context.deadline))) !== before
        );
      }),
    );
    return now.includes(true);
  }
}
