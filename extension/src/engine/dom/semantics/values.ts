// What controls hold.

import { marksSecret } from "../../../shared/attributes";
import { type FieldSigns, hidesItself } from "../../../shared/secret_fields";
import { textBefore, type Walk } from "../../../shared/text_before";
import { hasRenderedPart } from "../layout/rendered_part";
import { fold } from "../naming/text";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import { RANGES } from "./aria";
import { isEditingHost } from "./roles";

/** The text that a control contributes to the name of what it is embedded in; null if it isn't such a control. */
export function controlText(element: Element, role: string, flat: Pick<FlatTree, "shadow">): string | null {
  if (role === "textbox" || role === "searchbox" || role === "combobox" || role === "listbox") {
    return shownValue(element, role, flat) ?? null;
  }
  if (role !== "separator" && RANGES.has(role)) {
    return (
      dom.getAttribute(element, "aria-valuetext") ??
      dom.getAttribute(element, "aria-valuenow") ??
      shownValue(element, role, flat)
    );
  }
  return null;
}

/** A control's value as people see it; null where there is none, or where it is a secret. That none is there is no secret. */
export function shownValue(element: Element, role: string, flat: Pick<FlatTree, "shadow">): string | null {
  if (isSecret(element)) return holdsNothing(element) ? "" : null;
  switch (dom.localName(element)) {
    case "input":
      return inputValue(element as HTMLInputElement);
    case "textarea":
      return (element as HTMLTextAreaElement).value;
    case "select":
      return [...(element as HTMLSelectElement).selectedOptions]
        .map((option) => fold(option.label))
        .join(", ");
    case "progress":
      return dom.hasAttribute(element, "value") ? String((element as HTMLProgressElement).value) : null;
    case "meter":
      return String((element as HTMLMeterElement).value);
  }
  if (RANGES.has(role))
    return dom.getAttribute(element, "aria-valuetext") ?? dom.getAttribute(element, "aria-valuenow");
  if (role === "listbox" || role === "combobox") {
    const field = dom.querySelector(element, "input") as HTMLInputElement | null;
    if (field) return isSecret(field) ? null : field.value;
    const chosen = [...dom.querySelectorAll(element, "[role=option][aria-selected=true]")];
    if (chosen.length) return chosen.map((one) => fold(dom.textContent(one))).join(", ");
    return role === "combobox" ? fold(visibleText(element, flat)) : null;
  }
  if (role === "textbox" || role === "searchbox" || isEditingHost(element))
    return fold(visibleText(element, flat));
  return null;
}

/** Inputs that show no value. */
const VALUELESS = new Set("button checkbox hidden image radio reset submit".split(" "));

function inputValue(input: HTMLInputElement): string | null {
  if (VALUELESS.has(input.type)) return null;
  if (input.type === "file") return [...(input.files ?? [])].map((file) => file.name).join(", ");
  return input.value;
}

function visibleText(element: Element, flat: Pick<FlatTree, "shadow">): string {
  return flat.shadow(element)
    ? ""
    : (dom.get(element as HTMLElement, "innerText") ?? dom.textContent(element));
}

/** Whether an element's value is the text in it, and only a part of that is on the page. */
export function isPartOfText(element: Element, role: string): boolean {
  const isEditor = isEditingHost(element) || role === "textbox" || role === "searchbox";
  return isEditor && !FIELDS.has(dom.localName(element)) && hasRenderedPart(element);
}

const FIELDS: ReadonlySet<string> = new Set(["input", "select", "textarea"]);

/** Fields that were secret once stay secret: "show password" turns them into plain text fields. */
const everSecret = new WeakSet<Element>();

/** Roles of elements without a value of their own that take text. */
const TEXT_ROLE = /^(?:textbox|searchbox|combobox)$/;

/** Whether a field's value must not be read. */
export function isSecret(element: Element): boolean {
  if (everSecret.has(element)) return true;
  const tag = dom.localName(element);
  const isField = FIELDS.has(tag);
  if (!isField && !isEditingHost(element) && !TEXT_ROLE.test(dom.getAttribute(element, "role") ?? ""))
    return false;
  const { type } = element as HTMLInputElement;
  const secret =
    (isField && marksSecret(tag, type, dom.getAttribute(element, "autocomplete"))) ||
    (tag !== "select" && hidesItself(signsOf(element, tag === "input" ? type : "")));
  if (secret) everSecret.add(element);
  return secret;
}

function holdsNothing(element: Element): boolean {
  return FIELDS.has(dom.localName(element))
    ? (element as HTMLInputElement).value === ""
    : !dom.textContent(element).trim();
}

const TAKES_TEXT =
  "input:not([type=hidden i]), select, textarea, [role=textbox], [role=searchbox], [role=combobox], " +
  "[contenteditable='' i], [contenteditable=true i], [contenteditable=plaintext-only i]";

const asElement = (node: Node): Element | null =>
  dom.nodeType(node) === dom.ELEMENT ? (node as Element) : null;

const WALK: Walk<Node> = {
  parent: dom.parentElement,
  previous: (node) => dom.get(node, "previousSibling"),
  tag: (node) => {
    const element = asElement(node);
    return element ? dom.localName(element) : "#text";
  },
  text: (node) => (asElement(node) || dom.nodeType(node) === dom.TEXT ? dom.textContent(node) : ""),
  hasField: (node) => {
    const element = asElement(node);
    return Boolean(element && (dom.matches(element, TAKES_TEXT) || dom.querySelector(element, TAKES_TEXT)));
  },
};

function signsOf(element: Element, type: string): FieldSigns {
  const attribute = (name: string): string | null => dom.getAttribute(element, name);
  return {
    type,
    autocomplete: attribute("autocomplete"),
    codeNames: [attribute("name"), attribute("id")],
    labels: () => labelsOf(element),
    textSecurity: getComputedStyle(element).getPropertyValue("-webkit-text-security"),
  };
}

/** What labels a field, as far as the page shows it. */
function labelsOf(element: Element): (string | null)[] {
  const attribute = (name: string): string | null => dom.getAttribute(element, name);
  const root = dom.getRootNode(element) as Document | ShadowRoot;
  const ids = attribute("aria-labelledby")?.split(/\s+/).filter(Boolean) ?? [];
  const referred = ids.flatMap((id) => dom.querySelector(root, `#${CSS.escape(id)}`) ?? []);
  const labels = [...((element as HTMLInputElement).labels ?? []), ...referred];
  const isLabelled = labels.length > 0 || Boolean(attribute("aria-label"));
  return [
    ...["aria-label", "placeholder", "title"].map(attribute),
    ...labels.map((label) => dom.textContent(label)),
    isLabelled ? null : textBefore<Node>(element, WALK),
  ];
}
