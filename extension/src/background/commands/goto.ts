// Going to addresses and through a tab's history.

import type { GotoParams, NavigationResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { hasTrusted } from "../input/action";
import { blockedBy } from "../tabs/dialogs";
import { checkUrl, type TabState } from "../tabs/navigations";
import { type CommandContext, sendCdp } from "./context";
import { failOnSilence } from "./handle_dialog";

const BLANK = "about:blank";

type LoadState = "load" | "dom" | "none";

export function go(context: CommandContext, params: GotoParams): Promise<NavigationResult> {
  const url = checkUrl(params.url);
  const start = async (): Promise<unknown> => {
    // Attached before the page runs, so that its dialogs and messages are seen.
    await hasTrusted(context);
    await context.services.requests.goes(context.tab, url);
    return context.services.tabs.update(context.tab, { url });
  };
  // The empty page of a new tab may still be on its way.
  const isOurs = (begun: string): boolean => (begun === BLANK) === (url === BLANK);
  return navigate(context, params.wait ?? "load", start, isOurs);
}

export function goInHistory(
  context: CommandContext,
  to: "back" | "forward" | "reload",
  wait: LoadState = "load",
): Promise<NavigationResult> {
  const { tabs } = context.services;
  return navigate(context, wait, async () => {
    if (to === "reload") return tabs.reload(context.tab);
    if (await hasTrusted(context)) return stepInHistory(context, to);
    const step = to === "back" ? tabs.goBack(context.tab) : tabs.goForward(context.tab);
    return step.catch(() => {
      throw noPage(to);
    });
  });
}

interface History {
  currentIndex: number;
  entries: { id: number }[];
}

/** The very next entry: the tabs API passes over pages that saw no user gesture, as the browser's button does. */
async function stepInHistory(context: CommandContext, to: "back" | "forward"): Promise<void> {
  const history = await sendCdp<History>(context, "Page.getNavigationHistory");
  const entry = history.entries[history.currentIndex + (to === "back" ? -1 : 1)];
  if (!entry) throw noPage(to);
  await sendCdp(context, "Page.navigateToHistoryEntry", { entryId: entry.id });
}

function noPage(to: string): Failure {
  return new Failure(
    "page_unreachable",
    `There is no page to go ${to} to.`,
    "use goto with an address",
    {},
    false,
  );
}

/** Start a navigation and wait until the tab's main frame has got there. */
async function navigate(
  context: CommandContext,
  wait: LoadState,
  start: () => Promise<unknown>,
  isOurs: (url: string) => boolean = () => true,
): Promise<NavigationResult> {
  const began = performance.now();
  const { services, tab, deadline } = context;
  const { navigations, dialogs } = services;
  const { moves, ...before } = navigations.state(tab);
  /** Failures before our navigation began; what ended until then was another one. */
  let failures: number | null = null;
  let landed = false;
  const stop = navigations.happened.on(({ tab: one, kind, event }) => {
    if (one !== tab || event.frameId !== 0 || !isOurs(event.url)) return;
    if (kind === "before") failures = navigations.state(tab).failures;
    if (kind === "committed" && failures !== null) landed = true;
  });
  const arrived = (state: TabState): boolean => landed && !isOnItsWay(state);
  const failedSince = (state: TabState): boolean => state.failures > (failures ?? before.failures);
  const done = (state: TabState): boolean => {
    if (failedSince(state) && !state.pending.has(0)) return true;
    if (state.moves > moves && failures === null) return true;
    return arrived(state) && (wait === "none" || (wait === "dom" ? state.dom : isLoaded(state)));
  };
  const late = (error: unknown): never => {
    if (landed && error instanceof Failure && error.code === "timeout")
      throw stillLoading(error, navigations.state(tab));
    throw error;
  };
  const going = deadline.race(start()).then(() => navigations.until(tab, done, deadline));
  const loaded = new AbortController();
  const committed = navigations.until(tab, () => landed, deadline);
  const silent = committed.then(() => failOnSilence(context, loaded.signal)).then(() => going);
  const ended = Promise.race([going, silent]).then(() => null);
  const asked = services.requests.asking.nextOr((id) => id === tab, ended);
  const opened = await dialogs.opened
    .nextOr((one) => one.tab === tab, asked)
    .catch(late)
    .finally(() => {
      stop();
      loaded.abort();
    });
  if (opened !== null && typeof opened === "object") throw blockedBy(opened.dialog);
  const state = navigations.state(tab);
  const isAsked = opened !== null;
  if (!isAsked && failedSince(state) && !arrived(state)) throw failed(state);
  const { title } = await services.tabs.get(tab);
  return {
    url: state.url,
    title: title ?? "",
    status: isAsked ? null : await statusOf(context),
    elapsed_ms: performance.now() - began,
    awaits_decision: isAsked,
  };
}

/** The page is there, and its time is over: that is what the caller has to know, whatever was done last. */
function stillLoading(error: Failure, state: TabState): Failure {
  const what = state.dom ? "images, frames or scripts of" : "the rest of";
  const text = `${state.url} is there, and is still loading: ${what} it didn't arrive in time`;
  return new Failure("timeout", text, "work with what has loaded, or go there with wait='dom'", {
    ...error.data,
    loading: true,
  });
}

/** Nobody may ever answer the browser's question for a name and a password of an image or the like. */
function isLoaded(state: TabState): boolean {
  return state.loaded || (state.dom && state.asksPassword);
}

export function isOnItsWay(state: TabState): boolean {
  return state.pending.get(0)?.committed === false;
}

function failed(state: TabState): Failure {
  const error = state.error ?? "net::ERR_FAILED";
  if (error === "net::ERR_ABORTED") {
    const text = "The address led to no page: a download, an empty answer, or a navigation that was stopped.";
    return new Failure("page_unreachable", text, "look at the page with a snapshot", { net: error });
  }
  return new Failure("page_unreachable", `The page did not load: ${error}`, "", { net: error });
}

async function statusOf({ services, tab, deadline }: CommandContext): Promise<number | null> {
  try {
    return (await services.documents.main(tab, deadline)).status || null;
  } catch (error) {
    // The page may have gone on already, or no script can run there: the navigation itself went well.
    if (error instanceof Failure && !deadline.signal.aborted) return null;
    throw error;
  }
}
