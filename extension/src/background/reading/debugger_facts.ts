// What only the debugger sees of a document's elements: which scripts listen on, and what custom elements say by
// `ElementInternals`. The worker queries it once a document, after the document's first snapshot, and again when the
// document grew by a third. No snapshot waits for it: what it adds is in the next one.
//
// Not found: what scripts begin to listen on later without adding elements, and what they listen on by delegation.

import { internalsOf } from "../../engine/cdp/ax";
import { findListeners } from "../../engine/cdp/event_listeners";
import type { AxNode, Send } from "../../engine/cdp/protocol";
import { Failure } from "../../shared/errors";
import type { InternalFacts, SnapshotReply } from "../../shared/messages";
import type { Command } from "../commands/command";
import { Deadline, within } from "../deadline";
import type { CdpSessions, Session } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import type { Doc } from "../tabs/registry";
import type { World } from "../tabs/script_worlds";

const MOST_MS = 10_000;
/** How long a command waits for what custom elements say at that moment. */
const RENEWAL_MS = 1_500;
/** A document is queried again when it has so many times the elements that it had. */
const GROWTH = 4 / 3;

const KEY = "globalThis.skillbook?.key ?? null";
const SET_LISTENERS = "function (...elements) { globalThis.skillbook.setListeners(elements); }";
const ELEMENTS = "function (tags) { return globalThis.skillbook.customElements(tags); }";
const SET_INTERNALS = "function (facts, ...elements) { globalThis.skillbook.setInternals(elements, facts); }";
/** Which custom elements take part in forms, or mention internals, of which helpers may take hold. */
const USES = `(tags) => tags.filter((tag) => {
  for (let kind = customElements.get(tag); typeof kind === "function" && kind !== HTMLElement;
       kind = Object.getPrototypeOf(kind))
    if (kind.formAssociated === true || /internals/i.test(Function.prototype.toString.call(kind))) return true;
  return false;
})`;

/** How many elements a document has, and names of its custom ones. */
type Population = Pick<SnapshotReply, "elements" | "custom">;
type Call = Pick<Command, "tab" | "input" | "deadline">;

/** A document as the debugger reaches it: the content script's world and the page's own. */
interface Place {
  doc: Doc;
  session: Session;
  world: World;
  main: World;
  /** Under which the browser keeps the elements that are handed over. */
  objectGroup: string;
}

export class DebuggerFacts {
  readonly #queried = new WeakMap<Doc, Population>();
  /** Custom elements that use internals, by their names. */
  readonly #using = new WeakMap<Doc, readonly string[]>();
  /** By tab, the query under way. */
  readonly #queries = new Map<number, Promise<void>>();

  constructor(
    private readonly sessions: Pick<CdpSessions, "open">,
    private readonly debuggers: Pick<Debuggers, "isAttached">,
  ) {}

