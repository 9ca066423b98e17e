import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Listeners } from "../../src/background/listeners";
import { Failure } from "../../src/shared/errors";

const call = {
  tab: 1,
  input: "trusted" as const,
  deadline: { left: () => 10_000, signal: new AbortController().signal } as never,
};

/** How often a tab is asked in so many milliseconds where somebody wants to know all the time. */
async function count(ms: number, answer: () => Promise<never[]>): Promise<number> {
  const open = vi.fn(answer);
  const listeners = new Listeners({ open }, { isAttached: () => true });
  const end = performance.now() + ms;
  while (performance.now() < end) {
    await listeners.refresh(call, []);
    await vi.advanceTimersByTimeAsync(10);
  }
  return open.mock.calls.length;
}

const taking = (ms: number) => async () => {
  vi.advanceTimersByTime(ms);
  return [];
};

describe("listeners", () => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ["performance", "setTimeout", "clearTimeout"] });
  });
  afterEach(() => {
    vi.useRealTimers();
  });

  it("take a tenth of a page's time", async () => {
    const asked = await count(20_000, taking(100));
    expect(asked).toBeGreaterThan(15);
    expect(asked).toBeLessThanOrEqual(20);
  });

  it("are asked for sixteen times a second at most", async () => {
    const asked = await count(1_000, taking(0));
    expect(asked).toBeGreaterThan(10);
    expect(asked).toBeLessThanOrEqual(17);
  });

  it("are asked for every few seconds however long that takes", async () => {
    expect(await count(28_000, taking(2_000))).toBe(4);
  });

  it("are left alone for a minute where the debugger may not look", async () => {
    const refuse = async (): Promise<never> => {
      throw new Failure("debugger_unavailable", "no");
    };
    expect(await count(59_000, refuse)).toBe(1);
    expect(await count(61_000, refuse)).toBe(2);
  });
});
