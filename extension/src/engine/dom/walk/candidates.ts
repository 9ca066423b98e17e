// Which elements a role selector may name: none that it names is left out, and few others are among them.
//
// A walk of these alone says what they are; the kernel then chooses as it would from a snapshot. Where that can't be the
// same, such as in a very large container, there is no answer.

import type { FindQuery } from "../../../protocol/generated";
import { type Names, pseudoContent } from "../naming/names";
import { fold } from "../naming/text";
import { NAMED_BY_CONTENT } from "../semantics/aria";
import { ROLE_TAGS, TABLE_TAGS } from "../semantics/role_tags";
import type { Roles } from "../semantics/roles";
import { hidesText, isFoldedUp, renderingOf, skipsContent, UNRENDERED } from "../semantics/visibility";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import { WalkPart } from "./part_walk";

/** More candidates take as long as a walk of the document. */
const MOST = 400;
/** Elements in a container that is read as a whole. */
const LARGEST = 300;
const MOST_INSIDE = 4_000;

interface Context {
  document: Document;
  flat: FlatTree;
  roles: Roles;
  names: Names;
}

/** One query with the elements that have one of its roles. */
interface Level {
  query: FindQuery;
  roles: ReadonlySet<string>;
  tags: ReadonlySet<string>;
  /** Letters and digits of its name; empty for any name. */
  letters: string;
  /** Its name is that of a field. */
  isLoose: boolean;
  found: Element[];
  /** Those of a container's level that the query may name. */
  holders: Holders;
}

interface Holders {
  /** These have just the wanted name, or none is wanted. */
  named: Set<Element>;
  /** These may be called so by what is in them. */
  others: Set<Element>;
}

/** The elements that a query may name, and those around them that it names; null where the page can't say. */
export function candidatesFor(query: FindQuery, context: Context): WalkPart | null {
  const levels = levelsOf(query);
  if (!levels) return null;
  const all = elementsOf(context);
  if (maybeStyled(levels, all)) return null;
  for (const element of all)
    for (const level of levels) {
      if (hasRole(element, level, context)) level.found.push(element);
      // A label names a button, too.
      const button = level.query.editable ? labelledButton(element, context) : null;
      if (button && level.found.at(-1) !== button) level.found.push(button);
    }
  const part = new WalkPart(context.flat);
  const [inner, ...outer] = levels as [Level, ...Level[]];
  for (const level of outer) level.holders = holdersOf(level, context);
  for (const element of inner.found) {
    // A list has as many controls of one name as it has items: those in the item that is named are few.
    if (!outer.every(({ holders }) => isInAny(element, holders, context))) continue;
    if (!mayBeCalled(element, inner, context)) continue;
    // A list's options have no boxes of their own: they are found with it.
    part.add(dom.localName(element) === "option" ? (dom.closest(element, "select") ?? element) : element);
    if (part.size > MOST) return null;
  }
  return part.size === 0 || outer.every((level) => addContainers(part, level)) ? part : null;
}

/** All elements that a query may name, whatever they are in; null where the page can't say. */
export function mayBeNamed(query: FindQuery, context: Context): Element[] | null {
  const [level] = levelsOf(query) ?? [];
  const all = elementsOf(context);
  if (!level || maybeStyled([level], all)) return null;
  return all.filter((element) => hasRole(element, level, context) && mayBeCalled(element, level, context));
}

function maybeStyled(levels: readonly Level[], all: readonly Element[]): boolean {
  const tables = levels.some(({ roles }) => [...roles].some((role) => TABLE_TAGS.has(role)));
  return tables && hasStyledTable(all);
}

function levelsOf(query: FindQuery): Level[] | null {
  const levels: Level[] = [];
  for (let at: FindQuery | null | undefined = query; at; at = at.within) {
    const tags = new Set<string>();
    for (const role of at.roles) {
      const known = ROLE_TAGS.get(role) ?? TABLE_TAGS.get(role);
      if (!known) return null;
      for (const tag of known) tags.add(tag);
    }
    const isLoose = at.roles.some((role) => NAMED_LOOSELY.has(role));
    levels.push({
      query: at,
      roles: new Set(at.roles),
      tags,
      letters: lettersOf(at.name ?? ""),
      isLoose,
      found: [],
      holders: { named: new Set(), others: new Set() },
    });
  }
  return levels;
}

/** All elements, those in shadow roots included. */
function elementsOf({ document, flat }: Context): Element[] {
  const found: Element[] = [];
  const add = (root: Document | ShadowRoot): void => {
    for (const element of dom.querySelectorAll(root, "*")) {
      found.push(element);
      const inner = flat.shadow(element);
      if (inner) add(inner);
    }
  };
  add(document);
  return found;
}

