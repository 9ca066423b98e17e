import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Deadline } from "../../../src/background/deadline";
import { checkUrl, type Kind, Navigations } from "../../../src/background/tabs/navigations";

const at = (kind: Kind, url = "http://a.test/", frameId = 0, more = {}) =>
  [kind, { tabId: 1, frameId, url, ...more }] as const;

function play(...events: ReturnType<typeof at>[]): Navigations {
  const navigations = new Navigations();
  for (const [kind, event] of events) navigations.take(kind, event);
  return navigations;
}

describe("a navigation", () => {
  it("is on its way until the document is parsed", () => {
    const navigations = play(at("before"));
    expect(navigations.state(1).pending.get(0)).toMatchObject({ committed: false });
    navigations.take(...at("committed"));
    expect(navigations.state(1)).toMatchObject({
      commits: 1,
      dom: false,
      loaded: false,
      url: "http://a.test/",
    });
    navigations.take(...at("dom"));
    expect(navigations.state(1)).toMatchObject({ dom: true, loaded: false });
    expect(navigations.state(1).pending.size).toBe(0);
    navigations.take(...at("completed"));
    expect(navigations.state(1).loaded).toBe(true);
  });

  it("that fails leaves the address as it was", () => {
    const { url, error, pending, failures } = play(
      at("before"),
      at("committed"),
      at("completed"),
      at("before", "http://gone.test/"),
      at("failed", "http://gone.test/", 0, { error: "net::ERR_NAME_NOT_RESOLVED" }),
    ).state(1);
    expect({ url, error, failures, size: pending.size }).toEqual({
      url: "http://a.test/",
      error: "net::ERR_NAME_NOT_RESOLVED",
      failures: 1,
      size: 0,
    });
  });

  it("that only begins is not ended by the older document's load", () => {
    const navigations = play(
      at("before"),
      at("committed"),
      at("before", "http://b.test/"),
      at("dom"),
      at("completed"),
    );
    expect(navigations.state(1).pending.get(0)).toMatchObject({ url: "http://b.test/", committed: false });
  });

  it("is not failed by the stop of the older document's load", () => {
    const aborted = { error: "net::ERR_ABORTED", documentId: "old" };
    const { failures, pending, loaded } = play(
      at("before"),
      at("committed", "http://a.test/", 0, { documentId: "old" }),
      at("before", "http://b.test/"),
      at("failed", "http://a.test/", 0, aborted),
    ).state(1);
    expect({ failures, loaded }).toEqual({ failures: 0, loaded: true });
    expect(pending.get(0)).toMatchObject({ url: "http://b.test/", committed: false });
  });

  it("of the main frame takes the frames' with it", () => {
    const navigations = play(at("before", "http://frame.test/", 7), at("before"), at("committed"));
    expect([...navigations.state(1).pending.keys()]).toEqual([0]);
  });

  it("of a page that is only prepared is not seen", () => {
    const navigations = play(at("committed", "http://b.test/", 0, { documentLifecycle: "prerender" }));
    expect(navigations.state(1).commits).toBe(0);
  });

  it("from the back/forward cache ends when the tab is complete", () => {
    const navigations = play(at("before"), at("committed"));
    navigations.complete(1, "http://a.test/");
    expect(navigations.state(1)).toMatchObject({ dom: true, loaded: true });
    expect(navigations.state(1).pending.size).toBe(0);
  });

  it("can be waited for", async () => {
    const navigations = play(at("before"));
    const deadline = new Deadline(1_000, "goto");
    const waiting = navigations.until(1, (state) => state.loaded && state.commits === 1, deadline);
    navigations.take(...at("committed"));
    navigations.take(...at("completed"));
    await expect(waiting).resolves.toBe(true);
    await expect(navigations.until(1, () => false, deadline, 5)).resolves.toBe(false);
    deadline.close();
    const short = new Deadline(5, "wait_for");
    await expect(navigations.until(1, () => false, short)).rejects.toMatchObject({ code: "timeout" });
  });

  it("leaves counters that only grow, whatever happens", () => {
    const kinds: Kind[] = ["before", "committed", "dom", "completed", "failed", "moved"];
    const event = fc.tuple(fc.constantFrom(...kinds), fc.constantFrom("http://a/", "http://b/"), fc.nat(2));
    fc.assert(
      fc.property(fc.array(event), (events) => {
        const navigations = new Navigations();
        let before = { ...navigations.state(1) };
        for (const [kind, url, frameId] of events) {
          navigations.take(...at(kind, url, frameId));
          const state = navigations.state(1);
          expect(state.commits).toBeGreaterThanOrEqual(before.commits);
          expect(state.moves).toBeGreaterThanOrEqual(before.moves);
          expect(state.loaded && !state.dom).toBe(false);
          if (["dom", "completed", "failed"].includes(kind) && frameId > 0) {
            expect(state.pending.has(frameId)).toBe(false);
          }
          before = { ...state };
        }
      }),
    );
  });
});

describe("checkUrl", () => {
  it.each([
    ["http://example.test", "http://example.test/"],
    ["https://example.test/a?b#c", "https://example.test/a?b#c"],
    ["about:blank", "about:blank"],
  ])("%s is fine", (url, read) => expect(checkUrl(url)).toBe(read));

  it.each([
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "data:text/html,x",
    "blob:https://a.test/1",
    "file:///etc/passwd",
    "view-source:https://a.test",
    "chrome://settings",
    "chrome-extension://ddmfmpejhhgmmnlaaaaceagdggjpbcge/popup.html",
    "https://user@a.test/",
    "https://user:pw@a.test/",
    "https://evil.test\\@allowed.test/",
    "https://a.test/\u0000",
    " https://a.test/",
    "java\nscript:alert(1)",
    "about:srcdoc",
  ])("17, 19: %j is refused", (url) => {
    expect(() => checkUrl(url)).toThrowError(expect.objectContaining({ code: "not_allowed" }));
  });

  it("says what is no address", () => {
    expect(() => checkUrl("example.test")).toThrowError(
      expect.objectContaining({ code: "page_unreachable" }),
    );
  });
});
