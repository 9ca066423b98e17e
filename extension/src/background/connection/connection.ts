// One connection to one paired kernel: greeting, heartbeat, reconnecting. It obeys nobody before the kernel has
// proved that it knows the token.

import type {
  AnswerMessage,
  AskName,
  Asks,
  Bye,
  Challenge,
  Hello,
  Request,
  Welcome,
  WireError,
  Event as WireEvent,
} from "../../protocol/generated";
import { PROTOCOL_MAJOR, PROTOCOL_VERSION } from "../../protocol/generated";
import { socketUrl } from "../../shared/address";
import { Failure } from "../../shared/errors";
import { DOCUMENT_MS, STANDING_MS } from "../../shared/limits";
import type { Notice } from "../../shared/notices";
import type { ConnectionState } from "../../shared/ui";
import { Signal } from "../signal";
import { PendingAsks } from "./asks";
import { Backoff } from "./backoff";
import type { Pairing, SessionMemory } from "./paired_kernels";
import { checkProof, makeNonce, makeProof } from "./proof";

export interface Socket {
  onopen: (() => void) | null;
  onmessage: ((event: { data: unknown }) => void) | null;
  onclose: ((event: { code: number; reason: string }) => void) | null;
  onerror: (() => void) | null;
  send(text: string): void;
  close(code?: number, reason?: string): void;
}

export interface Greeting {
  profile: string;
  browser: string;
  extension: string;
}

const KEPT_EVENTS = 1_000;
/** The close code with which a kernel says that a newer connection of this profile has taken over. */
const REPLACED = 4001;
/** Refusals after which there is no use in dialling again by ourselves. */
const FINAL: ReadonlySet<string> = new Set(["auth_failed", "version_mismatch", "bridge"]);

export class Connection {
  readonly changed = new Signal<void>();
  readonly requests = new Signal<Request>();
  readonly cancels = new Signal<number>();
  /** What the kernel reports to our pages. */
  readonly notices = new Signal<Notice>();
  readonly dropped = new Signal<void>();
  /** The kernel said goodbye or refused us: no more dialling. */
  readonly ended = new Signal<void>();

  state: ConnectionState = { phase: "waiting" };
  welcome: Welcome | null = null;
  /** How often it was welcomed. */
  entries = 0;
  heardAt = 0;

  #socket: Socket | null = null;
  #nonce = "";
  #challenged = false;
  #pings = 0;
  #checkedAt = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #unsent: string[] = [];
  readonly #asks = new PendingAsks();
  readonly #backoff: Backoff;

  constructor(
    readonly pairing: Pairing,
    private readonly greeting: Greeting,
    readonly memory: SessionMemory,
    private readonly open: (url: string) => Socket,
    private readonly remember: () => void,
    backoff = new Backoff(),
  ) {
    this.#backoff = backoff;
  }

  get connected(): boolean {
    return this.state.phase === "connected";
  }

  /** The user wants another try after a refusal. */
  retry(): void {
    if (this.state.phase === "refused") this.#setState({ phase: "waiting" });
    this.start();
  }

  /** Dial unless a socket is there or the kernel refused us; also the reviver's entry after a long pause. */
  start(): void {
    if (this.#socket || this.state.phase === "refused" || this.state.phase === "ended") return;
    clearTimeout(this.#timer);
    this.#nonce = makeNonce();
    this.#challenged = false;
    this.#setState({ phase: "connecting", reason: this.state.reason });
    const socket = this.open(socketUrl(this.pairing.base, "bridge", this.pairing.query));
    this.#socket = socket;
    this.#timer = setTimeout(() => this.#drop("the kernel did not greet in time"), STANDING_MS);
    socket.onopen = () => this.#write(this.#hello());
    socket.onmessage = (event) => this.#receive(socket, event.data);
    socket.onerror = null;
    socket.onclose = ({ code, reason }) => this.#socket === socket && this.#closed(code, reason);
  }

  /** Say goodbye and stop for good. */
  stop(reason: string): void {
    if (this.connected) this.#write({ v: 1, type: "bye", reason } satisfies Bye);
    this.#end({ phase: "ended", reason });
  }

  /** Check whether the other side still answers; after a sleep that must be soon. */
  check(now = performance.now()): void {
    if (!this.connected || !this.welcome) {
      this.start();
      return;
    }
    const beat = this.welcome.heartbeat_ms;
    const slept = this.#checkedAt > 0 && now - this.#checkedAt > 2 * beat;
    this.#checkedAt = now;
    if (now - this.heardAt > beat * 2 + STANDING_MS && !slept) {
      this.#drop("the kernel fell silent");
      return;
    }
    this.#write({ v: 1, type: "ping", n: ++this.#pings });
    if (slept) {
      const before = this.heardAt;
      clearTimeout(this.#timer);
      this.#timer = setTimeout(() => {
        if (this.connected && this.heardAt === before) this.#drop("the kernel fell silent");
      }, DOCUMENT_MS);
    }
  }

  /** Answer a request; an answer to a request of an earlier socket goes nowhere. */
  respond(text: string): void {
    if (this.connected) this.#socket?.send(text);
  }

  /** Have the kernel answer what a person wants; a kernel that is away answers with why. */
  async ask<N extends AskName>(name: N, params: Asks[N]["params"]): Promise<Asks[N]["result"]> {
    if (!this.connected) {
      const { reason } = this.state;
      throw new Failure(
        "not_connected",
        `the kernel ${this.pairing.kernel.name} isn't connected${reason ? `: ${reason}` : ""}`,
        "see that it runs; it connects by itself once it does",
      );
    }
    return this.#asks.send((message) => this.#write(message), name, params);
  }

  /** Report a fact, now or after the session is resumed. */
  emit(event: string, tab: number | null, data: WireEvent["data"]): void {
    const seq = ++this.memory.lastSeq;
    const text = JSON.stringify({ v: 1, type: "event", seq, event, tab, data } satisfies WireEvent);
    if (this.connected) this.#socket?.send(text);
    else if (this.memory.session) this.#unsent = [...this.#unsent, text].slice(-KEPT_EVENTS);
    this.remember();
  }

  #hello(): Hello {
    return {
      v: 1,
      type: "hello",
      protocol: PROTOCOL_VERSION,
      nonce: this.#nonce,
      kernel: this.pairing.kernel.id,
      ...this.greeting,
      session: this.memory.session,
      last_seq: this.memory.lastSeq - this.#unsent.length,
    };
  }

