// Pairing by one click: a page of the kernel's server requests it, an extension page shows who does, the user decides.

import type { KernelInfo, Pair, Paired, Refused } from "../../protocol/generated";
import { PROTOCOL_VERSION } from "../../protocol/generated";
import { baseOfPage, isLocal, socketUrl } from "../../shared/address";
import { messageOf } from "../../shared/errors";
import { STANDING_MS } from "../../shared/limits";
import type { PairOutcome, PairPage, PairRequest } from "../../shared/ui";
import type { Socket } from "./connection";
import type { Pairing } from "./paired_kernels";

interface Waiting {
  request: PairRequest;
  code: string;
  query: string;
  answer: (outcome: PairOutcome) => void;
}

export class PairingRequests {
  readonly #waiting = new Map<string, Waiting>();
  /** Tabs on whose page the user chose to pair. */
  readonly #invited = new Set<number>();

  constructor(
    private readonly profile: string,
    private readonly open: (url: string) => Socket,
    private readonly showConfirm: (id: string) => void,
    private readonly accept: (pairing: Pairing) => void,
    private readonly injectScript: (tab: number) => Promise<unknown>,
  ) {}

  /** The user wants to pair with the page in a tab, which isn't of this computer. */
  async invite(tab: number): Promise<void> {
    this.#invited.add(tab);
    await this.injectScript(tab);
  }

  /**
   * A pairing page's request; its outcome comes when the user has decided. Null where the page isn't one, or comes from
   * elsewhere without the user's wish: else any site could ask until somebody clicks.
   */
  request(
    page: PairPage,
    senderUrl: string | undefined,
    tab: number | undefined,
  ): Promise<PairOutcome> | null {
    const request = readRequest(page, senderUrl);
    const invited = tab !== undefined && this.#invited.delete(tab);
    if (!request || !(invited || isLocal(request.base))) return null;
    if (typeof page.code !== "string" || page.code.length > 256) return null;
    for (const [id, other] of this.#waiting) if (other.request.base === request.base) this.cancel(id);
    return new Promise((answer) => {
      this.#waiting.set(request.id, { request, code: page.code, query: queryOf(page), answer });
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
    const { code, query } = waiting;
    const { base } = waiting.request;
    let outcome: PairOutcome;
    try {
      const { token, kernel } = await this.#redeem(socketUrl(base, "pair-socket", query), code);
      this.accept({ base, query, token, kernel });
      outcome = { outcome: "paired", message: `Paired with ${kernel.name}.` };
    } catch (error) {
      outcome = { outcome: "failed", message: messageOf(error) };
    }
    waiting.answer(outcome);
    return outcome;
  }

  #redeem(url: string, code: string): Promise<{ token: string; kernel: KernelInfo }> {
    return new Promise((resolve, reject) => {
      const socket = this.open(url);
      const timer = setTimeout(() => socket.close(), STANDING_MS);
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

function queryOf({ query }: PairPage): string {
  return typeof query === "string" && /^[\w.~%=&+-]{0,2000}$/.test(query) ? query : "";
}

/** What a pairing page requests, and the address that it came from: only that is dialled. */
export function readRequest(page: PairPage, senderUrl: string | undefined): PairRequest | null {
  const base = baseOfPage(senderUrl);
  const { id, name } = page.kernel ?? {};
  if (base === null || typeof id !== "string" || typeof name !== "string") return null;
  return { id: crypto.randomUUID(), base, kernel: { id, name: name.slice(0, 100) } };
}
