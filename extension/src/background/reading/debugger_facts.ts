// What only the debugger sees of a document's elements: which scripts listen on, and what custom elements say by
// `ElementInternals`. The worker queries it once a document, after the document's first snapshot, and again when the
// document grew by a third. No snapshot waits for it: what it adds is in the next one.
//
// Not found: what scripts begin to listen on later without adding elements, and what they listen on by delegation.

import { internalsOf } from "../../engine/cdp/ax";
import { findListeners } from "../../engine/cdp/event_listeners";
import type { AxNode } from "../../engine/cdp/protocol";
import type { Welcome } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { CLOCK_MS, STANDING_MS } from "../../shared/limits";
import type { InternalFacts, SnapshotReply } from "../../shared/messages";
import { Deadline, within } from "../deadline";
import type { CdpSessions } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import {
  callIn,
  type DocumentWorlds,
  evaluateIn,
  handlesOf,
  unlessGone,
  withObjects,
  worldsOf,
} from "../tabs/document_worlds";
import type { Doc } from "../tabs/registry";

/** A document is queried again when it has so many times the elements that it had. */
const GROWTH = 4 / 3;

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

/** The command in whose course the debugger is queried. */
interface Call {
  tab: number;
  input: Welcome["input"];
  deadline: Deadline;
}

/** What a document was like when it was queried, and which of its custom elements use internals. */
interface Queried extends Population {
  using: readonly string[];
}

export class DebuggerFacts {
  readonly #queried = new WeakMap<Doc, Queried>();
  /** By tab, the query under way. */
  readonly #queries = new Map<number, Promise<void>>();

  constructor(
    private readonly sessions: Pick<CdpSessions, "open">,
    private readonly debuggers: Pick<Debuggers, "isAttached">,
  ) {}

  /** Documents answered a snapshot: query what is new in them. */
  afterSnapshot(call: Call, populations: ReadonlyMap<Doc, Population>): void {
    if (!this.#mayQuery(call) || this.#queries.has(call.tab)) return;
    const isNew = [...populations].some(([doc, now]) => isAnother(this.#queried.get(doc), now));
    if (isNew)
      for (const [doc, { elements, custom }] of populations)
        this.#queried.set(doc, { elements, custom, using: this.#queried.get(doc)?.using ?? [] });
    const docs = [...populations.keys()];
    void this.#query(call.tab, isNew ? docs : this.#using(docs), isNew);
  }

  /** Query once more, and wait for it, what custom elements say at this moment: their states change unseen. */
  async renewInternals(call: Call, docs: readonly Doc[]): Promise<void> {
    const custom = docs.filter((doc) => this.#queried.get(doc)?.custom.length);
    if (!custom.length || !this.#mayQuery(call)) return;
    const underWay = this.#queries.get(call.tab) ?? Promise.resolve();
    const renewal = underWay.then(() => this.#query(call.tab, this.#using(custom), false));
    // How long a command waits for what custom elements say at that moment.
    await within(renewal, Math.min(CLOCK_MS, call.deadline.left()));
  }

  /** Whether it is known which of these custom elements of a document use internals, as far as that can be. */
  knows(call: Call, doc: Doc, custom: readonly string[]): boolean {
    const known = this.#queried.get(doc)?.custom ?? [];
    return !this.#mayQuery(call) || custom.every((tag) => known.includes(tag));
  }

  #mayQuery({ input, tab }: Call): boolean {
    return input === "trusted" || this.debuggers.isAttached(tab);
  }

  #using(docs: readonly Doc[]): Doc[] {
    return docs.filter((doc) => this.#queried.get(doc)?.using.length);
  }

  /** Query documents, and give their content scripts the answers; where the debugger refuses, snapshots do without. */
  #query(tab: number, docs: readonly Doc[], listeners: boolean): Promise<void> {
    if (!docs.length) return Promise.resolve();
    const deadline = new Deadline(STANDING_MS, "querying what only the debugger sees");
    const query = this.sessions
      .open(tab, deadline)
      .then((sessions) => worldsOf(sessions, docs))
      .then((places) => this.#queryAll(places, docs, listeners))
      .catch((error) => {
        if (!(error instanceof Failure)) throw error;
      })
      .finally(() => {
        deadline.close();
        this.#queries.delete(tab);
      });
    this.#queries.set(tab, query);
    return query;
  }

  async #queryAll(
    places: readonly DocumentWorlds[],
    docs: readonly Doc[],
    listeners: boolean,
  ): Promise<void> {
    const taken = new Set<string>();
    // A document's listeners include those of the documents in it, which are taken first.
    for (const place of [...places].sort((a, b) => docs.indexOf(b.doc) - docs.indexOf(a.doc)))
      await unlessGone(async () => {
        const queried = this.#queried.get(place.doc);
        if (!queried) return;
        if (listeners) {
          await queryListeners(place, taken);
          queried.using = await usingOf(place, queried.custom);
        }
        if (queried.using.length) await queryInternals(place, queried.using);
      });
  }
}

/** Give a content script what its document's scripts listen on, but for `taken`: elements of inner documents. */
async function queryListeners(place: DocumentWorlds, taken: Set<string>): Promise<void> {
  const { send, session, main } = place;
  if (!main) return;
  const inSession = (backend: number): string => `${session.id}/${backend}`;
  const found = [...(await findListeners(send, main.uniqueId))].filter((each) => !taken.has(inSession(each)));
  for (const backend of found) taken.add(inSession(backend));
  await withObjects(send, async (group) =>
    callIn(place, SET_LISTENERS, await handlesOf(place, found, group)),
  );
}

/** Which custom elements use internals. */
async function usingOf({ send, main }: DocumentWorlds, tags: readonly string[]): Promise<string[]> {
  if (!tags.length || !main) return [];
  const found = await evaluateIn(send, main, `(${USES})(${JSON.stringify(tags)})`);
  return Array.isArray(found) ? found.filter((tag) => tags.includes(tag)) : [];
}

/** Query what custom elements say by their internals. */
function queryInternals(place: DocumentWorlds, using: readonly string[]): Promise<unknown> {
  const { send } = place;
  return withObjects(send, async (objectGroup) => {
    const { objectId } = await callIn(place, ELEMENTS, [{ value: using }], { objectGroup });
    const listed = await send<{ result: Member[] }>("Runtime.getProperties", {
      objectId,
      ownProperties: true,
    });
    const elements = listed.result.flatMap(({ name, value }) =>
      /^\d+$/.test(name) && value?.objectId ? [{ objectId: value.objectId }] : [],
    );
    const facts = await Promise.all(elements.map((element) => factsOf(place, element)));
    await callIn(place, SET_INTERNALS, [{ value: facts }, ...elements]);
  });
}

interface Member {
  name: string;
  value?: { objectId?: string };
}

async function factsOf({ send }: DocumentWorlds, element: object): Promise<InternalFacts | null> {
  const query = { ...element, fetchRelatives: false };
  return unlessGone(async () =>
    internalsOf((await send<{ nodes: AxNode[] }>("Accessibility.getPartialAXTree", query)).nodes),
  );
}

/** Whether a document has much in it that was not there when it was queried. */
function isAnother(before: Population | undefined, now: Population): boolean {
  if (!before || now.elements >= before.elements * GROWTH) return true;
  return now.custom.some((tag) => !before.custom.includes(tag));
}
