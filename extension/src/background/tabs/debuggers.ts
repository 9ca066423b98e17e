// chrome.debugger, attached to a tab when it is first needed and let go after idleness.

import type { InputBlocker } from "../../hit_safety/input_blocker";
import { Failure, messageOf } from "../../shared/errors";
import { FRAME_MS, IDLE_MS } from "../../shared/limits";
import type { Deadline } from "../deadline";
import { Signal } from "../signal";
import type { CausesScript } from "./causes_script";

export type DebuggerApi = Pick<typeof chrome.debugger, "attach" | "detach" | "sendCommand">;

export interface CdpEvent {
  tab: number;
  method: string;
  // biome-ignore lint/suspicious/noExplicitAny: the protocol's own parameters
  params: any;
}

interface Attachment {
  /** The browser carries out commands. */
  open: Promise<void>;
  /** The page takes part as well, which it can't while a dialog or a script blocks it. */
  ready: Promise<void>;
  isReady: boolean;
  usedAt: number;
}

const VERSION = "1.3";
const FOREIGN = /of different extension/i;
const HINT = "close DevTools or the other extension that debugs this tab, or use input='synthetic'";

export class Debuggers {
  readonly events = new Signal<CdpEvent>();
  readonly attached = new Signal<number>();
  /** The debugger leaves a tab, or has left it. */
  readonly leaves = new Signal<number>();
  readonly lost = new Signal<{ tab: number; reason: string }>();
  /** Tabs that stay attached however long nothing is asked of them. */
  readonly kept = new Set<number>();
  /** Whoever needs a tab to stay attached answers so. */
  readonly keepers: ((tab: number) => boolean)[] = [];
  readonly #tabs = new Map<number, Attachment>();
  /** Tabs whose debugging the user ended: they stay so until he shares the tab again. */
  readonly #banned = new Set<number>();
  #timer: ReturnType<typeof setInterval> | undefined;

  constructor(
    private readonly api: DebuggerApi,
    private readonly blocker: Pick<InputBlocker, "script">,
    private readonly causes: Pick<CausesScript, "parameters"> | null = null,
  ) {}

  isAttached(tab: number): boolean {
    return this.#tabs.has(tab);
  }

  /** Attached, and the page itself has answered: its dialogs are reported. */
  isReady(tab: number): boolean {
    return this.#tabs.get(tab)?.isReady ?? false;
  }

  /** Attach unless attached; fails with `debugger_unavailable`. */
  ensure(tab: number): Promise<void> {
    return this.#attachment(tab).ready;
  }

