// Waiting for conditions.

import type { WaitForParams, WaitForResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { Deadline } from "../deadline";
import type { Doc } from "../tabs/registry";
import type { PageCall, Parts } from "./context";
import { evaluateInPage } from "./evaluate";
import { isOnItsWay } from "./goto";
import { readVersion } from "./outcome";

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
  } else if (params.idle || params.quiet) {
    await navigations.until(tab, (state) => state.loaded && !isOnItsWay(state), deadline);
    await waitIdle(parts, call, params.idle === true);
  } else if (params.function != null) {
    await waitTrue(parts, call, params.function);
  } else if (params.changed != null) {
    await waitChanged(parts, call, params.changed);
  } else {
    throw new Failure(
      "invalid_params",
      "wait_for needs one of url, idle, quiet, load, function and changed.",
    );
  }
  return { url: await currentUrl(parts, call), elapsed_ms: performance.now() - began };
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

/** Until half a second went by without changes of the DOM and, where they count, without requests. */
async function waitIdle(parts: Parts, call: PageCall, network: boolean): Promise<void> {
  const { tab, deadline, input } = call;
  const traffic = network && input === "trusted" && (await tryNetwork(parts, call));
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

/** Until an expression's value is true; a document that goes away takes the question with it. */
async function waitTrue(parts: Parts, call: PageCall, expression: string): Promise<void> {
  for (;;) {
    const slice_ms = Math.min(LOOK_MS, Math.max(1, call.deadline.left()));
    // Asked with every frame, and where none comes ten times a second.
    const poll = `(async () => {
      const end = performance.now() + ${slice_ms};
      const test = () => (${expression});
      for (;;) {
        let value = test();
        value = await (typeof value === "function" ? value() : value);
        if (value || performance.now() >= end) return Boolean(value);
        await new Promise((resolve) => { setTimeout(resolve, 100); requestAnimationFrame(resolve); });
      }
    })()`;
    const found = await evaluateInPage(parts, call, poll).catch((error) => {
      if (error instanceof Failure && /context was destroyed|navigated|Cannot find/i.test(error.message))
        return false;
      throw error;
    });
    if (found === true) return;
    call.deadline.check();
  }
}

/** Until a document that the kernel saw has another version or is gone, or a new one is there. */
async function waitChanged(parts: Parts, call: PageCall, seen: Record<string, number>): Promise<void> {
  const { tab, deadline } = call;
  let first: ReadonlySet<string> | null = null;
  for (;;) {
    const versions = await readVersions(parts, call);
    const now = new Map([...versions].map(([doc, version]) => [doc.key, version]));
    // Documents that the kernel's picture leaves out are no news by being there.
    first ??= new Set(now.keys());
    const known = first;
    if (Object.entries(seen).some(([key, version]) => now.get(key) !== version)) return;
    if ([...now.keys()].some((key) => !known.has(key))) return;
    // In slices, since frames that come and go tell nobody.
    const slice = new Deadline(Math.min(deadline.left(), LOOK_MS), "a look at the page");
    const over = slice.over().catch(() => undefined);
    const timeout_ms = Math.round(slice.left());
    const asked = [...versions].map(([doc, version]) => {
      const request = { op: "changed", version, timeout_ms } as const;
      return parts.documents.ask(doc, request, slice).catch(() => over);
    });
    const moved = parts.navigations.happened.nextOr(
      (change) => change.tab === tab,
      Promise.race([over, ...asked]),
    );
    await deadline.race(moved).finally(() => slice.close());
  }
}

async function readVersions(parts: Parts, call: PageCall): Promise<Map<Doc, number>> {
  await parts.documents.main(call.tab, call.deadline);
  const known = parts.documents.known(call.tab);
  const found = await Promise.all(known.map((doc) => readVersion(parts, doc, call.deadline)));
  return new Map(known.map((doc, index) => [doc, found[index] ?? 0]));
}
