// What an action did, as far as the browser saw it: watched from before the action until its effects have landed.

import type { ActionOutcome } from "../../protocol/generated";
import type { Failure } from "../../shared/errors";
import { SHOWN_MS, TICK_MS } from "../../shared/limits";
import type { CommandContext } from "../commands/context";
import type { PendingNavigation, TabState } from "../tabs/navigations";
import type { Doc } from "../tabs/registry";

export class OutcomeWatch {
  readonly #began = performance.now();
  readonly #before: Pick<TabState, "commits" | "moves" | "failures" | "requests" | "url">;
  /** Navigations that were on their way before the action. */
  readonly #earlier: Set<PendingNavigation>;
  /** The documents' versions before the action. */
  readonly #versions = new Map<Doc, number | null>();
  /** Versions that documents reported with the end of their part of the action. */
  readonly #reported = new Map<Doc, number>();
  readonly #opened: number[] = [];
  readonly #stops: (() => void)[];
  /** Input was sent: from here on an interruption leaves the outcome open. */
  acted = false;
  /** The input has come to the page. */
  #reached = false;
  isTrusted = true;

  constructor(private readonly context: CommandContext) {
    const { navigations, opened, documents } = context.services;
    const { commits, moves, failures, requests, pending, url } = navigations.state(context.tab);
    this.#before = { commits, moves, failures, requests, url };
    this.#earlier = new Set(pending.values());
    this.#stops = [
      opened.on(({ opener, tab }) => {
        if (opener === context.tab) this.#opened.push(tab);
      }),
      documents.pressed.on((id) => {
        this.#reached ||= this.#isOurs(id);
      }),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  /**
   * Note the documents' versions; later calls add those of documents that came since. The one that is `acting` by the
   * very next request answers that with its own.
   */
  async baseline(acting: Doc | null = null): Promise<void> {
    const { services, tab, deadline } = this.context;
    await services.documents.main(tab, deadline);
    if (acting && !this.#versions.has(acting)) this.#versions.set(acting, null);
    const fresh = services.documents.known(tab).filter((doc) => !this.#versions.has(doc));
    await Promise.all(
      fresh.map(async (doc) => this.#versions.set(doc, await services.documents.readVersion(doc, deadline))),
    );
  }

  /** Note the version that a document had before its part of the action. */
  note(doc: Doc, version: number): void {
    if (this.#versions.get(doc) === null) this.#versions.set(doc, version);
  }

  /** Note the version that a document had after its part of the action; it isn't queried at once again. */
  noteAfter(doc: Doc, version: number): void {
    this.#reported.set(doc, version);
  }

  /** Wait until the page is where the action led it, unless a person has to decide on that first; then say what changed. */
  async finish(): Promise<ActionOutcome> {
    const { services, tab } = this.context;
    const { requests } = services;
    const asked = requests.isAsking(tab)
      ? tab
      : await requests.asking.nextOr((id) => id === tab, this.#landed());
    if (typeof asked === "object") return asked;
    return { ...(await this.outcome(false)), awaits_decision: true };
  }

  async #landed(): Promise<ActionOutcome> {
    const { services, tab } = this.context;
    let changed = await this.#versionsChanged();
    await this.#untilBegun();
    const isLeaving = this.#isPending(services.navigations.state(tab), 0);
    if (isLeaving) {
      await this.#untilThere();
      changed ||= await this.#versionsChanged();
    }
    return this.outcome(changed);
  }

  /** The outcome without a request to the page, which a dialog may hold. */
  async outcome(changed: boolean, dialog: ActionOutcome["dialog"] = null): Promise<ActionOutcome> {
    const { services, tab } = this.context;
    const state = services.navigations.state(tab);
    const navigated = state.commits !== this.#before.commits;
    return {
      changed: changed || navigated || state.moves !== this.#before.moves,
      navigated,
      url: state.url || ((await services.tabs.get(tab)).url ?? ""),
      input: this.isTrusted ? "trusted" : "synthetic",
      dialog,
      opened_tabs: [...this.#opened],
      elapsed_ms: performance.now() - this.#began,
    };
  }

  /** Whether a document was the tab's when the action began, also where it is gone. */
  #isOurs(id: string): boolean {
    return [...this.#versions.keys()].some((doc) => doc.id === id);
  }

  /**
   * The outcome of an action whose input closed its page, which the browser may report before the input. A page that is
   * only no longer shared is still open.
   */
  async ended(failure: Failure): Promise<ActionOutcome> {
    const { services, tab } = this.context;
    // The report that input has come arrives within this, also after the page has gone.
    const late = new Promise<void>((resolve) => setTimeout(resolve, SHOWN_MS));
    if (!this.#reached) await services.documents.pressed.nextOr((id) => this.#isOurs(id), late);
    if (!this.#reached || (await services.tabs.get(tab).catch(() => null))) throw failure;
    const { url } = this.#before;
    const seen = {
      changed: true,
      navigated: false,
      url,
      input: this.isTrusted ? "trusted" : "synthetic",
    } as const;
    return {
      ...seen,
      opened_tabs: [...this.#opened],
      closed: true,
      elapsed_ms: performance.now() - this.#began,
    };
  }

  /** The page requested a navigation, or a new tab: wait until it has begun, which is a moment later. */
  async #untilBegun(): Promise<void> {
    const { services, tab, deadline } = this.context;
    const { navigations, opened } = services;
    const { requests, commits, moves, failures } = this.#before;
    if (navigations.state(tab).requests === requests) return;
    const hasBegun = (state: TabState): boolean =>
      this.#isPending(state) ||
      state.commits > commits ||
      state.moves > moves ||
      state.failures > failures ||
      this.#opened.length > 0;
    // A navigation that the page requested begins within this, or was called off.
    const begun = navigations.until(tab, hasBegun, deadline, SHOWN_MS);
    await opened.nextOr(({ opener }) => opener === tab, begun);
  }

  /** Until no navigation of the main frame is on its way. */
  async #untilThere(): Promise<void> {
    const { services, tab, deadline } = this.context;
    const left = Math.max(0, deadline.left() - TICK_MS);
    deadline.waitsFor = "a navigation that the action started";
    await services.navigations.until(tab, (state) => !this.#isPending(state, 0), deadline, left);
  }

  /** Whether a navigation that the action may have started is on its way. */
  #isPending(state: TabState, frame?: number): boolean {
    return [...state.pending].some(
      ([id, each]) => !this.#earlier.has(each) && (frame === undefined || id === frame),
    );
  }

  async #versionsChanged(): Promise<boolean> {
    const { services, tab, deadline } = this.context;
    const known = services.documents.known(tab);
    if (known.length !== this.#versions.size || known.some((doc) => !this.#versions.has(doc))) return true;
    const now = await Promise.all(
      known.map((doc) => this.#reported.get(doc) ?? services.documents.readVersion(doc, deadline)),
    );
    this.#reported.clear();
    return known.some((doc, i) => now[i] === null || now[i] !== this.#versions.get(doc));
  }
}