  /** Run a command that the browser carries out by itself, also while the page answers nothing. */
  async sendToBrowser<T = unknown>(
    tab: number,
    method: string,
    params: object,
    deadline: Deadline,
  ): Promise<T> {
    await deadline.race(this.#attachment(tab).open);
    return this.#sendOnce<T>(tab, method, params, deadline);
  }

  /** Run a command in one session of a tab that is attached, its own where that is null. */
  async sendTo<T = unknown>(
    tab: number,
    session: string | null,
    method: string,
    params: object = {},
  ): Promise<T> {
    const target = { tabId: tab, ...(session !== null && { sessionId: session }) };
    try {
      return (await this.api.sendCommand(target, method, { ...params })) as T;
    } catch (error) {
      throw failureOf(method, messageOf(error));
    }
  }

  /** Run a command of the DevTools protocol on the tab. */
  async send<T = unknown>(tab: number, method: string, params: object, deadline: Deadline): Promise<T> {
    await deadline.race(this.ensure(tab));
    return this.#sendOnce<T>(tab, method, params, deadline);
  }

  /** Let go of a tab, also where it was an earlier worker that attached. */
  async detach(tab: number): Promise<void> {
    if (this.#tabs.delete(tab)) this.leaves.emit(tab);
    await this.api.detach({ tabId: tab }).catch(() => undefined);
  }

  /** The tab is gone, or was shared anew. */
  forget(tab: number): void {
    this.#banned.delete(tab);
  }

  /** chrome.debugger.onDetach. */
  detached(tab: number, reason: string): void {
    if (!this.#tabs.delete(tab)) return;
    if (reason === "canceled_by_user") this.#banned.add(tab);
    this.leaves.emit(tab);
    this.lost.emit({ tab, reason });
  }

  #attachment(tab: number): Attachment {
    let attachment = this.#tabs.get(tab);
    if (!attachment) {
      const open = this.#open(tab);
      const made = { open, ready: this.#prepare(tab, open), isReady: false, usedAt: Date.now() };
      made.ready.then(
        () => {
          made.isReady = true;
        },
        () => this.#tabs.get(tab) === made && this.#tabs.delete(tab),
      );
      attachment = made;
      this.#tabs.set(tab, attachment);
      this.#timer ??= setInterval(() => this.#letGoIdle(), IDLE_MS / 5);
    }
    attachment.usedAt = Date.now();
    return attachment;
  }

  #sendOnce<T>(tab: number, method: string, params: object, deadline: Deadline): Promise<T> {
    deadline.waitsFor = `the browser to carry out ${method}`;
    return deadline.race(this.sendTo<T>(tab, null, method, params));
  }

  /** A command found us detached, and onDetach follows it: until then the attachment only seems alive. */
  async settleLoss(tab: number): Promise<void> {
    if (!this.#tabs.has(tab)) return;
    const patience = new Promise<void>((resolve) => setTimeout(resolve, FRAME_MS));
    await this.lost.nextOr((loss) => loss.tab === tab, patience);
    this.#tabs.delete(tab);
  }

  /** Attach; after a worker restart our attachment still stands and answers commands. */
  async #open(tab: number): Promise<void> {
    if (this.#banned.has(tab)) {
      throw new Failure("debugger_unavailable", "The user ended debugging on this tab.", HINT);
    }
    await this.api.attach({ tabId: tab }, VERSION).catch(async (error) => {
      const why = messageOf(error);
      const probe = (): Promise<unknown> =>
        this.sendTo(tab, null, "Page.getNavigationHistory").catch(() => null);
      if (/already attached/i.test(why) && (await probe()) !== null) {
        // Enabled anew, it reports again which script contexts there are.
        void this.sendTo(tab, null, "Runtime.disable").catch(() => undefined);
        return;
      }
      if (FOREIGN.test(why)) throw foreignFrame();
      throw new Failure("debugger_unavailable", `Trusted input isn't to be had on this tab: ${why}`, HINT);
    });
  }

  async #prepare(tab: number, open: Promise<void>): Promise<void> {
    await open;
    const causes = await this.causes?.parameters();
    // Dialogs, console messages, focus as in a window in front, and no input before the content script is there.
    await Promise.all([
      this.sendTo(tab, null, "Page.enable"),
      this.sendTo(tab, null, "Runtime.enable"),
      this.sendTo(tab, null, "Log.enable"),
      this.sendTo(tab, null, "Emulation.setFocusEmulationEnabled", { enabled: true }),
      this.sendTo(tab, null, "Page.addScriptToEvaluateOnNewDocument", this.blocker.script),
      causes && this.sendTo(tab, null, "Page.addScriptToEvaluateOnNewDocument", causes),
    ]);
    this.attached.emit(tab);
  }

  #letGoIdle(): void {
    const old = Date.now() - IDLE_MS;
    for (const [tab, attachment] of this.#tabs)
      if (attachment.usedAt < old && !this.kept.has(tab) && !this.keepers.some((keeps) => keeps(tab)))
        void this.detach(tab);
    if (this.#tabs.size === 0) {
      clearInterval(this.#timer);
      this.#timer = undefined;
    }
  }
}

/** Password managers put frames of their own into pages; the browser then keeps other extensions' debuggers out. */
function foreignFrame(): Failure {
  const text = "Another extension has a frame in this page, so the browser lets no debugger in.";
  const hint =
    "switch that extension off for this site; reading, clicking and typing work without the debugger";
  return new Failure("debugger_unavailable", text, hint, { foreign_frame: true });
}

/** The failure of a command of the protocol. */
export function failureOf(method: string, why: string): Failure {
  if (FOREIGN.test(why)) return foreignFrame();
  if (/not attached|Detached while|Target closed|No tab with/i.test(why)) {
    const text = `The debugger was detached during ${method}; look at the page before you try again.`;
    return new Failure("debugger_unavailable", text, HINT, { detached: true });
  }
  // The protocol's errors come as JSON: {"code":-32000,"message":"Not allowed"}.
  const message = /"message":"((?:[^"\\]|\\.)*)"/.exec(why)?.[1] ?? why;
  return new Failure("command", `${method}: ${message}`, "", { method, cdp: message });
}
