// CSS selectors: a short one that names an element, and the elements that one names.

import type { Engine } from "../engine/dom/engine";
import { isSecret } from "../engine/dom/semantics/values";
import * as dom from "../engine/dom/tree/dom";
import { inDocumentOrder } from "../engine/dom/tree/order";
import { TEST_IDS } from "../shared/attributes";

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

/**
 * The elements that a CSS selector matches in the document and in each shadow root, in document order; null where it is no
 * CSS selector, or whether it matches would tell a secret.
 */
export function matching(engine: Engine, css: string): Element[] | null {
  const found: Element[][] = [];
  try {
    for (const root of engine.flat.roots(engine.document))
      found.push([...dom.querySelectorAll(root, css)].filter((element) => !engine.isOwn(element)));
  } catch (error) {
    if (error instanceof DOMException) return null;
    throw error;
  }
  if (testsSecret(engine, css)) return null;
  const several = found.filter((matches) => matches.length > 0);
  return several.length > 1 ? several.flat().sort(inDocumentOrder) : (several[0] ?? []);
}

/** Whether a selector tests an attribute in which a secret field of the document has its value. */
function testsSecret(engine: Engine, css: string): boolean {
  if (!/[=\\]/.test(css)) return false;
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`${css}{}`);
  const [rule] = sheet.cssRules as unknown as CSSStyleRule[];
  const tests = (rule?.selectorText ?? css).matchAll(/\[(?:[^\]|]*\|)?([\w-]+)\s*[~|^$*]?=/g);
  const tested = [...tests].map(([, name]) => name as string);
  const tells = (field: Element): boolean =>
    tested.some((name) => {
      const text = dom.getAttribute(field, name);
      return text !== null && text !== "" && tellsSecret(field, name, text);
    });
  const fields = "input, textarea, [contenteditable], [role]";
  return (
    tested.length > 0 &&
    [...engine.flat.roots(engine.document)].some((root) =>
      [...dom.querySelectorAll(root, fields)].some(tells),
    )
  );
}

/** Whether an attribute has a secret field's value: that of its name, or one that scripts keep a copy in. */
export function tellsSecret(element: Element, name: string, text: string | null): boolean {
  if (!isSecret(element)) return false;
  const { value: now, defaultValue: first } = element as HTMLInputElement;
  return name.toLowerCase() === "value" || (!!text && (text === now || text === first));
}
