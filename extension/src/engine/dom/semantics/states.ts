// States and properties: HTML's own, then ARIA's, as flags and as extras.

import { type NodeExtra, State } from "../../../protocol/generated";
import { asksNoAi } from "../../../shared/ai_opt_out";
import { absolute, addAria, addNumber, addSource, whole } from "../../../shared/aria_extras";
import { fillsIn, relOf } from "../../../shared/attributes";
import type { InternalFacts } from "../../../shared/messages";
import type { Name, Names } from "../naming/names";
import { fold } from "../naming/text";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import type { NodeRecord } from "../walk/records";
import { Mark, testIdOf } from "./actionable";
import { CHECKABLE, RANGES, SELECTABLE, TEXT_ENTRY } from "./aria";
import { identityOf } from "./identity";
import { isEditingHost } from "./roles";
import { isPartOfText, isSecret, shownValue } from "./values";

/** What states are read from: the element, its role, what its attributes are about, whether anything disables it, why it is actionable. */
interface Facts {
  element: Element;
  tag: string;
  role: string;
  disabled: boolean;
  marks: number;
  why: string[] | null;
  internals: InternalFacts | null;
}

/** Flags that only the element and its ancestors decide; position and focus come from elsewhere. */
export function flagsOf({ element, tag, role, disabled, marks, internals }: Facts, extra: NodeExtra): number {
  let flags = disabled ? State.DISABLED : 0;
  const hasAria = (marks & Mark.STATE) !== 0;
  const aria = (name: string): string | null =>
    (hasAria ? dom.getAttribute(element, `aria-${name}`) : null) ?? internals?.aria[name] ?? null;
  const isTrue = (name: string): boolean => aria(name) === "true";
  if (FORM_PARTS.has(tag)) flags |= formFlags(element as HTMLInputElement, tag);
  if (isTrue("disabled")) flags |= State.DISABLED;
  if (CHECKABLE.has(role) && !(flags & (State.CHECKED | State.MIXED)) && !isNativeToggle(element, tag)) {
    const checked = aria("checked");
    flags |= checked === "true" ? State.CHECKED : checked === "mixed" ? State.MIXED : 0;
  }
  const pressed = aria("pressed");
  if (pressed === "true") flags |= State.PRESSED;
  else if (pressed === "mixed") flags |= State.PRESSED | State.MIXED;
  // Options of custom lists often have no role.
  if ((SELECTABLE.has(role) || role === "generic") && isTrue("selected")) flags |= State.SELECTED;
  flags |= expansion(element, tag, aria("expanded"));
  if (isTrue("required")) flags |= State.REQUIRED;
  if (isTrue("readonly")) flags |= State.READONLY;
  if (isTrue("busy")) flags |= State.BUSY;
  if (isTrue("multiline")) flags |= State.MULTILINE;
  if (isTrue("multiselectable")) flags |= State.MULTISELECTABLE;
  const invalid = aria("invalid");
  if (invalid !== null && invalid !== "false" && invalid !== "") flags |= State.INVALID;
  const current = aria("current");
  if (current !== null && current !== "false" && current !== "") flags |= State.CURRENT;
  if (isTrue("modal") || (tag === "dialog" && dom.matches(element, ":modal"))) flags |= State.MODAL;
  if (!FORM_PARTS.has(tag) && (isEditingHost(element) || TEXT_ENTRY.has(role)) && isSecret(element))
    flags |= State.SECRET;
  if (isEditingHost(element))
    flags |= State.EDITABLE | (role === "textbox" && !isTrue("multiline") ? 0 : State.MULTILINE);
  else if (
    TEXT_ENTRY.has(role) &&
    !FORM_PARTS.has(tag) &&
    dom.get(element as HTMLElement, "isContentEditable")
  )
    flags |= State.EDITABLE;
  if (flags & (State.READONLY | State.DISABLED)) flags &= ~State.EDITABLE;
  extrasOf(element, role, aria, extra);
  return flags;
}

const FORM_PARTS = new Set(["button", "input", "option", "select", "textarea"]);

