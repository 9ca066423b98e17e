import { readFileSync } from "node:fs";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Deadline } from "../../../src/background/deadline";
import { Cassettes } from "../../../src/background/requests/cassettes";
import { HeldRequests } from "../../../src/background/requests/held_requests";
import { NewTabs } from "../../../src/background/requests/new_tabs";
import {
  bodyOf,
  type PausedRequest,
  patternsOf,
  saysWord,
} from "../../../src/background/requests/paused_request";
import { Signal } from "../../../src/background/signal";
import { Store } from "../../../src/background/store";
import type { RequestPaused } from "../../../src/protocol/generated";
import { FakeStorage } from "../fakes";

const TAB = 7;

interface Rig {
  held: HeldRequests;
  /** Commands of the protocol that were sent, as "method session requestId". */
  sent: string[];
  reported: RequestPaused[];
  attached: Signal<number>;
  lost: Signal<{ tab: number; reason: string }>;
  /** Tabs that the debugger was to be attached to. */
  ensured: number[];
  spawned: Signal<{ tab: number; session: string; until: Promise<unknown>[] }>;
  storage: FakeStorage;
}

function makeRig(storage = new FakeStorage(), fails = ""): Rig {
  const sent: string[] = [];
  const sendTo = async (
    _: number,
    session: string | null,
    method: string,
    params: { requestId?: string } = {},
  ): Promise<object> => {
    sent.push([method, session, params.requestId].filter(Boolean).join(" "));
    if (method === fails) throw new Error("gone");
    return {};
  };
  const attached = new Signal<number>();
  const spawned = new Signal<{ tab: number; session: string; until: Promise<unknown>[] }>();
  const lost = new Signal<{ tab: number; reason: string }>();
  const ensured: number[] = [];
  const ensure = async (tab: number): Promise<void> => void ensured.push(tab);
  const debuggers = { ensure, attached, lost, sendTo, kept: new Set<number>() };
  const sessions = { hold: async (_: number, on: boolean) => (on ? ["child"] : []), spawned };
  const nothing = async (): Promise<void> => undefined;
  const note =
    (what: string) =>
    async (tab: number): Promise<void> =>
      void sent.push(`${what} ${tab}`);
  const newTabs = {
    guard: nothing,
    leaveAlone: note("leave alone"),
    watch: note("watch"),
    guardAll: nothing,
    hold: async () => {},
    end: async (): Promise<void> => void sent.push("end"),
    isGuarded: () => true,
    open: async () => [],
  };
  const reload = note("reload");
  const store = new Store(storage);
  const held = new HeldRequests(
    debuggers as never,
    sessions as never,
    store,
    newTabs,
    reload,
    new Cassettes(debuggers as never, store),
  );
  const reported: RequestPaused[] = [];
  held.reported.on(({ request }) => reported.push(request));
  return { held, sent, reported, attached, lost, ensured, spawned, storage };
}

const hold = (rig: Rig, settings = {}): Promise<number> =>
  rig.held.hold(TAB, { words: ["delete"], ...settings }, new Deadline(1_000, "hold"));

const idOf = (rig: Rig, at: number): string => rig.reported[at]?.id ?? "";

const flush = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

async function pause(
  rig: Rig,
  method: string,
  url: string,
  more: Partial<PausedRequest> = {},
): Promise<void> {
  const request = { url, method, headers: {} };
  const params = { requestId: `p${rig.sent.length}`, resourceType: "XHR", request, ...more };
  rig.held.take({ tab: TAB, session: null, method: "Fetch.requestPaused", params });
  await flush();
}

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
});

