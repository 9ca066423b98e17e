// Waiting for conditions.

import type { WaitForParams, WaitForResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS } from "../../shared/limits";
import { Deadline } from "../deadline";
import type { TabState } from "../tabs/navigations";
import type { Doc } from "../tabs/registry";
import type { CommandContext } from "./context";
import { evaluateInPage } from "./evaluate";
import { isOnItsWay } from "./goto";

export async function waitFor(context: CommandContext, params: WaitForParams): Promise<WaitForResult> {
  const began = performance.now();
  const { tab, deadline } = context;
  const { navigations } = context.services;
  const isThere = (state: TabState): boolean => state.loaded && !isOnItsWay(state);
  if (params.url != null) {
    const fits = urlMatcher(params.url);
    await currentUrl(context);
    await navigations.until(tab, (state) => fits(state.url) && !isOnItsWay(state), deadline);
  } else if (params.load) {
    await navigations.until(tab, isThere, deadline);
  } else if (params.function != null) {
    await waitTrue(context, params.function);
  } else if (params.changed != null) {
    await waitChanged(context, params.changed);
  } else {
    const text = "wait_for needs one of url, load, function and changed.";
    throw new Failure("invalid_params", text);
  }
  return { url: await currentUrl(context), elapsed_ms: performance.now() - began };
}

/** After a worker restart no event has said the address yet. */
async function currentUrl(context: CommandContext): Promise<string> {
  const { services, tab } = context;
  const state = services.navigations.state(tab);
  state.url ||= (await services.tabs.get(tab)).url ?? "";
  return state.url;
}

/** A part of the address, or a glob over all of it. */
export function urlMatcher(pattern: string): (url: string) => boolean {
  if (!pattern.includes("*")) return (url) => url.includes(pattern);
  const parts = pattern.split("*");
  return (url) => hasParts(url, parts);
}

/**
 * Whether a text is these parts in their order with anything between them. Each part is taken where it comes first: a
 * regular expression of eight stars backtracks for hours.
 */
function hasParts(text: string, parts: readonly string[]): boolean {
  const first = parts.at(0) ?? "";
  const last = parts.at(-1) ?? "";
  if (text.length < first.length + last.length || !text.startsWith(first) || !text.endsWith(last))
    return false;
  const end = text.length - last.length;
  let at = first.length;
  for (const part of parts.slice(1, -1)) {
    const found = text.indexOf(part, at);
    if (found < 0 || found + part.length > end) return false;
    at = found + part.length;
  }
  return true;
}

/** Until an expression's value is true; a document that goes away ends the evaluation. */
async function waitTrue(context: CommandContext, expression: string): Promise<void> {
  for (;;) {
    const slice_ms = Math.min(ALIVE_MS, Math.max(1, context.deadline.left()));
    // With every frame, and where none is rendered ten times a second.
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
    const found = await evaluateInPage(context, poll).catch((error) => {
      if (error instanceof Failure && /context was destroyed|navigated|Cannot find/i.test(error.message))
        return false;
      throw error;
    });
    if (found === true) return;
    context.deadline.check();
  }
}

/** Documents that were reported to a kernel though its snapshot doesn't have them. */
const reported = new WeakSet<Doc>();

/** Until a document that the kernel saw has another version or is gone, or a new one is there. */
async function waitChanged(context: CommandContext, seen: Record<string, number>): Promise<void> {
  const { services, tab, deadline } = context;
  const { documents, navigations } = services;
  let first: ReadonlySet<string> | null = null;
  for (;;) {
    const versions = await readVersions(context);
    const now = new Map([...versions].map(([doc, version]) => [doc.key, version]));
    first ??= new Set(now.keys());
    const known = first;
    if (Object.entries(seen).some(([key, version]) => now.get(key) !== version)) return;
    // One that the kernel's snapshot leaves out may have come after it, and may be one that no snapshot has: it is news
    // once.
    const left = [...versions.keys()].filter((doc) => !(doc.key in seen) && !reported.has(doc));
    for (const doc of left) reported.add(doc);
    if (left.length || [...now.keys()].some((key) => !known.has(key))) return;
    // In slices, since nobody reports frames that come and go.
    const slice = new Deadline(Math.min(deadline.left(), ALIVE_MS), "a slice of waiting");
    const over = slice.over().catch(() => undefined);
    const timeout_ms = Math.round(slice.left());
    const changes = [...versions].map(([doc, version]) => {
      const request = { op: "changed", version, timeout_ms } as const;
      return documents.call(doc, request, slice).catch(() => over);
    });
    const moved = navigations.happened.nextOr(
      (change) => change.tab === tab,
      Promise.race([over, ...changes]),
    );
    await deadline.race(moved).finally(() => slice.close());
  }
}

async function readVersions({ services, tab, deadline }: CommandContext): Promise<Map<Doc, number>> {
  await services.documents.main(tab, deadline);
  const known = services.documents.known(tab);
  const found = await Promise.all(known.map((doc) => services.documents.readVersion(doc, deadline)));
  return new Map(known.map((doc, index) => [doc, found[index] ?? 0]));
}
