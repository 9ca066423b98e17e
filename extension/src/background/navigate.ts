// Going to addresses and through a tab's history, and waiting for conditions.

import type { GotoParams, NavigationResult, WaitForParams, WaitForResult } from "../protocol/generated";
import { Failure } from "../shared/errors";
import { hasTrusted } from "./act";
import type { PageCall, Parts } from "./context";
import { Deadline } from "./deadline";
import { blockedBy } from "./dialogs";
import { checkUrl, type TabState } from "./navigations";
import { readVersion } from "./outcome";
import type { Doc } from "./registry";

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
  const opened = await parts.dialogs.opened.nextOr(({ tab }) => tab === call.tab, going).finally(stop);
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

function isOnItsWay(state: TabState): boolean {
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

const QUIET_MS = 500;
const LOOK_MS = 1_000;

export async function waitFor(parts: Parts, call: PageCall, params: WaitForParams): Promise<WaitForResult> {
  const began = performance.now();
  const { navigations } = parts;
  const { tab, deadline } = call;
  if (params.url != null) {
    const fits = urlMatcher(params.url);
    await currentUrl(parts, call);
    await navigations.until(tab, (state) => fits(state.url) && !isOnItsWay(state), deadline);
  } else if (params.load) {
    await navigations.until(tab, (state) => state.loaded && !isOnItsWay(state), deadline);
  } else if (params.idle) {
    await navigations.until(tab, (state) => state.loaded && !isOnItsWay(state), deadline);
    await waitIdle(parts, call);
  } else if (params.changed != null) {
    await waitChanged(parts, call, params.changed);
  } else {
    throw new Failure("invalid_params", "wait_for needs one of url, idle, load and changed.");
  }
  const version = sum(await readVersions(parts, call));
  return { url: await currentUrl(parts, call), version, elapsed_ms: performance.now() - began };
}

/** After a worker restart nothing has told the address yet. */
async function currentUrl(parts: Parts, call: PageCall): Promise<string> {
  const state = parts.navigations.state(call.tab);
  state.url ||= (await parts.tabs.get(call.tab)).url ?? "";
  return state.url;
}

/** A part of the address, or a glob over all of it. */
export function urlMatcher(pattern: string): (url: string) => boolean {
  if (!pattern.includes("*")) return (url) => url.includes(pattern);
  const parts = pattern.split(/\*+/).map((part) => part.replace(/[.+?^${}()|[\]\\]/g, "\\$&"));
  const glob = new RegExp(`^${parts.join(".*")}$`);
  return (url) => glob.test(url);
}

/** Until half a second went by without requests and without changes of the DOM. */
async function waitIdle(parts: Parts, call: PageCall): Promise<void> {
  const { tab, deadline, input } = call;
  const traffic = input === "trusted" && (await tryNetwork(parts, call));
  const open = new Set<string>();
  let busyAt = performance.now();
  const stop = parts.debuggers.events.on((event) => {
    if (event.tab !== tab || !event.method.startsWith("Network.")) return;
    busyAt = performance.now();
    const { requestId } = event.params;
    if (event.method === "Network.requestWillBeSent") open.add(requestId);
    else if (/^Network\.loading(Finished|Failed)$/.test(event.method)) open.delete(requestId);
  });
  try {
    for (;;) {
      const docs = await parts.documents.list(tab, deadline);
      const request = { op: "quiet", quiet_ms: QUIET_MS, timeout_ms: Math.round(deadline.left()) } as const;
      const readable = docs.filter((doc) => doc.problem === null && doc.frame !== null);
      const quiet = await Promise.all(
        readable.map((doc) => parts.documents.ask<{ quiet: boolean }>(doc, request, deadline)),
      );
      const silent = open.size === 0 && performance.now() - busyAt >= QUIET_MS * 0.9;
      if (quiet.every((each) => each.quiet) && (!traffic || silent)) return;
      deadline.check();
    }
  } finally {
    stop();
    if (traffic) parts.debuggers.send(tab, "Network.disable", {}, deadline).catch(() => undefined);
  }
}

async function tryNetwork(parts: Parts, call: PageCall): Promise<boolean> {
  const enabling = parts.debuggers.send(call.tab, "Network.enable", {}, call.deadline);
  return enabling.then(
    () => true,
    () => false,
  );
}

async function waitChanged(parts: Parts, call: PageCall, version: number): Promise<void> {
  const { tab, deadline } = call;
  for (;;) {
    const versions = await readVersions(parts, call);
    if (sum(versions) !== version) return;
    // In slices, since frames that come and go tell nobody.
    const slice = new Deadline(Math.min(deadline.left(), LOOK_MS), "a look at the page");
    const over = slice.over().catch(() => undefined);
    const timeout_ms = Math.round(slice.left());
    const asked = [...versions].map(([doc, known]) => {
      const request = { op: "changed", version: known, timeout_ms } as const;
      return parts.documents.ask(doc, request, slice).catch(() => over);
    });
    await parts.navigations.happened.nextOr((change) => change.tab === tab, Promise.race([over, ...asked]));
    slice.close();
    deadline.check();
  }
}

async function readVersions(parts: Parts, call: PageCall): Promise<Map<Doc, number>> {
  await parts.documents.main(call.tab, call.deadline);
  const known = parts.documents.known(call.tab);
  const found = await Promise.all(known.map((doc) => readVersion(parts, doc, call.deadline)));
  return new Map(known.map((doc, index) => [doc, found[index] ?? 0]));
}

function sum(versions: ReadonlyMap<Doc, number>): number {
  return [...versions.values()].reduce((total, version) => total + version, 0);
}
