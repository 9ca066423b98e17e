// What an element is on its way into the records, and what labels, captions and anchors make of it.

import { State } from "../../../protocol/generated";
import { MOST_IN_TESTED, weakSignOf } from "../../../shared/attributes";
import { CELLS, CHILDREN_PRESENTATIONAL, INTERACTIVE } from "../../../shared/roles";
import { fold, hasInk } from "../naming/text";
import { Mark } from "../semantics/actionable";
import { NAMED_BY_CONTENT, TEXT_ENTRY } from "../semantics/aria";
import type { Roles } from "../semantics/roles";
import { isInlineLevel, renderingOf } from "../semantics/visibility";
import * as dom from "../tree/dom";
import type { NodeRecord, Records } from "./records";

/** Elements whose box is a line of text's part unless CSS says otherwise. */
const INLINE_BY_DEFAULT = new Set(
  `a abbr acronym b bdi bdo big button cite code data del dfn em font i iframe img input ins kbd label mark meter
  output progress q s samp select slot small span strike strong sub sup svg textarea time tt u var`.split(
    /\s+/,
  ),
);

const BLOCK_BY_DEFAULT = new Set(
  `address article aside blockquote body caption dd details dialog div dl dt fieldset figcaption figure footer form h1 h2
  h3 h4 h5 h6 header hgroup hr html legend li main menu nav ol option p pre search section summary table tbody td tfoot
  th thead tr ul`.split(/\s+/),
);

/** Elements whose children aren't content: replaced, or handled on their own. */
export const CHILDLESS = new Set(
  "audio canvas embed frame iframe img input meter object progress select textarea video".split(" "),
);

/** Fields that pages hide, and render by their labels. */
const STOOD_FOR = new Set(["checkbox", "file", "radio"]);
export const FIELDS = new Set(["button", "fieldset", "input", "select", "textarea"]);
/** What the page itself stands for. */
export const ROOTS = new Set(["html", "body"]);

/** What holds for everything inside an element. */
export const Within = {
  POINTER: 1 << 0,
  DISABLED: 1 << 1,
  /** Children are presentational. */
  LEAF: 1 << 2,
  ARIA_HIDDEN: 1 << 3,
  /** The text forms a control's name and isn't shown a second time. */
  LABEL: 1 << 4,
  SVG: 1 << 5,
  /** The content may form a name. */
  NAMING: 1 << 6,
  /** In a disabled fieldset: form controls are disabled, and nothing else. */
  DISABLED_FIELDS: 1 << 7,
  /** The text is prose, in which inline elements only mark words. */
  PROSE: 1 << 8,
  /** Nobody can see the text. */
  UNSEEN: 1 << 9,
  /** In a table that a style sheet makes. */
  CSS_TABLE: 1 << 10,
  /** Scripts listen for clicks further up. */
  DELEGATED: 1 << 11,
  /** The text is struck out. */
  STRUCK: 1 << 12,
} as const;

/** An element on its way into the records. */
export interface Visit {
  element: Element;
  tag: string;
  marks: number;
  role: string;
  /** What holds around and in the element (`Within`). */
  inherited: number;
  visible: boolean;
  style: CSSStyleDeclaration;
  interactive: boolean;
  /** Why it is actionable though its role doesn't say so. */
  why: string[] | null;
  /** Only a weak sign of it, `why` holds nothing else: it counts where nothing inside is actionable. */
  weak: boolean;
  /** On a label that stands for a field which isn't rendered: the field. */
  control?: HTMLElement;
}

/** Scripts make links of anchors without href; those that scripts have marked, or that look clickable, are links. */
export function enterAnchor(subject: Visit): void {
  const { element, why, inherited } = subject;
  if (inherited & (Within.LEAF | Within.ARIA_HIDDEN) || dom.hasAttribute(element, "role")) return;
  const isTarget =
    dom.get(element, "id") !== "" ||
    dom.hasAttribute(element, "name") ||
    dom.hasAttribute(element, "aria-current");
  const isMarked = dom.getAttributeNames(element).some((name) => name === "title" || SCRIPTED.test(name));
  if (!why && (isTarget || !isMarked)) return;
  subject.role = "link";
  subject.interactive = true;
  subject.inherited |= Within.POINTER;
}

/** What is called something by more than its title. */
const UNTITLED = Within.LEAF | Within.LABEL | Within.ARIA_HIDDEN;
/** What says something by itself, whatever the title around it. */
const SPEAKING =
  "a, audio, button, canvas, embed, iframe, img[alt]:not([alt='']), input, meter, object, progress, select, textarea, " +
  "video, [role]:not(svg), [tabindex], [aria-label], [aria-labelledby]";

/** What the title of an element without a role of its own says, as of one that only marks a text. */
export function titleOf({ element, tag, marks, inherited }: Visit): string {
  if (!(marks & Mark.TITLE) || inherited & UNTITLED || ROOTS.has(tag)) return "";
  return fold(dom.getAttribute(element, "title") ?? "");
}