  /** Documents answered a snapshot: query what is new in them. */
  afterSnapshot(call: Call, populations: ReadonlyMap<Doc, Population>): void {
    const { tab } = call;
    if (!this.#mayQuery(call) || this.#queries.has(tab)) return;
    const docs = [...populations.keys()];
    const isNew = [...populations].some(([doc, now]) => isAnother(this.#queried.get(doc), now));
    if (isNew)
      for (const [doc, { elements, custom }] of populations) this.#queried.set(doc, { elements, custom });
    const renewed = isNew ? docs : docs.filter((doc) => this.#using.get(doc)?.length);
    if (!renewed.length) return;
    const query = this.#query(tab, renewed, isNew).finally(() => this.#queries.delete(tab));
    this.#queries.set(tab, query);
  }

  /** Query once more, and wait for it, what custom elements say at this moment: their states change unseen. */
  async renewInternals(call: Call, docs: readonly Doc[]): Promise<void> {
    const custom = docs.filter((doc) => this.#queried.get(doc)?.custom.length);
    if (!custom.length || !this.#mayQuery(call)) return;
    const renew = async (): Promise<void> => {
      await this.#queries.get(call.tab);
      const using = custom.filter((doc) => this.#using.get(doc)?.length);
      if (using.length) await this.#query(call.tab, using, false);
    };
    await within(renew(), Math.min(RENEWAL_MS, call.deadline.left()));
  }

  #mayQuery({ input, tab }: Call): boolean {
    return input === "trusted" || this.debuggers.isAttached(tab);
  }

  /** Query documents, and give their content scripts the answers; where the debugger refuses, snapshots do without. */
  async #query(tab: number, docs: readonly Doc[], listeners: boolean): Promise<void> {
    const deadline = new Deadline(MOST_MS, "querying what only the debugger sees");
    try {
      const sessions = await this.sessions.open(tab, deadline);
      await Promise.all(sessions.map((session) => this.#querySession(tab, session, docs, listeners)));
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
    } finally {
      deadline.close();
    }
  }

  async #querySession(
    tab: number,
    session: Session,
    docs: readonly Doc[],
    listeners: boolean,
  ): Promise<void> {
    const worlds = session.worlds.isolated(tab);
    const places = await Promise.all(worlds.map((world) => placeOf(tab, session, world, docs)));
    // A document's listeners include those of the documents in it, which are taken first.
    const inner = places.filter((place) => place !== null);
    inner.sort((a, b) => docs.indexOf(b.doc) - docs.indexOf(a.doc));
    const taken = new Set<number>();
    for (const place of inner) {
      await unlessGone(async () => {
        if (listeners) await queryListeners(place, taken);
        const { custom = [] } = this.#queried.get(place.doc) ?? {};
        const using = listeners ? await usingOf(place, custom) : this.#using.get(place.doc);
        this.#using.set(place.doc, using ?? []);
        if (using?.length) await queryInternals(place, using);
      });
    }
  }
}

let groups = 0;

/** The document that a world belongs to, where it is one of these. */
async function placeOf(
  tab: number,
  session: Session,
  world: World,
  docs: readonly Doc[],
): Promise<Place | null> {
  const main = session.worlds.main(tab, world);
  if (!main) return null;
  const key = await unlessGone(() => evaluate(session.send, KEY, world));
  const doc = docs.find((each) => each.key === key);
  return doc ? { doc, session, world, main, objectGroup: `skillbook-facts-${++groups}` } : null;
}

async function queryListeners(place: Place, taken: Set<number>): Promise<void> {
  const { session, main } = place;
  const found = await findListeners(session.send, main.uniqueId);
  const own = [...found].filter((backend) => !taken.has(backend));
  for (const backend of own) taken.add(backend);
  const handles = await Promise.all(own.map((backend) => resolve(place, backend)));
  await callIn(place, SET_LISTENERS, handles);
  release(place);
}

/** Which custom elements use internals. */
async function usingOf({ session, main }: Place, tags: readonly string[]): Promise<string[]> {
  if (!tags.length) return [];
  const found = await evaluate(session.send, `(${USES})(${JSON.stringify(tags)})`, main);
  return Array.isArray(found) ? found.filter((tag) => tags.includes(tag)) : [];
}

/** Query what custom elements say by their internals. */
async function queryInternals(place: Place, using: readonly string[]): Promise<void> {
  const { send } = place.session;
  const { result } = await callIn(place, ELEMENTS, [{ value: using }]);
  const members = { objectId: result.objectId, ownProperties: true };
  const listed = await send<{ result: Member[] }>("Runtime.getProperties", members);
  const elements = listed.result.flatMap(({ name, value }) =>
    /^\d+$/.test(name) && value?.objectId ? [{ objectId: value.objectId }] : [],
  );
  const facts = await Promise.all(elements.map((element) => factsOf(send, element)));
  await callIn(place, SET_INTERNALS, [{ value: facts }, ...elements]);
  release(place);
}

interface Member {
  name: string;
  value?: { objectId?: string };
}

async function factsOf(send: Send, element: object): Promise<InternalFacts | null> {
  const query = { ...element, fetchRelatives: false };
  return unlessGone(async () =>
    internalsOf((await send<{ nodes: AxNode[] }>("Accessibility.getPartialAXTree", query)).nodes),
  );
}

async function evaluate(send: Send, expression: string, { uniqueId }: World): Promise<unknown> {
  const query = { expression, uniqueContextId: uniqueId, returnByValue: true };
  return (await send<{ result: { value?: unknown } }>("Runtime.evaluate", query)).result.value;
}

async function resolve({ session, world, objectGroup }: Place, backendNodeId: number): Promise<object> {
  const query = { backendNodeId, executionContextId: world.id, objectGroup };
  const found = await unlessGone(() =>
    session.send<{ object: { objectId?: string } }>("DOM.resolveNode", query),
  );
  return found?.object.objectId ? { objectId: found.object.objectId } : { value: null };
}

/** Call a function in a content script's world. */
function callIn(
  { session, world, objectGroup }: Place,
  functionDeclaration: string,
  args: readonly object[],
): Promise<{ result: { objectId?: string } }> {
  const call = { functionDeclaration, executionContextId: world.id, objectGroup, arguments: args };
  return session.send("Runtime.callFunctionOn", call);
}

function release({ session, objectGroup }: Place): void {
  session.send("Runtime.releaseObjectGroup", { objectGroup }).catch(() => undefined);
}

/** Whether a document has much in it that was not there when it was queried. */
function isAnother(before: Population | undefined, now: Population): boolean {
  if (!before || now.elements >= before.elements * GROWTH) return true;
  return now.custom.some((tag) => !before.custom.includes(tag));
}

/** What is done with a document or element, or null where that goes away meanwhile: the others count all the same. */
async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.data.cdp !== undefined) return null;
    throw error;
  }
}
