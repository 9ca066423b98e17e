// The documents of the shared tabs: which there are, that each has the content script once, and their frame numbers.

import type { InputBlocker } from "../../hit_safety/input_blocker";
import { Failure, messageOf } from "../../shared/errors";
import { DOCUMENT_MS, SHOWN_MS } from "../../shared/limits";
import type {
  ContentOp,
  ContentReply,
  DocumentHello,
  FrameSlot,
  InputBlockerOrder,
  ReplyTo,
  RequestFor,
} from "../../shared/messages";
import { type Deadline, within } from "../deadline";
import { Signal } from "../signal";
import type { DebuggerContentScript } from "./debugger_content_script";
import type { NavigationEvent } from "./navigations";
import { type Doc, Registry } from "./registry";
import type { Shares } from "./shares";

type Reply<Op extends ContentOp> = ContentReply<ReplyTo<Op>> | undefined;

export interface FrameApi {
  webNavigation: Pick<typeof chrome.webNavigation, "getAllFrames">;
  scripting: Pick<typeof chrome.scripting, "executeScript">;
  tabs: Pick<typeof chrome.tabs, "get" | "sendMessage">;
}

const NOT_LOADED = "it did not load";

export class Documents {
  readonly joined = new Signal<number>();
  /** Documents, by id, in which a guarded press reached its element. */
  readonly pressed = new Signal<string>();
  /** The page of a tab has no program any more: it crashed, or the browser put it away. */
  readonly crashed = new Signal<{ tab: number; failure: Failure }>();
  /** Tabs to which a document came. */
  readonly #arrived = new Signal<number>();
  readonly #replaced = new Signal<Doc>();
  readonly #registry = new Registry();
  /** Tabs in which input is on its way to one element, and how many times. */
  readonly #blocked = new Map<number, number>();

  constructor(
    private readonly api: FrameApi,
    private readonly shares: Shares,
    private readonly blocker: Pick<InputBlocker, "order">,
    private readonly debuggerScript: Pick<
      DebuggerContentScript,
      "serves" | "mayServe" | "inject" | "call" | "leave"
    >,
    private readonly causes: { readonly meeting: string } = { meeting: "" },
  ) {}

