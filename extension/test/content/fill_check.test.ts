import { describe, expect, it } from "vitest";
import { isTaken } from "../../src/content/fill_check";

function taken(held: string, value: string, before = "", html = "<input id=f>"): boolean {
  document.body.innerHTML = `<div><div><div><div>${html}</div></div></div></div>`;
  const field = document.getElementById("f") as HTMLInputElement;
  field.value = held;
  return isTaken(field, value, before);
}

describe("a fill", () => {
  it.each([
    ["(555) 123-4567", "5551234567", ""],
    ["1,234,567.89", "1234567.89", "99"],
    ["$1,234.50", "1234.5", ""],
    ["+1 555 123", "555123", ""],
    ["12.5", "12.50", ""],
    ["7", "007", ""],
    ["ABC", "abc", ""],
    ["Germany", "Ger", ""],
    ["March 5, 2024", "2024-03-05", ""],
    ["a b", " a b ", ""],
    ["", "", "old"],
  ])("that shows %j for %j is taken", (held, value, before) => {
    expect(taken(held, value, before)).toBe(true);
  });

  it.each([
    ["abcde", "abcdefgh", ""],
    ["100", "500", "55"],
    ["", "abc", ""],
    ["old", "new", "old"],
    ["oldnew", "new", "old"],
    ["newold", "new", "old"],
    ["5550", "555123", ""],
    ["old", "", "old"],
    ["55", "abc", ""],
  ])("that shows %j for %j is not", (held, value, before) => {
    expect(taken(held, value, before)).toBe(false);
  });

  it("may leave the field for tags, or for the other boxes of a code", () => {
    expect(taken("", "red,blue", "", "<span>red</span> <span>blue</span><input id=f>")).toBe(true);
    expect(taken("1", "123", "", "<input id=f><input value=2><input value=3>")).toBe(true);
    expect(taken("", "red,blue", "", "<span>red</span><input id=f>")).toBe(false);
  });
});
