// Pairing by one click: a page of the kernel's own server asks, an extension page shows who asks, the user decides.

import type { KernelInfo, Pair, Paired, Refused } from "../protocol/generated";
import { PROTOCOL_VERSION } from "../protocol/generated";
import { messageOf } from "../shared/errors";
import type { PairOutcome, PairPage, PairRequest } from "../shared/ui";
import type { Socket } from "./connection";
import { isPort, type Pairing } from "./pairings";

interface Waiting {
  request: PairRequest;
  code: string;
  answer: (outcome: PairOutcome) => void;
}

const PAIR_MS = 10_000;

export class PairingDesk {
  readonly #waiting = new Map<string, Waiting>();

  constructor(
    private readonly profile: string,
    private readonly open: (url: string) => Socket,
    private readonly showConfirm: (id: string) => void,
    private readonly accept: (pairing: Pairing) => void,
  ) {}

  /** A pairing page asks; the answer comes when the user has decided. Null where the page isn't one. */
  ask(page: PairPage, senderUrl: string | undefined): Promise<PairOutcome> | null {
    const request = readRequest(page, senderUrl);
    if (!request || typeof page.code !== "string" || page.code.length > 256) return null;
    for (const [id, other] of this.#waiting) if (other.request.port === request.port) this.cancel(id);
    return new Promise((answer) => {
      this.#waiting.set(request.id, { request, code: page.code, answer });
      this.showConfirm(request.id);
    });
  }

  find(id: string): PairRequest | null {
    return this.#waiting.get(id)?.request ?? null;
  }

  cancel(id: string): void {
    this.#waiting.get(id)?.answer({ outcome: "declined", message: "Not paired." });
    this.#waiting.delete(id);
  }

  /** The user said yes: trade the page's code for the kernel's token. */
  async confirm(id: string): Promise<PairOutcome> {
    const waiting = this.#waiting.get(id);
    if (!waiting) return { outcome: "failed", message: "This request is over: open the pairing link again." };
    this.#waiting.delete(id);
    const { port } = waiting.request;
    let outcome: PairOutcome;
    try {
      const { token, kernel } = await this.#redeem(port, waiting.code);
      this.accept({ port, token, kernel, launched: false });
      outcome = { outcome: "paired", message: `Paired with ${kernel.name}.` };
    } catch (error) {
      outcome = { outcome: "failed", message: messageOf(error) };
    }
    waiting.answer(outcome);
    return outcome;
  }

  #redeem(port: number, code: string): Promise<{ token: string; kernel: KernelInfo }> {
    return new Promise((resolve, reject) => {
      const socket = this.open(`ws://127.0.0.1:${port}/skillbook/pair-socket`);
      const timer = setTimeout(() => socket.close(), PAIR_MS);
      const pair: Pair = { v: 1, type: "pair", protocol: PROTOCOL_VERSION, code, profile: this.profile };
      socket.onopen = () => socket.send(JSON.stringify(pair));
      socket.onclose = () => {
        clearTimeout(timer);
        reject(new Error("The kernel did not answer: run its cell again and open the new link."));
      };
      socket.onmessage = ({ data }) => {
        const answer = JSON.parse(String(data)) as Paired | Refused;
        if (answer.type === "paired") resolve({ token: answer.token, kernel: answer.kernel });
        else reject(new Error(answer.error.message));
        socket.close();
      };
    });
  }
}

/** Only a page of a loopback server, and only about the port that it came from. */
export function readRequest(page: PairPage, senderUrl: string | undefined): PairRequest | null {
  const url = URL.canParse(senderUrl ?? "") ? new URL(senderUrl ?? "") : null;
  if (url?.protocol !== "http:" || !["127.0.0.1", "localhost"].includes(url.hostname)) return null;
  if (!url.pathname.startsWith("/skillbook/pair") || !isPort(page.port) || url.port !== String(page.port))
    return null;
  const { id, name } = page.kernel ?? {};
  if (typeof id !== "string" || typeof name !== "string") return null;
  return { id: crypto.randomUUID(), port: page.port, kernel: { id, name: name.slice(0, 100) } };
}
