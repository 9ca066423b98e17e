// What custom elements say by `ElementInternals`: asked of accessibility where a snapshot met such elements, and told to
// content scripts.

import { internalsOfNode } from "../../engine/cdp/internals";
import type { AxNode, Send } from "../../engine/cdp/protocol";
import { Failure } from "../../shared/errors";
import type { InternalFacts } from "../../shared/messages";
import type { Command } from "../commands/command";
import { Deadline } from "../deadline";
import type { CdpSessions, Session } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import type { Doc } from "../tabs/registry";
import type { World } from "../tabs/script_worlds";

/** How long a snapshot waits for it; what came later is in the next one. */
const MOST_MS = 1_500;
/** A tab that can't be debugged isn't asked for so long. */
const REFUSED_MS = 60_000;
/** Documents whose elements are remembered. */
const MOST_DOCS = 100;
const GROUP = "skillbook-internals";

/**
 * Which of the elements called so take part in forms, or mention internals, of which helpers may take hold; null where
 * one isn't defined yet.
 */
const USES = `(tags) => tags.map((tag) => {
  let kind = customElements.get(tag);
  if (!kind) return null;
  for (; typeof kind === "function" && kind !== HTMLElement; kind = Object.getPrototypeOf(kind))
    if (kind.formAssociated === true || /internals/i.test(Function.prototype.toString.call(kind))) return true;
  return false;
})`;
const LOOK = "function (...tags) { return globalThis.skillbook.customElements(tags); }";
const TELL = "function (facts, ...elements) { return globalThis.skillbook.tell(elements, facts); }";

interface Place {
  doc: Doc;
  session: Session;
  world: World;
}

export class Internals {
  /** By document, which names of custom elements use internals. */
  readonly #uses = new Map<string, Map<string, boolean>>();
  readonly #refused = new Map<number, number>();

  constructor(
    private readonly sessions: Pick<CdpSessions, "open">,
    private readonly debuggers: Pick<Debuggers, "isAttached">,
  ) {}

  /** Ask once more about the elements of a document that were asked about before. */
  async renew(call: Pick<Command, "tab" | "input" | "deadline">, doc: Doc): Promise<void> {
    const known = this.#uses.get(doc.id) ?? [];
    const tags = [...known].flatMap(([tag, uses]) => (uses ? [tag] : []));
    await this.refresh(call, [doc], () => tags);
  }

  /** Ask about the custom elements that documents met; gives the documents that learned something new. */
  async refresh(
    call: Pick<Command, "tab" | "input" | "deadline">,
    docs: readonly Doc[],
    tagsOf: (doc: Doc) => readonly string[],
  ): Promise<Doc[]> {
    const { tab, input } = call;
    const asked = docs.filter((doc) => tagsOf(doc).length);
    if (!asked.length || (input !== "trusted" && !this.debuggers.isAttached(tab))) return [];
    if (asked.every((doc) => tagsOf(doc).every((tag) => this.#uses.get(doc.id)?.get(tag) === false)))
      return [];
    if (performance.now() < (this.#refused.get(tab) ?? 0)) return [];
    const deadline = new Deadline(Math.min(MOST_MS, call.deadline.left()), "asking about custom elements");
    try {
      const sessions = await this.sessions.open(tab, deadline);
      const found = await Promise.all(
        sessions.flatMap((session) =>
          session.worlds
            .isolated(tab)
            .map((world) => this.#ask(tab, session, world, asked, tagsOf, deadline).catch(ignoreGone)),
        ),
      );
      return found.filter((doc) => doc !== null);
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      if (error.code !== "timeout") this.#refused.set(tab, performance.now() + REFUSED_MS);
      return [];
    } finally {
      deadline.close();
      this.#prune(docs);
    }
  }

  async #ask(
    tab: number,
    session: Session,
    world: World,
    docs: readonly Doc[],
    tagsOf: (doc: Doc) => readonly string[],
    deadline: Deadline,
  ): Promise<Doc | null> {
    const { send } = session;
    const ask = { expression: "globalThis.skillbook?.key ?? null", uniqueContextId: world.uniqueId };
    const key = (await answerOf(send, "Runtime.evaluate", ask)) as string | null;
    const doc = docs.find((one) => one.key === key);
    const main = session.worlds.main(tab, world);
    if (!doc || !main) return null;
    const tags = await this.#using(send, main, doc, tagsOf(doc));
    deadline.check();
    return tags.length ? await this.#tell({ doc, session, world }, tags) : null;
  }

  /** Those of the names whose elements use internals. */
  async #using(send: Send, main: World, doc: Doc, tags: readonly string[]): Promise<string[]> {
    const known = this.#uses.get(doc.id) ?? new Map<string, boolean>();
    this.#uses.set(doc.id, known);
    const fresh = tags.filter((tag) => !known.has(tag));
    if (fresh.length) {
      const ask = { expression: `(${USES})(${JSON.stringify(fresh)})`, uniqueContextId: main.uniqueId };
      const found = await answerOf(send, "Runtime.evaluate", ask);
      if (Array.isArray(found))
        fresh.forEach((tag, i) => {
          if (found[i] !== null) known.set(tag, found[i] === true);
        });
    }
    return tags.filter((tag) => known.get(tag));
  }

  async #tell({ doc, session: { send }, world }: Place, tags: string[]): Promise<Doc | null> {
    const within = { executionContextId: world.id, objectGroup: GROUP };
    try {
      const call = { functionDeclaration: LOOK, arguments: tags.map((value) => ({ value })), ...within };
      const { result } = await send<{ result: { objectId: string } }>("Runtime.callFunctionOn", call);
      const list = { objectId: result.objectId, ownProperties: true };
      const listed = await send<{ result: Listed[] }>("Runtime.getProperties", list);
      const elements = listed.result.flatMap(({ name, value }) =>
        /^\d+$/.test(name) && value?.objectId ? [{ objectId: value.objectId }] : [],
      );
      if (!elements.length) return null;
      const facts = await Promise.all(elements.map((element) => factsOf(send, element)));
      const tell = { functionDeclaration: TELL, arguments: [{ value: facts }, ...elements], ...within };
      return (await answerOf(send, "Runtime.callFunctionOn", tell)) ? doc : null;
    } finally {
      send("Runtime.releaseObjectGroup", { objectGroup: GROUP }).catch(() => undefined);
    }
  }

  #prune(docs: readonly Doc[]): void {
    if (this.#uses.size <= MOST_DOCS) return;
    const ids = new Set(docs.map((doc) => doc.id));
    for (const id of this.#uses.keys()) if (!ids.has(id)) this.#uses.delete(id);
  }
}

interface Listed {
  name: string;
  value?: { objectId?: string };
}

async function factsOf(send: Send, element: object): Promise<InternalFacts | null> {
  const ask = { ...element, fetchRelatives: false };
  try {
    return internalsOfNode((await send<{ nodes: AxNode[] }>("Accessibility.getPartialAXTree", ask)).nodes);
  } catch (error) {
    return ignoreGone(error);
  }
}

async function answerOf(send: Send, method: string, params: object): Promise<unknown> {
  return (await send<{ result: { value?: unknown } }>(method, { ...params, returnByValue: true })).result
    .value;
}

/** A document, or an element, may go away meanwhile. */
function ignoreGone(error: unknown): null {
  if (error instanceof Failure && error.data.cdp !== undefined) return null;
  throw error;
}
