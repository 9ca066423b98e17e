import { describe, expect, it } from "vitest";
import { urlMatcher } from "../../../src/background/commands/wait";

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
