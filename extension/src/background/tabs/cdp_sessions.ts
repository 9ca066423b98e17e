// Sessions of the DevTools protocol on a tab: its own, and one for every frame that lives in another process.

import type { Send } from "../../engine/cdp/protocol";
import type { InputBlocker } from "../../hit_safety/input_blocker";
import type { Deadline } from "../deadline";
import { Signal } from "../signal";
import type { CausesScript } from "./causes_script";
import type { Debuggers } from "./debuggers";
import { Worlds } from "./script_worlds";

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

/** A session of a frame, or the tab's own, whose `id` is null. */
interface FrameSession {
  id: string | null;
  /** The frame at the session's root. */
  frameId: string | null;
  /** The session that the frame's owner is in. */
  parent: string | null;
  /** The script contexts that it reported. */
  worlds: Worlds;
}

export interface Session extends FrameSession {
  send: Send;
}

/** What a tab's debugger has reported since it was attached. */
interface TabSessions {
  own: FrameSession;
  frames: Map<string, FrameSession>;
  workers: Set<string>;
  /** The debugger attaches to the tab's frames in other processes. */
  started: Promise<unknown> | null;
  /** Frames' sessions in which everything is prepared. */
  preparing: Set<Promise<unknown>>;
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
  /** A frame or worker in a process of its own is there; it runs once what is put into `until` has been done. */
  readonly spawned = new Signal<{ tab: number; session: string; until: Promise<unknown>[] }>();
  /** All that the debugger reports of a tab's sessions. */
  readonly events = new Signal<SessionEvent>();
  /** Tabs whose requests are held. */
  readonly #holding = new Set<number>();
  readonly #tabs = new Map<number, TabSessions>();

  constructor(
    private readonly debuggers: Debuggers,
    private readonly extensionId: string,
    private readonly blocker: Pick<InputBlocker, "script">,
    private readonly causes: Pick<CausesScript, "parameters"> | null = null,
  ) {
    debuggers.lost.on(({ tab }) => this.forget(tab));
    // What it reported while it was being attached, it does not report again.
    debuggers.attached.on((tab) => this.#tabs.set(tab, newTab(this.#of(tab).own)));
  }

  /** Attach where it isn't yet, also to the frames in other processes; the tab's own session comes first. */
  async open(tab: number, deadline: Deadline): Promise<Session[]> {
    await deadline.race(this.debuggers.ensure(tab));
    const known = this.#of(tab);
    known.started ??= this.#start(tab).catch((error) => {
      known.started = null;
      throw error;
    });
    await deadline.race(known.started);
    // A frame's session may report frames in further processes.
    while (known.preparing.size) await deadline.race(Promise.all(known.preparing));
    return [known.own, ...known.frames.values()].map((session) => ({
      ...session,
      send: (method, params) => deadline.race(this.debuggers.sendTo(tab, session.id, method, params)),
    }));
  }

  /** An earlier worker may have attached to frames; Chrome reports only those attached to from now on. */
  async #start(tab: number): Promise<void> {
    const off = { autoAttach: false, waitForDebuggerOnStart: false, flatten: true };
    await this.debuggers.sendTo(tab, null, "Target.setAutoAttach", off);
    await this.debuggers.sendTo(tab, null, "Target.setAutoAttach", this.#attach(tab));
  }

  /**
   * Have whatever a tab starts from now on wait until it was announced by `spawned`, or no longer so; answers the
   * sessions of frames and workers.
   */
  async hold(tab: number, on: boolean, deadline: Deadline): Promise<string[]> {
    const changes = on !== this.#holding.has(tab);
    if (on) this.#holding.add(tab);
    else this.#holding.delete(tab);
    const isStarted = this.#of(tab).started !== null;
    await this.open(tab, deadline);
    const { frames, workers } = this.#of(tab);
    const sessions = [...frames.keys(), ...workers];
    if (isStarted && changes) {
      const attach = (session: string | null): Promise<unknown> =>
        this.debuggers.sendTo(tab, session, "Target.setAutoAttach", this.#attach(tab)).catch(() => undefined);
      const attached = Promise.all([null, ...sessions].map(attach));
      // The page's process answers this, which a JavaScript dialog stops: letting go doesn't wait for it.
      if (on) await deadline.race(attached);
    }
    if (on && changes) {
      const until: Promise<unknown>[] = [];
      for (const session of sessions) this.spawned.emit({ tab, session, until });
      await deadline.race(Promise.all(until));
    }
    return sessions;
  }

  #attach(tab: number): object {
    return this.#holding.has(tab) ? ATTACH_HELD : ATTACH;
  }

  forget(tab: number): void {
    this.#tabs.delete(tab);
  }

  /** chrome.debugger.onEvent. */
  take(event: SessionEvent): void {
    const { tab, session, method, params } = event;
    const { own, frames, workers } = this.#of(tab);
    if (method === "Target.attachedToTarget") this.#attached(tab, session, params);
    else if (method === "Target.detachedFromTarget") {
      frames.delete(params.sessionId);
      workers.delete(params.sessionId);
    } else (session === null ? own : frames.get(session))?.worlds.take(method, params);
    this.events.emit(event);
  }

  #attached(tab: number, parent: string | null, attached: Attached): void {
    const { sessionId: id, targetInfo, waitingForDebugger } = attached;
    const { frames, workers, preparing } = this.#of(tab);
    const prepare = (method: string, params?: object): Promise<unknown> =>
      this.debuggers.sendTo(tab, id, method, params);
    const prepared = [prepare("Target.setAutoAttach", this.#attach(tab))];
    if (targetInfo.type === "iframe") {
      frames.set(id, { id, frameId: targetInfo.targetId, parent, worlds: new Worlds(this.extensionId) });
      prepared.push(
        prepare("Runtime.enable"),
        prepare("Page.enable"),
        prepare("Page.addScriptToEvaluateOnNewDocument", this.blocker.script),
      );
      if (this.causes)
        prepared.push(
          this.causes.parameters().then((script) => prepare("Page.addScriptToEvaluateOnNewDocument", script)),
        );
    } else workers.add(id);
    const until: Promise<unknown>[] = [];
    this.spawned.emit({ tab, session: id, until });
    if (waitingForDebugger)
      prepared.push(Promise.all(until).then(() => prepare("Runtime.runIfWaitingForDebugger")));
    // A frame that goes away meanwhile reports that by itself.
    const ready = Promise.all(prepared).catch(() => undefined);
    if (targetInfo.type !== "iframe") return;
    preparing.add(ready);
    void ready.then(() => preparing.delete(ready));
  }

  #of(tab: number): TabSessions {
    const known =
      this.#tabs.get(tab) ??
      newTab({ id: null, frameId: null, parent: null, worlds: new Worlds(this.extensionId) });
    this.#tabs.set(tab, known);
    return known;
  }
}

function newTab(own: FrameSession): TabSessions {
  return { own, frames: new Map(), workers: new Set(), started: null, preparing: new Set() };
}