/** What is a control's or a label's as a whole. */
const PART_OF_CONTROL = Within.LEAF | Within.LABEL;

/**
 * What hovering shows of an element that assistive technology doesn't get, or of the only titled part of a drawing:
 * rows may differ by it alone.
 */
export function hoverTitle({ element, tag, marks, inherited }: Visit): string {
  if (inherited & PART_OF_CONTROL) return "";
  const isHidden = (inherited & Within.ARIA_HIDDEN) !== 0;
  if (tag === "svg" && !(inherited & Within.SVG)) {
    const titles = dom.querySelectorAll(element, "title");
    const [title] = titles;
    if (titles.length === 1 && title && (isHidden || dom.parentNode(title) !== element))
      return fold(dom.textContent(title));
  }
  return isHidden && marks & Mark.TITLE ? fold(dom.getAttribute(element, "title") ?? "") : "";
}

/** Whether an element says nothing but its title: icons, a colored dot, the part of a bar. */
export function isSign(element: Element): boolean {
  return !hasInk(dom.textContent(element)) && !dom.querySelector(element, SPEAKING);
}

const NAMED = Mark.TEST_ID | Mark.LABEL;

/** Whether attributes keep an element that is nothing else. Who reads waits for what is busy, also where it is empty. */
export function isNoted({ element, marks }: Visit): boolean {
  return (
    (marks & NAMED) !== 0 || ((marks & Mark.STATE) !== 0 && dom.getAttribute(element, "aria-busy") === "true")
  );
}

const INCIDENTAL = new Set(["class", "cursor", "listener", "test id"]);

/** Whether all that speaks for an element may be for the sake of what is in it. */
export function isIncidental(why: string[] | null): boolean {
  return why?.every((reason) => INCIDENTAL.has(reason)) ?? false;
}

/** Whether the pointing hand only begins here because of the one control inside. */
export function isWrapper(records: Records, record: NodeRecord, { why, role }: Visit): boolean {
  if (role !== "generic" || !isIncidental(why) || record.kids !== 1) return false;
  for (let at = record.at + 1; at < records.list.length; at++) {
    const inner = records.list[at] as NodeRecord;
    if (!inner.dropped) return INTERACTIVE.has(inner.role);
  }
  return false;
}

/** What is in these belongs to something else. */
const UNSIGNED = Within.POINTER | Within.LEAF | Within.LABEL | Within.ARIA_HIDDEN;

/** A test id or a class is a reason where scripts listen further up. */
export function enterSigned(subject: Visit): void {
  const { element, tag, marks, role, inherited, why, interactive } = subject;
  if (why || interactive || inherited & UNSIGNED || ROOTS.has(tag)) return;
  const classes = dom.getAttribute(element, "class");
  const sign = weakSignOf(role, classes, (marks & Mark.TEST_ID) !== 0, dom.firstChild(element) !== null);
  if (!sign || dom.get(element as HTMLElement, "isContentEditable")) return;
  subject.why = [sign];
  subject.weak = true;
}

/** Whether a weak sign counts for nothing: something inside is acted on by itself, or a test id is for much of the page. */
export function isOverruled({ list }: Records, { at }: NodeRecord, { why }: Visit): boolean {
  let count = 0;
  for (let i = at + 1; i < list.length; i++) {
    const { dropped, flags, plain } = list[i] as NodeRecord;
    if (dropped) continue;
    if (flags & State.ACTIONABLE) return true;
    count += 1 + (plain ? plain.rows.length + plain.texts.length : 0);
  }
  return count > MOST_IN_TESTED && why?.[0] === "test id";
}

/** Attributes by which scripts find what an element does. */
const SCRIPTED = /^data-(?:bs-)?(?:action|click|command|dismiss|event|handler|slide|target|toggle)\b/;

export function enterCaption(subject: Visit): void {
  const owner = dom.parentElement(subject.element);
  const tag = owner && dom.localName(owner);
  if (!owner || (tag !== "fieldset" && tag !== "table" && tag !== "figure")) return;
  if (dom.hasAttribute(owner, "aria-label") || dom.hasAttribute(owner, "aria-labelledby")) return;
  subject.inherited |= Within.LABEL;
  if (subject.role === "caption") subject.role = "generic";
}

export function within({ element, role, inherited, control, tag }: Visit): number {
  if (control) inherited |= Within.LABEL;
  // A row that is a button has cells all the same.
  if (CHILDREN_PRESENTATIONAL.has(role) && tag !== "tr") inherited |= Within.LEAF;
  // A card that is one link as a whole is made like any other card.
  if (!NAMED_BY_CONTENT.has(role) || (role === "link" && holdsBlocks(element))) return inherited;
  return inherited | Within.NAMING;
}

function holdsBlocks(element: Element): boolean {
  for (let at = dom.firstElementChild(element); at; at = dom.nextElementSibling(at))
    if (BLOCK_BY_DEFAULT.has(dom.localName(at))) return true;
  return false;
}

