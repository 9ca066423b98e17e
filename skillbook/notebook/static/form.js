// A form for a call's arguments, made from the JSON schema of its parameters.
import { h, uniqueId } from "./dom.js";
import { showHidden } from "./text.js";

/** Follow `$ref`s and take the null out of `anyOf`. */
function resolveSchema(schema, root) {
  let found = schema ?? {};
  for (let hops = 0; found.$ref && hops < 10; hops += 1) {
    const target = found.$ref
      .replace(/^#\//, "")
      .split("/")
      .reduce((part, key) => part?.[key], root);
    found = { ...target, ...Object.fromEntries(Object.entries(found).filter(([key]) => key !== "$ref")) };
  }
  const choices = found.anyOf ?? found.oneOf;
  if (!choices) return { ...found, nullable: found.type === "null" };
  const real = choices.filter((choice) => choice.type !== "null");
  const { anyOf, oneOf, ...outer } = found;
  if (real.length !== 1) return { ...outer, nullable: real.length < choices.length };
  return { ...resolveSchema(real[0], root), ...outer, nullable: real.length < choices.length };
}

function kindOf(schema, value) {
  if (schema.const !== undefined) return "enum";
  if (Array.isArray(schema.enum)) return "enum";
  if (schema.type === "array") {
    const item = schema.items ?? {};
    if (Array.isArray(item.enum)) return "choices";
    const isAny = item.type === undefined && !item.$ref && !item.anyOf && !schema.prefixItems;
    const isText = item.type === "string" || isAny;
    return isText && (value ?? []).every((each) => typeof each === "string") ? "lines" : "json";
  }
  if (["string", "number", "integer", "boolean"].includes(schema.type)) return schema.type;
  return typeof value === "string" ? "string" : "json";
}

function checkString(text, schema) {
  if (schema.minLength && text.length < schema.minLength) return `at least ${schema.minLength} characters`;
  if (schema.maxLength !== undefined && text.length > schema.maxLength)
    return `at most ${schema.maxLength} characters`;
  if (schema.pattern && !new RegExp(schema.pattern, "u").test(text)) return "does not have the expected form";
  return "";
}

function checkNumber(number, schema) {
  if (Number.isNaN(number)) return "must be a number";
  if (schema.type === "integer" && !Number.isInteger(number)) return "must be a whole number";
  if (schema.minimum !== undefined && number < schema.minimum) return `at least ${schema.minimum}`;
  if (schema.maximum !== undefined && number > schema.maximum) return `at most ${schema.maximum}`;
  if (schema.exclusiveMinimum !== undefined && number <= schema.exclusiveMinimum)
    return `more than ${schema.exclusiveMinimum}`;
  if (schema.exclusiveMaximum !== undefined && number >= schema.exclusiveMaximum)
    return `less than ${schema.exclusiveMaximum}`;
  return "";
}

/** Inputs by kind. Each gives its node, and `read()` → {value, error}; an undefined value leaves the argument out. */
const INPUTS = {
  string(schema, value, attributes) {
    const long = String(value ?? "").length > 60 || /[\n\r]/.test(String(value ?? ""));
    const node = h(long ? "textarea" : "input", {
      ...attributes,
      rows: long && 3,
      spellcheck: "false",
      dir: "auto",
    });
    node.value = value ?? "";
    const read = () => {
      if (node.value === "" && (schema.nullable || value === undefined) && value !== "")
        return { value: value === null ? null : undefined, error: "" };
      return { value: node.value, error: checkString(node.value, schema) };
    };
    return {
      node,
      read,
      write: (text) => {
        node.value = text;
      },
    };
  },
  number(schema, value, attributes) {
    const node = h("input", {
      ...attributes,
      type: "number",
      step: schema.type === "integer" ? 1 : "any",
      min: schema.minimum,
      max: schema.maximum,
    });
    node.value = value ?? "";
    const read = () => {
      if (node.value === "" && !node.validity.badInput)
        return { value: value === null ? null : undefined, error: "" };
      const number = node.validity.badInput ? Number.NaN : Number(node.value);
      return { value: number, error: checkNumber(number, schema) };
    };
    return { node, read };
  },
  boolean(schema, value, attributes) {
    const node = h("input", { ...attributes, type: "checkbox" });
    node.checked = value ?? schema.default ?? false;
    const first = node.checked;
    return {
      node,
      read: () => ({
        value: value === undefined && node.checked === first ? undefined : node.checked,
        error: "",
      }),
    };
  },
  enum(schema, value, attributes) {
    const options = schema.const !== undefined ? [schema.const] : schema.enum;
    const empty = value === undefined || value === null;
    const node = h(
      "select",
      attributes,
      empty && h("option", { value: "", text: schema.default !== undefined ? `(${schema.default})` : "—" }),
    );
    for (const [index, option] of options.entries()) {
      node.append(h("option", { value: String(index), text: showHidden(option) }));
    }
    node.value = empty ? "" : String(options.indexOf(value));
    const read = () =>
      node.value === ""
        ? { value: value === null ? null : undefined, error: "" }
        : { value: options[Number(node.value)], error: "" };
    return { node, read };
  },
  choices(schema, value, attributes) {
    const boxes = schema.items.enum.map((option) => {
      const box = h("input", { type: "checkbox" });
      box.checked = (value ?? []).includes(option);
      return [option, box];
    });
    const node = h("div", { ...attributes, role: "group", class: "sbp-choices" });
    for (const [option, box] of boxes)
      node.append(h("label", {}, box, document.createTextNode(showHidden(option))));
    const read = () => {
      return readItems(
        boxes.filter(([, box]) => box.checked).map(([option]) => option),
        value,
        schema,
      );
    };
    return { node, read };
  },
  lines(schema, value, attributes) {
    const node = h("textarea", {
      ...attributes,
      rows: Math.min(Math.max((value ?? []).length, 2), 6),
      placeholder: "one on each line",
      spellcheck: "false",
      dir: "auto",
    });
    node.value = (value ?? []).join("\n");
    const read = () =>
      readItems(
        node.value.split("\n").filter((line) => line !== ""),
        value,
        schema,
      );
    return { node, read };
  },
  json(_schema, value, attributes) {
    const node = h("textarea", { ...attributes, rows: 3, spellcheck: "false" });
    node.value = value === undefined ? "" : JSON.stringify(value, null, 1);
    const read = () => {
      if (node.value.trim() === "") return { value: undefined, error: "" };
      try {
        return { value: JSON.parse(node.value), error: "" };
      } catch {
        return { value, error: "must be JSON" };
      }
    };
    return { node, read };
  },
};
INPUTS.integer = INPUTS.number;

/** A list as it stands; what nobody proposed and nobody gave is left out, however many there would have to be. */
function readItems(items, proposed, schema) {
  const isLeftOut = proposed === undefined && !items.length;
  return isLeftOut ? { value: undefined, error: "" } : { value: items, error: checkItems(items, schema) };
}

function checkItems(items, schema) {
  if (schema.minItems && items.length < schema.minItems) return `at least ${schema.minItems}`;
  if (schema.maxItems !== undefined && items.length > schema.maxItems) return `at most ${schema.maxItems}`;
  return "";
}

function makeField(name, schema, value, options) {
  const id = uniqueId("arg");
  const problem = h("div", { class: "sbp-problem", id: `${id}-problem` });
  const note = h("div", { class: "sbp-note", id: `${id}-note` });
  const attributes = {
    id,
    "aria-describedby": `${id}-problem ${id}-note`,
    "aria-required": options.required || null,
    class: "sbp-input",
    "data-arg": name,
  };
  const input = INPUTS[kindOf(schema, value)](schema, value, attributes);
  const label = h("label", { for: id, class: "sbp-label", text: name, title: schema.description ?? null });
  const row = h("div", { class: "sbp-control" }, input.node);
  if (options.point) {
    row.append(
      h(
        "button",
        {
          type: "button",
          class: "sbp-button sbp-point",
          "aria-pressed": "false",
          title: "Point at another element",
          on: { click: options.point },
        },
        h("span", { "aria-hidden": "true", class: "sbp-aim-sign" }),
        "Point",
      ),
    );
  }
  const node = h("div", { class: `sbp-field sbp-${kindOf(schema, value)}` }, label, row, note, problem);
  const check = () => {
    const { value: now, error } = input.read();
    const wrong = now === undefined && options.required ? "is required" : error;
    problem.textContent = wrong;
    input.node.setAttribute("aria-invalid", wrong ? "true" : "false");
    return { value: now, error: wrong };
  };
  input.node.addEventListener("input", options.changed);
  input.node.addEventListener("change", options.changed);
  return { node, check, note, input, label };
}

/**
 * Make the form.
 * Parameters: the JSON schema, the proposed arguments, the names of arguments that name an element, and callbacks:
 * `changed()` after each edit, `armed(name)` when the person wants to point for an argument.
 */
export function makeForm(schema, args, targets, { changed, armed }) {
  const properties = schema.properties ?? {};
  const names = [...new Set([...Object.keys(args), ...Object.keys(properties)])];
  const required = new Set(schema.required ?? []);
  const fields = new Map();
  for (const name of names) {
    const isTarget = targets.includes(name);
    const part = resolveSchema(properties[name], schema);
    fields.set(
      name,
      makeField(name, part, args[name], {
        required: required.has(name),
        changed,
        point: isTarget && (() => armed(name)),
      }),
    );
  }
  const isMain = (name) => name in args || required.has(name);
  const main = h(
    "div",
    { class: "sbp-fields" },
    ...names.filter(isMain).map((name) => fields.get(name).node),
  );
  const rest = names.filter((name) => !isMain(name));
  const more =
    rest.length > 0 &&
    h(
      "details",
      { class: "sbp-more" },
      h("summary", { text: `${rest.length} more option${rest.length > 1 ? "s" : ""}` }),
      h("div", { class: "sbp-fields" }, ...rest.map((name) => fields.get(name).node)),
    );
  const proposed = JSON.stringify(sorted(args));

  return {
    node: h("div", { class: "sbp-form" }, main, more),
    names,
    /** The arguments as they stand: {args, valid, dirty}. */
    read() {
      const now = {};
      let valid = true;
      for (const [name, field] of fields) {
        const { value, error } = field.check();
        if (value !== undefined) now[name] = value;
        if (error) valid = false;
      }
      return { args: now, valid, dirty: JSON.stringify(sorted(now)) !== proposed };
    },
    setTarget(name, ref) {
      const field = fields.get(name);
      field.input.write?.(ref);
      field.input.node.dispatchEvent(new Event("input", { bubbles: true }));
    },
    setNote(name, text) {
      fields.get(name).note.textContent = text;
    },
    arm(name) {
      for (const [other, field] of fields)
        field.node.querySelector(".sbp-point")?.setAttribute("aria-pressed", String(other === name));
    },
  };
}

function sorted(args) {
  return Object.fromEntries(
    Object.entries(args)
      .filter(([, value]) => value !== undefined)
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
}
