// The fields that a page shows: what a person knows of the values that a form sends, by their labels.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import { isSecret } from "../engine/dom/semantics/values";
import * as dom from "../engine/dom/tree/dom";
import type { ShownField } from "../protocol/generated";
import { isVisible } from "./actionability";

/** Of more fields the labels aren't read. */
const MOST_LABELS = 50;
/** Types of inputs that hold nothing that a person writes or chooses. */
const VALUELESS = /^(hidden|submit|image|button|reset|file)$/;

/** The fields of a form that people see, or of the document; without labels where there are very many. */
export function shownFields(engine: Engine, form: HTMLFormElement | null): ShownField[] {
  const parts = (
    form
      ? [...dom.get(form, "elements")]
      : [...dom.querySelectorAll(engine.document, "input, select, textarea")]
  ).filter((part) => !VALUELESS.test((part as HTMLInputElement).type)) as HTMLInputElement[];
  const isLabelled = parts.length <= MOST_LABELS;
  const seen = parts
    .filter((part) => /^(input|select|textarea)$/.test(dom.localName(part)))
    .filter((part) => !isSecret(part) && !dom.matches(part, ":disabled") && isSeen(part))
    .map((part) => ({
      part,
      label: isLabelled ? fold(engine.names().of(part, engine.roles.of(part)).text) : "",
    }));
  const radios = new Map<string, ShownField>();
  return seen.flatMap(({ part, label }) => {
    const name = part.name;
    const as_loaded = isAsLoaded(part);
    if (part.type === "checkbox")
      return [{ name, label, kind: "box" as const, value: part.value, as_loaded: as_loaded && part.checked }];
    if (dom.localName(part) === "select") {
      const options = [...(part as unknown as HTMLSelectElement).options].map((option) => option.value);
      return [{ name, label, kind: "choice" as const, value: part.value, options, as_loaded }];
    }
    if (part.type !== "radio") return [{ name, label, value: part.value, as_loaded }];
    const group = radios.get(name) ?? { name, label, kind: "choice" as const, value: "", options: [] };
    const isNew = !radios.has(name);
    radios.set(name, group);
    if (!isNew) group.label += ` / ${label}`;
    group.options?.push(part.value);
    if (part.checked) Object.assign(group, { value: part.value, as_loaded });
    return isNew ? [group] : [];
  });
}

/** Whether a field holds what it held when its document was loaded. */
function isAsLoaded(part: HTMLInputElement): boolean {
  if (/^(checkbox|radio)$/.test(part.type)) return part.checked === part.defaultChecked;
  if (dom.localName(part) !== "select") return part.value === part.defaultValue;
  const options = [...(part as unknown as HTMLSelectElement).options];
  const first = options.some((option) => option.defaultSelected) ? null : options[0];
  return options.every((option) => option.selected === (option.defaultSelected || option === first));
}

/** Whether people see a field: it isn't transparent, nor moved out of the document. */
function isSeen(part: Element): boolean {
  if (!isVisible(part) || !part.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
    return false;
  const { right, bottom } = part.getBoundingClientRect();
  return right + window.scrollX > 0 && bottom + window.scrollY > 0;
}
