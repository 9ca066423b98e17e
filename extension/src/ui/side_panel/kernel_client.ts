// What the panel asks of a kernel, over the worker's port, and what the kernel reports by itself.

import type { Notice } from "../../shared/notices";
import type { AskError, UiReply, UiRequest, UiState, WantedRun } from "../../shared/ui";
import type { AskName, Params, Result } from "../common/asks";
import { type Connect, openWorker, type Worker } from "../common/worker";

/** A kernel's refusal, with what to try. */
export class KernelError extends Error {
  readonly code: string;
  readonly hint: string;

  constructor({ code, message, hint }: AskError) {
    super(message);
    this.code = code;
    this.hint = hint;
  }
}

const LOST: AskError = {
  code: "worker_restarted",
  message: "the extension was restarted before the answer came",
  hint: "look at the run before you try again",
};

type Waiting = { resolve: (result: never) => void; reject: (error: KernelError) => void };
type Listener<T> = (value: T) => void;

/** One port for the whole page. */
export class KernelClient {
  readonly #worker: Worker;
  readonly #waiting = new Map<number, Waiting>();
  readonly #states = new Set<Listener<UiState>>();
  readonly #notices = new Set<Listener<{ kernel: string; notice: Notice }>>();
  #show: Listener<WantedRun> | null = null;
  /** It may be known before the page is drawn. */
  #wanted: WantedRun | null = null;
  #count = 0;
  /** How often the worker came back: what was reported while it was gone reached nobody. */
  returns = 0;
  #isLost = false;

  constructor(
    connect: Connect,
    private readonly first: UiRequest,
  ) {
    this.#worker = openWorker(
      connect,
      first,
      (reply) => this.#take(reply),
      () => this.#lose(),
    );
  }

  /** Ask a kernel for something; rejects with a `KernelError`. */
  ask<N extends AskName>(kernel: string, name: N, params: Params<N>): Promise<Result<N>> {
    const id = ++this.#count;
    return new Promise<Result<N>>((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      if (!this.send({ ui: "ask", id, kernel, name, params })) {
        this.#waiting.delete(id);
        reject(new KernelError(LOST));
      }
    });
  }

  /** Send a request without an answer; false while the worker is being started again. */
  send(request: UiRequest): boolean {
    try {
      this.#worker.send(request);
      return true;
    } catch {
      return false;
    }
  }

  /** Have the state sent anew, which also keeps the worker awake. */
  refresh(): void {
    this.send(this.first);
  }

  onState(listener: Listener<UiState>): () => void {
    this.#states.add(listener);
    return () => this.#states.delete(listener);
  }

  onNotice(listener: Listener<{ kernel: string; notice: Notice }>): () => void {
    this.#notices.add(listener);
    return () => this.#notices.delete(listener);
  }

  /** The person wants to see a run. */
  onWanted(listener: Listener<WantedRun>): () => void {
    this.#show = listener;
    if (this.#wanted) listener(this.#wanted);
    return () => {
      this.#show = null;
    };
  }

  close(): void {
    this.#worker.close();
    this.#lose();
  }

  #take(reply: UiReply): void {
    if (reply.ui === "state") {
      if (this.#isLost) this.returns += 1;
      this.#isLost = false;
      for (const listener of this.#states) listener(reply.state);
    } else if (reply.ui === "notice") for (const listener of this.#notices) listener(reply);
    else if (reply.ui === "show") {
      this.#wanted = { kernel: reply.kernel, run: reply.run };
      this.#show?.(this.#wanted);
    } else if (reply.ui === "answer") {
      const waiting = this.#waiting.get(reply.id);
      this.#waiting.delete(reply.id);
      if ("error" in reply) waiting?.reject(new KernelError(reply.error));
      else waiting?.resolve(reply.result as never);
    }
  }

  /** What was asked of a worker that is gone gets no answer: whether it happened, only the kernel knows. */
  #lose(): void {
    this.#isLost = true;
    const waiting = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of waiting) reject(new KernelError(LOST));
  }
}
