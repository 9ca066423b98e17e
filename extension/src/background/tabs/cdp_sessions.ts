// Sessions of the DevTools protocol on a tab: its own, and one for every frame that lives in another process.

import type { Send } from "../../engine/cdp/protocol";
import type { InputBlocker } from "../../hit_safety/input_blocker";
import { Failure, messageOf } from "../../shared/errors";
import type { Deadline } from "../deadline";
import { Signal } from "../signal";
import { type DebuggerApi, type Debuggers, failureOf } from "./debuggers";
import { type World, Worlds } from "./script_worlds";

export interface SessionEvent {
  tab: number;
  /** null for the tab's own session. */
  session: string | null;
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own parameters
  params: any;
}

/** Parameters of `Target.attachedToTarget`. */
interface Attached {
  sessionId: string;
  targetInfo: { type: string; targetId: string };
  waitingForDebugger: boolean;
}

/** A frame's session, with the script contexts that it reported. */
interface Child {
  id: string;
  /** The frame at the session's root. */
  frameId: string;
  /** The session that the frame's owner is in. */
  parent: string | null;
  worlds: Worlds;
  ready: Promise<unknown>;
}

export interface Session {
  id: string | null;
  frameId: string | null;
  parent: string | null;
  send: Send;
  worlds: Worlds;
  /** The content script's worlds in a frame, the newest first: a document left behind may still be alive. */
  worldsIn(frameId: string): World[];
}

const ATTACH = {
  autoAttach: true,
  waitForDebuggerOnStart: false,
  flatten: true,
  filter: [{ type: "iframe" }],
};
/** Nothing that a page starts runs before it is held, workers included. */
const ATTACH_HELD = {
  ...ATTACH,
  waitForDebuggerOnStart: true,
  filter: ["iframe", "worker", "service_worker", "shared_worker"].map((type) => ({ type })),
};

export class CdpSessions {
  /** A frame or worker in a process of its own is there, and waits for what is to be prepared in it. */
  readonly spawned = new Signal<{ tab: number; session: string }>();
  /** Tabs whose requests are held. */
  readonly #holding = new Set<number>();
  readonly #workers = new Map<number, Set<string>>();
  readonly #children = new Map<number, Map<string, Child>>();
  readonly #started = new Map<number, Promise<unknown>>();

  constructor(
    private readonly debuggers: Debuggers,
    private readonly api: Pick<DebuggerApi, "sendCommand">,
    private readonly worlds: Worlds,
    private readonly extensionId: string,
    private readonly blocker: Pick<InputBlocker, "script">,
  ) {
    debuggers.lost.on(({ tab }) => this.forget(tab));
    debuggers.attached.on((tab) => this.forget(tab));
  }

