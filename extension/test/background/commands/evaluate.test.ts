import { describe, expect, it } from "vitest";
import { shallow } from "../../../src/background/commands/evaluate";

const nested = (levels: number): unknown => {
  let value: unknown = 1;
  for (let at = 0; at < levels; at++) value = at % 2 ? [value] : { value };
  return value;
};

describe("a value that a kernel reads", () => {
  it("is handed over up to a depth", () => {
    for (const value of [null, 1, "x", [], { a: [1, { b: 2 }] }, nested(150)])
      expect(shallow(value)).toBe(value);
  });

  it("is refused when nested too deeply, however deep (fault_40)", () => {
    for (const levels of [151, 100_000]) expect(() => shallow(nested(levels))).toThrow(/too deeply/);
  });
});
