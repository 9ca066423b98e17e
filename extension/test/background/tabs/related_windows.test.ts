import { describe, expect, it } from "vitest";
import { RelatedWindows } from "../../../src/background/tabs/related_windows";

interface World {
  /** Open tabs: the process of each, and whether it has an opener. */
  tabs: Map<number, { process: number; opener: boolean | undefined; url?: string }>;
  saved: Map<string, unknown>;
}

function makeWorld(): World {
  return { tabs: new Map(), saved: new Map() };
}

async function windowsOf({ tabs, saved }: World): Promise<RelatedWindows> {
  const open = async (): Promise<chrome.tabs.Tab[]> =>
    [...tabs].map(([id, { url = "https://a.test/" }]) => ({ id, url }) as chrome.tabs.Tab);
  const api = {
    tabs: { query: open as typeof chrome.tabs.query },
    processOf: async (tab: number) => tabs.get(tab)?.process,
    hasOpener: async (tab: number) => tabs.get(tab)?.opener,
  };
  const store = {
    load: async <T>(key: string, none: T): Promise<T> => (saved.has(key) ? (saved.get(key) as T) : none),
    save: (key: string, value: () => unknown): void => void saved.set(key, structuredClone(value())),
  };
  const windows = new RelatedWindows(api, store);
  await windows.load(open());
  return windows;
}

const nobody = (): boolean => false;

describe("windows that can script one another", () => {
  it("are those that opened one another, also through others", async () => {
    const world = makeWorld();
    const windows = await windowsOf(world);
    for (const [tab, opener] of [
      [1, false],
      [2, true],
      [3, true],
      [4, true],
      [9, false],
    ] as const)
      world.tabs.set(tab, { process: tab, opener });
    windows.opened(1, 2);
    windows.opened(2, 3);
    windows.opened(1, 4);
    expect(await windows.of(3, nobody)).toEqual([2, 1, 4]);
    expect(await windows.of(9, nobody)).toEqual([]);
  });

  it("are not those that lost their opener, unless they live in one process", async () => {
    const world = makeWorld();
    const windows = await windowsOf(world);
    world.tabs.set(1, { process: 1, opener: false });
    world.tabs.set(2, { process: 2, opener: false });
    world.tabs.set(3, { process: 1, opener: false });
    world.tabs.set(4, { process: 4, opener: undefined });
    for (const tab of [2, 3, 4]) windows.opened(1, tab);
    expect(await windows.of(1, nobody)).toEqual([3, 4]);
    expect(await windows.of(2, nobody)).toEqual([]);
  });

  it("stay so when the one between them closes, as far as that is known or they are shared", async () => {
    const world = makeWorld();
    const windows = await windowsOf(world);
    for (const tab of [1, 2, 3]) world.tabs.set(tab, { process: tab, opener: tab > 1 });
    windows.opened(1, 2);
    windows.opened(1, 3);
    expect(await windows.of(2, nobody)).toEqual([1, 3]);
    for (const tab of [2, 3]) world.tabs.set(tab, { process: tab, opener: false });
    world.tabs.delete(1);
    windows.closed(1);
    expect(await windows.of(2, nobody)).toEqual([3]);
    world.tabs.set(5, { process: 5, opener: false });
    world.tabs.set(6, { process: 6, opener: false });
    windows.opened(4, 5);
    windows.opened(4, 6);
    expect(await windows.of(5, nobody)).toEqual([]);
    expect(await windows.of(5, () => true)).toEqual([6]);
  });

  it("are known to the next worker, and forgotten once they are closed", async () => {
    const world = makeWorld();
    const windows = await windowsOf(world);
    for (const tab of [1, 2]) world.tabs.set(tab, { process: tab, opener: tab > 1 });
    windows.opened(1, 2);
    expect(await (await windowsOf(world)).of(1, nobody)).toEqual([2]);
    world.tabs.delete(2);
    windows.closed(2);
    expect(world.saved.get("related_windows")).toEqual([]);
  });

  it("may be any from before the extension's start that have an opener", async () => {
    const world = makeWorld();
    world.tabs.set(1, { process: 1, opener: false });
    world.tabs.set(2, { process: 2, opener: true });
    world.tabs.set(3, { process: 3, opener: undefined, url: "about:blank" });
    const windows = await windowsOf(world);
    world.tabs.set(4, { process: 4, opener: false });
    expect(await windows.of(1, nobody)).toEqual([2, 3]);
    expect(await windows.of(4, nobody)).toEqual([]);
    world.tabs.delete(2);
    windows.closed(2);
    expect(await windows.of(1, nobody)).toEqual([]);
  });
});