describe("what is held", () => {
  it("is what may change something", async () => {
    const rig = makeRig();
    await hold(rig);
    await pause(rig, "GET", "https://a.test/list?page=2");
    await pause(rig, "OPTIONS", "https://a.test/items/5");
    expect(rig.reported).toEqual([]);
    expect(rig.sent.filter((each) => each.startsWith("Fetch.continueRequest"))).toHaveLength(2);
    await pause(rig, "POST", "https://a.test/items");
    await pause(rig, "GET", "https://a.test/items/5/delete");
    expect(rig.reported.map(({ method }) => method)).toEqual(["POST", "GET"]);
    expect(rig.sent.filter((each) => each.startsWith("Fetch.continueRequest"))).toHaveLength(2);
  });

  it("is whatever goes to other origins once a secret was filled in", async () => {
    const rig = makeRig();
    await hold(rig, { secret_origins: ["https://a.test"] });
    await pause(rig, "GET", "https://a.test/list");
    await pause(rig, "GET", "https://b.test/pixel?v=1");
    expect(rig.reported.map(({ url }) => url)).toEqual(["https://b.test/pixel?v=1"]);
  });

  it("is paused by its type, or by a word or an encoded letter in its address", () => {
    const patterns = patternsOf({ words: ["delete"] });
    const of = (type?: string): string[] =>
      patterns.filter((each) => each.resourceType === type).map((each) => each.urlPattern);
    expect([of("XHR"), of("Document"), of("Ping")]).toEqual([["*"], ["*"], ["*"]]);
    expect(of()).toEqual(["*%*", "*?elete*", "*DELETE*"]);
    expect(patternsOf({ words: ["delete"], secret_origins: [] })).toEqual([{ urlPattern: "*" }]);
  });

  it("is paused whatever it is once a secret was filled in", async () => {
    const rig = makeRig();
    await hold(rig);
    await hold(rig, { secret_origins: [] });
    expect(rig.sent.filter((each) => each.startsWith("Fetch.enable"))).toEqual([
      "Fetch.enable",
      "Fetch.enable",
      "Fetch.enable child",
    ]);
  });

  it("is nothing on tabs that nobody holds", async () => {
    const rig = makeRig();
    await pause(rig, "POST", "https://a.test/items");
    expect(rig.reported).toEqual([]);
    expect(rig.sent).toEqual([]);
  });

  it("is held in frames and workers of other processes before they run", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.spawned.emit({ tab: TAB, session: "worker", until: [] });
    await flush();
    expect(rig.sent).toContain("Fetch.enable worker");
    expect(rig.sent).toContain("Network.setBypassServiceWorker worker");
  });

  it("stays so after the worker was started anew", async () => {
    const before = makeRig();
    await hold(before);
    await flush();
    const rig = makeRig(before.storage);
    await rig.held.load();
    await pause(rig, "POST", "https://a.test/items");
    expect(rig.reported).toHaveLength(1);
  });

  it("still waits for a person after the worker was started anew, and is blocked where nobody is asked", async () => {
    const before = makeRig();
    await hold(before);
    await pause(before, "POST", "https://a.test/a", { requestId: "asked" });
    await pause(before, "POST", "https://a.test/b", { requestId: "judged" });
    await before.held.release({ id: idOf(before, 0), verdict: "ask" });
    const worker = { requestId: "worker's", resourceType: "XHR", request: { url: "https://a.test/c" } };
    const params = { ...worker, request: { ...worker.request, method: "POST", headers: {} } };
    before.held.take({ tab: TAB, session: "child", method: "Fetch.requestPaused", params });
    await flush();
    const rig = makeRig(before.storage);
    await rig.held.load();
    expect(rig.sent.filter((each) => each.startsWith("Fetch."))).toEqual([
      "Fetch.failRequest judged",
      "Fetch.failRequest child worker's",
    ]);
    expect(rig.held.isAsking(TAB)).toBe(true);
    expect(await rig.held.release({ id: idOf(before, 0), verdict: "allow" }, TAB)).toBe(true);
    expect(rig.sent.at(-1)).toBe("Fetch.continueRequest asked");
  });
});

