// The arguments of a call that a person may change, as fields of a form. Pure.

import type { FormInput, Question } from "../asks";
import { type Draft, readDraft } from "../start/input_values";

interface Schema {
  type?: string;
  title?: string;
  description?: string;
  enum?: unknown[];
  const?: unknown;
  items?: Schema;
  anyOf?: Schema[];
  oneOf?: Schema[];
  $ref?: string;
  properties?: Record<string, Schema>;
  required?: string[];
}

export interface Edit {
  /** The arguments that are other than proposed. */
  args: Record<string, unknown>;
  problems: Record<string, string>;
  dirty: boolean;
  valid: boolean;
}

/** The fields: the arguments that are given or needed, where a field can hold their kind. */
export function inputsOf(question: Question | null): FormInput[] {
  const call = question?.call;
  if (!call || !question) return [];
  const root = call.json_schema as Schema;
  const required = new Set(root.required ?? []);
  return question.editable
    .filter((name) => Object.hasOwn(call.args, name) || required.has(name))
    .flatMap((name) => {
      const schema = resolve(root.properties?.[name] ?? {}, root);
      const type = typeOf(schema, call.args[name]);
      if (!type) return [];
      const choices = schema.enum ?? (schema.const === undefined ? [] : [schema.const]);
      const help = schema.description ?? "";
      const input = { name, type, label: name, help, required: required.has(name), default: null, choices };
      return [input as FormInput];
    });
}

/** What the fields change; an emptied text is an empty text. */
export function readEdit(
  inputs: readonly FormInput[],
  draft: Draft,
  proposed: Record<string, unknown>,
): Edit {
  const { values, problems } = readDraft(inputs, draft);
  const now: Record<string, unknown> = { ...values };
  for (const { name, type } of inputs) {
    if (type === "text" && draft[name] === "") {
      now[name] = "";
      delete problems[name];
    }
  }
  const changed = Object.entries(now).filter(([name, value]) => !isSame(value, proposed[name]));
  const emptied = inputs.filter(
    ({ name }) => !(name in now) && !(name in problems) && isGiven(proposed[name]),
  );
  const args = Object.fromEntries([...changed, ...emptied.map(({ name }) => [name, null])]);
  const valid = Object.keys(problems).length === 0;
  return { args, problems, valid, dirty: !valid || Object.keys(args).length > 0 };
}

const isGiven = (value: unknown): boolean => value !== null && value !== undefined;
const isSame = (one: unknown, other: unknown): boolean =>
  JSON.stringify(one) === JSON.stringify(other) ||
  (one === "" && !isGiven(other)) ||
  (one === false && !isGiven(other));

function typeOf(schema: Schema, value: unknown): FormInput["type"] | null {
  if (schema.enum || schema.const !== undefined) return "choice";
  if (schema.type === "array") {
    const texts = !Array.isArray(value) || value.every((each) => typeof each === "string");
    return texts && (schema.items?.type ?? "string") === "string" ? "list" : null;
  }
  if (schema.type === "number" || schema.type === "integer" || schema.type === "boolean") return schema.type;
  return schema.type === "string" || typeof value === "string" ? "text" : null;
}

/** Follow references, and take the null out of alternatives. */
function resolve(schema: Schema, root: Schema, hops = 10): Schema {
  if (hops === 0) return {};
  if (schema.$ref) {
    const path = schema.$ref.replace(/^#\//, "").split("/");
    const target = path.reduce<unknown>((part, key) => (part as Record<string, unknown>)?.[key], root);
    return resolve({ ...(target as Schema), ...{ ...schema, $ref: undefined } }, root, hops - 1);
  }
  const real = (schema.anyOf ?? schema.oneOf ?? []).filter(({ type }) => type !== "null");
  return real.length === 1
    ? { ...resolve(real[0] as Schema, root, hops - 1), ...withoutTypes(schema) }
    : schema;
}

function withoutTypes({ anyOf: _a, oneOf: _o, ...rest }: Schema): Schema {
  return rest;
}
