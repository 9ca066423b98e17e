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
    ["1.234,50 €", "1234.5", ""],
    ["5.00", "5", ""],
    ["12 / 30", "1230", ""],
    ["09:00", "9", ""],
    ["-5.00", "-5", ""],
    ["(5.00)", "-5", ""],
    ["1,234", "1234", ""],
    ["03/05/2026", "03052026", ""],
    ["1234 5678 9012", "123456789012", ""],
    ["+49 1511 2345678", "015112345678", ""],
    ["DE89 3704 0044", "de8937040044", ""],
    ["5. März 2026", "2026-03-05", ""],
    ["Thursday, March 5, 2026", "03/05/2026", ""],
    ["05/03/2026", "2026-03-05", ""],
    ["3/5/26", "2026-03-05", ""],
    ["2:30 PM", "14:30", ""],
    ["14:30:00", "14:30", ""],
    ["https://example.com", "example.com", ""],
    ["Berlin (Germany)", "Berlin", ""],
    ["FF0000", "#ff0000", ""],
    ["john", "@john", ""],
    ["#new", "new", ""],
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
    ["15", "5", ""],
    ["125", "12.5", ""],
    ["12,345", "1234.5", ""],
    ["5", "-5", ""],
    ["5", "-5", "5"],
    ["1.239", "1239.5", ""],
    ["100,00", "10000.5", ""],
    ["Berlin Spandau", "Berlin Mitte", ""],
    ["Jan 1, 2026", "2026-03-05", ""],
    ["January 5, 2026", "2026-03-05", ""],
    ["05/03/2026", "03/05/2026", ""],
    ["20/26/0305", "2026-03-05", "x"],
    ["14:45", "14:30", ""],
    ["johnexamplecom", "john@example.com", ""],
    ["JohnSmith", "John Smith", ""],
    ["Joanna Benson", "ann", ""],
    ["1000", "100", ""],
    ["10 of 100", "100", ""],
  ])("that shows %j for %j is not", (held, value, before) => {
    expect(taken(held, value, before)).toBe(false);
  });

  it("may leave the field for tags, or for the other boxes of a code", () => {
    expect(taken("", "red,blue", "", "<span>red</span> <span>blue</span><input id=f>")).toBe(true);
    expect(taken("1", "123", "", "<input id=f><input value=2><input value=3>")).toBe(true);
    expect(taken("", "red,blue", "", "<span>red</span><input id=f>")).toBe(false);
  });
});
