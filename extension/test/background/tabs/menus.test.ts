import { beforeEach, describe, expect, it } from "vitest";
import { Store } from "../../../src/background/store";
import { Menus } from "../../../src/background/tabs/menus";
import { Shares } from "../../../src/background/tabs/shares";
import { FakeStorage } from "../fakes";

let entries: { id: string; title: string }[];
let written: number;
let shares: Shares;
let menus: Menus;

beforeEach(() => {
  entries = [];
  written = 0;
  shares = new Shares(new Store(new FakeStorage()));
  const api = {
    create: (entry: { id: string; title: string }) => entries.push(entry),
    removeAll: async () => {
      entries = [];
      written++;
    },
  };
  menus = new Menus(api, shares);
});

describe("the context menu", () => {
  it("has the panel, and an entry a kernel, written once for the same ones", async () => {
    const kernels = [
      { id: "a", name: "R&D.ipynb" },
      { id: "b", name: "Sales" },
    ];
    await menus.show(kernels);
    await menus.show(kernels);
    expect(entries.map(({ title }) => title.slice(0, 20))).toEqual([
      "Open the side panel",
      "Share with R&&D.ipyn",
      "Share with Sales (ag",
    ]);
    expect(written).toBe(1);
    await menus.show([]);
    expect(entries.map(({ id }) => id)).toEqual(["panel"]);
  });

  it("shares the tab by the user's hand, and ends that when chosen again", () => {
    const added: unknown[] = [];
    shares.added.on((change) => added.push(change));
    menus.chosen("share:a", 7);
    expect(added).toEqual([{ tab: 7, kernel: "a", by: "user", opener: null }]);
    menus.chosen("share:b", 7);
    expect(shares.get(7)?.kernel).toBe("b");
    menus.chosen("share:b", 7);
    expect(shares.get(7)).toBeUndefined();
  });

  it("means nothing without a tab, or with another program's entry", () => {
    menus.chosen("share:a", undefined);
    menus.chosen("else", 7);
    expect(shares.tabs()).toEqual([]);
  });
});
