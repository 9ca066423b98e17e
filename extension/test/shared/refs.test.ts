import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { splitRef } from "../../src/shared/refs";

describe("refs", () => {
  it("come apart as they were put together", () => {
    fc.assert(
      fc.property(fc.nat(99999), fc.integer({ min: 1, max: 999999 }), (frame, number) => {
        expect(splitRef(frame ? `f${frame}e${number}` : `e${number}`)).toEqual({ frame, number });
      }),
    );
  });

  it.each(["", "e", "e0", "f0e1", "f1", "e01", "x1", " e1", "e1 ", "e1\n", "f1e"])("%j is none", (text) => {
    expect(splitRef(text)).toBeNull();
  });
});