  /**
   * A document was committed: put the content script in at once, so that it sees what the page does. The main document
   * is greeted at once too: its first snapshot needn't wait for that.
   */
  committed(event: NavigationEvent): void {
    if (!event.documentId || !this.shares.get(event.tabId)) return;
    const doc = this.#note(event.tabId, event.documentId, event);
    const isMain = doc.frameId === 0;
    // A document that comes back has its script, but needs a newer counter.
    if (doc.frame !== null && isMain) this.#registry.restore(doc);
    else if (!event.transitionQualifiers?.includes("forward_back")) {
      doc.injected ??= this.#inject(doc);
      doc.injected.then((done) => (done && isMain ? this.#greet(doc) : undefined)).catch(() => undefined);
    }
    this.#arrived.emit(event.tabId);
  }

  forget(tab: number): void {
    this.#registry.forget(tab);
  }

  /** Check whether a program still runs a tab's page. */
  async checkAlive(tab: number): Promise<void> {
    const found = await this.api.tabs.get(tab).catch(() => null);
    if (found?.status !== "unloaded") return;
    this.#registry.forget(tab);
    const hint = "load it again with page.reload(); what was typed into it is lost";
    const failure = new Failure(
      "page_unreachable",
      "The page crashed, or the browser put it away.",
      hint,
      {},
      false,
    );
    this.crashed.emit({ tab, failure });
    throw failure;
  }

  /** Until the returned function is called, new documents of the tab block input: it is for the ones before. */
  blockInput(tab: number): () => void {
    this.#blocked.set(tab, (this.#blocked.get(tab) ?? 0) + 1);
    return () => {
      const left = (this.#blocked.get(tab) ?? 1) - 1;
      if (left) this.#blocked.set(tab, left);
      else this.#blocked.delete(tab);
    };
  }

  /** Every document of the tab that is there now, parents before children, each greeted. */
  async list(tab: number, deadline: Deadline): Promise<Doc[]> {
    const frames = (await deadline.race(this.api.webNavigation.getAllFrames({ tabId: tab }))) ?? [];
    const listed = byDepth(frames.filter((frame) => frame.documentLifecycle === "active")).map((frame) => {
      const doc = this.#note(tab, frame.documentId, { tabId: tab, ...frame });
      if (frame.errorOccurred) doc.problem = NOT_LOADED;
      return doc;
    });
    const main = listed.find((doc) => doc.frameId === 0);
    const unlisted = main?.restored ? this.#registry.within(main).filter((doc) => !listed.includes(doc)) : [];
    const docs = [...listed, ...unlisted];
    this.#registry.keep(tab, docs);
    // A frame may go away meanwhile; only the main document has to be there.
    const greet = (doc: Doc): Promise<unknown> =>
      deadline.race(this.#greet(doc)).catch((error) => {
        if (doc.frameId === 0 || deadline.signal.aborted) throw error;
        doc.problem = messageOf(error);
        if (unlisted.includes(doc)) this.#registry.drop(doc);
      });
    // What is in a page that refuses the script can only be spoken to after the page itself.
    if (main && this.debuggerScript.mayServe(main)) await deadline.race(this.#greet(main));
    const mayTakeScript = (doc: Doc): boolean =>
      !doc.problem || this.debuggerScript.mayServe(doc) || stillComes(doc);
    await Promise.all(docs.filter(mayTakeScript).map(greet));
    return docs.filter((doc) => this.#registry.find(doc.id));
  }

  /** The main document, greeted. */
  async main(tab: number, deadline: Deadline): Promise<Doc> {
    const doc = this.#registry.current(tab).get(0) ?? (await this.#first(tab, deadline));
    await deadline.race(this.#greet(doc));
    if (doc.problem) throw unreachable(doc.problem);
    return doc;
  }

  /** The document whose refs have this frame number. */
  async byFrame(tab: number, frame: number, deadline: Deadline): Promise<Doc> {
    if (frame === 0) return this.main(tab, deadline);
    const find = (docs: Iterable<Doc>): Doc | undefined => [...docs].find((doc) => doc.frame === frame);
    const known = find(this.#registry.current(tab).values()) ?? find(await this.list(tab, deadline));
    if (known) return known;
    if (frame <= (this.shares.get(tab)?.framesAfter ?? 0))
      throw stale(`The document of frame ${frame} is gone.`);
    throw new Failure("unknown_ref", `No frame has the number ${frame}.`);
  }

  /** The documents known now, without asking the browser. */
  known(tab: number): Doc[] {
    return [...this.#registry.current(tab).values()].filter(isReadable);
  }

  /** The documents that are there now, as far as they can be read. */
  async readable(tab: number, deadline: Deadline): Promise<Doc[]> {
    return (await this.list(tab, deadline)).filter(isReadable);
  }

  /** The main document, where one is known now. */
  knownMain(tab: number): Doc | undefined {
    return this.known(tab).find(({ frameId }) => frameId === 0);
  }

  /** Send a document's content script a request, and give its reply. */
  async call<Op extends ContentOp>(
    doc: Doc,
    request: RequestFor<Op>,
    deadline: Deadline,
  ): Promise<ReplyTo<Op>> {
    let reply: Reply<Op>;
    deadline.waitsFor = `an answer of ${doc.url} (${request.op})`;
    try {
      reply = await deadline.race(this.#answer(doc, request));
    } catch (error) {
      if (error instanceof Failure) throw error;
      this.#registry.drop(doc);
      throw this.#gone(doc, messageOf(error));
    }
    if (!reply) throw this.#gone(doc, "it did not answer");
    if (!reply.ok) throw this.#explain(doc, request, Failure.fromWire(reply.error));
    return reply.value;
  }

  /** A document's version now; null where it has gone. */
  async readVersion(doc: Doc, deadline: Deadline): Promise<number | null> {
    const request = { op: "changed", version: -1, timeout_ms: 0 } as const;
    try {
      return (await this.call(doc, request, deadline)).version;
    } catch (error) {
      if (deadline.signal.aborted || !(error instanceof Failure) || error.code === "internal") throw error;
      return null;
    }
  }

  /** Run a function in the page's own script world, in the tab's main document. */
  async runInPage(tab: number, func: (text: string) => Promise<unknown>, text: string): Promise<unknown> {
    const script = { target: { tabId: tab }, world: "MAIN" as const, func, args: [text] as [string] };
    const [injected] = await this.api.scripting.executeScript(script);
    return injected?.result ?? {};
  }

  /** Run a function beside the page's scripts, after a file of ours that it needs, in the tab's main document. */
  async runBesidePage(
    tab: number,
    file: string,
    func: (text: string) => Promise<unknown>,
    text: string,
  ): Promise<unknown> {
    const target = { tabId: tab };
    await this.api.scripting.executeScript({ target, files: [file] });
    const [injected] = await this.api.scripting.executeScript({ target, func, args: [text] as [string] });
    return injected?.result ?? {};
  }

  /** Send a document's content script what needs no answer; one that is gone misses nothing. */
  post<Op extends ContentOp>(doc: Doc, request: RequestFor<Op>): void {
    this.#send(doc, request).catch(() => undefined);
  }

  /** A document says that the one with this key is in its frame that has this nonce: the first word counts. */
  reported(documentId: string | undefined, { key, nonce }: { key: string; nonce: string }): void {
    const parent = documentId ? this.#registry.find(documentId) : undefined;
    const doc = parent && this.children(parent).find((child) => child.key === key && child.nonce === null);
    if (!doc) return;
    doc.nonce = nonce;
    this.joined.emit(doc.tab);
  }

  /** Join a parent's iframes to the documents in them; the answer is each slot's document, if it is known. */
  join(parent: Doc, slots: readonly FrameSlot[]): Map<FrameSlot, Doc | null> {
    const children = this.children(parent);
    return new Map(
      slots.map((slot) => {
        const found = children.find((doc) => doc.nonce === slot.nonce) ?? null;
        if (found) found.owner = { doc: parent, number: slot.number };
        return [slot, found];
      }),
    );
  }

  children(parent: Doc): Doc[] {
    return this.known(parent.tab).filter((doc) => doc.parent === parent.id);
  }

  /** A document gave out numbers up to this one without being requested to. */
  numbered(documentId: string | undefined, highest: number): void {
    const doc = documentId ? this.#registry.find(documentId) : undefined;
    if (doc) this.raise(doc, highest);
  }

  /** Raise the tab's counter of refs in main documents, up to which this one gave out numbers. */
  raise(doc: Doc, highest: number): void {
    if (doc.frameId === 0) this.startAfter(doc.tab, highest, doc);
  }

  /** Raise a tab's counter; the main document there now, unless the numbers are its own, has to have the newer one. */
  startAfter(tab: number, highest: number, giver: Doc | null = null): void {
    const share = this.shares.get(tab);
    if (!share || highest <= share.after) return;
    share.after = highest;
    this.shares.save();
    const main = this.#registry.current(tab).get(0);
    if (main && main !== giver) main.hello = null;
  }

  /** The main document of a tab in which none is known; one that is on its way is waited for. */
  async #first(tab: number, deadline: Deadline): Promise<Doc> {
    for (;;) {
      let came = false;
      const stop = this.#arrived.on((one) => {
        came ||= one === tab;
      });
      const doc = (await this.list(tab, deadline).finally(stop)).find(({ frameId }) => frameId === 0);
      if (doc) return doc;
      if (came) continue;
      const arrival = this.#arrived.next((one) => one === tab, deadline);
      if (!(await this.#isLoading(tab)) && !this.#registry.current(tab).has(0))
        throw unreachable("The page did not load, or shows an error page.");
      deadline.waitsFor = "the first document of a tab";
      await arrival;
    }
  }

  async #isLoading(tab: number): Promise<boolean> {
    const found = await this.api.tabs.get(tab).catch(() => null);
    return found?.status === "loading" || Boolean(found?.pendingUrl);
  }

  /** Greet a document, once. */
  #greet(doc: Doc): Promise<void> {
    doc.hello ??= this.#hello(doc).catch((error) => {
      doc.hello = null;
      throw error;
    });
    return doc.hello;
  }

  async #hello(doc: Doc): Promise<void> {
    const share = this.shares.get(doc.tab);
    if (!share) throw new Failure("page_closed", "This tab is not shared.");
    if (doc.frameId === 0) await this.checkAlive(doc.tab);
    const frame = doc.frame ?? (doc.frameId === 0 ? 0 : ++share.framesAfter);
    const request: RequestFor<"hello"> = { op: "hello", frame, after: doc.frameId === 0 ? share.after : 0 };
    // A document first seen now may have the script from before the worker was restarted.
    const early = doc.injected ? null : await this.#send(doc, request).catch(() => null);
    const reply = early?.ok ? early.value : await this.#injectAndGreet(doc, request);
    if (!reply) {
      if (stillComes(doc)) doc.hello = doc.injected = null;
      return;
    }
    doc.problem = null;
    doc.frame = reply.frame;
    // A script that was put in anew numbers its frames anew.
    if (doc.key !== reply.key) for (const child of this.children(doc)) child.nonce = null;
    doc.key = reply.key;
    doc.status = reply.status;
    doc.type = reply.type;
    share.framesAfter = Math.max(share.framesAfter, reply.frame);
    this.raise(doc, reply.highest);
    this.shares.save();
  }

  /** Put the content script in and greet it; null where the document takes none. */
  async #injectAndGreet(doc: Doc, request: RequestFor<"hello">): Promise<DocumentHello | null> {
    doc.injected ??= this.#inject(doc);
    let injected = await doc.injected;
    // In the moment of a commit the browser may still judge by the address before.
    if (!injected && /^https?:/.test(doc.url)) injected = await this.#inject(doc);
    if (!injected && !(await this.debuggerScript.inject(doc, this.#order(doc)))) return null;
    const here = this.#registry.current(doc.tab).get(doc.frameId);
    if (here && here !== doc) this.debuggerScript.leave(doc);
    const reply = await this.#send(doc, request).catch((error) => {
      throw this.#gone(doc, messageOf(error));
    });
    if (!reply?.ok) throw reply ? Failure.fromWire(reply.error) : this.#gone(doc, "it did not answer");
    return reply.value;
  }

  async #inject(doc: Doc): Promise<boolean> {
    const target = { tabId: doc.tab, documentIds: [doc.id] };
    try {
      const args: [InputBlockerOrder] = [this.#order(doc)];
      const script = { target, files: ["content.js"], injectImmediately: true };
      await Promise.all([
        this.api.scripting.executeScript({ target, func: leaveOrder, args, injectImmediately: true }),
        this.api.scripting.executeScript(script),
      ]);
      return true;
    } catch (error) {
      doc.problem = messageOf(error);
      return false;
    }
  }

  #order(doc: Doc): InputBlockerOrder {
    return { ...this.blocker.order(this.#blocked.has(doc.tab)), causes: this.causes.meeting };
  }

  #note(tab: number, id: string, event: NavigationEvent): Doc {
    const before = this.#registry.current(tab).get(event.frameId);
    const doc = this.#registry.note(tab, id, event);
    if (before && before !== doc)
      for (const gone of [before, ...this.#registry.within(before)]) {
        this.debuggerScript.leave(gone);
        this.#replaced.emit(gone);
      }
    return doc;
  }

  /** What a document answers; it fails where another one took its place. */
  async #answer<Op extends ContentOp>(doc: Doc, request: RequestFor<Op>): Promise<Reply<Op>> {
    const answer = this.#send(doc, request);
    const here = this.#registry.current(doc.tab).get(doc.frameId);
    if (!here || here === doc) {
      const first = await this.#replaced.nextOr((one) => one === doc, answer);
      if (first !== doc) return first as Reply<Op>;
    }
    // A document that another one has replaced gives its last answers within this; at times the browser loses them.
    const last = await within(answer, SHOWN_MS);
    if (!last) throw new Error("another document took its place");
    return last;
  }

  #send<Op extends ContentOp>(doc: Doc, request: RequestFor<Op>): Promise<Reply<Op>> {
    if (this.debuggerScript.serves(doc)) return this.debuggerScript.call(doc, request);
    return this.api.tabs.sendMessage(doc.tab, request, { documentId: doc.id });
  }

  /** A number that an earlier document of the tab gave out is stale rather than unknown. */
  #explain(doc: Doc, request: { op: ContentOp; number?: number | null }, failure: Failure): Failure {
    const { number = null } = request;
    const given = doc.frameId === 0 ? (this.shares.get(doc.tab)?.after ?? 0) : 0;
    if (failure.code !== "unknown_ref" || number === null || number > given) return failure;
    return stale(`The element e${number} was in a document that is gone.`);
  }

