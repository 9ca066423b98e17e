// What style sheets make depend on more than an element and what is around it, and whether they are as they were.

import { type Anchor, joined } from "./compounds";
import { type Gathered, isSame, rulesOf, Sheets, type State } from "./sheets";
import { finish, type Steps } from "./steps";

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
const RULES_BETWEEN_LOOKS = 32;

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
  private seen = new Map<Root, readonly CSSStyleSheet[]>();
  private marks = new Map<CSSStyleSheet, readonly unknown[]>();
  /** Sheets whose rules are compared by their text, as long as they have so many. */
  private readonly shares = new WeakMap<CSSStyleSheet, { count: number; isByText: boolean }>();
  /** How many more rules may be compared so. */
  private texts = MOST_TEXTS;
  private readonly learned = new WeakSet<CSSStyleSheet>();
  private learning: Steps<void> | null = null;
  /** Shadow roots came whose sheets the facts don't tell of yet. */
  private isLarger = false;

  /**
   * Look through sheets for the first time, until then; whether that was all, so that what changed is soon said. Where
   * it took longer than until `soon`, the rest is for another call.
   */
  learn(roots: readonly Root[], until: number, soon: number): boolean {
    this.learning ??= this.learnFrom(roots.flatMap(sheetsOf));
    let count = 0;
    while (!this.learning.next().done)
      if (++count % RULES_BETWEEN_LOOKS === 0 && performance.now() > until) return false;
    this.learning = null;
    return count === 0 || performance.now() < soon;
  }

  private *learnFrom(all: readonly CSSStyleSheet[]): Steps<void> {
    const { sheets, learned } = this;
    const fresh = all.filter((sheet) => !learned.has(sheet));
    if (!fresh.length) return;
    for (const sheet of fresh) {
      yield* sheets.looking(sheet, this.markOf(sheet));
      yield* sheets.generating(sheet);
      learned.add(sheet);
    }
    if (all.some((sheet) => sheets.measures(sheet))) for (const sheet of all) yield* sheets.containing(sheet);
  }

  /** A shadow root that is walked through from here on: its sheets style nothing that was looked at before. */
  meet(root: ShadowRoot): void {
    this.seen.set(root, this.take(root, this.marks));
    this.isLarger = true;
  }

  /** Whether any sheet is other than at the last call, but for those of roots that were met since. */
  changed(roots: readonly Root[]): boolean {
    const marks = new Map<CSSStyleSheet, readonly unknown[]>();
    const now = new Map(roots.map((root) => [root, this.take(root, marks)]));
    const differs =
      roots.some((root) => !isSame(now.get(root) ?? [], this.seen.get(root) ?? [null])) ||
      [...marks].some(([sheet, own]) => !isSame(own, this.marks.get(sheet) ?? []));
    this.seen = now;
    this.marks = marks;
    if (differs) this.count++;
    if (differs || this.isLarger) this.facts = factsOf(marks, this.sheets);
    this.isLarger = false;
    this.texts = MOST_TEXTS;
    for (const sheet of marks.keys()) {
      const share = this.shares.get(sheet);
      if (share?.isByText) this.texts -= share.count;
    }
    return differs;
  }

  /** A root's sheets; adds by what each is known to be as it was. */
  private take(root: Root, marks: Map<CSSStyleSheet, readonly unknown[]>): CSSStyleSheet[] {
    const sheets = sheetsOf(root);
    for (const sheet of sheets) if (!marks.has(sheet)) marks.set(sheet, this.markOf(sheet));
    return sheets;
  }

  private markOf(sheet: CSSStyleSheet): unknown[] {
    const rules = rulesOf(sheet);
    const count = rules?.length ?? -1;
    const own: unknown[] = [sheet.disabled, sheet.media.mediaText, count];
    if (rules && !this.isByText(sheet, count)) own.push(rules[0], rules[count >> 1], rules[count - 1]);
    else if (rules) for (const rule of rules) own.push(rule.cssText);
    return own;
  }

  /** The same as long as a sheet has so many rules: with another number it differs anyway. */
  private isByText(sheet: CSSStyleSheet, count: number): boolean {
    const share = this.shares.get(sheet);
    if (share?.count === count) return share.isByText;
    const isByText = count <= this.texts;
    if (isByText) this.texts -= count;
    this.shares.set(sheet, { count, isByText });
    return isByText;
  }
}

function sheetsOf(root: Root): CSSStyleSheet[] {
  return [...(root.styleSheets ?? []), ...(root.adoptedStyleSheets ?? [])];
}

function factsOf(marks: ReadonlyMap<CSSStyleSheet, readonly unknown[]>, sheets: Sheets): StyleFacts {
  const all = [...marks].map(([sheet, own]) => sheets.look(sheet, own));
  const found = all.filter((one): one is Gathered => one !== null);
  const unseen = found.some((one) => one.unseen);
  if (found.length < all.length) return { ...UNREADABLE, unseen };
  const anchors = [...new Map(found.flatMap((one) => [...one.anchors])).values()];
  const of = (state: State): string => joined(new Set(found.flatMap((one) => [...one.concerned[state]])));
  const containers = found.some((one) => one.measured) ? containersIn([...marks.keys()], sheets) : "";
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

function containersIn(all: readonly CSSStyleSheet[], sheets: Sheets): string {
  const found = all.flatMap((sheet) => [...finish(sheets.containing(sheet))]);
  // Others may be declared by elements' own styles.
  return joined(new Set(["[style*=container]", ...found]));
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
