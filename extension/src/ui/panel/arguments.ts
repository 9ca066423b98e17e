// A call's arguments as the fields of a form, by the JSON schema of its parameters. Pure.

import type { Question } from "../common/asks";

export interface Schema {
  type?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  prefixItems?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  default?: unknown;
  nullable?: boolean;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  minItems?: number;
  maxItems?: number;
}

export type Kind = "string" | "number" | "boolean" | "enum" | "choices" | "lines" | "json";

/** What stands in a field: text, the place of a choice as text, whether a box is ticked, or the chosen ones of some boxes. */
export type Raw = string | boolean | readonly unknown[];
export type Draft = Readonly<Record<string, Raw>>;

export interface Field {
  name: string;
  schema: Schema;
  kind: Kind;
  required: boolean;
  /** Whether it names an element of the page. */
  isTarget: boolean;
  /** It is given or needed; the others are folded away. */
  isMain: boolean;
  proposed: unknown;
}

export interface Edit {
  args: Record<string, unknown>;
  /** What is wrong, by the argument's name. */
  problems: Record<string, string>;
  dirty: boolean;
  valid: boolean;
}

/** The fields of a question's call; none where it has none, or where nothing may be edited. */
export function fieldsOf(question: Question | null): Field[] {
  const call = question?.call;
  if (!call || !question.decisions.includes("edit")) return [];
  const root = call.json_schema as Schema;
  const required = new Set(root.required ?? []);
  const names = new Set([...Object.keys(call.args), ...question.editable]);
  return [...names].map((name) => {
    const schema = resolveSchema(root.properties?.[name], root);
    const proposed = call.args[name];
    return {
      name,
      schema,
      kind: kindOf(schema, proposed),
      required: required.has(name),
      isTarget: call.targets.includes(name),
      isMain: Object.hasOwn(call.args, name) || required.has(name),
      proposed,
    };
  });
}

/** The fields at first: as proposed. */
export function draftOf(fields: readonly Field[]): Draft {
  return Object.fromEntries(fields.map((field) => [field.name, rawOf(field)]));
}

/** The arguments as they stand. */
export function readEdit(fields: readonly Field[], draft: Draft): Edit {
  const now: [string, unknown][] = [];
  const problems: Record<string, string> = {};
  let dirty = false;
  for (const field of fields) {
    const { value, error } = readField(field, draft[field.name] ?? rawOf(field));
    const wrong = value === undefined && field.required ? "is required" : error;
    if (wrong) problems[field.name] = wrong;
    if (value !== undefined) now.push([field.name, value]);
    dirty ||= Boolean(wrong) || JSON.stringify(value) !== JSON.stringify(field.proposed);
  }
  return { args: Object.fromEntries(now), problems, dirty, valid: Object.keys(problems).length === 0 };
}

/** Follow `$ref`s and take the null out of `anyOf`. */
function resolveSchema(schema: Schema | undefined, root: Schema): Schema {
  let found: Schema = schema ?? {};
  for (let hops = 0; found.$ref && hops < 10; hops += 1) {
    const path = found.$ref.replace(/^#\//, "").split("/");
    const target = path.reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], root);
    const { $ref: _, ...rest } = found;
    found = { ...(target as Schema), ...rest };
  }
  const { anyOf, oneOf, ...outer } = found;
  const choices = anyOf ?? oneOf;
  if (!choices) return { ...found, nullable: found.type === "null" };
  const real = choices.filter((choice) => choice.type !== "null");
  const nullable = real.length < choices.length;
  if (real.length !== 1) return { ...outer, nullable };
  return { ...resolveSchema(real[0], root), ...outer, nullable };
}

function kindOf(schema: Schema, value: unknown): Kind {
  if (schema.const !== undefined || Array.isArray(schema.enum)) return "enum";
  if (schema.type === "array") {
    const item = schema.items ?? {};
    if (Array.isArray(item.enum)) return "choices";
    const isAny = item.type === undefined && !item.$ref && !item.anyOf && !schema.prefixItems;
    const isText = item.type === "string" || isAny;
    const given = value ?? [];
    return isText && Array.isArray(given) && given.every((each) => typeof each === "string")
      ? "lines"
      : "json";
  }
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "string" || schema.type === "boolean") return schema.type;
  return typeof value === "string" ? "string" : "json";
}

