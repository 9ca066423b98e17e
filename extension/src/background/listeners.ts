// What pages' own scripts listen on: asked of the debugger while content scripts look, and told to them.

import { heardFrom } from "../engine/cdp/heard";
import type { Send } from "../engine/cdp/protocol";
import { Failure } from "../shared/errors";
import { resolveNode } from "./cdp_numbers";
import type { CdpSessions, Session } from "./cdp_sessions";
import type { PageCall } from "./context";
import { Deadline, within } from "./deadline";
import type { Debuggers } from "./debuggers";
import type { World } from "./handles";
import type { Doc } from "./registry";

/** How long a snapshot waits for them, of a document that was never asked and of others. */
const FIRST_MS = 400;
const NEXT_MS = 40;
/** A tab is asked for so much of the time only, and so often. */
const SHARE = 1 / 20;
const LEAST_PAUSE_MS = 60;
const MOST_PAUSE_MS = 5_000;
/** A tab that can't be debugged isn't asked for so long. */
const REFUSED_MS = 60_000;
const MOST_MS = 10_000;
const AT_ONCE = 250;
/** More elements than these are left for the next time. */
const MOST_NEW = 3_000;

const HEAR = "function (on, ...elements) { return globalThis.skillbook.hear(elements, on); }";

interface Heard {
  /** Backend ids of elements that are listened on, as they were told to the document's content script. */
  backends: Set<number>;
  /** What the content script counted then. */
  count: number;
}

interface TabState {
  docs: Map<string, Heard>;
  keys: Map<string, string>;
  busy: Promise<void> | null;
  /** Not asked again before that. */
  until: number;
}

interface Place {
  doc: Doc;
  world: World;
  session: Session;
  found: Set<number>;
}

export class Listeners {
  readonly #tabs = new Map<number, TabState>();

  constructor(
    private readonly sessions: Pick<CdpSessions, "open">,
    private readonly debuggers: Pick<Debuggers, "isAttached">,
  ) {}

  /** Look what is listened on and tell the content scripts; over when they know, or when that takes too long. */
  async refresh(call: Pick<PageCall, "tab" | "input" | "deadline">, docs: readonly Doc[]): Promise<void> {
    const { tab, input } = call;
    if (input !== "trusted" && !this.debuggers.isAttached(tab)) return;
    const state = this.#state(tab);
    const asked = docs.filter((doc) => doc.problem === null);
    const isFirst = asked.some((doc) => !state.docs.has(doc.id));
    const now = performance.now();
    if (!state.busy) {
      if (now < state.until && !(isFirst && state.docs.size)) return;
      state.busy = this.#ask(tab, state, asked)
        .then(
          () => Math.min(MOST_PAUSE_MS, Math.max(LEAST_PAUSE_MS, (performance.now() - now) / SHARE)),
          (error) => {
            // Snapshots are whole but for such elements; what else can't be debugged tells why.
            if (!(error instanceof Failure)) throw error;
            return error.data.detached || error.code === "timeout" ? MOST_PAUSE_MS : REFUSED_MS;
          },
        )
        .then((pause) => {
          state.until = performance.now() + pause;
        })
        .finally(() => {
          state.busy = null;
        });
    }
    await within(state.busy, Math.min(isFirst ? FIRST_MS : NEXT_MS, call.deadline.left()));
  }

  /** Whether a snapshot of the tab has asked for them, and the debugger is still there to answer. */
  isWatched(tab: number): boolean {
    return this.#tabs.has(tab) && this.debuggers.isAttached(tab);
  }

  /** How much a document's content script has been told of. */
  countOf(doc: Doc): number {
    return this.#tabs.get(doc.tab)?.docs.get(doc.id)?.count ?? 0;
  }

  /** The tab is gone, or no longer shared. */
  forget(tab: number): void {
    this.#tabs.delete(tab);
  }

