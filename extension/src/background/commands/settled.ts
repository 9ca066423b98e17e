// Whether a page is at rest: what acts have caused, joined of what its documents mark and what the browser reports.

import type { OpenEffect, SettledParams, SettledResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS, FRAME_MS } from "../../shared/limits";
import type { DocumentCauses } from "../../shared/messages";
import type { Doc } from "../tabs/registry";
import { type CommandContext, callContent, type Services } from "./context";

/** The page marks what its own scripts request; the worker alone sees these. */
const OF_BROWSER: ReadonlySet<string> = new Set(["main_frame", "sub_frame", "script"]);
/** How often documents in which nothing is open are queried again. */
const MOST_AGAIN = 2;

/**
 * Documents get to know that a command begins to act in them, before what it sends them next. One of several may get the
 * page's own message about the act first, so that all are waited for where there are several.
 */
export async function announceAct(context: CommandContext, act: number, isPosted: boolean): Promise<void> {
  const { documents } = context.services;
  const known = documents.known(context.tab);
  const request = { op: "acts", act } as const;
  if (isPosted || known.length < 2) for (const doc of known) documents.post(doc, request);
  else {
    const announced = known.map((doc) => callContent(context, doc, request));
    await Promise.all(announced.map((each) => each.catch(ignoreUnlessOver(context))));
  }
}

/** The command is over. */
export function endAct({ services, tab }: CommandContext): void {
  for (const doc of services.documents.known(tab)) services.documents.post(doc, { op: "acts", act: null });
}

function ignoreUnlessOver({ deadline }: CommandContext): (error: unknown) => null {
  return (error) => {
    if (deadline.signal.aborted || !(error instanceof Failure)) throw error;
    return null;
  };
}

/** Documents get to know when scripts load because of an act: the page's own world can't tell whose these are. */
export function announceScripts({ documents, openRequests }: Services): void {
  openRequests.scripts.on(({ tab, act }) => {
    const request = { op: "caused", since: 0, timeout_ms: 0, scripts: act, shown: false } as const;
    for (const doc of documents.known(tab)) documents.post(doc, request);
  });
}

interface Open {
  waiting: OpenEffect[];
  never: OpenEffect[];
  script: boolean;
  /** How often code of acts ran in each of the documents. */
  runs: string;
  /** The documents in which something is open. */
  docs: Doc[];
}

/** Of each tab, how often code of acts had run when it was last at rest. */
const rested = new Map<number, string>();

/** Wait until nothing is open that acts have caused, or the budget is spent. */
export async function waitSettled(
  context: CommandContext,
  { since, need = "rest", budget_ms }: SettledParams,
): Promise<SettledResult> {
  const began = performance.now();
  const left = (): number => budget_ms - (performance.now() - began);
  // A page that answers nothing costs a moment more than the budget.
  const deadline = context.deadline.part(budget_ms + ALIVE_MS, "the page to come to rest");
  const within = { ...context, deadline };
  const { tabs, documents, navigations } = context.services;
  const given = Number(since ?? 1) || 1;
  // All that is in a document came after what was done before its load.
  const first = given < navigations.state(context.tab).committedAt ? 1 : given;
  const listed = documents.readable(context.tab, deadline);
  listed.catch(() => undefined); // it is awaited below
  const { active: shown } = await tabs.get(context.tab);
  let open: Open = { waiting: [], never: [], script: false, runs: "", docs: [] };
  let runs = rested.get(context.tab);
  let again = 0;
  try {
    const docs = await listed;
    // What a document renders after an act is there by its next frame: its first answer comes then. Of several, one may
    // send another a message meanwhile, so that all are queried again.
    const soon = docs.length > 1 ? 0 : Math.min(FRAME_MS, Math.max(0, Math.round(left())));
    open = await readOpen(within, first, shown, docs, soon);
    for (;;) {
      // What such code sent on its way, to another document or the browser, is there when they are queried again.
      // Where it runs in each frame, as of a clock, it is no sign of that.
      if (open.waiting.length) again = 0;
      else if (open.runs === runs || ++again > MOST_AGAIN) {
        const isAnswer = need === "answers";
        // The browser reports within this how a request ended that is over for the page.
        const soon = isAnswer ? left() : Math.min(FRAME_MS, left());
        const due = await untilReported(within, first, open, soon);
        if (isAnswer) open.waiting.push(...due);
        rested.set(context.tab, open.runs);
        break;
      }
      runs = open.runs;
      if (left() <= 0) break;
      if (open.waiting.length) await untilChanged(within, first, open.docs, left(), shown);
      open = await readOpen(within, first, shown, await documents.readable(context.tab, deadline));
    }
  } catch (error) {
    if (context.deadline.signal.aborted || !deadline.signal.aborted) throw error;
  } finally {
    deadline.close();
  }
  const { waiting, never, script } = open;
  return {
    state: waiting.length ? "waiting" : never.length ? "never" : "rest",
    waiting,
    never,
    waited_ms: Math.round(performance.now() - began),
    script,
  };
}

