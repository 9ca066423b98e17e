// What pages' own scripts listen on: asked of the debugger while content scripts look, and told to them.

import { heardFrom } from "../../engine/cdp/heard";
import type { Send } from "../../engine/cdp/protocol";
import { Failure } from "../../shared/errors";
import type { Command } from "../commands/command";
import { Deadline, within } from "../deadline";
import type { CdpSessions, Session } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import type { Doc } from "../tabs/registry";
import type { World } from "../tabs/script_worlds";
import { resolveNode } from "./cdp_numbers";

/** How long a snapshot waits for them: of a document that was never asked, or is much another one by now; of others. */
const FIRST_MS = 3_000;
const NEXT_MS = 40;
/** A document is much another one when so many of its elements came since it was asked. */
const NEW_SHARE = 1 / 10;
const NEW_LEAST = 10;
/** A tab is asked for so much of the time only, at most so often, and at least every so often. */
const SHARE = 1 / 10;
const LEAST_PAUSE_MS = 60;
const MOST_PAUSE_MS = 5_000;
/** Scripts of a page that has just loaded add listeners to what is there already: so much time is taken in advance. */
const YOUNG_MS = 5_000;
const MOST_DEBT_MS = 1_000;
/** A tab that can't be debugged isn't asked for so long. */
const REFUSED_MS = 60_000;
const MOST_MS = 10_000;
const AT_ONCE = 250;
/** More elements than these are left for the next time. */
const MOST_NEW = 3_000;

/** Which document a content script's world belongs to, and how many elements came into it. */
const WHOSE = "(({ key, arrived } = {}) => ({ key, arrived }))(globalThis.skillbook)";
const HEAR = "function (on, ...elements) { return globalThis.skillbook.hear(elements, on); }";

interface Heard {
  /** Backend ids of elements that are listened on, as they were told to the document's content script. */
  backends: Set<number>;
  /** What the content script counted then. */
  count: number;
  /** How many elements had come into the document when it was asked last, and when it was asked first. */
  arrived: number;
  since: number;
}

/** What a document's content script says of its elements: how many there are, and how many came so far. */
export interface Population {
  elements: number;
  arrived: number;
}

interface TabState {
  docs: Map<string, Heard>;
  busy: Promise<void> | null;
  /** How long it took the last time, in milliseconds, and when that ended. */
  took: number;
  askedAt: number;
  /** Milliseconds that were taken in advance, at `askedAt`. */
  debt: number;
  /** It refused, and isn't asked before that. */
  refusedUntil: number;
}

interface Own {
  key?: string;
  arrived?: number;
}

interface Place {
  doc: Doc;
  world: World;
  session: Session;
  found: Set<number>;
  arrived: number;
  release(): void;
}

export class Listeners {
  readonly #tabs = new Map<number, TabState>();

  constructor(
    private readonly sessions: Pick<CdpSessions, "open">,
    private readonly debuggers: Pick<Debuggers, "isAttached">,
  ) {}

  /**
   * Look what is listened on and tell the content scripts; over when they know, or when that takes too long. Where no
   * element came since it was last looked, as far as is told, it is looked for the next time only.
   */
  async refresh(
    call: Pick<Command, "tab" | "input" | "deadline">,
    docs: readonly Doc[],
    populationOf: (doc: Doc) => Population | undefined = () => undefined,
  ): Promise<void> {
    const { tab, input } = call;
    if (input !== "trusted" && !this.debuggers.isAttached(tab)) return;
    const state = this.#state(tab);
    const asked = docs.filter((doc) => doc.problem === null);
    const isFirst = asked.some((doc) => !state.docs.has(doc.id));
    if (!state.busy && (isRefused(state) || !(isFirst || mayAsk(state)))) return;
    const asking = state.busy ?? this.#begin(tab, state, asked);
    const isFresh =
      !isFirst && asked.every((doc) => state.docs.get(doc.id)?.arrived === populationOf(doc)?.arrived);
    if (isFresh || (!isFirst && state.took > NEXT_MS)) return;
    await within(asking, Math.min(isFirst ? FIRST_MS : NEXT_MS, call.deadline.left()));
  }

  /** Whether to look while a snapshot is taken: not where that would only keep the page from answering it. */
  goesBeside(tab: number, docs: readonly Doc[], acted: boolean): boolean {
    const state = this.#tabs.get(tab);
    if (!state || docs.some((doc) => doc.problem === null && !state.docs.has(doc.id))) return true;
    return acted && state.took <= NEXT_MS;
  }

  /** Whether it may be looked again in a tab that a snapshot has asked for, though no snapshot asks now. */
  isDue(tab: number): boolean {
    const state = this.#tabs.get(tab);
    return state !== undefined && !state.busy && !isRefused(state) && mayAsk(state);
  }