function formFlags(field: HTMLInputElement, tag: string): number {
  let flags = 0;
  if (tag === "option") {
    const option = field as unknown as HTMLOptionElement;
    return (option.selected ? State.SELECTED : 0) | (option.disabled ? State.DISABLED : 0);
  }
  if (field.disabled) flags |= State.DISABLED;
  if (tag === "button") return flags;
  if (field.required) flags |= State.REQUIRED;
  if (field.matches(":user-invalid")) flags |= State.INVALID;
  if (tag === "select")
    return flags | ((field as unknown as HTMLSelectElement).multiple ? State.MULTISELECTABLE : 0);
  if (isSecret(field)) flags |= State.SECRET;
  if (tag === "textarea") flags |= State.MULTILINE;
  if (isNativeToggle(field, tag)) {
    if (field.indeterminate && field.type === "checkbox") flags |= State.MIXED;
    else if (field.checked) flags |= State.CHECKED;
    return flags;
  }
  if (tag === "textarea" || TYPED.has(field.type)) {
    if (field.readOnly) flags |= State.READONLY;
    flags |= State.EDITABLE;
  } else if (field.type === "range" || field.type === "color") flags |= State.EDITABLE;
  return flags;
}

/** Input types whose value a person types. */
const TYPED = new Set(
  "date datetime-local email month number password search tel text time url week".split(" "),
);

/** Whether the element is an input that is checked or not. */
function isNativeToggle(element: Element, tag: string): boolean {
  if (tag !== "input") return false;
  const type = (element as HTMLInputElement).type;
  return type === "checkbox" || type === "radio";
}

function expansion(element: Element, tag: string, expanded: string | null): number {
  if (expanded === "true") return State.EXPANDED;
  if (expanded === "false") return State.COLLAPSED;
  if (tag === "summary" || tag === "details") {
    const details = (tag === "details" ? element : dom.parentElement(element)) as HTMLDetailsElement | null;
    if (details?.localName === "details") return details.open ? State.EXPANDED : State.COLLAPSED;
  }
  if (tag === "button" && dom.hasAttribute(element, "popovertarget")) {
    const target = (element as HTMLButtonElement).popoverTargetElement;
    if (target) return dom.matches(target, ":popover-open") ? State.EXPANDED : State.COLLAPSED;
  }
  return 0;
}

/** The span of a cell that goes on to the last row of its part of the table, as `rowspan=0` says. */
const TO_THE_END = 65534;

function extrasOf(
  element: Element,
  role: string,
  aria: (name: string) => string | null,
  extra: NodeExtra,
): void {
  const cell = element as HTMLTableCellElement;
  addAria(extra, role, aria, () => [cell.colSpan, cell.rowSpan === 0 ? TO_THE_END : cell.rowSpan]);
  const level = aria("level");
  if (level) extra.level = whole(level);
  else if (role === "heading") extra.level = headingLevel(dom.localName(element));
  if (RANGES.has(role)) rangeExtras(element, aria, extra);
}

function rangeExtras(element: Element, aria: (name: string) => string | null, extra: NodeExtra): void {
  const tag = dom.localName(element);
  const native = tag === "input" || tag === "progress" || tag === "meter";
  const field = element as HTMLInputElement;
  const secret = isSecret(element);
  const isRange = tag === "input" && field.type === "range";
  const low = native ? field.min || (isRange || tag === "meter" ? "0" : "") : aria("valuemin");
  const high = native ? String(field.max || (isRange ? "100" : "")) : aria("valuemax");
  const now = native
    ? tag === "progress" && !dom.hasAttribute(element, "value")
      ? ""
      : String(field.value)
    : aria("valuenow");
  addNumber(extra, "valuemin", low);
  addNumber(extra, "valuemax", high);
  if (!secret) addNumber(extra, "valuenow", now);
}

function headingLevel(tag: string): number {
  return /^h[1-6]$/.test(tag) ? Number(tag[1]) : 2;
}

const STATEFUL = new Set(
  `a area audio button details dialog embed form frame h1 h2 h3 h4 h5 h6 iframe img input meter object option output
  progress select summary textarea video`.split(/\s+/),
);

/** What can set a flag, by attribute and by element. */
const FLAGGED_MARKS = Mark.ROLE | Mark.STATE | Mark.EDITABLE;
const FLAGGED = new Set(
  "button details dialog h1 h2 h3 h4 h5 h6 input meter option progress select summary td textarea th".split(
    " ",
  ),
);

