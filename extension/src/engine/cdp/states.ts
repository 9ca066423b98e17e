// A node's flags, and the facts that few nodes have: Chrome's word where accessibility has it, else the attributes.

import { type NodeExtra, State } from "../../protocol/generated";
import { asksNoAi } from "../../shared/ai_opt_out";
import { absolute, addAria, addNumber, addSource, whole } from "../../shared/aria_extras";
import { fillsIn, keysIn, relOf, TEST_IDS } from "../../shared/attributes";
import { INTERACTIVE } from "../../shared/roles";
import { fold, RANGES } from "./ax";
import type { VirtualNode } from "./tree";

const TRUE: readonly [string, number][] = [
  ["disabled", State.DISABLED],
  ["modal", State.MODAL],
  ["multiselectable", State.MULTISELECTABLE],
  ["readonly", State.READONLY],
  ["required", State.REQUIRED],
  ["selected", State.SELECTED],
];

/** Whether an element is where editing begins. */
export function isEditingHost({ attributes }: VirtualNode): boolean {
  return /^(|true|plaintext-only)$/i.test(attributes.get("contenteditable") ?? "no");
}

export function flagsOf(node: VirtualNode, role: string): number {
  const { ax, tag, attributes } = node;
  const property = (name: string): unknown => (ax ? ax.properties.get(name) : stated(attributes, name));
  let flags = node.secret ? State.SECRET : 0;
  for (const [name, flag] of TRUE) if (property(name) === true) flags |= flag;
  if (property("multiline") === true && !isEditingHost(node)) flags |= State.MULTILINE;
  if (/^(input|textarea)$/.test(tag) && attributes.has("readonly") && hasValue(node)) flags |= State.READONLY;
  // Chrome says this of live regions alone, and the others not of lists that open.
  if (attributes.get("aria-busy") === "true") flags |= State.BUSY;
  if (tag === "select" && attributes.has("required")) flags |= State.REQUIRED;
  if (tag === "select" && attributes.has("multiple")) flags |= State.MULTISELECTABLE;
  const checked = property("checked") ?? String(node.checked);
  if (checked === "true") flags |= State.CHECKED;
  else if (checked === "mixed") flags |= State.MIXED;
  if (property("pressed") === "true") flags |= State.PRESSED;
  else if (property("pressed") === "mixed") flags |= State.PRESSED | State.MIXED;
  const expanded = tag === "details" ? attributes.has("open") : property("expanded");
  if (expanded === true) flags |= State.EXPANDED;
  else if (expanded === false && (tag !== "select" || attributes.has("aria-expanded")))
    flags |= State.COLLAPSED;
  // That a field which nobody has touched is invalid, as Chrome says, is nothing that people see.
  if (!/^(|false)$/.test(attributes.get("aria-invalid") ?? "")) flags |= State.INVALID;
  if (!/^(|false)$/.test(attributes.get("aria-current") ?? "")) flags |= State.CURRENT;
  if (property("focused") === true) flags |= State.FOCUSED;
  flags |= editing(node, role, flags);
  return INTERACTIVE.has(role) ? flags | State.ACTIONABLE : flags;
}

/** What an attribute says of an element that accessibility doesn't know. */
function stated(attributes: ReadonlyMap<string, string>, name: string): unknown {
  if (/^(disabled|readonly|required)$/.test(name) && attributes.has(name)) return true;
  const text = attributes.get(`aria-${name}`);
  if (name === "checked" || name === "pressed") return text;
  return text === undefined ? undefined : text === "true";
}

function editing(node: VirtualNode, role: string, flags: number): number {
  const { ax, tag, attributes } = node;
  if (flags & (State.READONLY | State.DISABLED)) return 0;
  if (isEditingHost(node))
    return (
      State.EDITABLE |
      (role === "textbox" && attributes.get("aria-multiline") !== "true" ? 0 : State.MULTILINE)
    );
  if (tag === "textarea" || (tag === "input" && hasValue(node))) return State.EDITABLE;
  return INTERACTIVE.has(role) && ax?.properties.has("editable") ? State.EDITABLE : 0;
}

/** Everything else that is known of an element; `name` is what it is called. */
export function extrasOf(
  node: VirtualNode,
  role: string,
  name: string,
  baseUrl: string,
  why: string[],
): NodeExtra {
  const { ax, attributes, secret } = node;
  const extra: NodeExtra = {};
  if (ax?.description && ax.description !== name) extra.description = ax.description;
  const value = shownValue(node, role);
  // That a secret field is empty is no secret.
  if (secret ? value === "" : value) extra.value = value as string;
  addMarkup(node, baseUrl, extra);
  const span = (name: string, most: number): number => Math.min(whole(attributes.get(name)) ?? 1, most);
  const aria = (attribute: string): string | undefined => attributes.get(`aria-${attribute}`);
  addAria(extra, role, aria, () => [span("colspan", 1000), span("rowspan", 65534) || 65534]);
  const isHeading = role === "heading" || attributes.has("aria-level");
  const level = ax?.properties.get("level");
  if (isHeading && typeof level === "number") extra.level = level;
  if (RANGES.has(role)) addRange(node, role, extra);
  const test_id = TEST_IDS.map((one) => attributes.get(one)).find(Boolean);
  if (test_id) extra.test_id = test_id;
  const html_id = attributes.get("id");
  if (html_id) extra.html_id = html_id;
  const keys = keysIn(attributes.keys(), (name) => attributes.get(name));
  if (keys.length) extra.keys = keys;
  if (why.length) extra.why = why;
  if (asksNoAi(attributes.get("data-no-ai"))) extra.no_ai = true;
  return extra;
}

