// One pass over a document's flat tree: what is shown, what it is, what it is called, what can be done with it.

import { asksNoAi } from "../../../shared/ai_opt_out";
import { State } from "../../../shared/state";
import type { Earlier, FrameRecord, Repeated, Walked } from "../earlier";
import { Naming } from "../naming";
import { collapse, fold, hasInk } from "../naming/text";
import { liveRules, type Rules } from "../rules";
import { Mark, marksOf, reasonsOf } from "../semantics/actionable";
import { INTERACTIVE, PHRASES } from "../semantics/aria";
import { describe, isStateful } from "../semantics/node_extras";
import {
  isFoldedUp,
  isInlineDisplay,
  isInlineLevel,
  SVG_UNRENDERED,
  skipsContent,
  UNRENDERED,
} from "../semantics/visibility";
import type { FlatTree } from "../tree/flat_tree";
import { hasText, holdsFields, isGlued, withProse } from "./prose";
import { Odd, Records } from "./records";
import {
  CHILDLESS,
  enterAnchor,
  enterCaption,
  enterLabel,
  FIELDS,
  isShown,
  isWrapper,
  LINKED,
  NAMED,
  ROOTS,
  standsApart,
  TEXT,
  type Visit,
  Within,
  within,
} from "./visit";

export class Walk {
  readonly records: Records;
  readonly frames: FrameRecord[] = [];
  readonly modals: number[] = [];
  readonly names: Rules["names"];
  private readonly roles: Rules["roles"];
  private readonly naming: Naming;
  private line = 0;
  /** Set where a text run may not go on in the one before, though no line ends. */
  private cut = false;
  /** Set between inline elements that are fields of their own, as a name and a price are. */
  private field = false;
  /** Grows with everything that makes a name more than the joined text runs. */
  private complexity = 0;
  /** Neighbouring blocks that are taken over, not yet written. */
  private repeated: Repeated | null = null;
  /** Set in what has changed altogether: nothing there is as it was. */
  private fresh = false;
  /** Set when time ran out: what is left was not looked at, and what is open can't be taken over. */
  unfinished = false;
  private visits = 0;

  constructor(
    private readonly flat: Pick<FlatTree, "begin" | "quickShadow" | "shadow" | "parent">,
    private readonly ignored: (element: Element) => boolean,
    private readonly rules: Rules = liveRules(flat as FlatTree),
    private readonly earlier: Earlier | null = null,
    private readonly until = Number.POSITIVE_INFINITY,
  ) {
    this.records = new Records(earlier?.walk.records.ends.length);
    this.roles = rules.roles;
    this.names = rules.names;
    this.naming = new Naming(this.records, rules);
  }

  /** Walk a whole document. */
  run(document: Pick<Document, "documentElement">): this {
    if (!this.earlier) this.flat.begin();
    if (document.documentElement) this.visit(document.documentElement, -1, 0);
    this.flush();
    return this;
  }

  private visit(element: Element, parent: number, inherited: number): void {
    const { earlier } = this;
    if (this.isLate()) return;
    if (!earlier || this.fresh) {
      this.look(element, parent, inherited);
      return;
    }
    const at = earlier.find(element, inherited);
    if (at >= 0) this.repeat(earlier.walk, at, parent);
    else {
      this.fresh = earlier.isNew(element);
      this.look(element, parent, inherited);
      this.fresh = false;
    }
  }

  private isLate(): boolean {
    if (++this.visits % VISITS_BETWEEN_LOOKS === 0 && performance.now() > this.until) this.unfinished = true;
    return this.unfinished;
  }

  /** Take over a block in which nothing has changed; neighbours are taken over together. */
  private repeat(walk: Walked, first: number, parent: number): void {
    const { records } = walk;
    const end = records.ends[first] as number;
    const lines = this.line + 1 - (records.starts[first] as number);
    const { repeated } = this;
    if (repeated && repeated.end === first && repeated.parent === parent && repeated.lines === lines)
      repeated.end = end;
    else {
      this.flush();
      this.repeated = { walk, first, end, parent, lines };
    }
    if (parent >= 0) {
      const kids = records.dropped[first] ? (records.kids[first] as number) : 1;
      this.records.kids[parent] = (this.records.kids[parent] as number) + kids;
    }
    this.line = (records.after[first] as number) + lines;
    this.complexity += records.weights[first] as number;
    this.cut = false;
  }

