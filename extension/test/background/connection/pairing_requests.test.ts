import { describe, expect, it } from "vitest";
import { parsePaired } from "../../../src/background/connection/paired_kernels";
import { PairingRequests, readRequest } from "../../../src/background/connection/pairing_requests";
import { isLocal, socketUrl } from "../../../src/shared/address";

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
    const pairing = new PairingRequests(
      "p",
      open,
      (id) => shown.push(id),
      () => undefined,
      async () => undefined,
    );
    const url = "https://hub.test/skillbook/pair?code=c";
    expect(pairing.request(page, url, 7)).toBeNull();
    await pairing.invite(7);
    expect(pairing.request(page, url, 8)).toBeNull();
    expect(pairing.request(page, url, 7)).not.toBeNull();
    expect(pairing.request(page, url, 7)).toBeNull();
    expect(shown).toHaveLength(1);
    expect(pairing.request(page, "http://127.0.0.1:4000/skillbook/pair?code=c", 9)).not.toBeNull();
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
    });
  });

  it.each([null, "x", {}, { ...good, port: 0 }, { ...good, token: "short" }, { ...good, kernel: {} }])(
    "%j is none",
    (value) => expect(parsePaired(value)).toBeNull(),
  );
});
