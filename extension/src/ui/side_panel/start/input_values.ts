// The inputs of a skill or a workflow: what stands in a form's fields, and the values that it makes. Pure.

import type { FormInput } from "../../common/asks";

/** What stands in the fields: text, or whether a box is ticked. A choice is the place of the chosen value. */
export type Draft = Readonly<Record<string, string | boolean>>;

export interface Read {
  values: Record<string, unknown>;
  /** What is wrong, by the input's name. */
  problems: Record<string, string>;
}

/** The fields at first: values given before, or else the defaults. */
export function draftOf(inputs: readonly FormInput[], given: Readonly<Record<string, unknown>> = {}): Draft {
  return Object.fromEntries(
    inputs.map((input) => {
      const value = Object.hasOwn(given, input.name) ? given[input.name] : input.default;
      return [input.name, fieldOf(input, value)];
    }),
  );
}

function fieldOf(input: FormInput, value: unknown): string | boolean {
  if (input.type === "boolean") return value === true;
  if (value === null || value === undefined) return "";
  if (input.type === "choice") {
    const place = input.choices.findIndex((choice) => Object.is(choice, value));
    return place < 0 ? "" : String(place);
  }
  if (input.type === "list" && Array.isArray(value)) return value.map(String).join("\n");
  if (input.type === "table") return JSON.stringify(value, null, 1);
  return typeof value === "string" ? value : JSON.stringify(value);
}

/** The values of a form; an empty field leaves its input out, so that its default holds. */
export function readDraft(inputs: readonly FormInput[], draft: Draft): Read {
  const values: [string, unknown][] = [];
  const problems: [string, string][] = [];
  for (const input of inputs) {
    const field = draft[input.name] ?? "";
    if (typeof field === "string" && field.trim() === "") {
      if (input.required) problems.push([input.name, "is required"]);
      continue;
    }
    try {
      values.push([input.name, READERS[input.type](field as never, input)]);
    } catch (error) {
      problems.push([input.name, (error as Error).message]);
    }
  }
  return { values: Object.fromEntries(values), problems: Object.fromEntries(problems) };
}

type Reader = (field: never, input: FormInput) => unknown;

const READERS: Record<FormInput["type"], Reader> = {
  text: (field: string) => field,
  secret: (field: string) => field.trim(),
  boolean: (field: boolean) => field,
  number: (field: string) => numberOf(field, "must be a number"),
  integer: (field: string) => {
    const number = numberOf(field, "must be a whole number");
    if (!Number.isSafeInteger(number)) throw new Error("must be a whole number");
    return number;
  },
  date: (field: string) => {
    if (!/^\d{4}-\d{2}-\d{2}$/.test(field) || !isDay(field)) throw new Error("must be a date");
    return field;
  },
  choice: (field: string, input) => {
    const place = Number(field);
    if (!(place in input.choices)) throw new Error("must be one of the choices");
    return input.choices[place];
  },
  list: (field: string) => field.split("\n").filter((line) => line.trim() !== ""),
  table: (field: string) => {
    const value = parse(field);
    if (!Array.isArray(value) || !value.every((row) => typeof row === "object" && row !== null))
      throw new Error('must be rows as JSON, such as [{"name": "Ann"}]');
    return value;
  },
};

function numberOf(field: string, problem: string): number {
  const text = field.trim();
  const number = Number(text);
  if (!/^[+-]?(\d|\.\d)/.test(text) || /^[+-]?0[xob]/i.test(text) || !Number.isFinite(number))
    throw new Error(problem);
  return number;
}

function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
