import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { urlMatcher } from "../../src/background/commands/wait";
import { Backoff } from "../../src/background/connection/backoff";
import { parsePaired } from "../../src/background/connection/paired_kernels";
import { PairingDesk, readRequest } from "../../src/background/connection/pairing_desk";
import { Deadline, within } from "../../src/background/deadline";
import { spliceKeys } from "../../src/background/reading/snapshot";
import { checkUrl } from "../../src/background/tabs/navigations";
import { isLocal, socketUrl } from "../../src/shared/address";
import { Failure, toWireError } from "../../src/shared/errors";
import { splitRef } from "../../src/shared/refs";

describe("back-off", () => {
  it("stays below a bound that doubles up to the cap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 60 }),
        (rolls) => {
          let turn = 0;
          const backoff = new Backoff(200, 10_000, () => rolls[turn] as number);
          for (; turn < rolls.length; turn++) {
            const wait = backoff.next();
            expect(wait).toBeGreaterThanOrEqual(0);
            expect(wait).toBeLessThanOrEqual(Math.min(10_000, 200 * 2 ** turn));
          }
        },
      ),
    );
  });

  it("starts over after a success", () => {
    const backoff = new Backoff(200, 10_000, () => 1);
    for (let turn = 0; turn < 20; turn++) backoff.next();
    expect(backoff.next()).toBe(10_000);
    backoff.reset();
    expect(backoff.next()).toBe(200);
  });
});

describe("refs", () => {
  it("come apart as they were put together", () => {
    fc.assert(
      fc.property(fc.nat(99999), fc.integer({ min: 1, max: 999999 }), (frame, number) => {
        expect(splitRef(frame ? `f${frame}e${number}` : `e${number}`)).toEqual({ frame, number });
      }),
    );
  });

  it.each(["", "e", "e0", "f0e1", "f1", "e01", "x1", " e1", "e1 ", "e1\n", "f1e"])("%j is none", (text) => {
    expect(splitRef(text)).toBeNull();
  });
});