  #receive(socket: Socket, data: unknown): void {
    if (this.#socket !== socket) return;
    this.heardAt = performance.now();
    let message: { v?: unknown; type?: unknown };
    try {
      message = JSON.parse(String(data));
    } catch {
      this.#drop("the kernel sent something that isn't JSON");
      return;
    }
    if (typeof message !== "object" || message === null || message.v !== PROTOCOL_MAJOR) {
      this.#drop("the kernel sent a message of another protocol");
      return;
    }
    if (this.connected) this.#obey(message as never);
    else this.#greet(socket, message as never);
  }

  #greet(socket: Socket, message: Challenge | Welcome | { type: "refused"; error: WireError }): void {
    if (message.type === "refused") {
      this.#refused(message.error);
    } else if (message.type === "challenge" && this.state.phase === "connecting") {
      void this.#answer(socket, message);
    } else if (message.type === "welcome" && this.#challenged) {
      this.#enter(message);
    } else {
      this.#drop("the kernel did not keep to the greeting");
    }
  }

  #refused({ code, message }: WireError): void {
    if (!FINAL.has(code)) {
      this.#drop(message);
      return;
    }
    this.#close(message);
    this.#setState({ phase: "refused", reason: message, code });
    if (code === "auth_failed") this.ended.emit();
  }

  async #answer(socket: Socket, challenge: Challenge): Promise<void> {
    this.#setState({ phase: "greeting" });
    const { token } = this.pairing;
    const proof = String(challenge.proof);
    const nonce = String(challenge.nonce);
    const known = await checkProof(proof, token, "kernel", this.#nonce, nonce);
    if (this.#socket !== socket) return;
    if (!known) {
      this.#refused({ code: "auth_failed", message: "another program answers on the kernel's port" });
      return;
    }
    const answer = await makeProof(token, "extension", this.#nonce, nonce);
    if (this.#socket !== socket) return;
    this.#challenged = true;
    this.#write({ v: 1, type: "auth", proof: answer });
  }

  #enter(welcome: Welcome): void {
    clearTimeout(this.#timer);
    this.welcome = welcome;
    this.entries += 1;
    if (!welcome.resumed || welcome.session !== this.memory.session) {
      this.memory.session = welcome.session;
      this.memory.lastSeq = 0;
      this.#unsent = [];
    }
    this.#backoff.reset();
    this.#checkedAt = performance.now();
    this.#setState({ phase: "connected" });
    for (const text of this.#unsent.splice(0)) this.#socket?.send(text);
    this.#heartbeat = setInterval(() => this.check(), welcome.heartbeat_ms);
    this.remember();
  }

  #obey(
    message:
      | Request
      | AnswerMessage
      | ({ type: "notice" } & Notice)
      | { type: "cancel"; id: number }
      | { type: "ping"; n: number }
      | { type: "pong" }
      | Bye,
  ): void {
    if (message.type === "answer" || message.type === "notice") {
      if (message.type === "answer") this.#asks.answered(message);
      else this.notices.emit({ notice: message.notice, data: message.data } as Notice);
      return;
    }
    if (message.type === "request") this.requests.emit(message);
    else if (message.type === "cancel") this.cancels.emit(message.id);
    else if (message.type === "ping") this.#write({ v: 1, type: "pong", n: message.n });
    else if (message.type === "bye")
      this.#end({ phase: "ended", reason: message.reason || "the kernel ended" });
    this.changed.emit();
  }

  #write(message: object): void {
    this.#socket?.send(JSON.stringify(message));
  }

  #closed(code: number, reason: string): void {
    if (code === REPLACED) this.#refused({ code: "bridge", message: "another connection took over" });
    else this.#drop(reason || "the kernel is not there");
  }

  /** Close the socket and dial again after a while. */
  #drop(reason: string): void {
    this.#close(reason);
    this.#setState({ phase: "waiting", reason });
    this.#timer = setTimeout(() => this.start(), this.#backoff.next());
  }

  #end(state: ConnectionState): void {
    this.#close(state.reason ?? "it ended");
    this.#setState(state);
    this.ended.emit();
  }

  #close(reason: string): void {
    clearTimeout(this.#timer);
    clearInterval(this.#heartbeat);
    const socket = this.#socket;
    const was = this.connected;
    this.#socket = null;
    if (socket) {
      socket.onmessage = null;
      socket.onclose = null;
      socket.close(1000);
    }
    if (was) {
      this.state = { phase: "waiting" };
      this.#asks.drop(reason);
      this.dropped.emit();
    }
  }

  #setState(state: ConnectionState): void {
    this.state = state;
    this.changed.emit();
  }
}
