import { beforeEach, expect, it, vi } from "vitest";
import { RetryAfter } from "../../../src/background/requests/retry_after";

const TAB = 7;
let known: RetryAfter;

function answer(statusCode: number, value?: string, tabId = TAB): void {
  const responseHeaders = value === undefined ? [] : [{ name: "retry-after", value }];
  known.take({ tabId, statusCode, responseHeaders });
}

beforeEach(() => {
  vi.useFakeTimers({ now: Date.UTC(2026, 10, 25, 12, 0, 0) });
  known = new RetryAfter({ get: (tab) => (tab === TAB ? ({} as never) : undefined) });
});

it.each([
  [429, "30", 30],
  [503, "Wed, 25 Nov 2026 12:01:00 GMT", 60],
  [429, "Wed, 25 Nov 2026 11:00:00 GMT", 0],
  [429, undefined, null],
  [429, "soon", null],
  [200, "30", null],
])("reads %s with %s as %s", (status, value, seconds) => {
  answer(status, value);
  expect(known.secondsOf(TAB)).toBe(seconds);
});

it("counts what is left, until another page is there, of shared tabs only", () => {
  answer(429, "30");
  vi.advanceTimersByTime(10_000);
  expect(known.secondsOf(TAB)).toBe(20);
  answer(200);
  expect(known.secondsOf(TAB)).toBeNull();
  answer(429, "30", 8);
  expect(known.secondsOf(8)).toBeNull();
});
