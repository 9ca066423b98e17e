// What a person wants of a kernel, from one of our pages: numbered, and answered once.

import type { AnswerMessage, AskMessage, AskName, Asks } from "../../protocol/generated";
import { Failure } from "../../shared/errors";

interface Waiting {
  resolve(result: unknown): void;
  reject(error: Failure): void;
}

export class PendingAsks {
  #last = 0;
  readonly #waiting = new Map<number, Waiting>();

  /** Send an ask; its answer, or a `Failure` with what to try. */
  send<N extends AskName>(
    write: (message: AskMessage) => void,
    name: N,
    params: Asks[N]["params"],
  ): Promise<Asks[N]["result"]> {
    const id = ++this.#last;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve: resolve as Waiting["resolve"], reject });
      write({ v: 1, type: "ask", id, name, params: { ...params } });
    });
  }

  answered({ id, result, error }: AnswerMessage): void {
    const waiting = this.#waiting.get(id);
    this.#waiting.delete(id);
    if (error) waiting?.reject(Failure.fromWire(error));
    else waiting?.resolve(result);
  }

  /** The connection ended: nobody answers what is left. */
  drop(reason: string): void {
    const left = [...this.#waiting.values()];
    this.#waiting.clear();
    for (const { reject } of left) {
      reject(
        new Failure("connection_lost", `the kernel went away: ${reason}`, "it may have done it: look again"),
      );
    }
  }
}
