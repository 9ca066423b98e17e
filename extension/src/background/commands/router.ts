// From a kernel's request to its one answer: the right handler, in the tab's turn, within the deadline.

import type {
  ActionOutcome,
  CommandName,
  NavigationResult,
  Request,
  WireError,
} from "../../protocol/generated";
import { COMMANDS } from "../../protocol/generated";
import { Failure, tooLarge, toWireError } from "../../shared/errors";
import { ALIVE_MS, FRAME_MS } from "../../shared/limits";
import type { Activity } from "../../shared/ui";
import { Deadline, pause } from "../deadline";
import { withObservation } from "../reading/snapshot";
import { blockedBy } from "../tabs/dialogs";
import { requireTabOrigin } from "../tabs/targets";
import { type CommandContext, RawJson, type Services } from "./context";
import { SilenceWatch } from "./handle_dialog";
import { type Handlers, isCommand } from "./handlers";
import { announceAct, endAct } from "./settled";

const KEPT_ACTIVITY = 50;
const MOST_ACTIVE = 200;
/** Whether a page closed because of the input is known a moment after it closed. */
const LAST_WORDS_OF: Readonly<Record<string, number>> = { stopped: 0, page_closed: ALIVE_MS };
/** How often a command that reads is handled where the debugger is lost. */
const ATTEMPTS = 3;
/** Bytes of a response that the kernel surely accepts; texts below the first needn't be counted. */
const MOST_BYTES = 60 * 2 ** 20;
const LARGE = MOST_BYTES / 3;

interface Active {
  deadline: Deadline;
  tab: number | null;
  command: string;
  afterCrash: boolean;
}

/** What the kernel's connection says of all its commands. */
type KernelFacts = Pick<CommandContext, "kernel" | "allowEvaluate" | "input" | "effects">;

/** The tabs' turns: shared by all kernels' routers. */
export class TabQueue {
  readonly #last = new Map<number, Promise<unknown>>();

  /** Run a task after the tab's earlier ones; it doesn't start once its deadline is over. */
  run<T>(tab: number, deadline: Deadline, task: () => Promise<T>): Promise<T> {
    const before = this.#last.get(tab) ?? Promise.resolve();
    deadline.waitsFor = "its turn: another command works on this tab";
    // Raced only while it waits: a task that a dialog interrupts still has an outcome to give.
    const turn = deadline.race(before).then(task);
    const last = Promise.allSettled([before, turn]);
    this.#last.set(tab, last);
    void last.then(() => this.#last.get(tab) === last && this.#last.delete(tab));
    return turn;
  }
}

export class Router {
  readonly activity: Activity[] = [];
  #active = new Map<number, Active>();
  readonly #stops: (() => void)[];

