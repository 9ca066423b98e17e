// Reading commands: get, is and describe answer from the element as it is at this moment.

import type { Engine } from "../engine/dom/engine";
import { controlOf } from "../engine/dom/layout/hit_test";
import { rectOf } from "../engine/dom/layout/image_maps";
import { fold } from "../engine/dom/naming/text";
import { isPartOfText, isSecret, shownValue } from "../engine/dom/semantics/values";
import { isRendered, renderingOf } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import { pageAsksNoAi } from "../engine/dom/wire/columns";
import {
  fieldOf,
  formOf,
  isDisabled,
  isInView,
  isProxy,
  isReadOnly,
  isVisible,
  rendersItself,
} from "../hit_safety/actionability";
import { coverText } from "../hit_safety/expected_target";
import { formFacts, isSubmitter } from "../hit_safety/form_destination";
import { shownFields } from "../hit_safety/shown_fields";
import { dialogText, linkOf } from "../hit_safety/surroundings";
import { controlsIn, visibleName } from "../hit_safety/visible_name";
import type { DescribeResult, GetParams, GetResult, IsParams } from "../protocol/generated";
import { asksNoAi } from "../shared/ai_opt_out";
import { Failure } from "../shared/errors";
import { selectorOf, tellsSecret } from "./css_selector";
import { checkedState, listOf } from "./select";

/** How `get` reads each thing of an element. */
const READERS: Record<
  GetParams["what"],
  (element: Element, engine: Engine, name: string) => GetResult["value"]
> = {
  text: (element, engine) => textOf(engine, element),
  value: (element, engine) => value(engine, element),
  html: (element, engine) => html(engine, element),
  attribute: (element, _, name) => attribute(element, name),
  attributes,
  style: (element, _, name) => style(element, name),
  options,
  href: (element) => (dom.closest(element, "a[href], area[href]") as HTMLAnchorElement | null)?.href ?? null,
  box: (element) => {
    const { x, y, width, height } = rectOf(element);
    return { x, y, width, height };
  },
  name: (element, engine) => engine.names().of(element, engine.roles.of(element)).text,
  role: (element, { roles }) => roles.of(element),
  css: selectorOf,
  url: (_, { document }) => dom.get(document, "URL"),
  status: () =>
    (performance.getEntriesByType("navigation") as PerformanceNavigationTiming[])[0]?.responseStatus ?? 0,
  // The worker answers that: pages don't see the header.
  retry_after: () => null,
  title: (_, { document }) => dom.get(document, "title"),
};

export function get(engine: Engine, element: Element, { what, name }: GetParams): GetResult {
  return { value: READERS[what](element, engine, name ?? "") };
}

function attributes(element: Element): Record<string, string> {
  const found: Record<string, string> = {};
  for (const { name, value: text } of dom.get(element, "attributes")) {
    if (tellsSecret(element, name, text)) continue;
    found[name] = text.slice(0, 500);
  }
  return found;
}

function style(element: Element, name: string): string {
  if (!name) throw new Failure("invalid_params", "Which style property?", "give its name, such as color");
  return getComputedStyle(element).getPropertyValue(name);
}

/** A native list's options: what they are called, what they send, and which are chosen. */
function options(element: Element): { label: string; value: string; selected: boolean; disabled: boolean }[] {
  const list = listOf(controlOf(element));
  if (!list)
    throw new Failure("not_actionable", "This is no native list.", "open it and take a snapshot", {
      reason: "not_native",
    });
  return [...list.options].map(({ label, value: sent, selected, disabled }) => ({
    label: fold(label),
    value: sent,
    selected,
    disabled,
  }));
}

function refuseSecret(): never {
  throw new Failure(
    "not_allowed",
    "The value of a secret field is never read.",
    "fill it with a secret by name instead",
  );
}

/** Editors that render themselves keep only what is typed or chosen at the moment in their hidden field. */
function refuseProxy(): never {
  throw new Failure(
    "not_actionable",
    "The value of an editor's hidden field is not the editor's text.",
    "read what the editor shows, by the text of what is around the field",
    { reason: "hidden_field" },
  );
}

/** Editors of long texts have only the lines near those that one sees on the page. */
function refusePart(): never {
  throw new Failure(
    "not_actionable",
    "The editor has only a part of its text on the page.",
    'read the lines that it shows with get("text", …), and scroll in it for others; or save or copy its text as a person would',
    { reason: "part_of_text" },
  );
}

