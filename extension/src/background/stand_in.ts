// The content script where extensions may not inject one (data: and about: addresses, for example) but the debugger
// may look: it runs in an isolated world that the debugger makes, and is asked through the debugger.

import type { ContentReply, ContentRequest } from "../shared/messages";
import type { DebuggerApi, Debuggers } from "./debuggers";
import { STAND_IN_WORLD } from "./handles";
import type { Doc } from "./registry";

interface Frame {
  frame: { id: string };
}

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { text: string };
}

const REFUSED = /cannot access|cannot be scripted|manifest must request permission|extensions gallery/i;

/** What the content script needs of the `chrome` object, answering to the debugger instead. */
const SHIM = `(() => {
  if (globalThis.skillbookAsk) return;
  const listeners = new Set();
  const runtime = {
    id: "skillbook",
    onMessage: { addListener: (one) => listeners.add(one), removeListener: (one) => listeners.delete(one) },
    sendMessage: async () => undefined,
  };
  globalThis.chrome = { runtime, dom: { openOrClosedShadowRoot: (element) => element.shadowRoot } };
  globalThis.skillbookAsk = (request) =>
    new Promise((reply) => { for (const one of listeners) one(request, { id: runtime.id }, reply); });
})();`;

export class StandIn {
  readonly #contexts = new Map<string, number>();
  #script: Promise<string> | undefined;

  constructor(
    private readonly debuggers: Debuggers,
    private readonly api: Pick<DebuggerApi, "sendCommand">,
    private readonly readScript: () => Promise<string>,
  ) {
    debuggers.events.on(({ tab, method }) => {
      if (method === "Runtime.executionContextsCleared") this.forget(tab);
    });
  }

  /** Whether the document is spoken to through here. */
  serves(doc: Doc): boolean {
    return this.#contexts.has(key(doc));
  }

  /** Put the content script into a main document that refused it; false where the debugger may not look either. */
  async inject(doc: Doc): Promise<boolean> {
    if (doc.frameId !== 0 || !REFUSED.test(doc.problem ?? "")) return false;
    try {
      await this.debuggers.ensure(doc.tab);
      const { frameTree } = await this.#send<{ frameTree: Frame }>(doc.tab, "Page.getFrameTree");
      const world = { frameId: frameTree.frame.id, worldName: STAND_IN_WORLD };
      const { executionContextId: contextId } = await this.#send<{ executionContextId: number }>(
        doc.tab,
        "Page.createIsolatedWorld",
        world,
      );
      this.#script ??= this.readScript();
      const expression = `${SHIM}\n${await this.#script}`;
      const { exceptionDetails } = await this.#send<Evaluated>(doc.tab, "Runtime.evaluate", {
        expression,
        contextId,
      });
      if (exceptionDetails) return false;
      this.#contexts.set(key(doc), contextId);
      return true;
    } catch {
      // The document keeps its first problem: why the extension may not read it.
      return false;
    }
  }

  /** Ask the document; fails where it is gone. */
  async ask<T>(doc: Doc, request: ContentRequest): Promise<ContentReply<T> | undefined> {
    const { result } = await this.#send<Evaluated>(doc.tab, "Runtime.evaluate", {
      expression: `globalThis.skillbookAsk(${JSON.stringify(request)})`,
      contextId: this.#contexts.get(key(doc)),
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value as ContentReply<T> | undefined;
  }

  forget(tab: number): void {
    for (const each of this.#contexts.keys()) if (each.startsWith(`${tab} `)) this.#contexts.delete(each);
  }

  async #send<T>(tab: number, method: string, params: object = {}): Promise<T> {
    await this.debuggers.ensure(tab);
    return (await this.api.sendCommand({ tabId: tab }, method, { ...params })) as T;
  }
}

function key(doc: Doc): string {
  return `${doc.tab} ${doc.id}`;
}
