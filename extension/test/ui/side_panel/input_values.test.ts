import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FormInput } from "../../../src/ui/common/asks";
import { draftOf, readDraft } from "../../../src/ui/side_panel/start/input_values";

const input = (type: FormInput["type"], more: Partial<FormInput> = {}): FormInput => ({
  name: "x",
  type,
  label: "X",
  help: "",
  required: false,
  default: null,
  choices: [],
  ...more,
});
const readText = (given: FormInput, text: string | boolean) => readDraft([given], { x: text });

const values: readonly (readonly [FormInput["type"], fc.Arbitrary<unknown>])[] = [
  ["text", fc.string({ minLength: 1 }).filter((text) => text.trim() !== "")],
  ["number", fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0)],
  ["integer", fc.maxSafeInteger()],
  ["boolean", fc.boolean()],
  [
    "date",
    fc
      .date({ noInvalidDate: true, min: new Date("1900-01-01"), max: new Date("2100-01-01") })
      .map((day) => day.toISOString().slice(0, 10)),
  ],
  [
    "list",
    fc.array(
      fc.string({ minLength: 1 }).filter((line) => line.trim() !== "" && !/[\r\n]/.test(line)),
      { minLength: 1 },
    ),
  ],
  ["table", fc.array(fc.dictionary(fc.constantFrom("a", "b"), fc.integer()), { minLength: 1 })],
];

describe("a form's values", () => {
  for (const [type, given] of values)
    it(`of the type ${type} come back as they were given`, () => {
      fc.assert(
        fc.property(given, (value) => {
          const draft = draftOf([input(type)], { x: value });
          expect(readDraft([input(type)], draft)).toEqual({ values: { x: value }, problems: {} });
        }),
      );
    });

  it("are the choice itself, whatever its type", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(fc.oneof(fc.string(), fc.integer(), fc.boolean()), { minLength: 1 }),
        fc.nat(),
        (choices, at) => {
          const value = choices[at % choices.length];
          const choice = input("choice", { choices });
          expect(readDraft([choice], draftOf([choice], { x: value })).values).toEqual({ x: value });
        },
      ),
    );
  });

  it("leave an empty field out, unless it is required", () => {
    expect(readText(input("text"), " ")).toEqual({ values: {}, problems: {} });
    expect(readText(input("number", { default: 5 }), "")).toEqual({ values: {}, problems: {} });
    expect(readText(input("text", { required: true }), "")).toEqual({
      values: {},
      problems: { x: "is required" },
    });
  });

  it.each([
    ["number", "1,5", "must be a number"],
    ["number", "0x10", "must be a number"],
    ["number", "Infinity", "must be a number"],
    ["integer", "1.5", "must be a whole number"],
    ["integer", "1e300", "must be a whole number"],
    ["date", "2026-02-30", "must be a date"],
    ["choice", "3", "must be one of the choices"],
    ["table", "{}", "must be rows as JSON"],
    ["table", "no", "must be rows as JSON"],
  ] as const)("refuse a %s of %s", (type, text, problem) => {
    const { values, problems } = readText(input(type), text);
    expect(values).toEqual({});
    expect(problems.x).toContain(problem);
  });

  it("begin with the defaults", () => {
    const inputs = [input("integer", { default: 3 }), input("boolean", { name: "y", default: true })];
    expect(draftOf(inputs)).toEqual({ x: "3", y: true });
  });
});