  #gone(doc: Doc, why: string): Failure {
    if (!this.shares.get(doc.tab)) return new Failure("page_closed", "The tab is gone or no longer shared.");
    return new Failure("page_navigated", `The document at ${doc.url} went away: ${why}`);
  }
}

/** Whether a document was refused the script so soon that it may take it yet. */
function stillComes({ url, problem, seenAt }: Doc): boolean {
  // For so long a new document that takes no script is tried again: the browser may still judge by the address before.
  return /^https?:/.test(url) && problem !== NOT_LOADED && performance.now() - seenAt < DOCUMENT_MS;
}

function isReadable({ frame, problem }: Doc): boolean {
  return frame !== null && problem === null;
}

/** Runs in the document, before the content script. */
function leaveOrder(order: InputBlockerOrder): void {
  (globalThis as { skillbookBlocker?: InputBlockerOrder }).skillbookBlocker = order;
}

interface Placed {
  documentId: string;
  parentDocumentId?: string;
}

/** Parents before children, otherwise as the browser lists them. */
function byDepth<T extends Placed>(frames: readonly T[]): T[] {
  const byId = new Map(frames.map((frame) => [frame.documentId, frame]));
  const depth = (frame: Placed): number => {
    const parent = frame.parentDocumentId ? byId.get(frame.parentDocumentId) : undefined;
    return parent ? depth(parent) + 1 : 0;
  };
  return [...frames].sort((a, b) => depth(a) - depth(b));
}

function unreachable(why: string): Failure {
  return new Failure(
    "page_unreachable",
    why,
    "the page can't be read; go to an http or https address",
    {},
    false,
  );
}

function stale(why: string): Failure {
  return new Failure("stale_ref", why);
}