  /** Attach where it isn't yet, also to the frames in other processes; the tab's own session comes first. */
  async open(tab: number, deadline: Deadline): Promise<Session[]> {
    await deadline.race(this.debuggers.ensure(tab));
    let started = this.#started.get(tab);
    if (!started) {
      started = this.#start(tab, this.#send(tab, null, deadline));
      this.#started.set(tab, started);
      started.catch(() => this.#started.delete(tab));
    }
    await deadline.race(started);
    // A frame's session may report frames in further processes.
    for (let known = -1; known !== this.#ofTab(tab).size; ) {
      known = this.#ofTab(tab).size;
      await deadline.race(Promise.all([...this.#ofTab(tab).values()].map((child) => child.ready)));
    }
    const own = { id: null, frameId: null, parent: null, worlds: this.worlds };
    const children = [...this.#ofTab(tab).values()];
    return [own, ...children].map(({ id, frameId, parent, worlds }) => ({
      id,
      frameId,
      parent,
      send: this.#send(tab, id, deadline),
      worlds,
      worldsIn: (frame) =>
        worlds
          .isolated(tab)
          .filter((world) => world.frame === frame)
          .reverse(),
    }));
  }

  /** An earlier worker may have attached to frames; Chrome reports only those attached to from now on. */
  async #start(tab: number, send: Send): Promise<void> {
    await send("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
    await send("Target.setAutoAttach", this.#attach(tab));
  }

  /**
   * Have whatever a tab starts from now on wait until it was announced by `spawned`, or no longer so; answers the
   * sessions of frames and workers.
   */
  async hold(tab: number, on: boolean, deadline: Deadline): Promise<string[]> {
    const changes = on !== this.#holding.has(tab);
    if (on) this.#holding.add(tab);
    else this.#holding.delete(tab);
    const known = this.#started.has(tab);
    await this.open(tab, deadline);
    if (known && changes) {
      const again = [null, ...this.#sessionsOf(tab)].map((session) =>
        this.#send(tab, session, deadline)("Target.setAutoAttach", this.#attach(tab)).catch(() => undefined),
      );
      await deadline.race(Promise.all(again));
    }
    const sessions = this.#sessionsOf(tab);
    if (on && changes) for (const session of sessions) this.spawned.emit({ tab, session });
    return sessions;
  }

  #attach(tab: number): object {
    return this.#holding.has(tab) ? ATTACH_HELD : ATTACH;
  }

  #sessionsOf(tab: number): string[] {
    return [...this.#ofTab(tab).keys(), ...(this.#workers.get(tab) ?? [])];
  }

  forget(tab: number): void {
    this.#children.delete(tab);
    this.#workers.delete(tab);
    this.#started.delete(tab);
  }

  /** chrome.debugger.onEvent. */
  take({ tab, session, method, params }: SessionEvent): void {
    const children = this.#ofTab(tab);
    if (method === "Target.attachedToTarget") this.#attached(tab, session, params);
    else if (method === "Target.detachedFromTarget") {
      children.delete(params.sessionId);
      this.#workers.get(tab)?.delete(params.sessionId);
    } else if (session !== null) children.get(session)?.worlds.take({ tab, method, params });
  }

  #attached(tab: number, parent: string | null, attached: Attached): void {
    const { sessionId: id, targetInfo, waitingForDebugger } = attached;
    const prepare = (command: string, rest: object = {}): Promise<unknown> =>
      this.api.sendCommand({ tabId: tab, sessionId: id }, command, { ...rest });
    const preparing = [prepare("Target.setAutoAttach", this.#attach(tab))];
    if (targetInfo.type === "iframe") {
      preparing.push(
        prepare("Runtime.enable"),
        prepare("Page.enable"),
        prepare("Page.addScriptToEvaluateOnNewDocument", this.blocker.script),
      );
    }
    if (this.#holding.has(tab)) this.spawned.emit({ tab, session: id });
    if (waitingForDebugger) preparing.push(prepare("Runtime.runIfWaitingForDebugger"));
    // A frame that goes away meanwhile tells so by itself.
    const ready = Promise.all(preparing).catch(() => undefined);
    if (targetInfo.type !== "iframe") {
      this.#workers.set(tab, (this.#workers.get(tab) ?? new Set()).add(id));
      return;
    }
    const children = this.#ofTab(tab);
    children.set(id, {
      id,
      frameId: targetInfo.targetId,
      parent,
      worlds: new Worlds(this.extensionId),
      ready,
    });
    this.#children.set(tab, children);
  }

  #ofTab(tab: number): Map<string, Child> {
    return this.#children.get(tab) ?? new Map();
  }

  #send(tab: number, session: string | null, deadline: Deadline): Send {
    const target = session === null ? { tabId: tab } : { tabId: tab, sessionId: session };
    return async <T>(method: string, params: object = {}): Promise<T> => {
      try {
        return (await deadline.race(this.api.sendCommand(target, method, { ...params }))) as T;
      } catch (error) {
        throw error instanceof Failure ? error : failureOf(method, messageOf(error));
      }
    };
  }
}
