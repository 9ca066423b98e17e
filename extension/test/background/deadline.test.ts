import { describe, expect, it, vi } from "vitest";
import { Deadline, within } from "../../src/background/deadline";
import { Failure, toWireError } from "../../src/shared/errors";

describe("deadline", () => {
  it("ends what waits, with a timeout", async () => {
    const deadline = new Deadline(5, "click");
    const failure = await deadline.race(new Promise(() => undefined)).catch((error: unknown) => error);
    expect(toWireError(failure)).toMatchObject({ code: "timeout", data: { timeout_ms: 5 } });
    expect(toWireError(new Error("No tab with id: 7."))).toMatchObject({ code: "page_closed" });
    expect(toWireError(new Error("Odd"))).toMatchObject({ code: "internal", retryable: false });
    const away = new Failure("page_navigated", "It went.");
    expect(toWireError(away)).toMatchObject({ retryable: true });
    const never = Failure.fromWire(new Failure("page_unreachable", "No address.", "", {}, false).toWire());
    expect(never.retryable).toBe(false);
    expect(() => deadline.check()).toThrow(Failure);
  });

  it("does not keep a cancelled command going", async () => {
    const deadline = new Deadline(10_000, "click");
    const waiting = deadline.race(new Promise(() => undefined));
    deadline.cancel(new Failure("connection_lost", "gone"));
    await expect(waiting).rejects.toMatchObject({ code: "connection_lost" });
    const late = vi.fn(() => Promise.resolve(1));
    await expect(deadline.race(late())).rejects.toMatchObject({ code: "connection_lost" });
  });

  it("within gives undefined instead of waiting longer", async () => {
    expect(await within(new Promise(() => undefined), 2)).toBeUndefined();
    expect(await within(Promise.resolve("x"), 1000)).toBe("x");
  });
});
