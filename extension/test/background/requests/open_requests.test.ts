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
  api.onBeforeRequest.emit({ requestId, type });

it("knows how long requests have been open, and when the last was answered", () => {
  begin("1");
  vi.advanceTimersByTime(300);
  begin("2");
  vi.advanceTimersByTime(100);
  expect(requests.of(TAB).open).toEqual([400, 100]);
  expect(requests.quietFor(TAB)).toBe(0);
  api.onCompleted.emit({ requestId: "1" });
  api.onErrorOccurred.emit({ requestId: "2" });
  vi.advanceTimersByTime(50);
  expect(requests.of(TAB)).toMatchObject({ open: [], caused: 0, answered: 50 });
  expect(requests.quietFor(TAB)).toBe(50);
});

it("knows how long nothing went on, images included, and nothing of a tab that nobody listens to", () => {
  expect(requests.restedFor(TAB + 1)).toBe(0);
  vi.advanceTimersByTime(300);
  expect(requests.restedFor(TAB)).toBe(300);
  begin("image", "image");
  expect(requests.of(TAB).open).toEqual([]);
  vi.advanceTimersByTime(40);
  expect(requests.restedFor(TAB)).toBe(40);
  api.onCompleted.emit({ requestId: "image" });
  expect(requests.restedFor(TAB)).toBe(0);
  begin("1");
  vi.advanceTimersByTime(40);
  expect(requests.restedFor(TAB)).toBe(0);
});

it("doesn't count a page's standing lines to its server", () => {
  begin("events");
  const responseHeaders = [{ name: "Content-Type", value: "text/event-stream; charset=utf-8" }];
  api.onResponseStarted.emit({ requestId: "events", responseHeaders });
  begin("socket", "websocket");
  begin("poll");
  vi.advanceTimersByTime(2_000);
  expect(requests.of(TAB).open).toEqual([2_000]);
  vi.advanceTimersByTime(9_000);
  expect(requests.of(TAB).open).toEqual([]);
});

it("knows when a command last acted in the page that is there", () => {
  expect(requests.of(TAB).acted).toBe(Number.POSITIVE_INFINITY);
  const { over: done } = requests.act(TAB);
  vi.advanceTimersByTime(2_000);
  expect(requests.of(TAB).acted).toBe(0);
  done();
  vi.advanceTimersByTime(30);
  expect(requests.of(TAB).acted).toBe(30);
  begin("page", "main_frame");
  expect(requests.of(TAB).acted).toBe(Number.POSITIVE_INFINITY);
});

it("knows that a command opened another page, and did nothing in that", () => {
  const { over: done } = requests.act(TAB);
  begin("page", "main_frame");
  done();
  expect(requests.of(TAB).acted).toBe(Number.POSITIVE_INFINITY);
});

it("counts what acts caused: during them, soon after, and after the answer to such a request", () => {
  begin("before");
  const { over: done } = requests.act(TAB);
  begin("during");
  vi.advanceTimersByTime(1_500);
  done();
  vi.advanceTimersByTime(700);
  begin("timer");
  requests.act(TAB).over();
  expect(requests.of(TAB).caused).toBe(2);
  vi.advanceTimersByTime(2_000);
  begin("by itself");
  expect(requests.of(TAB).caused).toBe(2);
  api.onCompleted.emit({ requestId: "during" });
  vi.advanceTimersByTime(20);
  begin("next");
  expect(requests.of(TAB)).toMatchObject({ caused: 2, causedAnswered: 20 });
});

it("doesn't count a page that asks its server over and over as caused for ever", () => {
  requests.act(TAB).over();
  for (let round = 0; round < 20; round++) {
    begin(`${round}`);
    vi.advanceTimersByTime(500);
    if (round < 19) api.onCompleted.emit({ requestId: `${round}` });
  }
  expect(requests.of(TAB)).toMatchObject({ caused: 0 });
});

it("listens as long as a tab is shared, so that others don't wake the worker", () => {
  shares.removed.emit({ tab: TAB });
  expect(EVENTS.every((name) => api[name].listeners.size === 0)).toBe(true);
  begin("1");
  expect(requests.quietFor(TAB)).toBe(Number.POSITIVE_INFINITY);
  shares.added.emit({ tab: TAB });
  begin("1");
  expect(requests.of(TAB).open).toEqual([0]);
});