describe("a verdict", () => {
  it("lets a request go, or blocks it", async () => {
    const rig = makeRig();
    await hold(rig);
    await pause(rig, "POST", "https://a.test/a");
    await pause(rig, "POST", "https://a.test/b");
    await pause(rig, "POST", "https://a.test/c", { resourceType: "Document" });
    const [a, b, c] = rig.reported.map(({ id }) => id) as [string, string, string];
    expect(await rig.held.release({ id: a, verdict: "allow" })).toBe(true);
    expect(await rig.held.release({ id: b, verdict: "block" })).toBe(true);
    expect(await rig.held.release({ id: c, verdict: "block" })).toBe(true);
    expect(rig.sent.slice(-3).map((each) => each.split(" ")[0])).toEqual([
      "Fetch.continueRequest",
      "Fetch.failRequest",
      "Fetch.fulfillRequest",
    ]);
    expect(await rig.held.release({ id: a, verdict: "allow" })).toBe(false);
  });

  it("of another tab counts for nothing", async () => {
    const rig = makeRig();
    await hold(rig);
    await pause(rig, "POST", "https://a.test/a");
    expect(await rig.held.release({ id: idOf(rig, 0), verdict: "allow" }, 8)).toBe(false);
    expect(rig.sent.some((each) => each.startsWith("Fetch.continueRequest"))).toBe(false);
  });

  it("that doesn't come blocks; a person has more time", async () => {
    const rig = makeRig();
    await hold(rig);
    await pause(rig, "POST", "https://a.test/a");
    await pause(rig, "POST", "https://a.test/b");
    const asking: number[] = [];
    rig.held.asking.on((tab) => asking.push(tab));
    await rig.held.release({ id: idOf(rig, 1), verdict: "ask" });
    expect([asking, rig.held.isAsking(TAB)]).toEqual([[TAB], true]);
    await vi.advanceTimersByTimeAsync(11_000);
    expect(rig.sent.filter((each) => each.startsWith("Fetch.failRequest"))).toHaveLength(1);
    await vi.advanceTimersByTimeAsync(16 * 60_000);
    expect(rig.sent.filter((each) => each.startsWith("Fetch.failRequest"))).toHaveLength(2);
    expect(rig.held.isAsking(TAB)).toBe(false);
  });

  it("says so where the page had given the request up", async () => {
    const rig = makeRig(new FakeStorage(), "Fetch.continueRequest");
    await hold(rig);
    await pause(rig, "POST", "https://a.test/a");
    expect(await rig.held.release({ id: idOf(rig, 0), verdict: "allow" })).toBe(false);
  });
});

describe("a debugger that is driven off", () => {
  it("comes back at once, and holds anew", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.sent.length = 0;
    rig.lost.emit({ tab: TAB, reason: "target_closed" });
    expect(rig.sent).toEqual([`watch ${TAB}`]);
    expect(rig.ensured).toEqual([TAB, TAB]);
    rig.attached.emit(TAB);
    await flush();
    expect(rig.sent).toContain("Fetch.enable");
    expect(rig.sent.at(-1)).toBe(`leave alone ${TAB}`);
  });

  it("stays away where the user cancelled it", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.lost.emit({ tab: TAB, reason: "canceled_by_user" });
    expect([rig.held.isOn(TAB), rig.ensured]).toEqual([false, [TAB]]);
  });
});

describe("letting a tab go", () => {
  it("blocks what waits, before anything else", async () => {
    const rig = makeRig();
    await hold(rig);
    await pause(rig, "POST", "https://a.test/a");
    await rig.held.letGo(TAB, new Deadline(1_000, "let go"));
    const methods = rig.sent.map((each) => each.split(" ")[0]);
    expect(methods.indexOf("Fetch.failRequest")).toBeLessThan(methods.indexOf("Fetch.disable"));
    expect(rig.held.isOn(TAB)).toBe(false);
  });

  it("that is about to be closed leaves it to rules of the browser, and blocks what waits", async () => {
    const rig = makeRig();
    await rig.held.closing(TAB);
    expect(rig.sent).toEqual([]);
    await hold(rig);
    await pause(rig, "POST", "https://a.test/a");
    rig.sent.length = 0;
    await rig.held.closing(TAB);
    expect(rig.sent.map((each) => each.split(" ")[0])).toEqual(["watch", "Fetch.failRequest"]);
  });

  it("does not happen where the debugger isn't to be had: the kernel gets the error", async () => {
    const rig = makeRig(new FakeStorage(), "Fetch.enable");
    await expect(hold(rig)).rejects.toThrow("gone");
    expect(rig.held.isOn(TAB)).toBe(false);
  });
});

