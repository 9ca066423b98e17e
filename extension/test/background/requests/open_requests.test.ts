import { beforeEach, expect, it, vi } from "vitest";
import { OpenRequestsOfTabs } from "../../../src/background/requests/open_requests";
import { Signal } from "../../../src/background/signal";

const EVENTS = ["onBeforeRequest", "onResponseStarted", "onCompleted", "onErrorOccurred"] as const;
const TAB = 7;

/** chrome.webRequest's events, as far as they are listened to. */
class Events {
  readonly listeners = new Set<(details: object) => unknown>();
  addListener = (listener: (details: never) => unknown): void =>
    void this.listeners.add(listener as (details: object) => unknown);
  removeListener = (listener: (details: never) => unknown): void =>
    void this.listeners.delete(listener as (details: object) => unknown);
  emit(details: object): void {
    for (const listener of this.listeners) listener(details);
  }
}

let api: Record<(typeof EVENTS)[number], Events>;
let shares: { added: Signal<{ tab: number }>; removed: Signal<{ tab: number }>; tabs: () => number[] };
let requests: OpenRequestsOfTabs;

beforeEach(() => {
  vi.useFakeTimers();
  api = Object.fromEntries(EVENTS.map((name) => [name, new Events()])) as typeof api;
  shares = { added: new Signal(), removed: new Signal(), tabs: () => [TAB] };
  requests = new OpenRequestsOfTabs(api as never, shares as never);
  requests.load();
  return () => vi.useRealTimers();
});

const begin = (requestId: string, type = "xmlhttprequest"): void =>
  api.onBeforeRequest.emit({ requestId, type, method: "GET", url: `http://a.test/${requestId}` });
const open = (since = 1): string[] =>
  requests.openSince(TAB, since).map(({ url }) => url.split("/").at(-1) ?? "");

it("knows what acts requested: during them, soon after, and after the answer to such a request", () => {
  begin("before");
  const { over: done } = requests.act(TAB);
  begin("during");
  vi.advanceTimersByTime(1_500);
  done();
  vi.advanceTimersByTime(700);
  begin("timer");
  requests.act(TAB).over();
  expect(open()).toEqual(["during", "timer"]);
  vi.advanceTimersByTime(2_000);
  begin("by itself");
  api.onCompleted.emit({ requestId: "during" });
  vi.advanceTimersByTime(20);
  begin("next");
  expect(open()).toEqual(["timer", "next"]);
});

it("tells an act's requests from those of acts before", () => {
  requests.act(TAB).over();
  begin("first");
  vi.advanceTimersByTime(10);
  const { id, over: done } = requests.act(TAB);
  begin("second");
  done();
  expect(open()).toEqual(["first", "second"]);
  expect(open(id)).toEqual(["second"]);
});

it("doesn't count a page's standing lines to its server, nor what only changes its looks", () => {
  requests.act(TAB);
  begin("events");
  const responseHeaders = [{ name: "Content-Type", value: "text/event-stream; charset=utf-8" }];
  api.onResponseStarted.emit({ requestId: "events", responseHeaders });
  begin("poll");
  begin("photo", "image");
  vi.advanceTimersByTime(2_000);
  expect(open()).toEqual(["poll"]);
  vi.advanceTimersByTime(9_000);
  expect(open()).toEqual([]);
});

it("knows that a command opened another page, and did nothing in that", () => {
  const { over: done } = requests.act(TAB);
  begin("page", "main_frame");
  done();
  begin("by itself");
  expect(open()).toEqual(["page"]);
});

it("doesn't count a page that asks its server over and over as caused for ever", () => {
  requests.act(TAB).over();
  for (let round = 0; round < 20; round++) {
    begin(`${round}`);
    vi.advanceTimersByTime(500);
    if (round < 19) api.onCompleted.emit({ requestId: `${round}` });
  }
  expect(open()).toEqual([]);
});

it("listens as long as a tab is shared, so that others don't wake the worker", () => {
  shares.removed.emit({ tab: TAB });
  expect(EVENTS.every((name) => api[name].listeners.size === 0)).toBe(true);
  shares.added.emit({ tab: TAB });
  requests.act(TAB);
  begin("1");
  expect(open()).toEqual(["1"]);
});
