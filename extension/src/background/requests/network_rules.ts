// What a person wants requests of a tab to be answered with, or to have on their way: blocks, mocks and headers.

import type { NetworkRule, NetworkRulesParams } from "../../protocol/generated";
import type { Store } from "../store";
import { headerOf, type PausedRequest } from "./paused_request";

const KEY = "network_rules";

/** How a paused request is answered, as a command of the debugger. */
interface RuledAnswer {
  method: "Fetch.fulfillRequest" | "Fetch.failRequest";
  params: object;
  source: "mock" | "block";
}

interface TabRules {
  rules: (NetworkRule & { matches: RegExp })[];
  extra: Map<string, { name: string; value: string }[]>;
  given: NetworkRulesParams;
}

export class NetworkRules {
  readonly #tabs = new Map<number, TabRules>();

  constructor(private readonly store: Pick<Store, "load" | "save">) {}

  async load(): Promise<number[]> {
    for (const [tab, given] of await this.store.load<[number, NetworkRulesParams][]>(KEY, []))
      this.#tabs.set(tab, parsed(given));
    return [...this.#tabs.keys()];
  }

  isAny(tab: number): boolean {
    return this.#tabs.has(tab);
  }

  set(tab: number, given: NetworkRulesParams): void {
    if (given.rules?.length || given.extra_headers?.length) this.#tabs.set(tab, parsed(given));
    else if (!this.#tabs.delete(tab)) return;
    // A worker that starts anew must not let go what is to be answered here.
    this.store.save(KEY, () => [...this.#tabs].map(([id, known]) => [id, known.given]));
  }

  /** What the browser has to pause for them. */
  patternsOf(tab: number): { urlPattern: string }[] {
    const known = this.#tabs.get(tab);
    if (!known) return [];
    const origins = [...known.extra.keys()].map((origin) => `${origin}/*`);
    return [...known.rules.map(({ pattern }) => pattern), ...origins].map((urlPattern) => ({
      // Each of these means something else to the browser: what it pauses in excess is let go.
      urlPattern: urlPattern.replace(/[\\?]/g, "?"),
    }));
  }

  /** What answers a request; null for the network. The rule that was made last counts. */
  answerOf(tab: number, paused: PausedRequest): RuledAnswer | null {
    const { request, requestId, resourceType } = paused;
    const preflight = headerOf(paused, "access-control-request-method");
    const isPreflight = request.method === "OPTIONS" && preflight !== "";
    const method = isPreflight ? preflight : request.method;
    const rule = this.#tabs
      .get(tab)
      ?.rules.findLast((each) => each.matches.test(request.url) && (each.method ?? method) === method);
    if (!rule) return null;
    if (!rule.status) {
      if (resourceType === "Document") {
        // An error would put a page of the browser's own in the page's place.
        return { method: "Fetch.fulfillRequest", params: { requestId, responseCode: 204 }, source: "block" };
      }
      return {
        method: "Fetch.failRequest",
        params: { requestId, errorReason: "BlockedByClient" },
        source: "block",
      };
    }
    const headers = [...(rule.headers ?? []), ...crossOrigin(paused)];
    const params = isPreflight
      ? { requestId, responseCode: 204, responseHeaders: crossOrigin(paused) }
      : { requestId, responseCode: rule.status, responseHeaders: headers, body: rule.body ?? "" };
    return { method: "Fetch.fulfillRequest", params, source: "mock" };
  }

  /** The request with the headers that its origin's requests get; itself where there are none. */
  withHeaders(tab: number, paused: PausedRequest): PausedRequest {
    const known = this.#tabs.get(tab);
    if (!known?.extra.size || !/^https?:/.test(paused.request.url)) return paused;
    const extra = known.extra.get(new URL(paused.request.url).origin) ?? [];
    const own = new Set([...known.extra.values()].flat().map(({ name }) => name.toLowerCase()));
    // What one origin's requests get doesn't go on to where that redirects them.
    const kept = Object.entries(paused.request.headers).filter(([name]) => !own.has(name.toLowerCase()));
    const isChanged = extra.length > 0 || kept.length < Object.keys(paused.request.headers).length;
    if (!isChanged) return paused;
    const headers = Object.fromEntries([...kept, ...extra.map(({ name, value }) => [name, value])]);
    const sentHeaders = Object.entries(headers).map(([name, value]) => ({ name, value: String(value) }));
    return { ...paused, request: { ...paused.request, headers }, sentHeaders };
  }
}

function parsed(given: NetworkRulesParams): TabRules {
  const rules = (given.rules ?? []).map((rule) => ({ ...rule, matches: asExpression(rule.pattern) }));
  const extra = new Map((given.extra_headers ?? []).map(({ origin, headers }) => [origin, headers]));
  return { rules, extra, given };
}

function asExpression(pattern: string): RegExp {
  const parts = pattern.split("*").map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
  return new RegExp(`^${parts.join(".*")}$`, "s");
}

/** A page of another origin may read a mock's answer. */
function crossOrigin(paused: PausedRequest): { name: string; value: string }[] {
  const origin = headerOf(paused, "origin");
  if (!origin) return [];
  const wanted = headerOf(paused, "access-control-request-headers");
  const method = headerOf(paused, "access-control-request-method");
  return [
    { name: "access-control-allow-origin", value: origin },
    { name: "access-control-allow-credentials", value: "true" },
    ...(method ? [{ name: "access-control-allow-methods", value: method }] : []),
    ...(wanted ? [{ name: "access-control-allow-headers", value: wanted }] : []),
  ];
}