function hasStyledTable(all: readonly Element[]): boolean {
  return all.some(
    (element) => dom.localName(element) === "div" && /table$/.test(getComputedStyle(element).display),
  );
}

function hasRole(element: Element, { roles, tags, query }: Level, context: Context): boolean {
  const tag = dom.localName(element);
  const isMarked = dom.hasAttribute(element, "role") || tag.includes("-");
  if (query.editable && (FIELDS.has(tag) || dom.hasAttribute(element, "contenteditable"))) return true;
  // A label stands for a control that can't be seen, whatever that is.
  if (!isMarked && tag !== "label" && !tags.has(tag)) return false;
  const role = context.roles.of(element);
  if (roles.has(role)) return true;
  if (tag === "a") return roles.has("link");
  const control = tag === "label" ? (element as HTMLLabelElement).control : null;
  if (control === null) return false;
  return roles.has(context.roles.of(control)) || (query.editable === true && isFileField(control));
}

/** The button that a label is for, or the element itself where it is one that refers to its label. */
function labelledButton(element: Element, { roles }: Context): Element | null {
  const isLabel = dom.localName(element) === "label";
  const button = isLabel ? (element as HTMLLabelElement).control : element;
  if (!button || (!isLabel && !dom.hasAttribute(element, "aria-labelledby"))) return null;
  return roles.of(button) === "button" ? button : null;
}

/** Whether an element's name may be the one that is looked for. */
function mayBeCalled(element: Element, level: Level, context: Context): boolean {
  const { query, letters } = level;
  if (query.name == null || !letters) return true;
  const tag = dom.localName(element);
  // An anchor that leads nowhere is a link if it can be pressed, and called what links are called.
  const isAnchor = tag === "a" && level.roles.has("link");
  const role = isAnchor ? "link" : context.roles.of(element);
  if (tag === "label" || tag === "option" || (query.editable && !level.roles.has(role))) return true;
  if (isPlain(element, context)) {
    const text = lettersOf(dom.textContent(element));
    // What is hidden inside makes a text longer than it is seen; what a style sheet adds, shorter.
    if (text)
      return (
        fits(text, level) ||
        letters.includes(text) ||
        (dom.firstElementChild(element) !== null && isLeftOf(letters, text)) ||
        (query.part === true && [element, ...dom.querySelectorAll(element, "*")].some(isAddedTo))
      );
  }
  // What stands in these is a name of many parts, if it is one.
  if (LEFT_TO_CHILDREN.has(role)) return true;
  const name = context.names.of(element, role);
  if (fits(lettersOf(context.names.label(element, role, name)), level)) return true;
  // Without a name, the text inside counts.
  return name.text ? fits(lettersOf(name.text), level) : mayHold(element, letters, context);
}

/** Whether a name, by its letters, may be the wanted one: fields have stars and words at their names that are no part of it. */
function fits(text: string, { query, letters, isLoose }: Level): boolean {
  if (query.part) return text.includes(letters);
  if (text === letters) return true;
  if (isLoose && text) return text.includes(letters) || letters.includes(text);
  return query.name?.trim().endsWith("…") === true && text.startsWith(letters);
}

/** Whether a style sheet adds text to an element. */
const isAddedTo = (element: Element): boolean =>
  pseudoContent(element, "::before") !== "" || pseudoContent(element, "::after") !== "";

const NAMED_BESIDE =
  "aria-labelledby aria-owns aria-label aria-placeholder title alt placeholder value label".split(" ");
/** The first two of these refer to other elements. */
const [REFERS_FIRST, REFERS_SECOND] = [0, 1];
const NAMED_ELSEWHERE = new Set(["slot", "object", "iframe", "canvas"]);
/** Fields that the browser names itself if nobody else does. */
const NAMED_BY_BROWSER = new Set(["file", "submit", "reset", "image"]);
const NAMED_INSIDE =
  "[aria-label],[aria-labelledby],[aria-owns],[title],[alt],[value],img,svg,input,select,textarea,slot,object,iframe,canvas";
const LEFT_TO_CHILDREN = new Set(["cell", "gridcell", "row"]);
/** Python's `FIELDS`: roles whose names are compared without what a field's label has beside its name. */
const NAMED_LOOSELY = new Set(
  "checkbox combobox listbox radio radiogroup searchbox slider spinbutton switch textbox".split(" "),
);
const FIELDS = new Set("input select textarea".split(" "));