/** Whether an input is for what people type or set, and not to press. */
function hasValue({ attributes }: VirtualNode): boolean {
  return !/^(button|checkbox|file|hidden|image|radio|reset|submit)$/i.test(attributes.get("type") ?? "");
}

/** What people read in a field; null where there is none. */
function shownValue(node: VirtualNode, role: string): string | null {
  const { ax, tag, value, attributes } = node;
  if (tag === "input") {
    const isFile = attributes.get("type") === "file";
    if (!isFile && !hasValue(node)) return null;
    return isFile ? (value ?? "").slice((value ?? "").lastIndexOf("\\") + 1) : value;
  }
  if (tag === "textarea") return value;
  if (tag === "select") {
    const chosen = optionsIn(node).filter((option) => option.selected);
    return chosen.map(optionLabel).join(", ");
  }
  if (!ax || !(INTERACTIVE.has(role) || RANGES.has(role) || role === "listbox" || isEditingHost(node)))
    return null;
  const text = (RANGES.has(role) && attributes.get("aria-valuetext")) || ax.value;
  return text === undefined || text === null ? null : fold(String(text));
}

export function optionsIn(select: VirtualNode): VirtualNode[] {
  return select.children.flatMap((child) =>
    child.tag === "option" ? [child] : child.tag === "optgroup" ? optionsIn(child) : [],
  );
}

export function optionLabel({ attributes, ax, children }: VirtualNode): string {
  const label = attributes.get("label") || ax?.name;
  return fold(label || children.map(({ text }) => text).join(""));
}

const INPUT_TYPES: ReadonlySet<string> = new Set(
  `button checkbox color date datetime-local email file hidden image month number password radio range reset search
  submit tel text time url week`.split(/\s+/),
);

function addMarkup(node: VirtualNode, baseUrl: string, extra: NodeExtra): void {
  const { tag, attributes, source } = node;
  const address = (text: string): string => absolute(text, baseUrl);
  const href = attributes.get("href") ?? attributes.get("xlink:href");
  if (/^(a|area)$/.test(tag) && href !== undefined) {
    extra.href = address(href);
    const rel = relOf(attributes.get("rel"));
    if (rel) extra.rel = rel;
  }
  if (/^(img|iframe|frame|embed|audio|video)$/.test(tag)) {
    const src = attributes.get("src");
    addSource(extra, source || (src ? address(src) : ""));
  }
  const type = attributes.get("type")?.toLowerCase();
  if (tag === "input") extra.type = type && INPUT_TYPES.has(type) ? type : "text";
  if (tag === "button" && (type === "button" || type === "reset")) extra.type = type;
  if (tag === "form") Object.assign(extra, formExtras(node, baseUrl));
  const htmlName = attributes.get("name");
  if (htmlName && /^(input|textarea|select|button|form|output|i?frame)$/.test(tag))
    extra.html_name = htmlName;
  const fills =
    /^(input|textarea|select|button)$/.test(tag) && fillsIn(attributes.get("autocomplete") ?? null);
  if (fills) extra.autocomplete = fills;
  const hint = /^(input|textarea)$/.test(tag) ? fold(attributes.get("placeholder")) : "";
  if (hint) extra.placeholder = hint;
}

/** What a form says of itself, also one that has no role. */
export function formExtras({ attributes }: VirtualNode, baseUrl: string): NodeExtra {
  const [id, name, action] = ["id", "name", "action"].map((each) => attributes.get(each));
  return {
    ...(id && { html_id: id }),
    ...(name && { html_name: name }),
    ...(action && { action: absolute(action, baseUrl) }),
  };
}

function addRange({ ax, secret, value, tag, attributes }: VirtualNode, role: string, extra: NodeExtra): void {
  const isSpinner = tag === "input" && role === "spinbutton";
  // For an input without limits Chrome says 0.
  addNumber(extra, "valuemin", isSpinner ? attributes.get("min") : ax?.properties.get("valuemin"));
  addNumber(extra, "valuemax", isSpinner ? attributes.get("max") : ax?.properties.get("valuemax"));
  if (!secret) addNumber(extra, "valuenow", tag === "input" ? value : ax?.value);
}
