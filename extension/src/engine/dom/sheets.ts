// What one style sheet says, found out once as long as its rules are the same.

import { type Anchor, anchorsOf, concerned, STATES } from "./compounds";
import { generating, type Origin, originsOf } from "./generated";
import { finish, type Steps } from "./steps";

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
  containers?: ReadonlySet<string>;
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
    return finish(this.looking(sheet, marks));
  }

  /** The same, step by step. */
  *looking(sheet: CSSStyleSheet, marks: readonly unknown[]): Steps<Gathered | null> {
    const before = this.known.get(sheet);
    if (before && !before.gathered.imports && isSame(before.marks, marks)) return before.gathered;
    const rules = rulesOf(sheet);
    if (!rules) return null;
    const gathered = nothing();
    const count = rules.length;
    yield* lookAt(rules, "", gathered);
    this.known.set(sheet, { count, marks, gathered });
    return gathered;
  }

  /** Find out step by step what gets text by a sheet that was looked at. */
  *generating(sheet: CSSStyleSheet): Steps<void> {
    const known = this.current(sheet);
    if (known && known.origins === undefined) known.origins = yield* generating(sheet);
  }

  /** Find out step by step what a sheet says the size of matters for. */
  *containing(sheet: CSSStyleSheet): Steps<ReadonlySet<string>> {
    const known = this.current(sheet);
    if (known?.containers) return known.containers;
    const found = new Set<string>();
    const rules = rulesOf(sheet);
    if (rules) yield* containersOf(rules, found);
    if (known) known.containers = found;
    return found;
  }

  /** Whether a sheet that was looked at asks for sizes of containers. */
  measures(sheet: CSSStyleSheet): boolean {
    return this.known.get(sheet)?.gathered.measured ?? false;
  }

  /** What gets text before or after it by a sheet; null where that can't be known. */
  readonly origins = (sheet: CSSStyleSheet): readonly Origin[] | null => {
    finish(this.generating(sheet));
    const known = this.current(sheet);
    return known?.origins === undefined ? originsOf(sheet) : known.origins;
  };

  /** What is known of a sheet, as long as that can be told to hold. */
  private current(sheet: CSSStyleSheet): Known | null {
    const known = this.known.get(sheet);
    return known && !known.gathered.imports && known.count === rulesOf(sheet)?.length ? known : null;
  }
}

/** Whether two lists hold the same. */
export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((value, i) => value === b[i]);
}

/** Selectors of what rules say the size of matters for: asked only where some rule looks at sizes. */
function* containersOf(rules: CSSRuleList, found: Set<string>, around = ""): Steps<void> {
  for (const rule of rules) {
    yield;
    if (rule instanceof CSSImportRule) {
      const imported = rule.styleSheet && rulesOf(rule.styleSheet);
      if (imported) yield* containersOf(imported, found, around);
      continue;
    }
    const whole = wholeSelector(rule, around);
    if (rule instanceof CSSStyleRule && isContainer(rule.style)) found.add(whole);
    if ("cssRules" in rule) yield* containersOf((rule as CSSGroupingRule).cssRules, found, whole);
  }
}

function nothing(): Gathered {
  return {
    ...{ siblings: false, unseen: false, anything: false, measured: false, imports: false },
    anchors: new Map(),
    concerned: { hover: new Set(), focus: new Set(), controls: new Set() },
  };
}

function* lookAt(rules: CSSRuleList, around: string, found: Gathered): Steps<void> {
  for (const rule of rules) {
    yield;
    yield* look(rule, around, found);
  }
}

function* look(rule: CSSRule, around: string, found: Gathered): Steps<void> {
  if (rule instanceof CSSStyleRule) {
    const whole = wholeSelector(rule, around);
    if (mayMatter(whole, found) && !paints(rule.style)) classify(whole, found);
    if (rule.cssRules?.length) yield* lookAt(rule.cssRules, whole, found);
    return;
  }
  if (rule instanceof CSSImportRule) {
    found.imports = true;
    const rules = rule.styleSheet && rulesOf(rule.styleSheet);
    if (rules) yield* lookAt(rules, around, found);
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
  if ("cssRules" in rule) yield* lookAt((rule as CSSGroupingRule).cssRules, whole, found);
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
