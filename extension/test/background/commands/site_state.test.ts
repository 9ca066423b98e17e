// Cookies and storage: only where the extension has the permission, and set as they were read.

import { describe, expect, it } from "vitest";
import type { CommandContext, CookiesApi } from "../../../src/background/commands/context";
import { readOrSetCookies, readOrWriteStorage } from "../../../src/background/commands/site_state";
import { Deadline } from "../../../src/background/deadline";

const KNOWN = {
  name: "sid",
  value: "7",
  domain: ".shop.test",
  path: "/",
  secure: true,
  httpOnly: true,
  hostOnly: false,
  sameSite: "lax",
  session: false,
  expirationDate: 2_000_000_000,
  storeId: "0",
} as chrome.cookies.Cookie;

function contextWith(cookies: CookiesApi | undefined): CommandContext {
  const services = {
    cookies: () => cookies,
    documents: { runInPage: async () => ({ problem: "elsewhere" }) },
  };
  return { services, tab: 7, deadline: new Deadline(1000, "site_state") } as unknown as CommandContext;
}

describe("site_cookies", () => {
  it("sets a cookie as it was read, and names those that the browser refuses", async () => {
    const set: chrome.cookies.SetDetails[] = [];
    const api = {
      getAll: async () => [KNOWN],
      set: async (details: chrome.cookies.SetDetails) => {
        set.push(details);
        return details.name === "odd" ? null : KNOWN;
      },
    } as unknown as CookiesApi;
    const { cookies } = await readOrSetCookies(contextWith(api), {});
    const given = [...cookies, { ...cookies[0], name: "odd", host_only: true, expires: null }];
    const answer = await readOrSetCookies(contextWith(api), { set: given as typeof cookies });
    expect(answer).toEqual({ cookies: [], refused: ["odd"] });
    expect(set[0]).toMatchObject({
      url: "https://shop.test/",
      domain: ".shop.test",
      httpOnly: true,
      expirationDate: 2_000_000_000,
    });
    expect(set[1]).not.toHaveProperty("domain");
    expect(set[1]).not.toHaveProperty("expirationDate");
  });

  it("reads and writes nothing in a person's browser", async () => {
    const context = contextWith(undefined);
    await expect(readOrSetCookies(context, {})).rejects.toThrow("not started by skillbook");
    const params = { origin: "https://shop.test" };
    await expect(readOrWriteStorage(context, params)).rejects.toThrow("not started by skillbook");
  });

  it("says so where the tab shows another origin", async () => {
    const context = contextWith({} as CookiesApi);
    await expect(readOrWriteStorage(context, { origin: "https://shop.test" })).rejects.toThrow("elsewhere");
  });
});