  /** Write what was taken over into the records. */
  private flush(): void {
    if (!this.repeated) return;
    const { walk, first, end, parent, lines } = this.repeated;
    this.repeated = null;
    const shift = this.records.length - first;
    this.records.repeat(walk.records, first, end, parent, lines);
    this.records.gap = true;
    for (const { index, element } of walk.frames)
      if (index >= first && index < end) this.frames.push({ index: index + shift, element });
    for (const index of walk.modals) if (index >= first && index < end) this.modals.push(index + shift);
  }

  private look(element: Element, parent: number, inherited: number): void {
    this.flush();
    const given = inherited;
    const weight = this.complexity;
    const tag = element.localName;
    if (UNRENDERED.has(tag) || (inherited & Within.SVG && SVG_UNRENDERED.has(tag))) return;
    if (tag === "br") {
      if (!(inherited & Within.NAMING)) this.line++;
      else this.cut = true;
      this.records.gap = true;
      return;
    }
    const marks = element.hasAttributes() ? marksOf(element) : 0;
    if (marks & Mark.INERT || this.ignored(element)) {
      if (marks & Mark.INERT && this.rules.floats(element)) this.records.mark(parent, Odd.UNKNOWN);
      return;
    }
    if (marks & Mark.LINK || LINKED.has(tag)) this.rules.link(element);
    if (marks & Mark.ARIA_HIDDEN && element.getAttribute("aria-hidden") === "true")
      inherited |= Within.ARIA_HIDDEN;
    const how = this.rules.rendering(element);
    if (how === "none") return;
    const visible = how !== "invisible";
    let role = marks & Mark.ROLE ? this.roles.of(element) : this.roles.implicit(element);
    if (
      inherited & (Within.LEAF | Within.ARIA_HIDDEN) &&
      role !== "generic" &&
      !INTERACTIVE.has(role) &&
      role !== "iframe" &&
      tag !== "select"
    ) {
      // It is no node here, but what it is called still counts.
      this.complexity++;
      role = "generic";
    }
    const style = this.rules.style(element);
    const interactive = INTERACTIVE.has(role);
    let pointer = false;
    if (!(inherited & Within.POINTER)) {
      if (interactive) inherited |= Within.POINTER;
      else if (style.cursor === "pointer" && !ROOTS.has(tag)) {
        pointer = true;
        inherited |= Within.POINTER;
      }
    }
    if (marks & Mark.ARIA && element.getAttribute("aria-disabled") === "true") inherited |= Within.DISABLED;
    const subject: Visit = {
      ...{ element, tag, marks, role, inherited, visible, style, interactive, why: null },
      ...{ given, weight },
    };
    if (pointer || marks & REASONS) {
      const why = ROOTS.has(tag)
        ? reasonsOf(element, marks & ~Mark.TABINDEX, false)
        : reasonsOf(element, marks, pointer);
      if (why.length) subject.why = why;
    }
    if (!interactive && this.rules.listens(element)) subject.why = [...(subject.why ?? []), "listener"];
    if (tag === "a" && role === "generic") enterAnchor(subject);
    else if (tag === "label") enterLabel(subject, this.rules);
    else if (tag === "legend" || tag === "caption" || tag === "figcaption") enterCaption(subject);
    this.enter(subject, parent);
  }