describe("a tab that a held page opens", () => {
  const tab = (id: number, more = {}): chrome.tabs.Tab => ({ id, ...more }) as chrome.tabs.Tab;

  const failed = { frameId: 0, error: "net::ERR_BLOCKED_BY_CLIENT", url: "https://a.test/pay" };

  it("is reported where its first request was blocked, and only then", async () => {
    const rig = makeRig();
    await hold(rig);
    const blocked: string[] = [];
    rig.held.blocked.on(({ url }) => blocked.push(url));
    rig.held.created(tab(8, { openerTabId: TAB }));
    rig.held.created(tab(9, { openerTabId: 3 }));
    await rig.held.loaded({ ...failed, tabId: 9 });
    await rig.held.loaded({ ...failed, tabId: 8, error: "net::ERR_FAILED" });
    expect(blocked).toEqual([]);
    await rig.held.loaded({ ...failed, tabId: 8 });
    expect(blocked).toEqual(["https://a.test/pay"]);
    expect(rig.sent).not.toContain("leave alone 8");
  });

  it("counts as such also where only the navigation names its opener", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.held.created(tab(8));
    rig.held.openedBy(TAB, 8);
    await rig.held.loaded({ ...failed, tabId: 8 });
    expect(rig.sent).not.toContain("leave alone 8");
  });

  it("isn't one that somebody else opens, which loads what was blocked once more", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.held.created(tab(9));
    await rig.held.loaded({ ...failed, tabId: 9 });
    await rig.held.loaded({ ...failed, tabId: 9 });
    expect(rig.sent.filter((each) => each.endsWith(" 9"))).toEqual(["leave alone 9", "reload 9"]);
  });

  it("stays guarded for a moment where its opener closes itself", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.sent.length = 0;
    rig.held.forget(TAB);
    rig.held.created({ id: 8 } as chrome.tabs.Tab);
    rig.held.openedBy(TAB, 8);
    await vi.advanceTimersByTimeAsync(4_900);
    expect(rig.sent).toEqual(["watch 8"]);
    await vi.advanceTimersByTimeAsync(200);
    expect(rig.sent).toEqual(["watch 8", "end"]);
  });

  it("stays guarded where another tab is held meanwhile", async () => {
    const rig = makeRig();
    await hold(rig);
    rig.held.forget(TAB);
    await hold(rig);
    rig.sent.length = 0;
    await vi.advanceTimersByTimeAsync(6_000);
    expect(rig.sent).toEqual([]);
    await rig.held.letGo(TAB, new Deadline(1_000, "let go"));
    expect(rig.sent).toContain("end");
  });

  it("is kept from what may change something by rules that leave other tabs alone", async () => {
    let rules: chrome.declarativeNetRequest.Rule[] = [];
    const api = {
      getSessionRules: async () => rules,
      updateSessionRules: async ({ addRules }: { addRules: typeof rules }) => {
        rules = addRules;
      },
    };
    const newTabs = new NewTabs(api as never, { query: async () => [tab(1), tab(TAB)] } as never);
    await newTabs.guard(["delete"]);
    expect([newTabs.isGuarded(TAB), newTabs.isGuarded(8)]).toEqual([false, true]);
    for (const { condition } of rules) expect(condition.excludedTabIds).toEqual([-1, 1, TAB]);
    const [, ...gets] = rules.map(({ condition }) => condition.regexFilter as string);
    const says = (url: string): boolean => gets.some((get) => new RegExp(get).test(url));
    for (const path of ["deleteItem", "itemDelete", "DELETE", "de%6Cete", "de%256cete"])
      expect(says(`https://a.test/items/5/${path}`)).toBe(true);
    expect(says("https://a.test/items/5/delete?x")).toBe(true);
    expect(says("https://a.test/x?do=delete")).toBe(true);
    expect(says("https://delete.test/items")).toBe(false);
    expect(says("https://a.test/deleted")).toBe(false);
    await newTabs.leaveAlone(8);
    expect(rules[0]?.condition.excludedTabIds).toEqual([-1, 1, TAB, 8]);
    await newTabs.watch(8);
    expect(rules[0]?.condition.excludedTabIds).toEqual([-1, 1, TAB]);
    await newTabs.end();
    expect(rules).toEqual([]);
  });

  it("is left to the debugger only once that holds it", async () => {
    const rig = makeRig();
    await hold(rig);
    const held = rig.sent.findLastIndex((each) => each.startsWith("Fetch.enable"));
    expect(held).toBeGreaterThanOrEqual(0);
    expect(rig.sent.indexOf(`leave alone ${TAB}`)).toBeGreaterThan(held);
  });

  it("is kept so by one change of the rules, whatever is wanted at once", async () => {
    const changes: chrome.declarativeNetRequest.Rule[][] = [];
    const api = {
      getSessionRules: async () => [],
      updateSessionRules: async ({ addRules }: { addRules: (typeof changes)[number] }) => {
        changes.push(addRules);
      },
    };
    const newTabs = new NewTabs(api as never, { query: async () => [tab(1)] } as never);
    await Promise.all([newTabs.guard(["delete"]), newTabs.leaveAlone(TAB), newTabs.hold([TAB], null)]);
    expect(changes).toHaveLength(1);
    const [writes] = changes[0] ?? [];
    expect(writes?.condition.excludedTabIds?.toSorted()).toEqual([-1, 1, TAB].toSorted());
    expect(changes[0]?.some(({ condition }) => condition.tabIds?.includes(TAB))).toBe(true);
    await newTabs.leaveAlone(9);
    expect(changes).toHaveLength(2);
  });
});