export const optionsOf = ({ schema }: Field): unknown[] =>
  schema.const !== undefined ? [schema.const] : (schema.enum ?? schema.items?.enum ?? []);

function rawOf(field: Field): Raw {
  const { kind, proposed, schema } = field;
  if (kind === "boolean") return Boolean(proposed ?? schema.default ?? false);
  if (kind === "choices") return Array.isArray(proposed) ? proposed : [];
  if (kind === "json") return proposed === undefined ? "" : JSON.stringify(proposed, null, 1);
  if (proposed === undefined || proposed === null) return "";
  if (kind === "enum") return String(optionsOf(field).indexOf(proposed));
  return kind === "lines" ? (proposed as string[]).join("\n") : String(proposed);
}

interface Read {
  /** None leaves the argument out. */
  value: unknown;
  error: string;
}

const right = (value: unknown): Read => ({ value, error: "" });

/** What an emptied field means: nothing, where nothing was proposed; a kernel keeps what is merely left out. */
function emptied({ proposed, schema }: Field): Read {
  if (proposed === undefined || proposed === null) return right(proposed);
  return right(schema.nullable || schema.default === undefined ? null : schema.default);
}

function readField(field: Field, raw: Raw): Read {
  const { kind, schema, proposed } = field;
  if (kind === "boolean") return right(proposed === undefined && raw === rawOf(field) ? undefined : raw);
  if (kind === "choices") return readItems(raw as readonly unknown[], field);
  const text = String(raw);
  switch (kind) {
    case "string":
      if (text === "" && (schema.nullable || proposed === undefined) && proposed !== "")
        return emptied(field);
      return { value: text, error: checkString(text, schema) };
    case "number":
      return text.trim() === "" ? emptied(field) : readNumber(text, schema);
    case "enum":
      return text === "" ? emptied(field) : right(optionsOf(field)[Number(text)]);
    case "lines":
      return readItems(
        text.split("\n").filter((line) => line !== ""),
        field,
      );
    default:
      return readJson(text, field);
  }
}

function readJson(text: string, field: Field): Read {
  if (text.trim() === "") return emptied(field);
  try {
    return right(JSON.parse(text));
  } catch {
    return { value: field.proposed, error: "must be JSON" };
  }
}

/** A list as it stands; what nobody proposed and nobody gave is left out, however many there would have to be. */
function readItems(items: readonly unknown[], { proposed, schema }: Field): Read {
  if (proposed === undefined && !items.length) return right(undefined);
  if (schema.minItems && items.length < schema.minItems)
    return { value: items, error: `at least ${schema.minItems}` };
  if (schema.maxItems !== undefined && items.length > schema.maxItems)
    return { value: items, error: `at most ${schema.maxItems}` };
  return right(items);
}

function checkString(text: string, schema: Schema): string {
  if (schema.minLength && text.length < schema.minLength) return `at least ${schema.minLength} characters`;
  if (schema.maxLength !== undefined && text.length > schema.maxLength)
    return `at most ${schema.maxLength} characters`;
  if (schema.pattern && !new RegExp(schema.pattern, "u").test(text)) return "does not have the expected form";
  return "";
}

function readNumber(text: string, schema: Schema): Read {
  const isPlain = /^\s*[+-]?(\d|\.\d)/.test(text) && !/^\s*[+-]?0[xob]/i.test(text);
  const number = isPlain ? Number(text) : Number.NaN;
  return { value: number, error: checkNumber(number, schema) };
}

function checkNumber(number: number, schema: Schema): string {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = schema;
  if (!Number.isFinite(number)) return "must be a number";
  if (schema.type === "integer" && !Number.isInteger(number)) return "must be a whole number";
  if (minimum !== undefined && number < minimum) return `at least ${minimum}`;
  if (maximum !== undefined && number > maximum) return `at most ${maximum}`;
  if (exclusiveMinimum !== undefined && number <= exclusiveMinimum) return `more than ${exclusiveMinimum}`;
  if (exclusiveMaximum !== undefined && number >= exclusiveMaximum) return `less than ${exclusiveMaximum}`;
  return "";
}