  private enter(subject: Visit, parent: number): void {
    const { element, tag, marks, role, inherited } = subject;
    const isBlock = standsApart(subject, this.rules);
    if (inherited & Within.NAMING) {
      if (marks & Mark.OWNS || this.names.pseudos.concerns(element)) this.complexity++;
    }
    const plain =
      role === "generic" || role === "none" || (PHRASES.has(role) && !(marks & (Mark.ROLE | Mark.ARIA)));
    // What asks for no AI is always told, so that it can be left out as a whole.
    const asks = (marks & Mark.NO_AI) !== 0 && asksNoAi(element.getAttribute("data-no-ai"));
    const means = (): boolean => asks || subject.why !== null || !plain || (marks & NAMED) !== 0;
    const kept = asks || (subject.visible && means() && isShown(subject));
    const { records } = this;
    if (inherited & Within.NAMING && (kept ? subject.why !== null : marks & Mark.TITLE)) this.complexity++;
    if (isBlock) this.line++;
    if (!kept && (!isBlock || ROOTS.has(tag)) && !tag.includes("-")) {
      const cuts = !isBlock && !isInlineDisplay(subject.style.display);
      if (!isBlock && this.rules.sticks(subject.style)) records.mark(parent, Odd.ASIDE | Odd.LOOSE);
      if (cuts) this.cut = records.gap = true;
      this.children(subject, parent, inherited, kept);
      this.flush();
      if (cuts) this.cut = records.gap = true;
      if (isBlock) this.line++;
      return;
    }
    const edge = kept && !isBlock && !isInlineDisplay(subject.style.display);
    if (edge) records.gap = true;
    const at = records.open(element, parent, role === "none" ? "generic" : role, this.line);
    records.odd[at] = this.rules.oddity(element, subject.style);
    const complexity = this.complexity;
    this.children(subject, at, kept ? within(subject) : inherited, kept);
    this.flush();
    if (this.unfinished) {
      // It is looked at again: what it says would be forgotten.
      records.close(at, -1, true);
      return;
    }
    if (isBlock) this.line++;
    if (subject.why && isWrapper(records, at, subject)) subject.why = null;
    const told = kept && means();
    const stays = told || (records.kids[at] as number) > 1;
    // Nothing goes on in a block's last line.
    records.close(at, isBlock ? -1 : this.line, stays);
    if (edge) records.gap = true;
    if (stays) {
      if (!isBlock && isInlineLevel(subject.style.display)) records.flags[at] = State.INLINE;
      if (told) this.finish(at, subject, this.complexity === complexity);
      else if (marks & Mark.ID) records.extras[at] = { html_id: element.id };
    }
    if (isBlock && (!(subject.given & (Within.NAMING | Within.FOLDED)) || records.holdsElement(at)))
      records.seal(at, subject.given, this.complexity - subject.weight, this.line);
  }

  private children(subject: Visit, parent: number, inherited: number, kept: boolean): void {
    const { element, tag, style } = subject;
    if (CHILDLESS.has(tag)) {
      // The options of a list that can't be seen can't be chosen.
      if (tag === "select" && kept) this.options(element, parent, inherited);
      return;
    }
    const from = this.flat.quickShadow(element, tag) ?? element;
    const texts = hasText(from);
    // Elements in skipped contents tell it themselves; text can't.
    const visible = subject.visible && !(texts && (skipsContent(style) || isFoldedUp(element)));
    if (tag === "svg") inherited |= Within.SVG;
    const outside = inherited;
    let legend: Element | null = null;
    if (tag === "fieldset" && element.hasAttribute("disabled")) {
      inherited |= Within.DISABLED_FIELDS;
      for (const child of element.children) if (!legend && child.localName === "legend") legend = child;
    }
    if (tag === "slot") {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      if (assigned.length) {
        for (const node of assigned) this.child(node, parent, inherited, visible);
        return;
      }
    }
    inherited = withProse(inherited, tag, texts);
    const fields = !(inherited & (Within.NAMING | Within.PROSE)) && holdsFields(from, style);
    for (let node = from.firstChild; node; node = node.nextSibling) {
      if (fields && node.nodeType === ELEMENT) this.field = true;
      this.child(node, parent, node === legend ? outside : inherited, visible);
    }
  }

  private child(node: Node, parent: number, inherited: number, visible: boolean): void {
    if (this.unfinished) return;
    if (node.nodeType === ELEMENT) this.visit(node as Element, parent, inherited);
    else if (node.nodeType === TEXT && visible && !(inherited & (Within.ARIA_HIDDEN | Within.LABEL))) {
      this.text(node as Text, parent);
    }
  }

