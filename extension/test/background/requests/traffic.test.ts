import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Traffic } from "../../../src/background/requests/traffic";

const TAB = 7;

describe("Traffic", () => {
  let traffic: Traffic;
  const take = (method: string, params: object, session: string | null = null): void =>
    traffic.take({ tab: TAB, session, method, params });
  const send = (requestId: string, type = "Fetch", loaderId = "doc", frameId = "main"): void =>
    take("Network.requestWillBeSent", { requestId, type, loaderId, frameId });

  beforeEach(() => {
    vi.useFakeTimers();
    traffic = new Traffic();
    traffic.begin(TAB);
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("counts silence from the last activity, and none while a request is open", () => {
    vi.advanceTimersByTime(300);
    expect(traffic.quietFor(TAB)).toBe(300);
    send("a");
    vi.advanceTimersByTime(700);
    expect(traffic.quietFor(TAB)).toBe(0);
    take("Network.loadingFinished", { requestId: "a" });
    vi.advanceTimersByTime(200);
    expect(traffic.quietFor(TAB)).toBe(200);
    traffic.begin(TAB);
    expect(traffic.quietFor(TAB)).toBe(200);
  });

  it("goes on with a silence that is known from before", () => {
    traffic.begin(TAB + 1, 400);
    vi.advanceTimersByTime(50);
    expect(traffic.quietFor(TAB + 1)).toBe(450);
  });

  it("waits no more for a standing line to the server", () => {
    send("stream", "EventSource");
    vi.advanceTimersByTime(500);
    expect(traffic.quietFor(TAB)).toBe(500);
    send("poll");
    vi.advanceTimersByTime(9_000);
    expect(traffic.quietFor(TAB)).toBe(0);
    vi.advanceTimersByTime(1_000);
    expect(traffic.quietFor(TAB)).toBe(10_000);
  });

  it("ends what a document requested with the document, whose ends nobody reports", () => {
    send("old", "XHR", "before");
    send("new", "Script", "after");
    take("Page.frameNavigated", { frame: { id: "child", parentId: "main", loaderId: "other" } });
    take("Page.frameNavigated", { frame: { id: "main", loaderId: "after" } });
    take("Network.loadingFinished", { requestId: "new" });
    vi.advanceTimersByTime(100);
    expect(traffic.quietFor(TAB)).toBe(100);
  });

  it("waits for no end of a frame's document, which another process may take, nor of what a gone one requested", () => {
    send("frame", "Document", "foreign", "child");
    vi.advanceTimersByTime(300);
    expect(traffic.quietFor(TAB)).toBe(300);
    send("left", "XHR", "before", "child");
    take("Page.frameNavigated", { frame: { id: "child", parentId: "main", loaderId: "after" } });
    send("swapped", "XHR", "after", "child");
    take("Page.frameDetached", { frameId: "child", reason: "swap" });
    vi.advanceTimersByTime(300);
    expect(traffic.quietFor(TAB)).toBe(300);
  });

  it("waits for no end of an answer that may never be read, unless nobody else knows of it", () => {
    send("unread");
    vi.advanceTimersByTime(100);
    take("Network.responseReceived", { requestId: "unread", type: "Fetch", response: {} });
    vi.advanceTimersByTime(300);
    expect(traffic.quietFor(TAB)).toBe(300);
    send("worker's");
    const response = { fromServiceWorker: true };
    take("Network.responseReceived", { requestId: "worker's", type: "Fetch", response });
    vi.advanceTimersByTime(300);
    expect(traffic.quietFor(TAB)).toBe(0);
  });

  it("knows of no silence where nothing is reported", () => {
    traffic.end(TAB);
    send("a");
    vi.advanceTimersByTime(1_000);
    expect(traffic.quietFor(TAB)).toBe(0);
  });
});
