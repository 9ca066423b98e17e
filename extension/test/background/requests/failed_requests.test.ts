import { beforeEach, expect, it, vi } from "vitest";
import { FailedRequests } from "../../../src/background/requests/failed_requests";
import type { RequestFailed } from "../../../src/protocol/generated";

let reported: RequestFailed[];
let requests: FailedRequests;

beforeEach(() => {
  vi.useFakeTimers();
  reported = [];
  requests = new FailedRequests((request) => reported.push(request));
  return () => vi.useRealTimers();
});

const URL_ = "https://shop.example/orders";
let count = 0;

function send(
  outcome: object,
  { caused = true, type = "xmlhttprequest", method = "POST", url = URL_ } = {},
): void {
  const request = { requestId: String(++count), type, method, url } as const;
  requests.began(request as never, caused);
  requests.ended({ ...request, ...outcome } as never);
}

it("reports what was answered with an error, or broke, and how long ago it was sent", () => {
  const request = { requestId: "a", type: "xmlhttprequest", method: "PUT", url: URL_ } as const;
  requests.began(request, true);
  vi.advanceTimersByTime(300);
  requests.ended({ ...request, statusCode: 500 });
  send({ error: "net::ERR_CONNECTION_RESET" });
  expect(reported).toMatchObject([
    { method: "PUT", url: URL_, status: 500, error: "", age_ms: 300, caused: true, habit: false },
    { status: null, error: "net::ERR_CONNECTION_RESET" },
  ]);
});

it("says which act was the last when it was sent, whatever was redirected or done since", () => {
  const request = { requestId: "a", type: "xmlhttprequest", method: "PUT", url: URL_ } as const;
  requests.began(request, true, 100);
  requests.began(request, true, 200);
  requests.ended({ ...request, statusCode: 500 });
  expect(reported).toMatchObject([{ act: 100 }]);
});

it("says nothing of answers that are none, and of what the page gave up", () => {
  for (const statusCode of [200, 204, 304, 302]) send({ statusCode });
  send({ error: "net::ERR_ABORTED" });
  expect(reported).toEqual([]);
});

it("says nothing of a stream that the page closes, unless its answer is an error", () => {
  const request = { type: "xmlhttprequest", method: "GET", url: URL_ } as const;
  for (const [requestId, statusCode, error] of [
    ["closed", 200, "net::ERR_FAILED"],
    ["error", 500, "net::ERR_FAILED"],
    ["broke", 200, "net::ERR_CONNECTION_RESET"],
  ] as const) {
    requests.began({ ...request, requestId }, true);
    requests.started({ requestId, statusCode });
    requests.ended({ ...request, requestId, error });
  }
  send({ error: "net::ERR_FAILED" });
  expect(reported.map(({ error }) => error)).toEqual([
    "net::ERR_FAILED",
    "net::ERR_CONNECTION_RESET",
    "net::ERR_FAILED",
  ]);
});

it("reports a success after a failure of the same, once", () => {
  for (const statusCode of [503, 200, 200]) send({ statusCode });
  expect(reported.map(({ status }) => status)).toEqual([503, 200]);
});

it("knows what a page sends, or fails to send, by itself", () => {
  for (const caused of [false, false, true]) send({ statusCode: 500 }, { caused, method: "GET" });
  send({ statusCode: 404 }, { url: `${URL_}/1` });
  expect(reported.map(({ habit }) => habit)).toEqual([false, true, true, false]);
});

it("forgets what a document only wanted to read once another one takes its place", () => {
  for (const method of ["GET", "POST"])
    requests.began({ requestId: method, type: "xmlhttprequest", method, url: URL_ }, true);
  requests.replaced({ requestId: "document" });
  for (const method of ["GET", "POST"])
    requests.ended({ requestId: method, type: "xmlhttprequest", method, url: URL_, statusCode: 500 });
  expect(reported.map(({ method }) => method)).toEqual(["POST"]);
});

it("always tells whether the document is there", () => {
  send({ statusCode: 200 }, { type: "main_frame", method: "GET" });
  expect(reported).toMatchObject([{ resource_type: "main_frame", status: 200 }]);
});
