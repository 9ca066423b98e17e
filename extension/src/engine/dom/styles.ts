// What style sheets make depend on more than an element and what is around it, and whether they are as they were.

import { type Anchor, anchorsOf, concerned, joined, STATES } from "./compounds";

export interface StyleFacts {
  /** Rules look at elements beside, or at whether there are any inside. */
  siblings: boolean;
  /** What rules look at whether the mouse is there, the focus, or what controls hold: a selector, or "". */
  hover: string;
  focus: string;
  controls: string;
  /** Rules look at what is in these. */
  anchors: readonly Anchor[];
  /** Rules look at the size of these: a selector, or "". */
  containers: string;
  /** Any change may change anything: sheets that can't be read, rules that look beside elements and into them. */
  anything: boolean;
  /** Rules look at what can't be seen from here, such as custom states. */
  unseen: boolean;
}

type Root = Document | ShadowRoot;

/** Up to so many rules are compared by their text, for scripts that write into a rule; more by their number. */
const MOST_TEXTS = 300;
/** With more rules that look into elements, asking which of them hold costs more than looking at everything. */
const MOST_ANCHORS = 60;
/** Properties that only paint: they change neither what is there nor where it is. */
const PAINTS =
  /^(?:accent|backdrop|background|box-shadow|caret|color$|fill|filter|opacity|outline|stroke|transition|will-change|z-index|pointer-events|user-select|-webkit-tap|text-(?:decoration|shadow|fill)|border(?:-\w+)*-color)/;

const NONE: StyleFacts = {
  siblings: false,
  hover: "",
  focus: "",
  controls: "",
  anchors: [],
  containers: "",
  anything: false,
  unseen: false,
};
const UNREADABLE: StyleFacts = {
  siblings: true,
  hover: "*",
  focus: "*",
  controls: "*",
  anchors: [],
  containers: "",
  anything: true,
  unseen: false,
};

export class Styles {
  facts: StyleFacts = NONE;
  private seen: unknown[] = [];

  /** Whether any sheet is other than at the last call. */
  changed(roots: readonly Root[]): boolean {
    const now = signature(roots);
    if (isSame(now, this.seen)) return false;
    this.seen = now;
    this.facts = factsOf(roots);
    return true;
  }
}

/** Whether two lists hold the same. */
export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

function sheetsOf(root: Root): CSSStyleSheet[] {
  return [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
}

function rulesOf(sheet: CSSStyleSheet): CSSRuleList | null {
  try {
    return sheet.cssRules;
  } catch {
    return null; // of another origin
  }
}

function signature(roots: readonly Root[]): unknown[] {
  const found: unknown[] = [];
  let texts = MOST_TEXTS;
  for (const root of roots) {
    found.push(root);
    for (const sheet of sheetsOf(root)) {
      const rules = rulesOf(sheet);
      const count = rules?.length ?? -1;
      found.push(sheet, sheet.disabled, sheet.media.mediaText, count);
      if (!rules || count <= 0) continue;
      if (count > texts) found.push(rules[0], rules[count >> 1], rules[count - 1]);
      else for (const rule of rules) found.push(rule.cssText);
      texts -= Math.min(count, texts);
    }
  }
  return found;
}

type State = keyof typeof STATES;

interface Gathered {
  facts: StyleFacts;
  anchors: Map<string, Anchor>;
  containers: Set<string>;
  /** Rules look at sizes of containers. */
  measured: boolean;
  concerned: Record<State, Set<string>>;
}

function factsOf(roots: readonly Root[]): StyleFacts {
  const found: Gathered = {
    facts: { ...NONE },
    anchors: new Map(),
    containers: new Set(),
    measured: false,
    concerned: { hover: new Set(), focus: new Set(), controls: new Set() },
  };
  let readable = true;
  for (const root of roots) {
    for (const sheet of sheetsOf(root)) {
      const rules = rulesOf(sheet);
      if (rules) for (const rule of rules) look(rule, "", found);
      else readable = false;
    }
  }
  for (const state of Object.keys(STATES) as State[]) found.facts[state] = joined(found.concerned[state]);
  found.facts.anchors = [...found.anchors.values()];
  if (found.facts.anchors.length > MOST_ANCHORS || !areValid(found.facts.anchors))
    found.facts.anything = true;
  // Others may be declared by elements' own styles.
  if (found.measured) found.facts.containers = joined(found.containers.add("[style*=container]"));
  if (found.facts.containers === "*") found.facts.anything = true;
  return readable ? found.facts : { ...UNREADABLE, unseen: found.facts.unseen };
}

function look(rule: CSSRule, around: string, found: Gathered): void {
  if (rule instanceof CSSImportRule) {
    const rules = rule.styleSheet && rulesOf(rule.styleSheet);
    if (rules) for (const one of rules) look(one, around, found);
    else found.facts.anything = true;
    return;
  }
  if ("CSSContainerRule" in globalThis && rule instanceof CSSContainerRule) {
    found.measured = true;
    if (rule.conditionText.includes("scroll-state")) found.facts.anything = true;
  }
  // What `&` stands for there isn't followed.
  if ("start" in rule && rule.cssText.includes(":has(")) found.facts.anything = true;
  const scope = rule as { start?: string | null; end?: string | null };
  const selector =
    rule instanceof CSSStyleRule ? rule.selectorText : `${scope.start ?? ""} ${scope.end ?? ""}`;
  const whole = selector.includes("&")
    ? selector.replaceAll("&", `:is(${around.trim() || ":root"})`)
    : `${around} ${selector}`;
  if (rule instanceof CSSStyleRule && isContainer(rule.style)) found.containers.add(whole);
  if (rule instanceof CSSStyleRule && !paints(rule.style)) classify(whole, found);
  if ("cssRules" in rule) for (const one of (rule as CSSGroupingRule).cssRules) look(one, whole, found);
  // Declarations after nested rules.
  else if (!(rule instanceof CSSStyleRule) && "style" in rule) classify(whole, found);
}

function paints(style: CSSStyleDeclaration): boolean {
  for (let i = 0; i < style.length; i++) if (!PAINTS.test(style[i] as string)) return false;
  return true;
}

function isContainer({ containerType }: CSSStyleDeclaration): boolean {
  return containerType !== undefined && containerType !== "" && containerType !== "normal";
}

function areValid(anchors: readonly Anchor[]): boolean {
  const none = document.createDocumentFragment();
  try {
    for (const { bare, whole } of anchors) none.querySelector(`${bare},${whole}`);
    return true;
  } catch {
    return false;
  }
}

function classify(selector: string, { facts, concerned: states, anchors }: Gathered): void {
  if (/[+~]|:nth-|:first-|:last-|:only-|:empty/.test(selector)) facts.siblings = true;
  if (!selector.includes(":")) return;
  if (selector.includes(":has(")) {
    const found = anchorsOf(selector);
    if (!found) facts.anything = true;
    for (const anchor of found ?? []) anchors.set(anchor.whole, anchor);
  }
  if (/:(?:state\(|defined|playing|paused|buffering|muted|seeking|stalled|volume)/.test(selector))
    facts.unseen = true;
  for (const state of Object.keys(STATES) as State[])
    for (const compound of concerned(selector, STATES[state])) states[state].add(compound);
}