describe("deadline", () => {
  it("ends what waits, with a timeout", async () => {
    const deadline = new Deadline(5, "click");
    const failure = await deadline.race(new Promise(() => undefined)).catch((error: unknown) => error);
    expect(toWireError(failure)).toMatchObject({ code: "timeout", data: { timeout_ms: 5 } });
    expect(toWireError(new Error("No tab with id: 7."))).toMatchObject({ code: "page_closed" });
    expect(toWireError(new Error("Odd"))).toMatchObject({ code: "internal" });
    expect(() => deadline.check()).toThrow(Failure);
  });

  it("does not keep a cancelled command going", async () => {
    const deadline = new Deadline(10_000, "click");
    const waiting = deadline.race(new Promise(() => undefined));
    deadline.cancel(new Failure("connection_lost", "gone"));
    await expect(waiting).rejects.toMatchObject({ code: "connection_lost" });
    const late = vi.fn(() => Promise.resolve(1));
    await expect(deadline.race(late())).rejects.toMatchObject({ code: "connection_lost" });
  });

  it("within gives undefined instead of waiting longer", async () => {
    expect(await within(new Promise(() => undefined), 2)).toBeUndefined();
    expect(await within(Promise.resolve("x"), 1000)).toBe("x");
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

describe("urlMatcher", () => {
  it("takes no longer for many stars (fault_40)", () => {
    const address = `https://a.test/${"a".repeat(5000)}`;
    expect(urlMatcher("https://*a*a*a*a*a*a*a*b")(address)).toBe(false);
    expect(urlMatcher("https://*a*a*a*a*a*a*a*")(address)).toBe(true);
    expect(urlMatcher("ab*ba")("aba")).toBe(false);
    expect(urlMatcher("*x*x")("ax")).toBe(false);
    expect(urlMatcher("*x*x")("axx")).toBe(true);
  });

  it("finds a part, or a glob over the whole address", () => {
    expect(urlMatcher("/cart")("https://a.test/cart?x=1")).toBe(true);
    expect(urlMatcher("https://a.test/*/done")("https://a.test/x/y/done")).toBe(true);
    expect(urlMatcher("*/done")("https://a.test/done/2")).toBe(false);
    expect(urlMatcher("*a.test*")("https://aXtest/")).toBe(false);
  });
});

describe("pairing requests", () => {
  const page = { report: "pair_page", code: "c", kernel: { id: "k", name: "n" } } as const;

  it.each([
    ["http://127.0.0.1:4000/skillbook/pair?code=c", "http://127.0.0.1:4000", true],
    ["http://localhost:4000/skillbook/pair?code=c", "http://localhost:4000", true],
    ["http://127.0.0.1:8888/proxy/4000/skillbook/pair", "http://127.0.0.1:8888/proxy/4000", false],
    ["https://hub.test/user/me/proxy/4000/skillbook/pair", "https://hub.test/user/me/proxy/4000", false],
    ["https://127.0.0.1:4000/skillbook/pair", "https://127.0.0.1:4000", false],
  ])("from %s are about that address", (url, base, local) => {
    expect(readRequest(page, url)).toMatchObject({ base });
    expect(isLocal(base)).toBe(local);
  });

  it.each([
    "http://evil.test:4000/skillbook/pair",
    "http://127.0.0.1.evil.test:4000/skillbook/pair",
    "https://me:secret@hub.test/skillbook/pair",
    "http://127.0.0.1:4000/skillbook/pairs",
    "http://127.0.0.1:4000/other",
    "file:///skillbook/pair",
    "not a url",
    undefined,
  ])("from %s are ignored", (url) => expect(readRequest(page, url)).toBeNull());

  it("need a kernel", () => {
    const url = "http://127.0.0.1:4000/skillbook/pair";
    expect(readRequest({ ...page, kernel: { id: 1, name: "n" } as never }, url)).toBeNull();
  });

  it("from elsewhere wait for the user's wish, which is good for one", async () => {
    const shown: string[] = [];
    const open = () => ({}) as never;
    const desk = new PairingDesk(
      "p",
      open,
      (id) => shown.push(id),
      () => undefined,
      async () => undefined,
    );
    const url = "https://hub.test/skillbook/pair?code=c";
    expect(desk.ask(page, url, 7)).toBeNull();
    await desk.invite(7);
    expect(desk.ask(page, url, 8)).toBeNull();
    expect(desk.ask(page, url, 7)).not.toBeNull();
    expect(desk.ask(page, url, 7)).toBeNull();
    expect(shown).toHaveLength(1);
    expect(desk.ask(page, "http://127.0.0.1:4000/skillbook/pair?code=c", 9)).not.toBeNull();
  });

  it("are answered where they came from", () => {
    expect(socketUrl("https://hub.test/a/4000", "bridge")).toBe("wss://hub.test/a/4000/skillbook/bridge");
    expect(socketUrl("http://127.0.0.1:1", "pair-socket")).toBe("ws://127.0.0.1:1/skillbook/pair-socket");
  });
});

describe("paired.json", () => {
  const good = { port: 1, token: "t".repeat(32), kernel: { id: "k", name: "n" } };

  it("becomes the pairing of a launched browser", () => {
    expect(parsePaired(good)).toEqual({
      base: "http://127.0.0.1:1",
      token: good.token,
      kernel: good.kernel,
      launched: true,
    });
  });

  it.each([null, "x", {}, { ...good, port: 0 }, { ...good, token: "short" }, { ...good, kernel: {} }])(
    "%j is none",
    (value) => expect(parsePaired(value)).toBeNull(),
  );
});

describe("spliceKeys", () => {
  const nonce = "0123456789abcdef".repeat(2);

  it("puts the child's key, or null, where its nonce was", () => {
    const tree = JSON.stringify({ extra: [[4, { document: nonce }]] });
    expect(JSON.parse(spliceKeys(tree, new Map([[nonce, "key"]])))).toEqual({
      extra: [[4, { document: "key" }]],
    });
    expect(JSON.parse(spliceKeys(tree, new Map([[nonce, null]])))).toEqual({
      extra: [[4, { document: null }]],
    });
  });

  it("23: never touches a page's own text", () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (before, after) => {
        const name = `${before}"document":"${nonce}"${after}`;
        const tree = JSON.stringify({ name: [name], extra: [[0, { document: nonce }]] });
        const spliced = JSON.parse(spliceKeys(tree, new Map([[nonce, "key"]])));
        expect(spliced).toEqual({ name: [name], extra: [[0, { document: "key" }]] });
      }),
    );
  });
});