/** Whether an editor takes what is typed through an element, and shows its text beside or over it. */
function isShownElsewhere(field: Element): boolean {
  if (!rendersItself(field)) return false;
  const { x, y, width, height } = dom.getBoundingClientRect(field);
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  return (
    !dom.textContent(field).trim() ||
    (top !== null && !dom.call(field, "contains", top) && !dom.call(top, "contains", field))
  );
}

function value(engine: Engine, element: Element): unknown {
  const control = fieldOf(element) ?? controlOf(element);
  if (isSecret(control)) refuseSecret();
  if (dom.localName(control) === "select") {
    const list = control as HTMLSelectElement;
    return list.multiple ? [...list.selectedOptions].map((option) => option.value) : list.value;
  }
  const field = control as HTMLInputElement;
  const tag = dom.localName(field);
  const isToggle = tag === "input" && (field.type === "checkbox" || field.type === "radio");
  if (isToggle || tag === "option" || tag === "button") return field.value;
  if (tag === "textarea" ? isProxy(control) : tag !== "input" && isShownElsewhere(control)) refuseProxy();
  const role = engine.roles.of(control);
  if (isPartOfText(control, role)) refusePart();
  return shownValue(control, role, engine.flat) ?? dom.getAttribute(element, "value");
}

function attribute(element: Element, name: string): string | null {
  if (!name) throw new Failure("invalid_params", "Which attribute?", "give its name");
  const text = dom.getAttribute(element, name);
  if (tellsSecret(element, name, text)) refuseSecret();
  return text;
}

/** The element's HTML without the values that pages wrote into secret fields, and without the extension's overlays. */
function html(engine: Engine, element: Element): string {
  const fields = [
    element,
    ...dom.querySelectorAll(element, "input, textarea, [contenteditable], [role]"),
  ].filter(isSecret);
  const overlays = [...dom.childNodes(element)].filter(
    (child) => child instanceof Element && engine.isOwn(child),
  ) as Element[];
  if (!fields.length && !overlays.length) return dom.get(element, "outerHTML");
  const copy = dom.call(element, "cloneNode", true) as Element;
  const copies = [copy, ...dom.querySelectorAll(copy, "*")];
  [element, ...dom.querySelectorAll(element, "*")].forEach((each, i) => {
    if (overlays.includes(each)) dom.call(copies[i] as Element, "remove");
    if (!fields.includes(each)) return;
    for (const { name, value: text } of dom.get(each, "attributes"))
      if (tellsSecret(each, name, text)) dom.call(copies[i] as Element, "removeAttribute", name);
    if (dom.localName(each) !== "input") dom.call(copies[i] as Element, "replaceChildren");
  });
  return dom.get(copy, "outerHTML");
}

/** A text of an element without that of editable elements whose text nobody may read. */
function withoutSecrets(element: Element, text: string): string {
  const hosts = [element, ...dom.querySelectorAll(element, "[contenteditable], [role]")];
  const secret = hosts.filter((host) => dom.localName(host) !== "select" && isSecret(host));
  return secret
    .map((host) => (dom.get(host as HTMLElement, "innerText") ?? dom.textContent(host)).trim())
    .filter(Boolean)
    .reduce((left, hidden) => left.split(hidden).join(""), text);
}

/** How `is` reads each state; `control` is the element, or what its label is for. */
const STATES: Record<
  IsParams["what"],
  (element: Element, control: HTMLInputElement, engine: Engine) => boolean
> = {
  visible: isVisible,
  hidden: (element) => !isVisible(element),
  in_view: (element, _, engine) => isVisible(element) && isInView(engine, element),
  enabled: (element, _, engine) => !isDisabled(engine, element),
  disabled: (element, _, engine) => isDisabled(engine, element),
  checked: (element, _, engine) => checkedState(engine, element) ?? false,
  mixed: (_, control, { internals }) =>
    control.indeterminate === true || internals.aria(control, "checked") === "mixed",
  pressed: (_, control, { internals }) => internals.aria(control, "pressed") === "true",
  readonly: (element, control) => isReadOnly(fieldOf(element) ?? control),
  required: (_, control, { internals }) =>
    control.required === true || internals.aria(control, "required") === "true",
  invalid: (_, control) => isInvalid(control),
  editable: (element, _, engine) => {
    const field = fieldOf(element);
    return field !== null && isRendered(field) && !isDisabled(engine, field) && !isReadOnly(field);
  },
  focused: (_, control, engine) => engine.flat.active(engine.document) === control,
  selected: (_, control) =>
    dom.localName(control) === "option"
      ? (control as unknown as HTMLOptionElement).selected
      : dom.getAttribute(control, "aria-selected") === "true",
  expanded: (_, control) => isExpanded(control),
};