/** Whether an element's name can only come from its text. */
function isPlain(element: Element, { flat }: Context): boolean {
  if (FIELDS.has(dom.localName(element)) || flat.shadow(element) || element instanceof SVGElement)
    return false;
  if (dom.hasAttributes(element) && NAMED_BESIDE.some((name) => dom.hasAttribute(element, name)))
    return false;
  if (isLabelled(element) || NAMED_LOOSELY.has(dom.getAttribute(element, "role") ?? "")) return false;
  if (!dom.firstElementChild(element)) return true;
  if (dom.querySelector(element, NAMED_INSIDE)) return false;
  return [...dom.querySelectorAll(element, "*")].every((inner) => !flat.shadow(inner) && !isLabelled(inner));
}

const isFileField = (element: Element): boolean => (element as HTMLInputElement).type === "file";

const isLabelled = (element: Element): boolean => ((element as HTMLButtonElement).labels?.length ?? 0) > 0;

/** Whether a text may stand in an element, or be the name of something in it. */
function mayHold(element: Element, letters: string, { flat, roles, names }: Context): boolean {
  const text = lettersOf(dom.textContent(element));
  if (text.includes(letters)) return true;
  const inner = [element, ...dom.querySelectorAll(element, "*")];
  if (isLeftOf(letters, text) && inner.some(isHidden)) return true;
  return inner.some((each) => {
    const tag = dom.localName(each);
    if (flat.shadow(each) || NAMED_ELSEWHERE.has(tag) || tag.includes("-")) return true;
    if (tag === "input" && NAMED_BY_BROWSER.has((each as HTMLInputElement).type)) return true;
    const said = dom.hasAttributes(each)
      ? NAMED_BESIDE.map((name) => dom.getAttribute(each, name) ?? "")
      : [];
    if (said[REFERS_FIRST] || said[REFERS_SECOND]) return true;
    // What a label has besides its text, such as the value of a field in it, is part of the name as well.
    if (isLabelled(each)) said.push(names.of(each, roles.of(each)).text);
    const mayAdd = said.some((text) => {
      const there = lettersOf(text);
      return there !== "" && (there.includes(letters) || letters.includes(there));
    });
    return mayAdd || isAddedTo(each);
  });
}

/** Whether a text may say so much once what is hidden of it is left out. */
function isLeftOf(letters: string, text: string): boolean {
  let at = 0;
  for (const letter of letters) {
    at = text.indexOf(letter, at) + 1;
    if (at === 0) return false;
  }
  return true;
}

/** Whether what an element says may be no part of what one sees or hears around it. */
function isHidden(element: Element): boolean {
  if (UNRENDERED.has(dom.localName(element)) || dom.hasAttribute(element, "aria-hidden")) return true;
  if (renderingOf(element) !== "box") return true;
  const style = getComputedStyle(element);
  return style.fontSize === "0px" || skipsContent(style) || isFoldedUp(element) || hidesText(element, style);
}

/** The containers that a level may name. */
function holdersOf(level: Level, context: Context): Holders {
  const { query, letters, found } = level;
  if (query.name == null) return { named: new Set(found), others: new Set() };
  const name = fold(query.name);
  const called = new Map(found.map((element) => [element, calledAs(element, context)]));
  const named = found.filter((element) => called.get(element) === name);
  // Where one has just this name, only what has no name may be called so as well: by all of its text.
  const others = found.filter((element) =>
    named.length
      ? !called.get(element)
      : !letters || fits(lettersOf(called.get(element) ?? ""), level) || mayHold(element, letters, context),
  );
  return { named: new Set(named), others: new Set(others) };
}

function calledAs(element: Element, { roles, names }: Context): string {
  const role = roles.of(element);
  return NAMED_BY_CONTENT.has(role) ? "" : names.of(element, role).text;
}

function isInAny(element: Element, { named, others }: Holders, { flat }: Context): boolean {
  for (let at: Element | null = element; at; at = flat.parent(at))
    if (named.has(at) || others.has(at)) return true;
  return false;
}

/** Add the containers of a level; false where the page can't say which it names. */
function addContainers(part: WalkPart, { holders }: Level): boolean {
  const { named, others } = holders;
  let inside = 0;
  for (const element of others) {
    if (named.size && !part.passes(element)) continue;
    const size = dom.querySelectorAll(element, "*").length;
    inside += size;
    if (size > LARGEST || inside > MOST_INSIDE) return false;
    part.add(element);
  }
  for (const element of named) part.addAlone(element);
  return true;
}

/** A text's letters and digits, whatever their case, accents and form. */
function lettersOf(text: string): string {
  const plain = text.normalize("NFKD").toUpperCase().toLowerCase().normalize("NFKD");
  return plain.replaceAll("\u03c2", "\u03c3").replace(/[^\p{L}\p{N}]/gu, "");
}