/**
 * How a request ended is known before what it was for is said to be over. What a page requests and never looks at, such
 * as a change that it shows at once, is an act's answer all the same; whoever reads doesn't wait for it.
 */
async function untilReported(
  context: CommandContext,
  first: number,
  open: Open,
  left: number,
): Promise<OpenEffect[]> {
  const standing = new Set(open.never.map(({ url }) => url));
  const due = (): OpenEffect[] =>
    context.services.openRequests
      .openSince(context.tab, first)
      .filter(({ type, url }) => type === "xmlhttprequest" && !standing.has(url))
      .map(viewOf);
  const until = performance.now() + left;
  while (until > performance.now() && due().length)
    await untilChanged(context, first, [], Math.max(1, until - performance.now()));
  return due();
}

async function readOpen(
  context: CommandContext,
  since: number,
  shown: boolean,
  docs: readonly Doc[],
  timeout_ms = 0,
): Promise<Open> {
  const { services, tab } = context;
  const scripts = services.openRequests.scriptsOf(tab);
  const request = { op: "caused", since, timeout_ms, scripts, shown } as const;
  const replies = await Promise.all(
    docs.map((doc) => callContent(context, doc, request).catch(ignoreUnlessOver(context))),
  );
  const known = replies.filter((reply): reply is DocumentCauses => reply !== null);
  const script = known.length > 0 && known.every((reply) => reply.script);
  const all = <Key extends "waiting" | "never">(key: Key): OpenEffect[] =>
    known.flatMap((reply) => reply[key]);
  return {
    waiting: [...openInBrowser(context, since, script), ...all("waiting")],
    never: all("never"),
    script,
    runs: docs.map(({ id }, index) => `${id} ${replies[index]?.runs ?? ""}`).join(),
    docs: docs.filter((_, index) => replies[index]?.waiting.length),
  };
}

/** What the browser has open because of acts. */
function openInBrowser({ services, tab }: CommandContext, since: number, script: boolean): OpenEffect[] {
  const state = services.navigations.state(tab);
  // What was on its way before isn't caused by these acts.
  const pending = [...state.pending].filter(([, { at }]) => at >= since);
  const going = pending.map(([frame, { url }]) => ({
    kind: "navigation",
    detail: frame === 0 ? "another page" : "a frame",
    url,
    age_ms: 0,
  }));
  const isLoading = !state.loaded && state.committedAt >= since;
  if (isLoading && !state.asksPassword && !state.pending.has(0))
    going.push({ kind: "load", detail: "the document", url: state.url, age_ms: 0 });
  const open = services.openRequests.openSince(tab, since);
  const requests = open.filter(({ type }) => !script || OF_BROWSER.has(type));
  return [...going, ...requests.map(viewOf)];
}

function viewOf({ method, url, at }: { method: string; url: string; at: number }): OpenEffect {
  const path = URL.canParse(url) ? new URL(url).pathname : url;
  const age_ms = Math.round(performance.now() - at);
  return { kind: "request", detail: `${method} ${path}`.slice(0, 80), url, age_ms };
}

/** Until a document is at rest, or the browser reports something. */
async function untilChanged(
  context: CommandContext,
  since: number,
  docs: readonly Doc[],
  left: number,
  shown = false,
): Promise<void> {
  const { services, tab, deadline } = context;
  const slice = deadline.part(Math.min(ALIVE_MS, left), "a slice of waiting");
  const over = slice.over().catch(() => undefined);
  const timeout_ms = Math.max(1, Math.round(slice.left()));
  const scripts = services.openRequests.scriptsOf(tab);
  const request = { op: "caused", since, timeout_ms, scripts, shown } as const;
  const rested = docs.map((doc) => services.documents.call(doc, request, slice).catch(() => over));
  const moved = services.navigations.happened.nextOr(
    (change) => change.tab === tab,
    Promise.race([over, ...rested]),
  );
  await services.openRequests.changed
    .nextOr((changed) => changed === tab, moved)
    .finally(() => slice.close());
  deadline.check();
}