  constructor(
    private readonly services: Services,
    private readonly handlers: Handlers,
    private readonly queue: TabQueue,
    private readonly facts: () => KernelFacts,
    private readonly respond: (text: string) => void,
  ) {
    this.#stops = [
      services.dialogs.opened.on(({ tab, dialog }) => this.#interrupt(tab, blockedBy(dialog))),
      services.documents.crashed.on(({ tab, failure }) => this.#interrupt(tab, failure)),
      services.shares.removed.on(({ tab }) => this.#interrupt(tab, pageClosed(tab))),
    ];
  }

  close(): void {
    for (const stop of this.#stops) stop();
    this.cancelAll();
  }

  async handle(request: Request): Promise<void> {
    const { id, command } = request;
    const connection = this.#active;
    const refuse = (why: string): void =>
      this.#answer(id, null, new Failure("protocol", why, "wait for answers"));
    if (connection.has(id)) return refuse(`Request ${id} is already being worked on.`);
    if (connection.size >= MOST_ACTIVE) return refuse("Too many requests at once.");
    const began = performance.now();
    const deadline = new Deadline(request.deadline_ms, command);
    const afterCrash = isCommand(command) && COMMANDS[command].afterCrash;
    connection.set(id, { deadline, tab: request.tab ?? null, command, afterCrash });
    let failure: unknown = null;
    let result: unknown = null;
    try {
      result = await rejectAfterGrace(this.#dispatch(request, deadline), deadline);
    } catch (error) {
      failure = error;
    }
    deadline.close();
    connection.delete(id);
    this.#log(request, began, failure);
    // After a drop the kernel may have sent another request under the same number.
    if (connection === this.#active) this.#answer(id, result, failure);
  }

  cancel(id: number): void {
    this.#active.get(id)?.deadline.cancel(new Failure("timeout", "The command was cancelled."));
  }

  /** The user pressed stop: whatever is under way, or waits for its turn, ends now. Returns how many that were. */
  stop(): number {
    return this.#cancelEach(this.#active, new Failure("stopped", "The user stopped the command."));
  }

  /** The connection is gone: what is under way must not go on, and nobody waits for its answer. */
  cancelAll(): void {
    const active = this.#active;
    this.#active = new Map();
    this.#cancelEach(active, new Failure("connection_lost", "The connection to the kernel dropped."));
  }

  #cancelEach(active: ReadonlyMap<number, Active>, failure: Failure): number {
    const deadlines = [...active.values()].map(({ deadline }) => deadline);
    for (const deadline of deadlines) deadline.cancel(failure);
    return deadlines.length;
  }

  async #dispatch(request: Request, deadline: Deadline): Promise<unknown> {
    const { command } = request;
    if (!isCommand(command)) {
      throw new Failure("unknown_command", `This extension knows no command ${command.slice(0, 50)}.`);
    }
    const {
      origin = null,
      expected_target: expected = null,
      patience_ms: patience = null,
      tab: id,
    } = request;
    const { services } = this;
    const tab = id ?? -1;
    const readyBy = patience === null ? null : performance.now() + patience;
    const context = { services, ...this.facts(), deadline, readyBy, origin, expected, tab };
    const params = request.params as never;
    if (COMMANDS[command].scope === "browser") return this.handlers[command](context, params);
    if (services.shares.get(tab)?.kernel !== context.kernel) throw pageClosed(tab);
    const task = (): Promise<unknown> => this.#onPage(command, context, params, request.observe);
    return COMMANDS[command].takesTurn ? this.queue.run(tab, deadline, task) : task();
  }

  async #onPage(
    command: CommandName,
    context: CommandContext,
    params: never,
    observe: Request["observe"],
  ): Promise<unknown> {
    const { services, tab, origin } = context;
    const { underDialog, afterCrash } = COMMANDS[command];
    const dialog = services.dialogs.current(tab);
    if (dialog && !underDialog) throw blockedBy(dialog);
    const { ref, frame } = params as { ref?: string; frame?: string };
    if (origin && !ref && !frame) await requireTabOrigin(context);
    // Scrolling changes nothing by itself, and pages answer it.
    const { effect, takesTurn } = COMMANDS[command];
    const act = effect === "read" && !takesTurn ? null : services.openRequests.act(tab);
    const silence = new SilenceWatch(context, underDialog || afterCrash);
    try {
      if (act) await announceAct(context, act.id, underDialog || afterCrash);
      const found = await this.#handle(command, context, params);
      const result = act && isTimed(found) ? { ...found, act: `${act.id}` } : found;
      return observe && isOutcome(result) ? await withObservation(context, result, observe) : result;
    } catch (error) {
      throw silence.explain(error);
    } finally {
      act?.over();
      if (act) endAct(context);
      silence.stop();
    }
  }

  /** Handle a command; one that only reads is handled again where a frame that left detached the debugger meanwhile. */
  async #handle(command: CommandName, context: CommandContext, params: never): Promise<unknown> {
    for (let attempt = 1; ; attempt++) {
      try {
        return await this.handlers[command](context, params);
      } catch (error) {
        const isLost = error instanceof Failure && error.data.detached === true;
        if (!isLost || attempt === ATTEMPTS || COMMANDS[command].effect !== "read") throw error;
        await context.services.debuggers.settleLoss(context.tab);
        await pause(FRAME_MS * attempt, context.deadline);
      }
    }
  }

  #interrupt(tab: number, failure: Failure): void {
    for (const active of this.#active.values()) {
      const isExpected = failure.data.kind === "beforeunload" || failure.code === "page_closed";
      const closing =
        (active.command === "tabs_close" && isExpected) ||
        (failure.code === "page_unreachable" && active.afterCrash);
      if (active.tab === tab && !closing) active.deadline.cancel(failure);
    }
  }

  #log(request: Request, began: number, failure: unknown): void {
    const { command } = request;
    const ms = performance.now() - began;
    const error = failure === null ? null : toWireError(failure).code;
    this.activity.push({ time: Date.now(), command, ms, error });
    if (this.activity.length > KEPT_ACTIVITY) this.activity.shift();
  }

  #answer(id: number, result: unknown, failure: unknown): void {
    this.respond(writeResponse(id, result, failure === null ? null : toWireError(failure)));
  }
}

/** The task's end, or the deadline's failure where the task doesn't end soon after its deadline. */
function rejectAfterGrace<T>(task: Promise<T>, deadline: Deadline): Promise<T> {
  return new Promise((resolve, reject) => {
    task.then(resolve, reject);
    const give = (): void => {
      const { reason } = deadline.signal;
      const code = reason instanceof Failure ? reason.code : "";
      setTimeout(() => reject(reason), LAST_WORDS_OF[code] ?? FRAME_MS);
    };
    deadline.signal.addEventListener("abort", give, { once: true });
  });
}

/** Whether a command's result is of an action or a navigation: these say which act they were. */
function isTimed(result: unknown): result is ActionOutcome | NavigationResult {
  return typeof result === "object" && result !== null && "elapsed_ms" in result && "url" in result;
}

/** Whether a command's result is an action's outcome. */
function isOutcome(result: unknown): result is ActionOutcome {
  return typeof result === "object" && result !== null && "changed" in result && "opened_tabs" in result;
}

/** A response as text; a result that is JSON already goes in as it is. */
export function writeResponse(id: number, result: unknown, error: WireError | null): string {
  if (error) return JSON.stringify({ v: 1, type: "response", id, error });
  const text = result instanceof RawJson ? result.text : JSON.stringify(result ?? null);
  const failure = text.length > LARGE ? tooLarge(new Blob([text]).size, MOST_BYTES) : null;
  if (failure) return writeResponse(id, null, failure.toWire());
  return `{"v":1,"type":"response","id":${id},"result":${text}}`;
}

function pageClosed(tab: number): Failure {
  return new Failure("page_closed", `Tab ${tab} is closed or not shared with this kernel.`);
}
