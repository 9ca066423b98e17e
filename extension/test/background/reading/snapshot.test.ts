import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import { spliceKeys, whyNot } from "../../../src/background/reading/snapshot";
import { Failure } from "../../../src/shared/errors";

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

describe("whyNot", () => {
  it("is nothing where the content scripts answer, or say themselves why not", async () => {
    expect(await whyNot(Promise.resolve({}))).toBeNull();
    expect(await whyNot(Promise.reject(new Failure("page_navigated", "It went away.")))).toBeNull();
  });

  it("says what went wrong in the content script", async () => {
    expect(await whyNot(Promise.reject(new Failure("internal", "Illegal invocation")))).toBe(
      "Illegal invocation",
    );
  });

  it("says how long the page was silent", async () => {
    vi.useFakeTimers();
    const why = whyNot(new Promise(() => undefined));
    await vi.advanceTimersByTimeAsync(2_500);
    expect(await why).toBe("the page did not answer in 2.5 s");
    vi.useRealTimers();
  });
});
