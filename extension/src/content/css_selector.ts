// A short CSS selector that is unique in the element's document or shadow root.

const STABLE_ATTRIBUTES = [
  "data-testid",
  "data-test-id",
  "data-test",
  "data-cy",
  "data-qa",
  "name",
  "aria-label",
];

/** Ids that look made by a program change with the next build. */
const GENERATED = /\d{4,}|[0-9a-f]{8,}|^:|--|__/i;

export function selectorOf(element: Element): string {
  const root = element.getRootNode() as Document | ShadowRoot;
  const isUnique = (selector: string): boolean => {
    const found = root.querySelectorAll(selector);
    return found.length === 1 && found[0] === element;
  };
  const own = ownSelectors(element);
  const direct = own.find(isUnique);
  if (direct) return direct;
  let tail = stepOf(element);
  for (let at = element.parentElement; at; at = at.parentElement) {
    for (const head of ownSelectors(at)) {
      const short = `${head} ${own[0] ?? element.localName}`;
      if (own[0] && isUnique(short)) return short;
      const long = `${head} > ${tail}`;
      if (isUnique(long)) return long;
    }
    if (isUnique(tail)) return tail;
    tail = `${stepOf(at)} > ${tail}`;
  }
  return tail;
}

/** Selectors that name the element by itself, best first. */
function ownSelectors(element: Element): string[] {
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
