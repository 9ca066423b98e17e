import { beforeEach, describe, expect, it } from "vitest";
import { Graph } from "../../src/page/graph";
import { CLOCK_FRAMES, CLOCK_MS, CLOCK_TIMES, LONGEST_MS } from "../../src/shared/limits";

const ACT = 100;
let time: number;
let ends: number;
let graph: Graph;
let isWriting: boolean;

beforeEach(() => {
  time = 0;
  ends = 0;
  isWriting = false;
  graph = new Graph(
    () => time,
    () => {
      ends++;
    },
    () => isWriting,
  );
});

/** The tasks that run are over. */
function endTask(): void {
  for (; ends > 0; ends--) graph.taskEnded();
}

/** Code of an act sets something that runs later, again and again; how often that was waited for. */
function setAgain(times: number, everyMs: number, kind = "timer", source = "tick"): number {
  graph.enter(ACT);
  let waited = 0;
  let effect = graph.holdAgain(ACT, kind, "a timer", 10_000, source);
  while (effect && waited < times) {
    waited++;
    endTask();
    time += everyMs;
    graph.end(effect);
    effect = graph.holdAgain(graph.now, kind, "a timer", 10_000, source);
  }
  endTask();
  return waited;
}

const waiting = (since = 1): string[] => graph.open(since).waiting.map(({ detail }) => detail);

describe("what an act causes", () => {
  it("is open until the task in which it ends is over, and what that begins is the act's, too", () => {
    graph.enter(ACT);
    const timer = graph.hold(graph.now, "timer", "a timer");
    endTask();
    expect(graph.now).toBe(0);
    expect(waiting()).toEqual(["a timer"]);
    graph.end(timer);
    expect(graph.now).toBe(ACT);
    const answer = graph.hold(graph.now, "request", "GET /");
    expect(waiting()).toEqual(["GET /", "a timer"]);
    endTask();
    expect(waiting()).toEqual(["GET /"]);
    graph.end(answer);
    endTask();
    expect(waiting()).toEqual([]);
  });

  it("is nobody's where no act's code runs", () => {
    expect(graph.hold(graph.now, "timer", "a timer")).toBeNull();
    expect(waiting()).toEqual([]);
  });

  it("counts from the act on that is queried for", () => {
    graph.hold(ACT, "timer", "before", 1_000);
    graph.hold(ACT + 1, "timer", "after", 1_000);
    expect(waiting(ACT + 1)).toEqual(["after"]);
    expect(waiting(ACT)).toHaveLength(2);
  });

  it("is given up when its time is over", () => {
    graph.hold(ACT, "worker", "an answer", 3_000);
    expect(graph.nextEnd(1)).toBe(3_000);
    time = 3_000;
    expect(waiting()).toEqual([]);
  });

  it("reports each end, of what was released as well", () => {
    let reported = 0;
    graph.onEnd = () => {
      reported++;
    };
    const first = graph.hold(ACT, "timer", "cleared");
    graph.release(first);
    graph.release(first);
    expect(reported).toBe(1);
    graph.end(graph.hold(ACT, "timer", "done"));
    expect(reported).toBe(1);
    endTask();
    expect(reported).toBe(2);
  });
});

describe("a clock", () => {
  it("is what leads to itself often and for long", () => {
    const waited = setAgain(50, 200);
    expect(waited).toBeGreaterThan(CLOCK_TIMES);
    expect(waited).toBeLessThanOrEqual(CLOCK_MS / 200 + 2);
    expect(waiting()).toEqual([]);
    expect(graph.open(1).never).toMatchObject([{ kind: "timer", detail: "a timer" }]);
  });

  it("isn't yet what writes text again and again, which may count up to what it says", () => {
    isWriting = true;
    for (const [kind, every] of [
      ["timer", 200],
      ["frame", 16],
    ] as const) {
      const waited = setAgain(1_000, every, kind, kind);
      expect(waited * every).toBeGreaterThan(LONGEST_MS);
      expect(waited * every).toBeLessThanOrEqual(LONGEST_MS + 2 * every);
    }
  });

  it("is known again when another act sets it off", () => {
    setAgain(50, 200);
    graph.enter(ACT + 1);
    expect(graph.holdAgain(ACT + 1, "timer", "a timer", 10_000, "tick")).toBeNull();
  });

  it("isn't what is quick, or seldom", () => {
    expect(setAgain(20, 10)).toBe(20);
    expect(setAgain(CLOCK_TIMES - 1, 3_000)).toBe(CLOCK_TIMES - 1);
  });

  it("isn't what others set off each time", () => {
    for (let press = 0; press < 10; press++) {
      graph.enter(ACT);
      expect(graph.holdAgain(ACT, "timer", "a timer", 100, "tick")).not.toBeNull();
      endTask();
      time += 1_000;
    }
    expect(graph.open(1).never).toEqual([]);
  });

  it("of the platform's own functions isn't known again: they serve sleeps of all kinds", () => {
    const native = "timer 200 function () { [native code] }";
    setAgain(50, 200, "timer", native);
    graph.enter(ACT + 1);
    expect(graph.holdAgain(ACT + 1, "timer", "a timer", 10_000, native)).not.toBeNull();
  });

  it("of frames is known by their number", () => {
    expect(setAgain(100, 16, "frame")).toBe(CLOCK_FRAMES);
  });

  it("forgets what is far back", () => {
    setAgain(5_000, 0.1);
    let length = 0;
    for (let effect = graph.hold(ACT, "timer", "last"); effect; effect = effect.cause) length++;
    expect(length).toBeLessThan(20);
  });
});

it("knows messages that keep coming from elsewhere", () => {
  for (let count = 0; count <= CLOCK_TIMES; count++) expect(graph.isFlood(ACT, "channel")).toBe(false);
  time = CLOCK_MS + 1;
  expect(graph.isFlood(ACT, "channel")).toBe(true);
  expect(graph.isFlood(ACT + 1, "channel")).toBe(false);
});
