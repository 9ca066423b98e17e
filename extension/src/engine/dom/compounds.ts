// The parts of selectors that look at a changing state, without that state: what an element must match to be concerned.

/** States of pseudo-classes, by what makes them change. */
export const STATES = {
  hover: /:(?:hover|active)(?![\w-])/gi,
  focus: /:(?:focus(?:-within|-visible)?|active)(?![\w-])/gi,
  controls:
    /:(?:checked|indeterminate|(?:user-)?(?:in)?valid|(?:in|out-of)-range|placeholder-shown|(?:-webkit-)?autofill|default|blank)(?![\w-])/gi,
} as const;

const EVERYTHING = "*";
const PSEUDO_ELEMENT = /::[\w-]+(?:\([^)]*\))?$/;

/** What of a list of selectors looks at a state; the state's own pseudo-class is left out. */
export function concerned(selectors: string, state: RegExp): string[] {
  state.lastIndex = 0;
  if (!state.test(selectors)) return [];
  const found: string[] = [];
  for (const compound of compounds(selectors)) {
    state.lastIndex = 0;
    if (!state.test(compound)) continue;
    const bare = compound.replace(PSEUDO_ELEMENT, "").replace(state, "");
    // States within functions may be of other elements.
    found.push(compound.includes("(") || compound.includes("&") || bare === "" ? EVERYTHING : bare);
  }
  return found;
}

/** A part of a selector that looks at what is in an element: `.a:has(.b)` without and with that. */
export interface Anchor {
  bare: string;
  whole: string;
}

/** What of a list of selectors looks at what is in elements; null where it looks beside them. */
export function anchorsOf(selectors: string): Anchor[] | null {
  const found: Anchor[] = [];
  for (const compound of compounds(selectors)) {
    if (!compound.includes(":has(")) continue;
    if (/[(,]\s*[+~]|:host|&/.test(compound)) return null;
    const whole = compound.replace(PSEUDO_ELEMENT, "");
    found.push({ bare: withoutHas(whole) || EVERYTHING, whole });
  }
  return found;
}

/** A compound without the functions that `:has()` is, or is in. */
function withoutHas(compound: string): string {
  let bare = "";
  let from = 0;
  for (const [start, end] of functions(compound)) {
    if (!compound.slice(start, end).includes(":has(")) continue;
    bare += compound.slice(from, start);
    from = end;
  }
  return bare + compound.slice(from);
}

/** Where the outermost pseudo-class functions of a compound are. */
function* functions(compound: string): Generator<[number, number]> {
  let depth = 0;
  let start = -1;
  for (let i = 0; i < compound.length; i++) {
    const char = compound[i];
    if (char === "\\") i++;
    else if (char === "(" && depth++ === 0) start = compound.lastIndexOf(":", i);
    else if (char === ")" && --depth === 0 && start >= 0) yield [start, i + 1];
  }
}

/** One selector for all; everything where they can't be joined. */
export function joined(found: ReadonlySet<string>): string {
  if (found.size === 0) return "";
  const selector = found.has(EVERYTHING) ? EVERYTHING : [...found].join(",");
  try {
    document.createDocumentFragment().querySelector(selector);
    return selector;
  } catch {
    return EVERYTHING;
  }
}

/** Selectors cut at commas and combinators that stand in no brackets or strings. */
export function compounds(selectors: string): string[] {
  const parts: string[] = [];
  let depth = 0;
  let quote = "";
  let from = 0;
  for (let i = 0; i < selectors.length; i++) {
    const char = selectors[i] as string;
    if (char === "\\") i++;
    else if (quote) quote = char === quote ? "" : quote;
    else if (char === '"' || char === "'") quote = char;
    else if (char === "(" || char === "[") depth++;
    else if (char === ")" || char === "]") depth--;
    else if (depth === 0 && " ,>+~".includes(char)) {
      if (i > from) parts.push(selectors.slice(from, i));
      from = i + 1;
    }
  }
  if (from < selectors.length) parts.push(selectors.slice(from));
  return parts;
}
