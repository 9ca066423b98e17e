// What style sheets make depend on more than an element and what is around it, and whether they are as they were.

import { type Anchor, joined } from "./compounds";
import { containersOf, type Gathered, isSame, rulesOf, Sheets, type State } from "./sheets";

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
  readonly sheets = new Sheets();
  /** Grows whenever sheets are other than before. */
  count = 0;
  private seen: unknown[] = [];

  /** Whether any sheet is other than at the last call. */
  changed(roots: readonly Root[]): boolean {
    const marks = new Map<CSSStyleSheet, readonly unknown[]>();
    const now = signature(roots, marks);
    if (isSame(now, this.seen)) return false;
    this.seen = now;
    this.count++;
    this.facts = factsOf(marks, this.sheets);
    return true;
  }
}

/** What sheets there are, and by what each is known to be as it was; of one that is used often that is told once. */
function signature(roots: readonly Root[], marks: Map<CSSStyleSheet, readonly unknown[]>): unknown[] {
  const found: unknown[] = [];
  let texts = MOST_TEXTS;
  const take = (sheet: CSSStyleSheet): void => {
    found.push(sheet);
    if (marks.has(sheet)) return;
    const rules = rulesOf(sheet);
    const count = rules?.length ?? -1;
    const own: unknown[] = [sheet.disabled, sheet.media.mediaText, count];
    if (rules && count > texts) own.push(rules[0], rules[count >> 1], rules[count - 1]);
    else if (rules) for (const rule of rules) own.push(rule.cssText);
    texts -= Math.max(0, Math.min(count, texts));
    marks.set(sheet, own);
    found.push(...own);
  };
  for (const root of roots) {
    found.push(root);
    for (const sheet of root.styleSheets ?? []) take(sheet);
    for (const sheet of root.adoptedStyleSheets ?? []) take(sheet);
  }
  return found;
}

function factsOf(marks: ReadonlyMap<CSSStyleSheet, readonly unknown[]>, sheets: Sheets): StyleFacts {
  const all = [...marks].map(([sheet, own]) => sheets.look(sheet, own));
  const found = all.filter((one): one is Gathered => one !== null);
  const unseen = found.some((one) => one.unseen);
  if (found.length < all.length) return { ...UNREADABLE, unseen };
  const anchors = [...new Map(found.flatMap((one) => [...one.anchors])).values()];
  const of = (state: State): string => joined(new Set(found.flatMap((one) => [...one.concerned[state]])));
  const containers = found.some((one) => one.measured) ? containersIn([...marks.keys()]) : "";
  return {
    siblings: found.some((one) => one.siblings),
    ...{ hover: of("hover"), focus: of("focus"), controls: of("controls") },
    ...{ anchors, containers, unseen },
    anything:
      found.some((one) => one.anything) ||
      anchors.length > MOST_ANCHORS ||
      !areValid(anchors) ||
      containers === "*",
  };
}

function containersIn(sheets: readonly CSSStyleSheet[]): string {
  // Others may be declared by elements' own styles.
  const found = new Set(["[style*=container]"]);
  for (const sheet of sheets) {
    const rules = rulesOf(sheet);
    if (rules) containersOf(rules, found);
  }
  return joined(found);
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
