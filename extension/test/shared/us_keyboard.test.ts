import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { parseKeys, strokeOf } from "../../src/shared/us_keyboard";

describe("strokeOf", () => {
  it("has a key for every printable ASCII character, which types that character", () => {
    for (let code = 32; code < 127; code++) {
      const character = String.fromCharCode(code);
      expect(strokeOf(character)?.stroke).toMatchObject({ key: character, text: character });
    }
  });

  it("holds Shift where the character needs it", () => {
    expect(["A", "a", "!", "1", "?", "/", " "].map((each) => strokeOf(each)?.shift)).toEqual([
      true,
      false,
      true,
      false,
      true,
      false,
      false,
    ]);
  });

  it("has none for what the keyboard lacks", () => {
    expect(strokeOf("é")).toBeNull();
    expect(strokeOf("寸")).toBeNull();
  });
});

describe("parseKeys", () => {
  it.each([
    ["Enter", [], "Enter", "Enter", 13, "\r"],
    ["a", [], "a", "KeyA", 65, "a"],
    ["A", ["Shift"], "A", "KeyA", 65, "A"],
    ["Control+A", ["Control"], "a", "KeyA", 65, ""],
    ["Control+Shift+ArrowLeft", ["Control", "Shift"], "ArrowLeft", "ArrowLeft", 37, ""],
    ["Shift+a", ["Shift"], "A", "KeyA", 65, "A"],
    ["Control++", ["Control"], "+", "Equal", 187, ""],
    ["+", ["Shift"], "+", "Equal", 187, "+"],
    [" ", [], " ", "Space", 32, " "],
    ["F5", [], "F5", "F5", 116, ""],
    ["Escape", [], "Escape", "Escape", 27, ""],
    ["Shift", [], "Shift", "ShiftLeft", 16, ""],
    ["Alt+Enter", ["Alt"], "Enter", "Enter", 13, ""],
  ])("%s", (text, modifiers, key, code, keyCode, typed) => {
    const found = parseKeys(text);
    expect(found.modifiers).toEqual(modifiers);
    expect(found.stroke).toMatchObject({ key, code, keyCode, text: typed });
  });

  it.each(["", "Nonsense", "Return", "Ctrl+a", "Control+", "Foo+a", "F25", "Control+Nonsense"])(
    "%j is refused",
    (text) => {
      expect(() => parseKeys(text)).toThrowError(expect.objectContaining({ code: "invalid_params" }));
    },
  );

  it("takes any text without another kind of error", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        try {
          expect(parseKeys(text).stroke.code).not.toBe("");
        } catch (error) {
          expect(error).toMatchObject({ code: "invalid_params" });
        }
      }),
    );
  });
});
