// Sessions of the DevTools protocol on a tab: its own, and one for every frame that lives in another process.

import type { Send } from "../../engine/cdp/protocol";
import type { InputBlocker } from "../../hit_safety/input_blocker";
import { Failure, messageOf } from "../../shared/errors";
import type { Deadline } from "../deadline";
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

export class CdpSessions {
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
      started = this.#start(this.#send(tab, null, deadline));
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
  async #start(send: Send): Promise<void> {
    await send("Target.setAutoAttach", { autoAttach: false, waitForDebuggerOnStart: false, flatten: true });
    await send("Target.setAutoAttach", ATTACH);
  }

  forget(tab: number): void {
    this.#children.delete(tab);
    this.#started.delete(tab);
  }

  /** chrome.debugger.onEvent. */
  take({ tab, session, method, params }: SessionEvent): void {
    const children = this.#ofTab(tab);
    if (method === "Target.attachedToTarget") {
      const id: string = params.sessionId;
      const prepare = (command: string, rest: object = {}): Promise<unknown> =>
        this.api.sendCommand({ tabId: tab, sessionId: id }, command, { ...rest });
      // A frame that goes away meanwhile reports that by itself.
      const ready = Promise.all([
        prepare("Target.setAutoAttach", ATTACH),
        prepare("Runtime.enable"),
        prepare("Page.enable"),
        prepare("Page.addScriptToEvaluateOnNewDocument", this.blocker.script),
      ]).catch(() => undefined);
      const worlds = new Worlds(this.extensionId);
      children.set(id, { id, frameId: params.targetInfo.targetId, parent: session, worlds, ready });
      this.#children.set(tab, children);
    } else if (method === "Target.detachedFromTarget") children.delete(params.sessionId);
    else if (session !== null) children.get(session)?.worlds.take({ tab, method, params });
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
