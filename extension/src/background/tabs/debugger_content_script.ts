// The content script where extensions may not inject one (data: and about: addresses, for example) but the debugger
// may look: it runs in an isolated world that the debugger makes, and the worker sends its requests through the debugger.

import type {
  ContentOp,
  ContentReply,
  ContentReport,
  InputBlockerOrder,
  ReplyTo,
  RequestFor,
} from "../../shared/messages";
import { Signal } from "../signal";
import type { CdpEvent, DebuggerApi, Debuggers } from "./debuggers";
import type { Doc } from "./registry";
import { DEBUGGER_SCRIPT_WORLD } from "./script_worlds";

interface FrameTree {
  frame: { id: string; url: string; urlFragment?: string };
  childFrames?: FrameTree[];
}

/** Where a document's script runs. */
interface Place {
  tab: number;
  main: boolean;
  frame: string;
  context: number;
}

interface Evaluated {
  result: { value?: unknown };
  exceptionDetails?: { text: string };
}

const REFUSED = /cannot access|cannot be scripted|manifest must request permission|extensions gallery/i;

const BINDING = "skillbookReport";

/** What the content script needs of the `chrome` object, answering to the debugger instead. */
const SHIM = `(() => {
  if (Object.hasOwn(globalThis, "skillbookCall")) return;
  const listeners = new Set();
  const runtime = {
    id: "skillbook",
    onMessage: { addListener: (one) => listeners.add(one), removeListener: (one) => listeners.delete(one) },
    sendMessage: async (report) => globalThis.${BINDING}?.(JSON.stringify(report)),
  };
  globalThis.chrome = { runtime, dom: { openOrClosedShadowRoot: (element) => element.shadowRoot } };
  globalThis.skillbookCall = (request) =>
    new Promise((reply) => { for (const one of listeners) one(request, { id: runtime.id }, reply); });
})();`;

export class DebuggerContentScript {
  readonly reports = new Signal<{ tab: number; documentId: string; report: ContentReport }>();
  readonly #places = new Map<string, Place>();
  #script: Promise<string> | undefined;

  constructor(
    private readonly debuggers: Debuggers,
    private readonly api: Pick<DebuggerApi, "sendCommand">,
    private readonly readScript: () => Promise<string>,
  ) {
    debuggers.events.on((event) => this.#take(event));
  }

  /** Whether the document is spoken to through here. */
  serves(doc: Doc): boolean {
    return this.#places.has(doc.id);
  }

  /** Whether a document refused the script and may be spoken to through here: those in a page only after it. */
  mayServe(doc: Doc): boolean {
    if (!REFUSED.test(doc.problem ?? "")) return false;
    return doc.frameId === 0 || [...this.#places.values()].some(({ tab, main }) => main && tab === doc.tab);
  }

  /** Put the content script into a document that refused it; false where the debugger may not look either. */
  async inject(doc: Doc, order: InputBlockerOrder): Promise<boolean> {
    if (!this.mayServe(doc)) return false;
    try {
      await this.debuggers.ensure(doc.tab);
      const { frameTree } = await this.#send<{ frameTree: FrameTree }>(doc.tab, "Page.getFrameTree");
      const frame = doc.frameId === 0 ? frameTree.frame.id : this.#frameOf(doc, frameTree);
      if (frame === undefined) return false;
      // Taken before anything is waited for, so that no other document takes the same frame.
      const place = { tab: doc.tab, main: doc.frameId === 0, frame, context: -1 };
      this.#places.set(doc.id, place);
      place.context = await this.#run(doc.tab, frame, order);
      if (this.#places.get(doc.id) === place) return true;
      this.#stop(place);
      return false;
    } catch {
      // The document keeps its first problem: why the extension may not read it.
      this.#places.delete(doc.id);
      return false;
    }
  }

  /**
   * Another document took the place of this one. The frame is the same, so that the script may have come to the new one,
   * where the browser puts another: each would see what a person does.
   */
  leave(doc: Doc): void {
    const place = this.#places.get(doc.id);
    if (!place) return;
    this.#places.delete(doc.id);
    if (place.context !== -1) this.#stop(place);
  }

  #stop({ tab, context }: Place): void {
    const expression = "globalThis.skillbook.stop()";
    this.#send(tab, "Runtime.evaluate", { expression, contextId: context }).catch(() => undefined);
  }

  /** Run the script in a frame's isolated world; gives the world's context. */
  async #run(tab: number, frameId: string, order: InputBlockerOrder): Promise<number> {
    await this.#send(tab, "Runtime.addBinding", {
      name: BINDING,
      executionContextName: DEBUGGER_SCRIPT_WORLD,
    });
    const world = { frameId, worldName: DEBUGGER_SCRIPT_WORLD };
    const made = await this.#send<{ executionContextId: number }>(tab, "Page.createIsolatedWorld", world);
    const contextId = made.executionContextId;
    this.#script ??= this.readScript();
    const ordered = `globalThis.skillbookBlocker = ${JSON.stringify(order)};`;
    const expression = `${SHIM}\n${ordered}\n${await this.#script}`;
    const { exceptionDetails } = await this.#send<Evaluated>(tab, "Runtime.evaluate", {
      expression,
      contextId,
    });
    if (exceptionDetails) throw new Error(exceptionDetails.text);
    return contextId;
  }

  /**
   * A frame at a document's address that no other document has. Of several in one document either will do: by the nonce
   * that it reports, the document joins the iframe that it is in.
   */
  #frameOf(doc: Doc, tree: FrameTree): string | undefined {
    const taken = new Set([...this.#places.values()].map(({ frame }) => frame));
    const all = (one: FrameTree): FrameTree["frame"][] => [
      one.frame,
      ...(one.childFrames ?? []).flatMap(all),
    ];
    return all(tree).find(
      ({ id, url, urlFragment }) => !taken.has(id) && `${url}${urlFragment ?? ""}` === doc.url,
    )?.id;
  }

  #take({ tab, method, params }: CdpEvent): void {
    if (method === "Runtime.executionContextsCleared") this.forget(tab);
    if (method === "Runtime.executionContextDestroyed") this.#drop(tab, params.executionContextId);
    if (method !== "Runtime.bindingCalled" || params.name !== BINDING) return;
    const report = JSON.parse(params.payload) as ContentReport;
    for (const [documentId, place] of this.#places)
      if (place.tab === tab && place.context === params.executionContextId)
        this.reports.emit({ tab, documentId, report });
  }

  #drop(tab: number, context: number): void {
    for (const [document, place] of this.#places)
      if (place.tab === tab && place.context === context) this.#places.delete(document);
  }

  /** Send the document a request; fails where it is gone. */
  async call<Op extends ContentOp>(
    doc: Doc,
    request: RequestFor<Op>,
  ): Promise<ContentReply<ReplyTo<Op>> | undefined> {
    const { result } = await this.#send<Evaluated>(doc.tab, "Runtime.evaluate", {
      expression: `globalThis.skillbookCall(${JSON.stringify(request)})`,
      contextId: this.#places.get(doc.id)?.context,
      awaitPromise: true,
      returnByValue: true,
    });
    return result.value as ContentReply<ReplyTo<Op>> | undefined;
  }

  forget(tab: number): void {
    for (const [document, place] of this.#places) if (place.tab === tab) this.#places.delete(document);
  }

  async #send<T>(tab: number, method: string, params: object = {}): Promise<T> {
    await this.debuggers.ensure(tab);
    return (await this.api.sendCommand({ tabId: tab }, method, { ...params })) as T;
  }
}