  private text(node: Text, parent: number): void {
    const data = node.data;
    const { records } = this;
    if (this.repeated) {
      if (!hasInk(data)) return; // a gap is there already
      this.flush();
    }
    const last = records.length - 1;
    const goesOn =
      last >= 0 &&
      records.isText[last] &&
      records.parents[last] === parent &&
      records.starts[last] === this.line &&
      !this.cut &&
      (!this.field || (!records.gap && isGlued(records.names[last] as string, data)));
    if (!hasInk(data)) {
      if (goesOn && data) records.names[last] += " ";
      records.gap = true;
      return;
    }
    if (goesOn) {
      records.names[last] += collapse(data);
      records.lastTexts.set(last, node);
    } else records.text(node, parent, collapse(data), this.line);
    records.gap = data.endsWith(" ") || data.endsWith("\n");
    this.cut = this.field = false;
  }

  private options(select: Element, parent: number, inherited: number): void {
    for (const child of select.children) {
      const tag = child.localName;
      if ((tag !== "option" && tag !== "optgroup") || (child as HTMLElement).hidden) continue;
      const role = tag === "option" ? "option" : "group";
      const at = this.records.open(child, parent, role, ++this.line);
      if (tag === "optgroup") {
        this.options(
          child,
          at,
          (child as HTMLOptGroupElement).disabled ? inherited | Within.DISABLED : inherited,
        );
      }
      this.records.close(at, -1, true);
      this.line++;
      const name =
        tag === "option" ? (child as HTMLOptionElement).label : (child.getAttribute("label") ?? "");
      this.records.names[at] = fold(child.getAttribute("aria-label") || name);
      const list = child.closest("select") as HTMLSelectElement;
      const acts = tag === "option" && (list.multiple || list.size > 1);
      const disabled = (inherited & Within.DISABLED) !== 0;
      const option = {
        element: child,
        tag,
        role,
        disabled,
        marks: marksOf(child),
        why: null,
        internals: null,
      };
      describe(this.records, at, option, { text: "", from: "none" }, this.names, this.flat);
      if (acts) this.records.flags[at] = (this.records.flags[at] as number) | State.ACTIONABLE;
    }
  }

  /** Name, states and extras of a kept element whose children are known. */
  private finish(at: number, subject: Visit, simple: boolean): void {
    const { records } = this;
    const { element, tag, marks, role } = subject;
    const named = subject.control ?? element;
    const name = this.naming.of(at, subject, simple);
    records.names[at] = name.text;
    if (name.from === "content") this.naming.foldText(at, role, name.text);
    else if (name.text) records.apart[at] = 1;
    if (subject.interactive || subject.why || subject.control) {
      records.flags[at] = (records.flags[at] as number) | State.ACTIONABLE;
    }
    const disabled =
      ((subject.inherited & Within.DISABLED) !== 0 && (subject.interactive || subject.why !== null)) ||
      ((subject.inherited & Within.DISABLED_FIELDS) !== 0 && FIELDS.has(named.localName));
    const told = subject.interactive && !subject.control && !(subject.inherited & Within.ARIA_HIDDEN);
    const why = told ? null : subject.why;
    const isControl = subject.interactive || tag === "select";
    const hidden = isControl && subject.inherited & Within.ARIA_HIDDEN ? ["aria-hidden"] : null;
    const internals = tag.includes("-") ? this.rules.internals(element) : null;
    const kind = { element: named, tag: named.localName, role, marks };
    const facts = { ...kind, disabled, why: hidden ?? why, internals };
    if (isStateful(facts)) describe(records, at, facts, name, this.names, this.flat);
    if (role === "iframe") this.frames.push({ index: at, element: element as HTMLIFrameElement });
    if ((records.flags[at] as number) & State.MODAL || (tag === "dialog" && element.matches(":modal")))
      this.modals.push(at);
  }
}

const VISITS_BETWEEN_LOOKS = 4;
const ELEMENT = 1;
const REASONS = Mark.LISTENER | Mark.TABINDEX | Mark.EDITABLE | Mark.DRAGGABLE | Mark.CONTROLS;