  #state(tab: number): TabState {
    let state = this.#tabs.get(tab);
    if (!state) {
      state = { docs: new Map(), keys: new Map(), busy: null, until: 0 };
      this.#tabs.set(tab, state);
    }
    return state;
  }

  async #ask(tab: number, state: TabState, docs: readonly Doc[]): Promise<void> {
    const deadline = new Deadline(MOST_MS, "looking for listeners");
    try {
      const sessions = await this.sessions.open(tab, deadline);
      await Promise.all(sessions.map((session) => this.#askSession(tab, state, session, docs)));
      const alive = new Set(docs.map((doc) => doc.id));
      for (const id of state.docs.keys()) if (!alive.has(id)) state.docs.delete(id);
    } finally {
      deadline.close();
    }
  }

  async #askSession(tab: number, state: TabState, session: Session, docs: readonly Doc[]): Promise<void> {
    const worlds = session.worlds.isolated(tab);
    const places = (await Promise.all(worlds.map((world) => look(tab, session, world, state, docs))))
      .filter((place) => place !== null)
      // What is told of a document is told of those in it too: inner ones take theirs first.
      .sort((a, b) => docs.indexOf(b.doc) - docs.indexOf(a.doc));
    const taken = new Set<number>();
    for (const place of places) {
      for (const backend of taken) place.found.delete(backend);
      for (const backend of place.found) taken.add(backend);
    }
    await Promise.all(places.map((place) => tell(place, state)));
  }
}

/** What is listened on in a world's document, or deeper; null where it isn't one of these documents, or has gone. */
async function look(
  tab: number,
  session: Session,
  world: World,
  state: TabState,
  docs: readonly Doc[],
): Promise<Place | null> {
  const { send } = session;
  const { uniqueId } = world;
  const main = session.worlds.main(tab, world);
  if (!main) return null;
  try {
    const ask = { expression: "globalThis.skillbook?.key ?? null", uniqueContextId: uniqueId };
    const [key, found] = await Promise.all([
      state.keys.get(uniqueId) ?? evaluate(send, { ...ask, returnByValue: true }).then(({ value }) => value),
      heardFrom(send, main.uniqueId),
    ]);
    const doc = docs.find((each) => each.key === key);
    if (!doc) return null;
    state.keys.set(uniqueId, doc.key);
    return { doc, world, session, found };
  } catch (error) {
    if (error instanceof Failure && error.data.cdp !== undefined) return null;
    throw error;
  }
}

/** Tell a content script which elements are listened on that it doesn't know, and on which nothing listens now. */
async function tell({ doc, world, session, found }: Place, state: TabState): Promise<void> {
  let heard = state.docs.get(doc.id);
  if (!heard) {
    heard = { backends: new Set(), count: 0 };
    state.docs.set(doc.id, heard);
  }
  const { backends } = heard;
  const on = [...found].filter((backend) => !backends.has(backend));
  const off = [...backends].filter((backend) => !found.has(backend));
  const changes = [...on.map((one) => [one, true] as const), ...off.map((one) => [one, false] as const)];
  for (let from = 0; from < Math.min(changes.length, MOST_NEW); from += AT_ONCE) {
    const part = changes.slice(from, from + AT_ONCE);
    const objectGroup = `skillbook-heard-${doc.id}-${from}`;
    const place = { executionContextId: world.id, objectGroup };
    const handles = await Promise.all(
      part.map(([backendNodeId]) => resolveNode(session.send, { ...place, backendNodeId })),
    );
    const call = {
      functionDeclaration: HEAR,
      executionContextId: world.id,
      arguments: [{ value: part.map(([, listens]) => listens) }, ...handles],
      returnByValue: true,
    };
    const { result } = await session.send<{ result: { value: number } }>("Runtime.callFunctionOn", call);
    session.send("Runtime.releaseObjectGroup", { objectGroup }).catch(() => undefined);
    heard.count = result.value;
    for (const [backend, listens] of part) {
      if (listens) backends.add(backend);
      else backends.delete(backend);
    }
  }
}

async function evaluate(send: Send, params: object): Promise<{ value?: string }> {
  return (await send<{ result: { value?: string } }>("Runtime.evaluate", params)).result;
}
