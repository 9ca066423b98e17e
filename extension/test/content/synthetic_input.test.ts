import { describe, expect, it } from "vitest";
import { chordOf, pressKey } from "../../src/content/synthetic_input";

describe("chords", () => {
  it.each([
    ["Enter", "Enter", "Enter", []],
    ["a", "a", "KeyA", []],
    ["Control+A", "A", "KeyA", ["ctrlKey"]],
    ["Control+Shift+Delete", "Delete", "Delete", ["ctrlKey", "shiftKey"]],
    [" ", " ", "Space", []],
    ["+", "+", "+", []],
    ["Shift++", "+", "+", ["shiftKey"]],
    ["Alt+5", "5", "Digit5", ["altKey"]],
  ])("%s", (text, key, code, held) => {
    const chord = chordOf(text);
    expect(chord.key).toBe(key);
    expect(chord.init.code).toBe(code);
    const modifiers = ["altKey", "ctrlKey", "metaKey", "shiftKey"] as const;
    expect(modifiers.filter((name) => chord.init[name])).toEqual(held);
  });
});

describe("keys", () => {
  it("type into a field unless the page forbids it", () => {
    document.body.innerHTML = "<input value=a>";
    const field = document.querySelector("input") as HTMLInputElement;
    const seen: string[] = [];
    for (const type of ["keydown", "keypress", "input", "keyup"])
      field.addEventListener(type, () => seen.push(type));
    pressKey(field, "b");
    expect(field.value).toBe("ab");
    expect(seen).toEqual(["keydown", "keypress", "input", "keyup"]);
    field.addEventListener("keydown", (event) => event.preventDefault());
    pressKey(field, "c");
    expect(field.value).toBe("ab");
  });

  it("press the form's button on Enter", () => {
    document.body.innerHTML = "<form><input><button>Go</button></form>";
    let clicks = 0;
    document.querySelector("button")?.addEventListener("click", (event) => {
      clicks++;
      event.preventDefault();
    });
    pressKey(document.querySelector("input") as HTMLElement, "Enter");
    expect(clicks).toBe(1);
  });
});
