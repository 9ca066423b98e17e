import fc from "fast-check";
import { afterEach, describe, expect, it, vi } from "vitest";
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
  const silent = (): Promise<unknown> => new Promise(() => undefined);
  const answered = (): Promise<unknown> => Promise.resolve();

  afterEach(() => vi.useRealTimers());

  it("is nothing where the content scripts answer, or say themselves why not", async () => {
    expect(await whyNot(Promise.resolve({}), answered)).toBeNull();
    expect(await whyNot(Promise.reject(new Failure("page_navigated", "It went away.")), answered)).toBeNull();
  });

  it("says what went wrong in the content script", async () => {
    const failure = Promise.reject(new Failure("internal", "Illegal invocation"));
    expect(await whyNot(failure, answered)).toBe("Illegal invocation");
  });

  it("says that the page answers the debugger alone", async () => {
    vi.useFakeTimers();
    const why = whyNot(silent(), answered);
    await vi.advanceTimersByTimeAsync(3_000);
    expect(await why).toBe("the page answers the debugger, but not the content scripts");
  });

  it("leaves a page alone that is busy", async () => {
    vi.useFakeTimers();
    const ours = new Promise((resolve) => setTimeout(resolve, 20_000, {}));
    const why = whyNot(ours, silent);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await why).toBeNull();
  });

  it("leaves a page alone where the debugger can't ask", async () => {
    vi.useFakeTimers();
    const ours = new Promise((resolve) => setTimeout(resolve, 20_000, {}));
    const why = whyNot(ours, () => Promise.reject(new Failure("not_allowed", "No debugger.")));
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await why).toBeNull();
  });
});