describe("words in addresses", () => {
  /** One pattern for each word, and no way to take one for another. */
  const alone = (word: string): RegExp[] => {
    const start = "^https?://[^/]+/";
    const capital = word.slice(0, 1).toUpperCase() + word.slice(1);
    return [
      new RegExp(`${start}(.*[^a-zA-Z])?${word}([^a-z]|$)`),
      new RegExp(`${start}(.*[^A-Z])?${capital}([^a-z]|$)`),
      new RegExp(`${start}(.*[^a-zA-Z])?${word.toUpperCase()}([^a-zA-Z]|$)`),
    ];
  };

  it("share patterns, so that far fewer are used than the browser takes", async () => {
    const table = readFileSync("../skillbook/lexicon/words/addresses.toml", "utf8");
    const words = [...new Set(table.match(/(?<=[ "])[a-z]{3,}(?=[ "])/g))];
    expect(words.length).toBeGreaterThan(150);
    let rules: chrome.declarativeNetRequest.Rule[] = [];
    const api = {
      getSessionRules: async () => rules,
      updateSessionRules: async ({ addRules = [] }: chrome.declarativeNetRequest.UpdateRuleOptions) => {
        rules = addRules;
      },
    };
    const newTabs = new NewTabs(api as never, { query: async () => [] } as never);
    await newTabs.guard(words);
    const patterns = rules.flatMap(({ condition }) => condition.regexFilter ?? []);
    await newTabs.hold([TAB], null);
    expect(rules.filter(({ condition }) => condition.regexFilter).length).toBeLessThan(220);

    const [made, before] = [patterns.map((one) => new RegExp(one)), words.flatMap(alone)];
    const capital = (word: string): string => word.slice(0, 1).toUpperCase() + word.slice(1);
    const paths = words.flatMap((word) => [
      ...[
        word,
        `x/${word}?y`,
        `?do=${word}`,
        `item${capital(word)}`,
        `${capital(word)}All`,
        word.toUpperCase(),
      ],
      ...[`${word}x`, `x${word}`, `X${capital(word)}`, `x${word.toUpperCase()}`, `${word.toUpperCase()}x`],
    ]);
    const urls = paths.flatMap((path) => [
      `https://a.test/${path}`,
      `http://${path.split(/[/?]/)[0]}.test:80/a`,
    ]);
    const of = (all: RegExp[]): string[] => urls.filter((url) => all.some((one) => one.test(url)));
    expect(of(made)).toEqual(of(before));
  });
});

