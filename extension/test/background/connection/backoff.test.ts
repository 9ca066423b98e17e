import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Backoff } from "../../../src/background/connection/backoff";

describe("back-off", () => {
  it("stays below a bound that doubles up to the cap", () => {
    fc.assert(
      fc.property(
        fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), { maxLength: 60 }),
        (rolls) => {
          let turn = 0;
          const backoff = new Backoff(200, 10_000, () => rolls[turn] as number);
          for (; turn < rolls.length; turn++) {
            const wait = backoff.next();
            expect(wait).toBeGreaterThanOrEqual(0);
            expect(wait).toBeLessThanOrEqual(Math.min(10_000, 200 * 2 ** turn));
          }
        },
      ),
    );
  });

  it("starts over after a success", () => {
    const backoff = new Backoff(200, 10_000, () => 1);
    for (let turn = 0; turn < 20; turn++) backoff.next();
    expect(backoff.next()).toBe(10_000);
    backoff.reset();
    expect(backoff.next()).toBe(200);
  });
});
