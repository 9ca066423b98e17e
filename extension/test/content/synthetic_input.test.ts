import { describe, expect, it } from "vitest";
import { pressKeys, typeCharacter } from "../../src/content/synthetic_input";

describe("keys", () => {
  it("type into a field unless the page forbids it", () => {
    document.body.innerHTML = "<input value=a>";
    const field = document.querySelector("input") as HTMLInputElement;
    const seen: string[] = [];
    for (const type of ["keydown", "keypress", "input", "keyup"])
      field.addEventListener(type, () => seen.push(type));
    typeCharacter(field, "b");
    expect(field.value).toBe("ab");
    expect(seen).toEqual(["keydown", "keypress", "input", "keyup"]);
    field.addEventListener("keydown", (event) => event.preventDefault());
    typeCharacter(field, "c");
    expect(field.value).toBe("ab");
  });

  it.each([
    ["A", "A", "KeyA", true],
    ["\n", "Enter", "Enter", false],
    ["é", "é", "", false],
  ])("that type %j say which they are", (character, key, code, shiftKey) => {
    document.body.innerHTML = "<textarea></textarea>";
    const field = document.querySelector("textarea") as HTMLTextAreaElement;
    const seen: object[] = [];
    field.addEventListener("keydown", (event) => {
      seen.push({ key: event.key, code: event.code, shiftKey: event.shiftKey });
    });
    typeCharacter(field, character);
    expect(seen).toEqual([{ key, code, shiftKey }]);
    expect(field.value).toBe(character);
  });

  it("of a combination that the page knows type nothing", () => {
    document.body.innerHTML = "<input value=a>";
    const field = document.querySelector("input") as HTMLInputElement;
    const seen: string[] = [];
    for (const type of ["keydown", "keypress", "keyup"])
      field.addEventListener(type, ({ type }) => seen.push(type));
    pressKeys(field, "Control+B");
    expect(seen).toEqual(["keydown", "keyup"]);
    expect(field.value).toBe("a");
  });

  it("press the form's button on Enter", () => {
    document.body.innerHTML = "<form><input><button>Go</button></form>";
    let clicks = 0;
    document.querySelector("button")?.addEventListener("click", (event) => {
      clicks++;
      event.preventDefault();
    });
    pressKeys(document.querySelector("input") as HTMLElement, "Enter");
    expect(clicks).toBe(1);
  });
});