  /** Ask once more, and wait for it, where documents that still build themselves are much other ones than were asked. */
  async catchUp(
    call: Pick<Command, "tab" | "deadline">,
    docs: readonly Doc[],
    populationOf: (doc: Doc) => Population | undefined,
  ): Promise<void> {
    const state = this.#tabs.get(call.tab);
    if (!state) return;
    const isBehind = (): boolean =>
      docs.some((doc) => {
        const heard = state.docs.get(doc.id);
        const now = populationOf(doc);
        if (!now) return false;
        if (!heard) return true;
        // Later on what comes is told by the next snapshot: a page in use shouldn't make each one wait.
        const isBuilding = performance.now() - heard.since < YOUNG_MS;
        return isBuilding && now.arrived - heard.arrived > Math.max(NEW_LEAST, now.elements * NEW_SHARE);
      });
    const end = performance.now() + Math.min(FIRST_MS, call.deadline.left());
    if (isBehind() && state.busy) await within(state.busy, end - performance.now());
    if (!isBehind() || state.busy || isRefused(state)) return;
    const asking = this.#begin(
      call.tab,
      state,
      docs.filter((doc) => doc.problem === null),
    );
    await within(asking, end - performance.now());
  }

  #begin(tab: number, state: TabState, docs: readonly Doc[]): Promise<void> {
    const began = performance.now();
    state.debt = debtOf(state);
    state.busy = this.#ask(tab, state, docs)
      .then(
        () => {
          state.took = performance.now() - began;
          state.debt += state.took;
        },
        (error) => {
          // Snapshots are whole but for such elements; what else can't be debugged tells why.
          if (!(error instanceof Failure)) throw error;
          const pause = error.data.detached || error.code === "timeout" ? MOST_PAUSE_MS : REFUSED_MS;
          state.refusedUntil = performance.now() + pause;
        },
      )
      .finally(() => {
        state.askedAt = performance.now();
        state.busy = null;
      });
    return state.busy;
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
      const never = Number.NEGATIVE_INFINITY;
      state = { docs: new Map(), busy: null, took: 0, askedAt: never, debt: 0, refusedUntil: never };
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
    const places = (await Promise.all(worlds.map((world) => look(tab, session, world, docs))))
      .filter((place) => place !== null)
      // What is told of a document is told of those in it too: inner ones take theirs first.
      .sort((a, b) => docs.indexOf(b.doc) - docs.indexOf(a.doc));
    const taken = new Set<number>();
    for (const place of places) {
      for (const backend of taken) place.found.delete(backend);
      for (const backend of place.found) taken.add(backend);
    }
    try {
      await Promise.all(places.map((place) => unlessGone(() => tell(place, state))));
    } finally {
      for (const { release } of places) release();
    }
  }
}

/** What is listened on in a world's document, or deeper; null where it isn't one of these documents, or has gone. */
async function look(
  tab: number,
  session: Session,
  world: World,
  docs: readonly Doc[],
): Promise<Place | null> {
  const { send } = session;
  const { uniqueId } = world;
  const main = session.worlds.main(tab, world);
  if (!main) return null;
  return unlessGone(async () => {
    const [own, { found, release }] = await Promise.all([
      evaluate(send, { expression: WHOSE, uniqueContextId: uniqueId, returnByValue: true }),
      heardFrom(send, main.uniqueId),
    ]);
    const { key, arrived = 0 } = own;
    const doc = docs.find((each) => each.key === key);
    if (doc) return { doc, world, session, found, arrived, release };
    release();
    return null;
  });
}

/** What is done with a document, or null where the document goes away meanwhile: the next one can be asked all the same. */
async function unlessGone<T>(work: () => Promise<T>): Promise<T | null> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && error.data.cdp !== undefined) return null;
    throw error;
  }
}

/** Tell a content script which elements are listened on that it doesn't know, and on which nothing listens now. */
async function tell({ doc, world, session, found, arrived }: Place, state: TabState): Promise<void> {
  let heard = state.docs.get(doc.id);
  if (!heard) {
    heard = { backends: new Set(), count: 0, arrived: 0, since: performance.now() };
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
  if (changes.length <= MOST_NEW) heard.arrived = arrived;
}

async function evaluate(send: Send, params: object): Promise<Own> {
  return (await send<{ result: { value?: Own } }>("Runtime.evaluate", params)).result.value ?? {};
}

/** What is left by now of the time that was taken in advance. */
function debtOf(state: TabState): number {
  return Math.max(0, state.debt - (performance.now() - state.askedAt) * SHARE);
}

function isRefused(state: TabState): boolean {
  return performance.now() < state.refusedUntil;
}

/** Whether a tab may be asked again though no snapshot needs it to be whole. */
function mayAsk(state: TabState): boolean {
  const now = performance.now();
  const pause = now - state.askedAt;
  if (pause < LEAST_PAUSE_MS) return false;
  if (pause >= MOST_PAUSE_MS) return true;
  const isYoung = [...state.docs.values()].some(({ since }) => now - since < YOUNG_MS);
  return isYoung ? debtOf(state) < MOST_DEBT_MS : debtOf(state) === 0;
}
