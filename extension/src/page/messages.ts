// Messages: of channels, ports, workers and windows. No script of ours runs in workers: what was sent to one is open until
// its next message back.

import { ALIVE_MS } from "../shared/limits";
import type { Causing } from "./causing";
import type { Effect } from "./graph";
import { currentWindow, listen } from "./natives";
import { apply, max, plainValue, SafeMap, SafeWeakMap } from "./safe";

/** Messages on their way to an object of this document, in their order. */
class Queue {
  #waiting: (Effect | null)[] = [];
  #next = 0;

  constructor(
    private readonly causing: Causing,
    target: EventTarget,
    source: string | null,
  ) {
    listen(target, "message", () => this.#came(source), true);
  }

  add(effect: Effect | null): void {
    this.#waiting[this.#waiting.length] = effect;
  }

  #came(source: string | null): void {
    const { graph } = this.causing;
    const effect = this.#next < this.#waiting.length ? this.#waiting[this.#next++] : null;
    if (this.#next > 50) {
      const rest: (Effect | null)[] = [];
      for (let index = this.#next; index < this.#waiting.length; index++)
        rest[rest.length] = this.#waiting[index] ?? null;
      this.#waiting = rest;
      this.#next = 0;
    }
    if (effect?.isOpen) graph.end(effect);
    else if (source !== null) graph.enter(this.causing.fromElsewhere(source));
  }
}

export function wrapMessages(causing: Causing): void {
  wrapPorts(causing);
  wrapWorkers(causing);
  wrapBroadcasts(causing);
  followWindow(causing);
}

function wrapPorts(causing: Causing): void {
  const { graph, wrapping } = causing;
  const partners = new SafeWeakMap<object, EventTarget>();
  const queues = new SafeWeakMap<object, Queue>();
  const away = new SafeWeakMap<object, true>();
  const attend = (port: MessagePort): void => {
    queues.set(port, new Queue(causing, port, null));
    causing.attend(port, ["message", "messageerror"]);
  };
  wrapping.constructor_("MessageChannel", (made) => {
    const { port1, port2 } = made as MessageChannel;
    partners.set(port1, port2);
    partners.set(port2, port1);
    attend(port1);
    attend(port2);
  });
  const noteTransfer = (transferred: unknown): void => {
    const listed = plainValue(transferred, "transfer") ?? transferred;
    if (typeof listed !== "object" || listed === null) return;
    for (let index = 0; index < 8; index++) {
      const port = plainValue(listed, `${index}`);
      if (port instanceof MessagePort) away.set(port, true);
    }
  };
  wrapping.method(MessagePort.prototype, "postMessage", (native, self, args) => {
    const { act } = causing;
    const port = self as EventTarget;
    const partner = partners.get(port);
    noteTransfer(args[1]);
    if (!partner || away.has(partner)) {
      if (act) causing.followMessages(port, graph.hold(act, "message", "an answer to a message"));
      return apply(native, self, args);
    }
    queues.get(partner)?.add(graph.hold(act, "message", "a message"));
    return apply(native, self, args);
  });
  for (const owner of [globalThis.Worker?.prototype, globalThis.ServiceWorker?.prototype])
    wrapping.method(owner, "postMessage", (native, self, args) => {
      const { act } = causing;
      noteTransfer(args[1]);
      const container = owner === globalThis.ServiceWorker?.prototype ? navigator.serviceWorker : self;
      if (act)
        causing.followMessages(container as EventTarget, graph.hold(act, "worker", "an answer of a worker"));
      return apply(native, self, args);
    });
}

function wrapWorkers(causing: Causing): void {
  const begin = (target: EventTarget): void => {
    causing.attend(target, ["message", "error", "messageerror"]);
    const effect = causing.graph.hold(causing.act, "worker", "the first message of a worker", ALIVE_MS);
    causing.followMessages(target, effect);
  };
  causing.wrapping.constructor_("Worker", (made) => begin(made as Worker));
  causing.wrapping.constructor_("SharedWorker", (made) => begin((made as SharedWorker).port));
}

function wrapBroadcasts(causing: Causing): void {
  const { graph, wrapping } = causing;
  const names = new SafeWeakMap<object, string>();
  const queues = new SafeWeakMap<object, Queue>();
  const open = new SafeMap<string, object[]>();
  wrapping.constructor_("BroadcastChannel", (made, args) => {
    const name = `${typeof args[0] === "string" ? args[0] : ""}`;
    names.set(made, name);
    queues.set(made, new Queue(causing, made as EventTarget, `messages of the channel ${name}`));
    const known = open.get(name) ?? [];
    known[known.length] = made;
    open.set(name, known);
  });
  wrapping.method(globalThis.BroadcastChannel?.prototype, "postMessage", (native, self, args) => {
    const { act } = causing;
    const name = names.get(self as object);
    const known = (name !== undefined && open.get(name)) || [];
    for (let index = 0; index < known.length; index++) {
      const other = known[index] as object;
      if (other !== self) queues.get(other)?.add(graph.hold(act, "message", "a message of a channel"));
    }
    if (act && known.length < 2)
      causing.followMessages(
        self as EventTarget,
        graph.hold(act, "message", "an answer of a channel", ALIVE_MS),
      );
    return apply(native, self, args);
  });
  wrapping.method(globalThis.BroadcastChannel?.prototype, "close", (native, self, args) => {
    const name = names.get(self as object);
    const known = (name !== undefined && open.get(name)) || [];
    const left: object[] = [];
    for (let index = 0; index < known.length; index++)
      if (known[index] !== self) left[left.length] = known[index] as object;
    if (name !== undefined) open.set(name, left);
    return apply(native, self, args);
  });
}

/**
 * A window's `postMessage` isn't wrapped: a message's source is the window whose code called it, and would be ours. What
 * arrives is the act's whose code ran a moment ago, here or elsewhere.
 */
function followWindow(causing: Causing): void {
  const { graph } = causing;
  const arrive = (type: string, source: string): void =>
    listen(
      currentWindow,
      type,
      () => graph.enter(max(causing.rendered, causing.fromElsewhere(source))),
      true,
    );
  arrive("message", "messages of another window");
  arrive("storage", "changes of the storage");
}