export function is(engine: Engine, element: Element, what: IsParams["what"]): boolean {
  return STATES[what](element, controlOf(element) as HTMLInputElement, engine);
}

function isInvalid(control: HTMLInputElement): boolean {
  const stated = dom.getAttribute(control, "aria-invalid");
  if (stated !== null) return stated !== "false" && stated !== "";
  return dom.get(control, "willValidate") === true && !dom.get(control, "validity").valid;
}

function isExpanded(element: Element): boolean {
  const stated = dom.getAttribute(element, "aria-expanded");
  if (stated !== null) return stated === "true";
  const details = dom.localName(element) === "summary" ? dom.parentElement(element) : element;
  return details !== null && dom.localName(details) === "details" && (details as HTMLDetailsElement).open;
}

export function describe(engine: Engine, element: Element): DescribeResult {
  const control = controlOf(element) as HTMLButtonElement;
  const form = formOf(engine, control);
  return {
    tag: dom.localName(element),
    attributes: attributes(element),
    frame_origin: window.origin,
    submits: form !== null && control !== (form as Element) && isSubmitter(control),
    form: form ? formFacts(engine, form, control) : null,
    role: engine.roles.of(element),
    name: visibleName(engine, element),
    controls: controlsIn(engine, element),
    dialog: dialogText(engine, element),
    secret: isSecret(control),
    link: linkOf(element),
    options: choices(control),
    shown: shownFields(engine, form),
    covered_by: coverText(engine, element),
    no_ai: optsOut(engine, element),
    no_ai_inside: holdsOptOut(engine, element),
  };
}

const MOST_OPTIONS = 1_000;

/** A native list's options, each by what it is called and what it sends. */
function choices(control: Element): [string, string][] {
  return [...(listOf(control)?.options ?? [])]
    .slice(0, MOST_OPTIONS)
    .map(({ label, value: sent }) => [fold(label), sent]);
}

/** `data-no-ai` on the element or around it, or a robots tag of the page. */
function optsOut(engine: Engine, element: Element): boolean {
  for (let at: Element | null = element; at; at = engine.flat.parent(at))
    if (asksNoAi(dom.getAttribute(at, "data-no-ai"))) return true;
  return pageAsksNoAi(engine.document);
}

/** Whether a part of an element has `data-no-ai`, also in a shadow root. */
function holdsOptOut({ flat }: Engine, element: Element): boolean {
  for (const root of flat.roots(element))
    for (const marked of dom.querySelectorAll(root, "[data-no-ai]"))
      if (asksNoAi(dom.getAttribute(marked, "data-no-ai"))) return true;
  return false;
}

/** What a person reads in an element. */
export function textOf(engine: Engine, element: Element): string {
  if (!hasShadow(engine, element))
    return withoutSecrets(
      element,
      dom.get(element as HTMLElement, "innerText") ?? dom.textContent(element),
    ).trim();
  return join(engine, element)
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

function hasShadow(engine: Engine, element: Element): boolean {
  const [, inner] = engine.flat.roots(element);
  return inner !== undefined || dom.localName(element) === "slot";
}

function join(engine: Engine, element: Element): string {
  const how = renderingOf(element);
  if (how === "none" || dom.localName(element) === "select") return "";
  let text = "";
  for (const child of engine.flat.children(element)) {
    if (dom.nodeType(child) === Node.TEXT_NODE) {
      if (how !== "invisible") text += (child as Text).data.replace(/\s+/g, " ");
    } else if (dom.nodeType(child) === Node.ELEMENT_NODE) {
      text += dom.localName(child as Element) === "br" ? "\n" : join(engine, child as Element);
    }
  }
  const { display } = getComputedStyle(element);
  if (display === "table-cell") return `${text}\t`;
  return /^(inline|contents|ruby)/.test(display) ? text : `\n${text}\n`;
}
