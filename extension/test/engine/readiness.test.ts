import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Readiness } from "../../src/engine/dom/readiness";

type Idle = (deadline: IdleDeadline) => void;

/** What waits for idle times, which the test gives, and the clock. */
let idle: Idle[] = [];
let now = 0;

beforeEach(() => {
  idle = [];
  now = 0;
  vi.stubGlobal("requestIdleCallback", (call: Idle) => idle.push(call));
  vi.spyOn(performance, "now").mockImplementation(() => now);
});
afterEach(() => {
  vi.unstubAllGlobals();
  vi.restoreAllMocks();
});

/** Give so many milliseconds of idle time. */
function give(ms: number): void {
  const end = now + ms;
  idle.shift()?.({ didTimeout: false, timeRemaining: () => Math.max(0, end - now) });
}

/** Let all tasks run that were posted so far. */
async function tasks(): Promise<void> {
  for (let i = 0; i < 5; i++) await new Promise((resolve) => setTimeout(resolve));
}

/** So much work, of which each task does a part. */
function working(tasksLeft: number, each = 10) {
  const work = { left: tasksLeft, stretches: [] as number[], settled: 0 };
  const readiness = new Readiness(
    document,
    (ms) => {
      work.stretches.push(ms);
      now += each;
      return --work.left <= 0;
    },
    () => work.settled++,
  );
  return { work, readiness };
}

describe("readiness", () => {
  it("does several tasks in one idle time, and lets the page work in between", async () => {
    const { work } = working(3);
    give(50);
    expect(work.stretches).toHaveLength(1);
    await tasks();
    expect(work.stretches).toHaveLength(3);
    expect(work.settled).toBe(1);
    expect(idle).toHaveLength(0);
  });

  it("waits for the next idle time where little is left of this one", async () => {
    const { work } = working(6);
    give(35);
    await tasks();
    expect(work.stretches).toHaveLength(3);
    expect(idle).toHaveLength(1);
    give(5);
    await tasks();
    expect(work.stretches).toHaveLength(3);
    give(50);
    await tasks();
    expect(work.left).toBe(0);
    expect(work.settled).toBe(1);
  });

  it("stops between two tasks, and begins once though more changes", async () => {
    const { work, readiness } = working(9);
    readiness.changed();
    expect(idle).toHaveLength(1);
    give(50);
    readiness.changed();
    readiness.stop();
    await tasks();
    expect(work.stretches).toHaveLength(1);
    expect(idle).toHaveLength(0);
    expect(work.settled).toBe(0);
  });
});
