// Going to addresses and through a tab's history.

import type { GotoParams, NavigationResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { hasTrusted } from "../input/action";
import { blockedBy } from "../tabs/dialogs";
import { checkUrl, type TabState } from "../tabs/navigations";
import type { PageCall, Parts } from "./context";
import { failOnSilence } from "./unseen_dialog";

const BLANK = "about:blank";

export type LoadState = "load" | "dom" | "none";

export function go(parts: Parts, call: PageCall, params: GotoParams): Promise<NavigationResult> {
  const url = checkUrl(params.url);
  const start = async (): Promise<unknown> => {
    // Attached before the page runs, so that its dialogs and messages are seen.
    if (call.input === "trusted") await hasTrusted(parts, call);
    return parts.tabs.update(call.tab, { url });
  };
  // A new tab's own empty page may still be on its way.
  return navigate(
    parts,
    call,
    params.wait ?? "load",
    start,
    (begun) => (begun === BLANK) === (url === BLANK),
  );
}

export function goInHistory(
  parts: Parts,
  call: PageCall,
  to: "back" | "forward" | "reload",
  wait: LoadState = "load",
): Promise<NavigationResult> {
  return navigate(parts, call, wait, async () => {
    if (to === "reload") return parts.tabs.reload(call.tab);
    if (await hasTrusted(parts, call)) return stepInHistory(parts, call, to);
    const step = to === "back" ? parts.tabs.goBack(call.tab) : parts.tabs.goForward(call.tab);
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
async function stepInHistory(parts: Parts, call: PageCall, to: "back" | "forward"): Promise<void> {
  const { tab, deadline } = call;
  const history = await parts.debuggers.send<History>(tab, "Page.getNavigationHistory", {}, deadline);
  const entry = history.entries[history.currentIndex + (to === "back" ? -1 : 1)];
  if (!entry) throw noPage(to);
  await parts.debuggers.send(tab, "Page.navigateToHistoryEntry", { entryId: entry.id }, deadline);
}

function noPage(to: string): Failure {
  return new Failure("page_unreachable", `There is no page to go ${to} to.`, "use goto with an address");
}

/** Start a navigation and wait until the tab's main frame has got there. */
export async function navigate(
  parts: Parts,
  call: PageCall,
  wait: LoadState,
  start: () => Promise<unknown>,
  isOurs: (url: string) => boolean = () => true,
): Promise<NavigationResult> {
  const began = performance.now();
  const { navigations } = parts;
  const { moves, ...before } = navigations.state(call.tab);
  /** Failures before our navigation began; what ended until then was another one. */
  let failures: number | null = null;
  let landed = false;
  const stop = navigations.happened.on(({ tab, kind, event }) => {
    if (tab !== call.tab || event.frameId !== 0 || !isOurs(event.url)) return;
    if (kind === "before") failures = navigations.state(tab).failures;
    if (kind === "committed" && failures !== null) landed = true;
  });
  const arrived = (state: TabState): boolean => landed && !isOnItsWay(state);
  const failedSince = (state: TabState): boolean => state.failures > (failures ?? before.failures);
  const done = (state: TabState): boolean => {
    if (failedSince(state) && !state.pending.has(0)) return true;
    if (state.moves > moves && failures === null) return true;
    return arrived(state) && (wait === "none" || (wait === "dom" ? state.dom : state.loaded));
  };
  const going = call.deadline.race(start()).then(() => navigations.until(call.tab, done, call.deadline));
  const loaded = new AbortController();
  const committed = navigations.until(call.tab, () => landed, call.deadline);
  const silent = committed.then(() => failOnSilence(parts, call, loaded.signal)).then(() => going);
  const ended = Promise.race([going, silent]);
  const opened = await parts.dialogs.opened
    .nextOr(({ tab }) => tab === call.tab, ended)
    .finally(() => {
      stop();
      loaded.abort();
    });
  if (opened) throw blockedBy(opened.dialog);
  const state = navigations.state(call.tab);
  if (failedSince(state) && !arrived(state)) throw failed(state);
  const tab = await parts.tabs.get(call.tab);
  return {
    url: state.url,
    title: tab.title ?? "",
    status: await statusOf(parts, call),
    elapsed_ms: performance.now() - began,
  };
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

async function statusOf(parts: Parts, call: PageCall): Promise<number | null> {
  try {
    return (await parts.documents.main(call.tab, call.deadline)).status || null;
  } catch (error) {
    // The page may have gone on already, or no script can run there: the navigation itself went well.
    if (error instanceof Failure && !call.deadline.signal.aborted) return null;
    throw error;
  }
}