describe("what is reported", () => {
  it("counts messages of WebSockets", async () => {
    const rig = makeRig();
    await hold(rig);
    const counts: number[] = [];
    rig.held.messages.on(({ count }) => counts.push(count));
    const socket = { requestId: "s1", url: "wss://a.test/live" };
    rig.held.take({ tab: TAB, session: null, method: "Network.webSocketCreated", params: socket });
    for (let sent = 0; sent < 3; sent++)
      rig.held.take({ tab: TAB, session: null, method: "Network.webSocketFrameSent", params: socket });
    await vi.advanceTimersByTimeAsync(300);
    expect(counts).toEqual([3]);
  });

  it("has a body's text, cut where it is long", async () => {
    const request = { url: "", method: "POST", headers: {}, hasPostData: true };
    const make = (more: object): PausedRequest => ({
      requestId: "1",
      resourceType: "XHR",
      request: { ...request, ...more },
    });
    const none = async (): Promise<null> => null;
    const entries = [{ bytes: btoa("a=1") }, { bytes: btoa("&b=\xc3\xbc") }];
    const text = { body: "a=1&b=ü", data: null, size: 8 };
    expect(await bodyOf(make({ postDataEntries: entries }), none)).toEqual(text);
    const unknown = { body: null, data: null, size: null };
    expect(await bodyOf(make({}), none)).toEqual(unknown);
    const read = async (): Promise<{ postData: string }> => ({ postData: "x" });
    expect(await bodyOf(make({}), read)).toEqual({ body: "x", data: null, size: 1 });
    const long = await bodyOf(make({ postDataEntries: [{ bytes: btoa("x".repeat(300_000)) }] }), none);
    expect([long.body?.length, long.size]).toEqual([200_000, 300_000]);
  });

  it("has the bytes of a body that is no text, and never takes a stream for an empty one", async () => {
    const make = (...postDataEntries: { bytes?: string }[]): PausedRequest => ({
      requestId: "1",
      resourceType: "XHR",
      request: { url: "", method: "POST", headers: {}, hasPostData: true, postDataEntries },
    });
    const none = async (): Promise<null> => null;
    for (const bytes of ["\x01\xff\xfe\x00", "\xf0\x9f\x98", "\x1f\x8b\x08\x00\x01"]) {
      const found = await bodyOf(make({ bytes: btoa(bytes) }), none);
      expect(found).toEqual({ body: null, data: btoa(bytes), size: bytes.length });
    }
    const marked = await bodyOf(make({ bytes: btoa("\xef\xbb\xbfA") }), none);
    expect(marked).toEqual({ body: "\ufeffA", data: null, size: 4 });
    for (const stream of [make({}), make({ bytes: btoa("a") }, {})])
      expect(await bodyOf(stream, none)).toEqual({ body: null, data: null, size: null });
  });

  it.each([
    ["https://delete.test/items", false],
    ["https://a.test/items/5/delete", true],
    ["https://a.test/deleteItem", true],
    ["https://a.test/de%6Cete", true],
    ["https://a.test/log-out", true],
    ["https://a.test/deleted", false],
    ["https://a.test/DeLeTe", true],
    ["https://a.test/de%256Cete", true],
    ["https://a.test/%EF%BD%84%EF%BD%85%EF%BD%8C%EF%BD%85%EF%BD%94%EF%BD%85", true],
    ["https://a.test/%E5%88%A0%E9%99%A4", true],
    ["https://a.test/%E0%A4%A", false],
  ])("knows words in %s", (url, known) => {
    expect(saysWord(url, ["delete", "logout"])).toBe(known);
  });
});
