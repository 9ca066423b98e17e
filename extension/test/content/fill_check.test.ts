import { describe, expect, it } from "vitest";
import cases from "../../../tests/contract/same_values.json";
import { isTaken } from "../../src/content/fill_check";

function taken(held: string, value: string, before = "", html = "<input id=f>"): boolean {
  document.body.innerHTML = `<div><div><div><div>${html}</div></div></div></div>`;
  const field = document.getElementById("f") as HTMLInputElement;
  field.value = held;
  return isTaken(field, value, before);
}

describe("a fill", () => {
  it.each(cases.same)("that shows %j for %j is taken", (held, value) => {
    expect(taken(held as string, value as string)).toBe(true);
  });

  it.each(cases.other)("that shows %j for %j is not", (held, value) => {
    expect(taken(held as string, value as string)).toBe(false);
  });

  it.each([
    ["old", "new", "old"],
    ["oldnew", "new", "old"],
    ["newold", "new", "old"],
    ["55", "abc", "55"],
  ])("that shows %j for %j where it held %j is not", (held, value, before) => {
    expect(taken(held, value, before)).toBe(false);
  });

  it("may leave the field for tags, or for the other boxes of a code", () => {
    expect(taken("", "red,blue", "", "<span>red</span> <span>blue</span><input id=f>")).toBe(true);
    expect(taken("1", "123", "", "<input id=f><input value=2><input value=3>")).toBe(true);
    expect(taken("", "red,blue", "", "<span>red</span><input id=f>")).toBe(false);
  });
});
