// Where forms go, read past what a page's fields hide: a field named "elements" takes that property's place.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { fold } from "../engine/dom/naming/text";
import { isSecret } from "../engine/dom/semantics/values";
import * as dom from "../engine/dom/tree/dom";
import type { FormFacts } from "../protocol/generated";
import { formOf } from "./actionability";
import { digest } from "./surroundings";

interface Sending {
  method: string;
  action: string;
}

/** What the policy has to know of the form that a control belongs to. */
export function formFacts(engine: Engine, form: HTMLFormElement, control: Element): FormFacts {
  const parts = [...dom.get(form, "elements")] as HTMLInputElement[];
  const submitter = submitterOf(form, control);
  const first = parts.find(isSubmitter);
  return {
    ...sending(form, submitter),
    fields: parts
      .filter((part) => part.name || part.id)
      .map((part) => `${part.type}:${part.name || part.id}`),
    submit_label: first ? fold(engine.names().of(first, "button").text) : "",
    verbs: parts.filter(saysWhatToDo).map((part) => part.value.slice(0, LONGEST_VERB)),
    sent: parts.flatMap((part) => sentOf(part, submitter)),
    values: digest(othersHold(form, control)),
  };
}

/** Name and value of what a field adds to its form's data; no value of files and of what isn't shown. */
function sentOf(part: HTMLInputElement, submitter: Element | null): [string, string | null][] {
  if (!part.name || dom.matches(part, ":disabled")) return [];
  if (/^(submit|image|button|reset)$/.test(part.type) && (part as Element) !== submitter) return [];
  if (/^(checkbox|radio)$/.test(part.type) && !part.checked) return [];
  if (part.type === "file" || isSecret(part)) return [[part.name, null]];
  if (part.localName !== "select") return [[part.name, part.value]];
  const options = [...(part as unknown as HTMLSelectElement).selectedOptions];
  return options.filter((option) => !option.disabled).map(({ value }) => [part.name, value]);
}

/** What the fields of an element's form hold besides itself, as a digest; empty where it belongs to no form. */
export function heldBy(engine: Engine, element: Element): string {
  const control = controlOf(element);
  const form = formOf(engine, control);
  return form ? digest(othersHold(form, control)) : "";
}

const LONGEST_VERB = 60;
const VERB = /^_?(act|action|cmd|command|do|event|method|mode|op|operation|task)$/i;

/** Frameworks name the step that a form stands for in a field: `_method`, `action`. */
function saysWhatToDo(part: HTMLInputElement): boolean {
  return VERB.test(part.name) && (part.type === "hidden" || part.type.startsWith("select"));
}

function othersHold(form: HTMLFormElement, control: Element): string {
  const parts = [...dom.get(form, "elements")] as HTMLInputElement[];
  return JSON.stringify(parts.filter((part) => part !== control).map(heldIn));
}

function heldIn(part: HTMLInputElement): unknown[] {
  const options = (part as unknown as HTMLSelectElement).selectedOptions;
  const chosen = part.localName === "select" ? [...options].map(({ value }) => value) : null;
  const files = part.files ? [...part.files].map(({ name, size }) => [name, size]) : null;
  return [part.name, part.type, part.value, part.checked, chosen, files];
}

/** How and where an element's form is sent, as one text; empty where it belongs to none. */
export function sentFrom(engine: Engine, element: Element): string {
  const control = controlOf(element);
  const form = formOf(engine, control);
  return form ? textOf(sending(form, submitterOf(form, control))) : "";
}

/** How and where a form that is being sent goes, as one text. */
export function sentBy(form: HTMLFormElement, submitter: Element | null): string {
  return textOf(sending(form, submitter));
}

export function isSubmitter(control: Element): boolean {
  return (
    (dom.localName(control) === "button" || dom.localName(control) === "input") &&
    /^(submit|image)$/.test((control as HTMLButtonElement).type)
  );
}

/** The button that sends the form: the control itself, else the first, which Enter in a field clicks. */
function submitterOf(form: HTMLFormElement, control: Element): Element | null {
  return isSubmitter(control) ? control : ([...dom.get(form, "elements")].find(isSubmitter) ?? null);
}

function sending(form: HTMLFormElement, submitter: Element | null): Sending {
  const method = (submitter && dom.getAttribute(submitter, "formmethod")) ?? dom.getAttribute(form, "method");
  const action = (submitter && dom.getAttribute(submitter, "formaction")) ?? dom.getAttribute(form, "action");
  const base = dom.get(form, "baseURI");
  return {
    action: URL.canParse(action ?? "", base) ? new URL(action ?? "", base).href : (action ?? ""),
    method: (method || "get").toLowerCase(),
  };
}

function textOf({ method, action }: Sending): string {
  return `${method} ${action}`;
}
