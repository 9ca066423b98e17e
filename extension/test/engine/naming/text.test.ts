import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { clip, collapse, fold, hasInk } from "../../../src/engine/dom/naming/text";

describe("text", () => {
  it("folds like a regular expression would", () => {
    const spaced = fc.array(fc.constantFrom("a", "ß", " ", "\n", "\t", "\u00a0"), { maxLength: 12 });
    fc.assert(
      fc.property(spaced, (parts) => {
        const text = parts.join("");
        expect(collapse(text)).toBe(text.replace(/\s+/g, " "));
        expect(fold(text)).toBe(text.replace(/\s+/g, " ").trim());
        expect(hasInk(text)).toBe(fold(text) !== "");
      }),
    );
  });

  it("cuts with a mark", () => {
    expect(clip("abcdef", 4)).toBe("abc…");
    expect(clip("abcd", 4)).toBe("abcd");
  });
});
