// CSS selectors: a short one that names an element, and the elements that one names.

import type { Engine } from "../engine/dom/engine";
import { refOf } from "../hit_safety/find_element";
import { Failure } from "../shared/errors";

const STABLE_ATTRIBUTES = [
  "data-testid",
  "data-test-id",
  "data-test",
  "data-cy",
  "data-qa",
  "name",
  "aria-label",
];

/** Ids that a program made change with the next build. */
const GENERATED = /\d{4,}|[0-9a-f]{8,}|^:|--|__/i;

export function selectorOf(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot;
  const isUnique = (selector: string): boolean => {
    const found = root.querySelectorAll(selector);
    return found.length === 1 && found[0] === element;
  };
  const short = shortSelectors(element);
  const direct = short.find(isUnique);
  if (direct) return direct;
  const [first] = short;
  let tail = stepOf(element);
  for (let at = element.parentElement; at; at = at.parentElement) {
    for (const head of shortSelectors(at)) {
      if (first && isUnique(`${head} ${first}`)) return `${head} ${first}`;
      const long = `${head} > ${tail}`;
      if (isUnique(long)) return long;
    }
    if (isUnique(tail)) return tail;
    tail = `${stepOf(at)} > ${tail}`;
  }
  return tail;
}

/** Selectors that name the element by itself, best first. */
function shortSelectors(element: Element): string[] {
  const found: string[] = [];
  const tag = element.localName;
  if (element.id && !GENERATED.test(element.id)) found.push(`#${CSS.escape(element.id)}`);
  for (const name of STABLE_ATTRIBUTES) {
    const value = element.getAttribute(name);
    if (value && value.length < 80) found.push(`${tag}[${name}=${JSON.stringify(value)}]`);
  }
  for (const name of element.classList) if (!GENERATED.test(name)) found.push(`${tag}.${CSS.escape(name)}`);
  return found;
}

function stepOf(element: Element): string {
  const tag = CSS.escape(element.localName);
  const siblings: Element[] = [];
  // Not by the parent's list of children: a form's field named "children" hides that.
  for (let at: Element | null = element; at; at = at.previousElementSibling)
    if (at.localName === element.localName) siblings.unshift(at);
  for (let at = element.nextElementSibling; at; at = at.nextElementSibling)
    if (at.localName === element.localName) siblings.push(at);
  return siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(element) + 1})` : tag;
}

/** More matches than these help nobody. */
const MOST = 1_000;

/** Refs of the elements that a CSS selector matches, in document order, those in shadow roots after the others. */
export function matchingRefs(engine: Engine, css: string): string[] {
  const found: Element[] = [];
  try {
    collect(engine, engine.document, css, found);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Failure("invalid_params", `'${css.slice(0, 200)}' is no CSS selector.`, "correct the selector");
  }
  return found.slice(0, MOST).map((element) => {
    const number = engine.refs.numberOf(element);
    if (number) return refOf(engine, number);
    const role = engine.roles.of(element);
    return refOf(engine, engine.refs.note(element, role, engine.names().of(element, role).text));
  });
}

function collect(engine: Engine, root: Document | ShadowRoot, css: string, found: Element[]): void {
  for (const element of root.querySelectorAll(css)) if (!engine.isOwn(element)) found.push(element);
  for (const element of root.querySelectorAll("*")) {
    const inner = found.length < MOST ? engine.flat.shadow(element) : null;
    if (inner) collect(engine, inner, css, found);
  }
}
