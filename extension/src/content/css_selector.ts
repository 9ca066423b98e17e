// CSS selectors: a short one that names an element, and the elements that one names.

import type { Engine } from "../engine/dom/engine";
import * as dom from "../engine/dom/tree/dom";
import { refOf } from "../hit_safety/find_element";
import { TEST_IDS } from "../shared/attributes";
import { Failure } from "../shared/errors";

const STABLE_ATTRIBUTES = [...TEST_IDS, "name", "aria-label"];

/** Ids that a program made change with the next build. */
const GENERATED = /\d{4,}|[0-9a-f]{8,}|^:|--|__/i;

export function selectorOf(element: Element): string {
  const root = dom.getRootNode(element) as Document | ShadowRoot;
  const isUnique = (selector: string): boolean => {
    const found = dom.querySelectorAll(root, selector);
    return found.length === 1 && found[0] === element;
  };
  const short = shortSelectors(element);
  const direct = short.find(isUnique);
  if (direct) return direct;
  const [first] = short;
  let tail = stepOf(element);
  for (let at = dom.parentElement(element); at; at = dom.parentElement(at)) {
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
  const tag = dom.localName(element);
  if (dom.get(element, "id") && !GENERATED.test(dom.get(element, "id")))
    found.push(`#${CSS.escape(dom.get(element, "id"))}`);
  for (const name of STABLE_ATTRIBUTES) {
    const value = dom.getAttribute(element, name);
    if (value && value.length < 80) found.push(`${tag}[${name}=${JSON.stringify(value)}]`);
  }
  for (const name of dom.get(element, "classList"))
    if (!GENERATED.test(name)) found.push(`${tag}.${CSS.escape(name)}`);
  return found;
}

function stepOf(element: Element): string {
  const tag = CSS.escape(dom.localName(element));
  const parent = dom.parentNode(element);
  const siblings = [...(parent ? dom.get(parent, "children") : [])].filter(
    (each) => dom.localName(each) === dom.localName(element),
  );
  return siblings.length > 1 ? `${tag}:nth-of-type(${siblings.indexOf(element) + 1})` : tag;
}

/** More matches than these help nobody. */
const MOST = 1_000;

/** Refs of the elements that a CSS selector matches, in document order, those in shadow roots after the others. */
export function matchingRefs(engine: Engine, css: string): string[] {
  const found: Element[] = [];
  try {
    for (const root of engine.flat.roots(engine.document)) {
      found.push(...[...dom.querySelectorAll(root, css)].filter((element) => !engine.isOwn(element)));
      if (found.length >= MOST) break;
    }
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Failure("invalid_params", `'${css.slice(0, 200)}' is no CSS selector.`, "correct the selector");
  }
  return found.slice(0, MOST).map((element) => noteRef(engine, element));
}

/** The ref of an element, which gets one where it has none. */
export function noteRef(engine: Engine, element: Element): string {
  const number = engine.refs.numberOf(element);
  if (number) return refOf(engine, number);
  const role = engine.roles.of(element);
  return refOf(engine, engine.refs.note(element, role, engine.names().of(element, role).text));
}
