// The kernels this browser talks to: for each its connection, its router, and its events.

import type { AskName, Asks, EventName, Events } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ABSENT_MS } from "../../shared/limits";
import type { Notice } from "../../shared/notices";
import type { KernelView } from "../../shared/ui";
import type { Services } from "../commands/context";
import { handlers } from "../commands/handlers";
import { Router, TabQueue } from "../commands/router";
import { viewTab, viewTabs } from "../commands/tabs";
import { Signal } from "../signal";
import type { SharedBy } from "../tabs/shares";
import { Connection, type Greeting, type Socket } from "./connection";
import type { PairedKernels, Pairing, SessionMemory } from "./paired_kernels";

interface Kernel {
  connection: Connection;
  router: Router;
  absent: ReturnType<typeof setTimeout> | undefined;
}

export class Kernels {
  readonly changed = new Signal<void>();
  /** What kernels report to our pages. */
  readonly notices = new Signal<{ kernel: string; notice: Notice }>();
  readonly #kernels = new Map<string, Kernel>();
  readonly #queue = new TabQueue();
  /** Shared tabs whose kernel hasn't got their opening yet. */
  readonly #opening = new Set<number>();

  constructor(
    private readonly services: Services,
    private readonly pairings: PairedKernels,
    private readonly greeting: Greeting,
    private readonly open: (url: string) => Socket,
  ) {
    services.shares.added.on(({ tab, kernel, by, opener }) => void this.#announce(tab, kernel, by, opener));
    services.shares.removed.on(({ tab, kernel, reason }) => {
      this.#emit(kernel, "tab_closed", tab, { reason });
      void this.#letGo(tab);
    });
    services.dialogs.opened.on(({ tab, dialog }) => this.emit(tab, "dialog_opened", dialog));
    services.requests.reported.on(({ tab, request }) => this.emit(tab, "request_paused", request));
    services.requests.cassettes.wanted.on(({ tab, request }) => this.emit(tab, "request_wanted", request));
    services.requests.cassettes.recorded.on(({ tab, exchange }) =>
      this.emit(tab, "exchange_recorded", exchange),
    );
    services.network.logged.on(({ tab, request }) => this.emit(tab, "request_logged", request));
    services.openRequests.failed.on(({ tab, request }) => this.emit(tab, "request_failed", request));
    services.requests.blocked.on(({ tab, url }) => this.emit(tab, "request_blocked", { url }));
    services.requests.messages.on(({ tab, url, count }) => this.emit(tab, "messages_sent", { url, count }));
    services.debuggers.lost.on(({ tab, reason }) => {
      services.dialogs.forget(tab);
      this.emit(tab, "debugger_detached", { reason });
    });
  }

  nameOf(kernel: string): string {
    return this.#kernels.get(kernel)?.connection.pairing.kernel.name ?? "skillbook";
  }

  /** The kernels that are there now. */
  connected(): string[] {
    return [...this.#kernels].filter(([, { connection }]) => connection.connected).map(([id]) => id);
  }

  /** The kernels that a tab can be shared with. */
  offered(): { id: string; name: string }[] {
    return [...this.#kernels.values()]
      .filter(({ connection }) => connection.state.phase !== "ended" && connection.state.phase !== "refused")
      .map(({ connection }) => ({ ...connection.pairing.kernel }));
  }

  /** Connect to a paired kernel, in the place of an earlier pairing with it. */
  add(pairing: Pairing, memory: SessionMemory): void {
    const id = pairing.kernel.id;
    this.#remove(id, "paired again");
    const remember = (): void => this.pairings.save();
    const connection = new Connection(pairing, this.greeting, memory, this.open, remember);
    const facts = () => ({
      kernel: id,
      allowEvaluate: connection.welcome?.allow_evaluate === true,
      input: connection.welcome?.input ?? "trusted",
      effects: connection.welcome?.effects === true,
    });
    const router = new Router(this.services, handlers, this.#queue, facts, (text) =>
      connection.respond(text),
    );
    const kernel: Kernel = { connection, router, absent: undefined };
    this.#kernels.set(id, kernel);
    connection.requests.on((request) => void router.handle(request));
    connection.cancels.on((request) => router.cancel(request));
    connection.notices.on((notice) => this.notices.emit({ kernel: id, notice }));
    connection.dropped.on(() => {
      router.cancelAll();
      this.#expect(kernel);
    });
    connection.changed.on(() => {
      if (connection.connected) {
        clearTimeout(kernel.absent);
        this.pairings.keep(id, connection.welcome?.lasting === true);
      }
      this.changed.emit();
    });
    connection.ended.on(() => void this.#end(id));
    this.#expect(kernel);
    connection.start();
  }

  /** A newly paired kernel. */
  pair(pairing: Pairing): void {
    const { memory } = this.pairings.add(pairing);
    this.add(pairing, memory);
  }

  /** Dial those that are away, and request a sign of life from the others. */
  check(): void {
    for (const { connection } of this.#kernels.values()) connection.check();
  }

  retry(id: string): void {
    this.#kernels.get(id)?.connection.retry();
  }

  /** Whether a kernel's session went on where an earlier connection ended. */
  resumed(kernel: string): boolean {
    return this.#kernels.get(kernel)?.connection.welcome?.resumed === true;
  }

  /** Have a kernel answer what a person wants, for our own pages only; rejects with a `Failure`. */
  async ask<N extends AskName>(
    kernel: string,
    name: N,
    params: Asks[N]["params"],
  ): Promise<Asks[N]["result"]> {
    const known = this.#kernels.get(kernel);
    if (!known) throw new Failure("not_connected", "this kernel is no longer paired", "pair it again");
    return known.connection.ask(name, params);
  }

  /** The user pressed stop. */
  stop(id: string): void {
    const kernel = this.#kernels.get(id);
    if (!kernel) return;
    this.#emit(id, "stop", null, { cancelled: kernel.router.stop() });
  }

  /** The user no longer wants this kernel. */
  forget(id: string): void {
    this.#remove(id, "the user ended the pairing");
    this.pairings.forget(id);
    this.changed.emit();
  }

  /** Send the tab's kernel an event; none about a tab comes before its opening. */
  emit<E extends EventName>(tab: number, event: E, data: Events[E]): void {
    if (this.#opening.has(tab)) return;
    const kernel = this.services.shares.get(tab)?.kernel;
    if (kernel) this.#emit(kernel, event, tab, data);
  }

  async view(): Promise<KernelView[]> {
    return Promise.all(
      [...this.#kernels].map(async ([id, { connection, router }]) => {
        const { pairing, state, memory, heardAt } = connection;
        return {
          ...pairing.kernel,
          base: pairing.base,
          state,
          session: memory.session,
          entries: connection.entries,
          silentFor: connection.connected ? performance.now() - heardAt : null,
          heartbeat: connection.welcome?.heartbeat_ms ?? 0,
          tabs: await viewTabs(this.services, id),
          activity: router.activity,
        };
      }),
    );
  }

  #emit<E extends EventName>(kernel: string, event: E, tab: number | null, data: Events[E]): void {
    this.#kernels.get(kernel)?.connection.emit(event, tab, { ...data });
    this.changed.emit();
  }

  async #announce(tab: number, kernel: string, by: SharedBy, opener: number | null): Promise<void> {
    this.#opening.add(tab);
    const found = await this.services.tabs.get(tab).catch(() => null);
    this.#opening.delete(tab);
    if (!found || this.services.shares.get(tab)?.kernel !== kernel) return;
    this.#emit(kernel, "tab_opened", tab, { tab: viewTab(found), opener, shared_by: by });
    if (by !== "kernel") await this.services.groups.put(tab, kernel);
  }

  async #letGo(tab: number): Promise<void> {
    const {
      documents,
      navigations,
      delivery,
      dialogs,
      console,
      sessions,
      debuggers,
      groups,
      network,
      emulations,
    } = this.services;
    await this.services.requests.blockAll(tab);
    this.services.requests.forget(tab);
    await debuggers.detach(tab);
    debuggers.forget(tab);
    dialogs.forget(tab);
    for (const part of [documents, navigations, delivery, console, sessions, network, emulations])
      part.forget(tab);
    // Another kernel may have it by now, in whose group it stands or will stand.
    if (!this.services.shares.get(tab)) await groups.take(tab);
  }

  #expect(kernel: Kernel): void {
    clearTimeout(kernel.absent);
    const { id } = kernel.connection.pairing.kernel;
    // A kernel gone for longer than this gets its tabs' debugging bars cleared.
    kernel.absent = setTimeout(() => void this.#detachAll(id), ABSENT_MS);
  }

  async #detachAll(kernel: string): Promise<void> {
    await Promise.all(
      this.services.shares.tabs(kernel).map(async (tab) => {
        // What is held would leave with the debugger.
        await this.services.requests.blockAll(tab);
        this.services.requests.forget(tab);
        this.services.network.forget(tab);
        this.services.emulations.forget(tab);
        await this.services.debuggers.detach(tab);
      }),
    );
  }

  /** The kernel said goodbye: its token is of no more use, its tabs are the user's again. */
  async #end(id: string): Promise<void> {
    this.#kernels.get(id)?.router.cancelAll();
    this.pairings.forget(id);
    for (const tab of this.services.shares.tabs(id)) this.services.shares.remove(tab, "unshared");
    this.changed.emit();
  }

  #remove(id: string, reason: string): void {
    const known = this.#kernels.get(id);
    if (!known) return;
    clearTimeout(known.absent);
    known.connection.stop(reason);
    known.router.close();
    this.#kernels.delete(id);
  }
}