/** Whether there is anything to say of an element beyond role and name. */
export function isStateful({ element, tag, marks, why, disabled, internals }: Facts): boolean {
  if (marks !== 0 || internals || why !== null || disabled || STATEFUL.has(tag)) return true;
  return (
    (tag === "td" || tag === "th") &&
    (dom.hasAttribute(element, "colspan") || dom.hasAttribute(element, "rowspan"))
  );
}

/** Write an element's flags and extras into its record. */
export function describe(
  record: NodeRecord,
  facts: Facts,
  name: Name,
  { names, flat }: { names: Names; flat: FlatTree },
): void {
  const { element, tag, role, marks, why } = facts;
  const extra: NodeExtra = {};
  if (facts.disabled || facts.internals || marks & FLAGGED_MARKS || FLAGGED.has(tag))
    record.flags |= flagsOf(facts, extra);
  if (marks & (Mark.ARIA | Mark.TITLE)) {
    const description = names.description(element, name);
    if (description) extra.description = description;
  }
  const label = names.label(element, role, name);
  if (label) extra.label = label;
  const value = shownValue(element, role, flat);
  if (value || (value === "" && isSecret(element))) extra.value = value;
  if (value && isPartOfText(element, role)) extra.part = true;
  htmlExtras(element, tag, extra);
  if (marks & Mark.TEST_ID) {
    const id = testIdOf(element);
    if (id) extra.test_id = id;
  }
  if (marks & (Mark.ID | Mark.KEY)) Object.assign(extra, identityOf(element));
  if (why) extra.why = why;
  if (marks & Mark.NO_AI && asksNoAi(dom.getAttribute(element, "data-no-ai"))) extra.no_ai = true;
  for (const _ in extra) {
    record.extra = { ...record.extra, ...extra };
    break;
  }
}

const formNumbers = new WeakMap<HTMLFormElement, number>();
let formsSeen = 0;

/** A number for a form, which often is no node: its fields and buttons have it, and no others. */
function numberOf(form: HTMLFormElement): number {
  const known = formNumbers.get(form);
  if (known !== undefined) return known;
  formsSeen += 1;
  formNumbers.set(form, formsSeen);
  return formsSeen;
}

function htmlExtras(element: Element, tag: string, extra: NodeExtra): void {
  switch (tag) {
    case "a":
    case "area": {
      const href = (element as HTMLAnchorElement).href as string | SVGAnimatedString;
      const text = typeof href === "string" ? href : href.baseVal;
      if (text) extra.href = text;
      const rel = relOf(dom.getAttribute(element, "rel"));
      if (text && rel) extra.rel = rel;
      return;
    }
    case "img":
    case "iframe":
    case "frame":
    case "embed":
    case "audio":
    case "video": {
      const media = element as HTMLImageElement;
      addSource(extra, media.currentSrc || media.src);
      const title = /frame$/.test(tag) && dom.getAttribute(element, "name");
      if (title) extra.html_name = title;
      return;
    }
    case "input":
    case "textarea":
    case "select":
    case "button": {
      const field = element as HTMLInputElement;
      if (tag === "input" || (tag === "button" && field.type !== "submit")) extra.type = field.type;
      if (field.name) extra.html_name = field.name;
      const fills = fillsIn(dom.getAttribute(field, "autocomplete"));
      if (fills) extra.autocomplete = fills;
      if (field.form) extra.form = numberOf(field.form);
      const hint = fold(field.placeholder ?? "");
      if (hint) extra.placeholder = hint;
      return;
    }
    case "form":
      formExtras(element, extra);
      return;
    case "output":
      if (dom.getAttribute(element, "name")) extra.html_name = dom.getAttribute(element, "name");
  }
}

/** What a form says of itself, also one that has no role. */
export function formExtras(element: Element, extra: NodeExtra): NodeExtra {
  const [id, name, action] = ["id", "name", "action"].map((each) => dom.getAttribute(element, each));
  if (id) extra.html_id = id;
  if (name) extra.html_name = name;
  if (action) extra.action = absolute(action, dom.get(element, "baseURI"));
  return extra;
}
