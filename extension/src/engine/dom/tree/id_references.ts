// Elements that an element names by ids.

const ELEMENT = 1;

/** References that scripts may also set as elements, which leaves an empty attribute. */
const REFLECTED: Readonly<Record<string, string>> = {
  "aria-labelledby": "ariaLabelledByElements",
  "aria-describedby": "ariaDescribedByElements",
  "aria-owns": "ariaOwnsElements",
};

export const REFERENCES = Object.keys(REFLECTED);

/** What one of these attributes names, in its order. */
export function referencesOf(element: Element, attribute: string): Element[] {
  const ids = element.getAttribute(attribute);
  if (ids === null) return [];
  if (ids === "" && attribute in REFLECTED)
    return [...(element[REFLECTED[attribute] as "ariaLabelledByElements"] ?? [])];
  // Those of a capture need to know who asks.
  const root = element.getRootNode() as ParentNode & {
    getElementById(id: string, from: Element): Element | null;
  };
  if ((root as Node).nodeType === ELEMENT) return [];
  return ids
    .split(/\s+/)
    .map((id) => (id ? root.getElementById(id, element) : null))
    .filter((found) => found !== null);
}