/** An element's display; what is a block by default counts as one outside of names, whatever its style says. */
export function displayOf({ tag, style, inherited }: Visit): string {
  return BLOCK_BY_DEFAULT.has(tag) && !(inherited & Within.NAMING) ? "block" : style.display;
}

/** Whether a line ends before and after an element. */
export function standsApart({ tag, element }: Visit, display: string): boolean {
  if (isInlineLevel(display)) return false;
  return INLINE_BY_DEFAULT.has(tag) || BLOCK_BY_DEFAULT.has(tag) || !(element instanceof SVGElement);
}

/** In what is hidden from assistive technology only what one can act on is shown. */
export function isShown({ inherited, interactive, why, marks, role, style, tag }: Visit): boolean {
  if (!(inherited & Within.ARIA_HIDDEN) || why !== null) return true;
  if (tag === "canvas") return true;
  if (!(marks & Mark.TABINDEX)) return interactive || tag === "select";
  if (!interactive && tag !== "select") return false;
  // Fields that a widget draws itself by are kept from the keyboard too, but people click into them; and they press
  // what stands beside a field only for the mouse: the arrows of a number, the eye of a password.
  const forMouse =
    TEXT_ENTRY.has(role) || tag === "select" || (role === "button" && marks & Mark.ARIA_HIDDEN);
  return Boolean(forMouse) && style.pointerEvents !== "none";
}

/** Whether an element that can't be seen is a cell of a row that can: the cells behind it have their places after its. */
export function holdsPlace({ role, element, visible }: Visit): boolean {
  const row = !visible && CELLS.has(role) ? dom.parentElement(element) : null;
  return row !== null && renderingOf(row) === "box";
}

/** A label's text names its control; where the control can't be seen, the label stands for it. */
export function enterLabel(subject: Visit, roles: Roles): void {
  const control = (subject.element as HTMLLabelElement).control;
  const id = dom.get(subject.element, "id");
  // Inside a component that is the control itself, the label draws it.
  if (control && subject.inherited & Within.LEAF) return;
  if (!control) {
    const root = dom.getRootNode(subject.element) as Document | ShadowRoot;
    const referring = id && dom.querySelector(root, `[aria-labelledby~=${JSON.stringify(id)}]`);
    if (referring) subject.inherited |= Within.LABEL;
    return;
  }
  if (!/^(none|invisible)$/.test(renderingOf(control))) {
    const named = dom.getAttribute(control, "aria-labelledby");
    const names =
      named === null ? !dom.hasAttribute(control, "aria-label") : id && named.split(/\s+/).includes(id);
    if (names) subject.inherited |= Within.LABEL;
    if (isIncidental(subject.why)) subject.why = null;
  } else if (subject.visible && STOOD_FOR.has((control as HTMLInputElement).type)) {
    subject.role = roles.of(control);
    subject.control = control;
    subject.interactive = INTERACTIVE.has(subject.role);
    subject.why = ["label of a hidden field", ...(subject.why ?? [])];
  }
}

/** Elements whose inline parts belong together whatever they are. */
const KEPT_WHOLE = new Set("code h1 h2 h3 h4 h5 h6 kbd label pre ruby samp time".split(" "));

/** What holds inside an element, as to whether its text is prose. */
export function withProse(inherited: number, tag: string, hasText: boolean): number {
  if (KEPT_WHOLE.has(tag) || hasText) return inherited | Within.PROSE;
  return BLOCK_BY_DEFAULT.has(tag) ? inherited & ~Within.PROSE : inherited;
}

/** Whether an element without text of its own holds inline elements of different kinds side by side. */
export function holdsFields(parent: Element | ShadowRoot, style: CSSStyleDeclaration): boolean {
  let before: Element | null = null;
  for (let at = dom.firstElementChild(parent); at; at = dom.nextElementSibling(at)) {
    const inline = INLINE_BY_DEFAULT.has(dom.localName(at));
    if (inline && before && isOther(before, at)) return style.whiteSpaceCollapse === "collapse";
    before = inline ? at : null;
  }
  return false;
}

function isOther(a: Element, b: Element): boolean {
  return (
    dom.localName(a) !== dom.localName(b) || dom.getAttribute(a, "class") !== dom.getAttribute(b, "class")
  );
}

/** Whether a text goes on in the next element: the parts of a price, or marks around a word. */
export function isGlued(before: string, after: string): boolean {
  if (/[([{=]$/.test(before) || /^[([{=]$/.test(after)) return true;
  return /[\d$€£¥.,:/([#@+-]$/.test(before) ? /^[\d.,:/)%]/.test(after) : /^[.,:;!?)\]%*'’]/.test(after);
}

/** Whether an element has text of its own. */
export function hasText(element: ParentNode): boolean {
  for (let node = dom.firstChild(element); node; node = dom.nextSibling(node))
    if (dom.nodeType(node) === dom.TEXT && hasInk((node as Text).data)) return true;
  return false;
}
