// What one style sheet says, found out once as long as its rules are the same.

import { type Anchor, anchorsOf, concerned, STATES } from "./compounds";
import { type Origin, originsOf } from "./generated";

export type State = keyof typeof STATES;

/** What a sheet's rules look at. */
export interface Gathered {
  /** Elements beside others, or whether there are any inside. */
  siblings: boolean;
  /** What can't be seen from here, such as custom states. */
  unseen: boolean;
  /** More than can be followed. */
  anything: boolean;
  /** Sizes of containers. */
  measured: boolean;
  /** Other sheets, which load by themselves. */
  imports: boolean;
  anchors: Map<string, Anchor>;
  concerned: Record<State, Set<string>>;
}

interface Known {
  /** How many rules there were. */
  count: number;
  marks: readonly unknown[];
  gathered: Gathered;
  origins?: readonly Origin[] | null;
}

/** Properties that only paint: they change neither what is there nor where it is. */
const PAINTS =
  /^(?:accent|backdrop|background|box-shadow|caret|color$|fill|filter|opacity|outline|stroke|transition|will-change|z-index|pointer-events|user-select|-webkit-tap|text-(?:decoration|shadow|fill)|border(?:-\w+)*-color)/;
const SIBLINGS = /[+~]|:nth-|:first-|:last-|:only-|:empty/;
const UNSEEN = /:(?:state\(|defined|playing|paused|buffering|muted|seeking|stalled|volume)/;

/** A sheet's rules; null where they can't be read, as those of another origin. */
export function rulesOf(sheet: CSSStyleSheet): CSSRuleList | null {
  try {
    return sheet.cssRules;
  } catch {
    return null;
  }
}

export class Sheets {
  private readonly known = new WeakMap<CSSStyleSheet, Known>();

  /** What a sheet's rules look at; they are those of before where `marks` are. Null where they can't be read. */
  look(sheet: CSSStyleSheet, marks: readonly unknown[]): Gathered | null {
    const before = this.known.get(sheet);
    if (before && !before.gathered.imports && isSame(before.marks, marks)) return before.gathered;
    const rules = rulesOf(sheet);
    if (!rules) return null;
    const gathered = nothing();
    for (const rule of rules) look(rule, "", gathered);
    this.known.set(sheet, { count: rules.length, marks, gathered });
    return gathered;
  }

  /** What gets text before or after it by a sheet; null where that can't be known. */
  readonly origins = (sheet: CSSStyleSheet): readonly Origin[] | null => {
    const known = this.known.get(sheet);
    if (!known || known.gathered.imports || known.count !== rulesOf(sheet)?.length) return originsOf(sheet);
    if (known.origins === undefined) known.origins = originsOf(sheet);
    return known.origins;
  };
}

/** Whether two lists hold the same. */
export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Selectors of what rules say the size of matters for: asked only where some rule looks at sizes. */
export function containersOf(rules: CSSRuleList, found: Set<string>, around = ""): void {
  for (const rule of rules) {
    if (rule instanceof CSSImportRule) {
      const imported = rule.styleSheet && rulesOf(rule.styleSheet);
      if (imported) containersOf(imported, found, around);
      continue;
    }
    const whole = wholeSelector(rule, around);
    if (rule instanceof CSSStyleRule && isContainer(rule.style)) found.add(whole);
    if ("cssRules" in rule) containersOf((rule as CSSGroupingRule).cssRules, found, whole);
  }
}

function nothing(): Gathered {
  return {
    ...{ siblings: false, unseen: false, anything: false, measured: false, imports: false },
    anchors: new Map(),
    concerned: { hover: new Set(), focus: new Set(), controls: new Set() },
  };
}

function look(rule: CSSRule, around: string, found: Gathered): void {
  if (rule instanceof CSSStyleRule) {
    const whole = wholeSelector(rule, around);
    if (mayMatter(whole, found) && !paints(rule.style)) classify(whole, found);
    if (rule.cssRules?.length) for (const one of rule.cssRules) look(one, whole, found);
    return;
  }
  if (rule instanceof CSSImportRule) {
    found.imports = true;
    const rules = rule.styleSheet && rulesOf(rule.styleSheet);
    if (rules) for (const one of rules) look(one, around, found);
    else found.anything = true;
    return;
  }
  if ("CSSContainerRule" in globalThis && rule instanceof CSSContainerRule) {
    found.measured = true;
    if (rule.conditionText.includes("scroll-state")) found.anything = true;
  }
  // What `&` stands for there isn't followed.
  if ("start" in rule && rule.cssText.includes(":has(")) found.anything = true;
  const whole = wholeSelector(rule, around);
  if ("cssRules" in rule) for (const one of (rule as CSSGroupingRule).cssRules) look(one, whole, found);
  // Declarations after nested rules.
  else if ("style" in rule) classify(whole, found);
}

function wholeSelector(rule: CSSRule, around: string): string {
  const scope = rule as { start?: string | null; end?: string | null };
  const selector =
    rule instanceof CSSStyleRule ? rule.selectorText : `${scope.start ?? ""} ${scope.end ?? ""}`;
  return selector.includes("&")
    ? selector.replaceAll("&", `:is(${around.trim() || ":root"})`)
    : `${around} ${selector}`;
}

/** Whether a selector may say more than is known: what a rule declares is read for those only. */
function mayMatter(selector: string, { siblings }: Gathered): boolean {
  return selector.includes(":") || (!siblings && SIBLINGS.test(selector));
}

function paints(style: CSSStyleDeclaration): boolean {
  for (let i = 0; i < style.length; i++) if (!PAINTS.test(style[i] as string)) return false;
  return true;
}

function isContainer({ containerType }: CSSStyleDeclaration): boolean {
  return containerType !== undefined && containerType !== "" && containerType !== "normal";
}

function classify(selector: string, found: Gathered): void {
  if (SIBLINGS.test(selector)) found.siblings = true;
  if (!selector.includes(":")) return;
  if (selector.includes(":has(")) {
    const anchors = anchorsOf(selector);
    if (!anchors) found.anything = true;
    for (const anchor of anchors ?? []) found.anchors.set(anchor.whole, anchor);
  }
  if (UNSEEN.test(selector)) found.unseen = true;
  for (const state of Object.keys(STATES) as State[])
    for (const compound of concerned(selector, STATES[state])) found.concerned[state].add(compound);
}
