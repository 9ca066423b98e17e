import { describe, expect, it } from "vitest";
import { FilledTabs } from "../../../src/background/requests/filled_tabs";

const TAB = 7;
const store = { load: async <T>(_: string, none: T): Promise<T> => none, save: () => undefined };

describe("a tab beside one with a secret", () => {
  it("is left alone at another port of the host, and not at the secret's own address", () => {
    const tabs = new FilledTabs(store);
    expect(tabs.goes(1, "http://127.0.0.1:8888/lab")).toBe(false);
    tabs.fill(TAB, ["http://127.0.0.1:3000"]);
    expect(tabs.goes(1, "http://127.0.0.1:8888/lab")).toBe(true);
    expect(tabs.goes(2, "http://127.0.0.1:3000/other")).toBe(false);
    expect(tabs.goes(3, "https://far.test/")).toBe(false);
    expect(tabs.rules?.apart).toEqual([1]);
    expect(tabs.rules?.hosts).toEqual(["127.0.0.1"]);
    expect(tabs.goes(1, "http://127.0.0.1:3000/")).toBe(true);
    expect(tabs.rules?.apart).toEqual([]);
  });

  it("is held where it shares an origin that a frame of the filled tab has", () => {
    const tabs = new FilledTabs(store);
    tabs.fill(TAB, ["http://127.0.0.1:3000"]);
    expect(tabs.met(TAB, "http://127.0.0.1:4000/frame")).toBe(true);
    expect(tabs.goes(1, "http://127.0.0.1:4000/")).toBe(false);
    tabs.committed(TAB, "next");
    expect(tabs.rules).toBeNull();
  });
});
