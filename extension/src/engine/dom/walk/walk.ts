// One pass over a document's flat tree: what is shown, what it is, what it is called, what can be done with it.

import { State } from "../../../protocol/generated";
import { asksNoAi } from "../../../shared/ai_opt_out";
import type { InternalFacts } from "../../../shared/messages";
import { raised } from "../../../shared/raised_digits";
import { INTERACTIVE, PHRASES, SAYS_BY_ICON } from "../../../shared/roles";
import { standApart } from "../layout/word_gaps";
import { NAMELESS, type Names } from "../naming/names";
import { collapse, fold, hasInk } from "../naming/text";
import { Mark, marksOf, reasonsOf } from "../semantics/actionable";
import { columnShownIn } from "../semantics/cell_labels";
import { roleByDisplay } from "../semantics/css_tables";
import { GeneratedTexts } from "../semantics/generated_text";
import { hiddenItemsBeside } from "../semantics/hidden_items";
import { identityOf } from "../semantics/identity";
import type { Roles } from "../semantics/roles";
import { describe, formExtras, isStateful } from "../semantics/states";
import { iconIn } from "../semantics/styled_icons";
import { isSecret } from "../semantics/values";
import {
  hidesText,
  isFoldedUp,
  isInlineDisplay,
  isInlineLevel,
  renderingOf,
  SVG_UNRENDERED,
  skipsContent,
  UNRENDERED,
} from "../semantics/visibility";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import type { EventListeners } from "../watch/event_listeners";
import { NodeNames } from "./node_names";
import type { WalkPart } from "./part_walk";
import { CellsOfRow, HARMLESS, plainCell, SheetsOfCells } from "./plain_cells";
import { isPlain, placeRows } from "./plain_rows";
import { isOneOfItems, type NodeRecord, Records } from "./records";
import { NotPlain, type TableBlocks } from "./table_blocks";
import {
  CHILDLESS,
  displayOf,
  enterAnchor,
  enterCaption,
  enterLabel,
  enterSigned,
  FIELDS,
  hasText,
  holdsFields,
  holdsPlace,
  hoverTitle,
  isGlued,
  isNoted,
  isOverruled,
  isShown,
  isSign,
  isWrapper,
  ROOTS,
  standsApart,
  titleOf,
  type Visit,
  Within,
  within,
  withProse,
} from "./visit";
import type { WantedElements } from "./wanted_elements";
import { WordlessParts } from "./wordless_parts";
import { WrittenRows } from "./written_rows";

const REASONS = Mark.LISTENER | Mark.TABINDEX | Mark.EDITABLE | Mark.DRAGGABLE | Mark.CONTROLS;
/** Values of `overflow-y` with which a person can scroll. */
const SCROLLABLE = /^(?:auto|scroll)$/;
/** Values of `overflow` with which nobody can. */
const CUT = /^(?:hidden|clip)$/;
const STYLED_HEIGHT = /(?:^|;)\s*height:\s*(\d+)(?:\.\d+)?px/;

const TABLES = new Set(["table", "grid", "treegrid"]);
const CELLS = new Set(["cell", "gridcell"]);
/** The text in an element isn't rendered. */
const NOTHING = -1;
const BEGINS_APART = /^\s/;
/** Icon fonts have their glyphs in the area of private use. */
const SAYS_SOMETHING = /[^\s\ue000-\uf8ff]/;

/** What a walk needs to know of elements. */
interface WalkContext {
  flat: FlatTree;
  roles: Roles;
  names: Names;
  /** Whether a node is one that the extension added. */
  isOwn(element: Element): boolean;
  /** What scripts listen on for clicks, as far as that is known. */
  listeners: Pick<EventListeners, "has" | "listens" | "hasInside">;
  /** What a custom element says by its internals, as far as that is known. */
  internals(element: Element): InternalFacts | null;
  /** Which rows are walked of tables that have very many; without, all are. */
  blocks?: TableBlocks | null;
  /** Elements that are looked for. */
  wanted?: WantedElements | null;
  /** The elements to which alone the walk goes; without, it goes everywhere. */
  part?: WalkPart | null;
}

export class Walk {
  readonly records = new Records();
  readonly modals: NodeRecord[] = [];
  /** How many elements are rendered. */
  elements = 0;
  private readonly nodeNames: NodeNames;
  private line = 0;
  /** Whitespace, or the edge of a box, stands before what comes next. */
  private gap = false;
  /** A run of text may not go on in the one before, though no line ends. */
  private cut = false;
  /** The next text stands between inline elements that are fields of their own, as a name and a price are. */
  private field = false;
  private cells: CellsOfRow | null = null;
  private readonly sheets = new SheetsOfCells();
  private readonly generated = new GeneratedTexts();
  private readonly parts = new WordlessParts();
  private readonly written = new WrittenRows();

  constructor(private readonly context: WalkContext) {
    this.nodeNames = new NodeNames(this.records, context);
  }

  /** Walk a whole document. */
  run(document: Document): this {
    const delegated = this.context.listeners.has(document) ? Within.DELEGATED : 0;
    if (dom.get(document, "documentElement"))
      this.visit(dom.get(document, "documentElement"), null, delegated);
    return this;
  }

  /** Walk one element and what is in it. */
  runIn(element: Element): this {
    const { flat } = this.context;
    let inherited = 0;
    for (let at: Element | null = element; at; at = flat.parent(at))
      if (dom.getAttribute(at, "aria-hidden") === "true") inherited |= Within.ARIA_HIDDEN;
    this.visit(element, null, inherited);
    return this;
  }

  private visit(element: Element, up: NodeRecord | null, inherited: number): void {
    const { part } = this.context;
    if (part && !part.takes(element)) return;
    part?.enter(element, this.records);
    this.visitOne(element, up, inherited);
    part?.leave(element, this.records);
  }

  private visitOne(element: Element, up: NodeRecord | null, inherited: number): void {
    const tag = dom.localName(element);
    if (UNRENDERED.has(tag) || (inherited & Within.SVG && SVG_UNRENDERED.has(tag))) return;
    if (tag === "br") {
      if (!(inherited & Within.NAMING)) this.line++;
      else this.cut = true;
      this.gap = true;
      return;
    }
    if (tag === "td" && this.plainCell(element, up, inherited)) return;
    const hasAttributes = dom.hasAttributes(element);
    const marks = hasAttributes ? marksOf(element) : 0;
    if (marks & Mark.INERT || this.context.isOwn(element)) return;
    const how = renderingOf(element);
    if (how === "none") {
      if (up?.role === "row" && isHeader(element, tag))
        up.extra = { ...up.extra, folded: (up.extra?.folded ?? 0) + 1 };
      return;
    }
    this.elements++;
    if (marks & Mark.ARIA_HIDDEN && dom.getAttribute(element, "aria-hidden") === "true")
      inherited |= Within.ARIA_HIDDEN;
    if (marks & Mark.STATE && dom.getAttribute(element, "aria-disabled") === "true")
      inherited |= Within.DISABLED;
    const style = getComputedStyle(element);
    let role = this.roleOf(element, tag, marks, inherited);
    if (role === "generic" && tag === "div" && !(marks & Mark.ROLE) && !(inherited & Within.LEAF)) {
      role = roleByDisplay(element, style.display, (inherited & Within.CSS_TABLE) !== 0);
      if (role === "table") inherited |= Within.CSS_TABLE;
    }
    if (!(inherited & Within.UNSEEN) && hidesText(element, style)) inherited |= Within.UNSEEN;
    if (style.textDecorationLine.includes("line-through")) inherited |= Within.STRUCK;
    const interactive = INTERACTIVE.has(role);
    let pointer = false;
    if (!(inherited & Within.POINTER)) {
      pointer = !interactive && style.cursor === "pointer" && !ROOTS.has(tag);
      if (interactive || pointer) inherited |= Within.POINTER;
    }
    const visible = how !== "invisible";
    const subject: Visit = {
      element,
      tag,
      marks,
      role,
      inherited,
      visible,
      style,
      interactive,
      why: null,
      weak: false,
    };
    if (pointer || marks & REASONS) {
      const why = ROOTS.has(tag)
        ? reasonsOf(element, marks & ~Mark.TABINDEX, false)
        : reasonsOf(element, marks, pointer);
      if (why.length) subject.why = why;
    }
    if (this.context.listeners.has(element)) {
      if (!interactive && this.context.listeners.listens(element))
        subject.why = [...(subject.why ?? []), "listener"];
      subject.inherited |= Within.DELEGATED;
    }
    if (inherited & Within.DELEGATED && hasAttributes) enterSigned(subject);
    if (tag === "a" && role === "generic") enterAnchor(subject);
    else if (tag === "label") enterLabel(subject, this.context.roles);
    else if (tag === "legend" || tag === "caption" || tag === "figcaption") enterCaption(subject);
    this.enterPart(subject, up);
  }

  /** Enter an element, and see whether it says a word. */
  private enterPart(subject: Visit, up: NodeRecord | null): void {
    const { words, count } = this.parts;
    this.enter(subject, up);
    if (this.parts.words === words) this.parts.close(count, subject);
  }

  /** Record a cell of which only its text is to be known; false where there is more to it. */
  private plainCell(cell: Element, up: NodeRecord | null, inherited: number): boolean {
    if (this.context.isOwn(cell) || this.context.listeners.has(cell)) return false;
    const row = dom.parentElement(cell);
    if (row && row !== this.cells?.row)
      this.cells = new CellsOfRow(row, cell, this.context.roles, this.sheets);
    const plain = this.cells?.role ? plainCell(cell, inherited, this.cells) : null;
    if (!plain || !this.cells) return false;
    const { text } = plain;
    this.elements++;
    this.parts.words++;
    const record = this.records.open(cell, up, this.cells.role, ++this.line);
    record.label = fold(text.data);
    record.isInColumn = plain.isInColumn;
    this.records.close(record, -1, true);
    this.line++;
    this.gap = text.data.endsWith(" ") || text.data.endsWith("\n");
    this.cut = this.field = false;
    return true;
  }

  /** The role; what may be no node where it is counts as generic. */
  private roleOf(element: Element, tag: string, marks: number, inherited: number): string {
    const { roles } = this.context;
    const role = marks & Mark.ROLE ? roles.of(element) : roles.implicit(element);
    const isLeft =
      inherited & (Within.LEAF | Within.ARIA_HIDDEN) && role !== "iframe" && !/^(select|canvas)$/.test(tag);
    return isLeft && !INTERACTIVE.has(role) ? "generic" : role;
  }

  private enter(subject: Visit, up: NodeRecord | null): void {
    const { element, tag, marks, role, inherited, style } = subject;
    const display = displayOf(subject);
    const isBlock = standsApart(subject, display);
    const isPhrase = PHRASES.has(role) && !(marks & (Mark.ROLE | Mark.ARIA));
    const plain = role === "generic" || role === "none" || isPhrase;
    // What asks for no AI is always a node, so that it can be left out as a whole.
    const asks = (marks & Mark.NO_AI) !== 0 && asksNoAi(dom.getAttribute(element, "data-no-ai"));
    const stands = asks || this.context.wanted?.keeps(element) === true;
    const title = plain ? titleOf(subject) : "";
    const sign = title !== "" && !subject.why && isSign(element);
    const counts = (): boolean => stands || sign || subject.why !== null || !plain || isNoted(subject);
    const kept = stands || (subject.visible && counts() && isShown(subject)) || holdsPlace(subject);
    if (marks & Mark.ARIA_HIDDEN && up && !up.hasCounted && isHiddenItself(element)) {
      up.hasCounted = true;
      const unread = hiddenItemsBeside(element);
      if (unread) up.extra = { ...up.extra, unread };
    }
    const hint = up ? hoverTitle(subject) : "";
    if (hint && up) this.records.hint(up, hint);
    if (isBlock) this.line++;
    const isBoxInLine = !isBlock && !isInlineDisplay(display);
    if (!kept && (!isBlock || ROOTS.has(tag)) && !tag.includes("-")) {
      if (isBoxInLine) this.cut = this.gap = true;
      const beginning = title ? this.records.beginning : null;
      this.children(subject, up, inherited, kept);
      if (beginning) this.records.title(beginning, title);
      if (isBoxInLine) this.cut = this.gap = true;
      if (isBlock) this.line++;
      return;
    }
    const isEdge = kept && isBoxInLine;
    const { words, count } = this.parts;
    if (isEdge) this.gap = true;
    const record = this.records.open(element, up, role === "none" ? "generic" : role, this.line);
    record.scrollable = SCROLLABLE.test(style.overflowY) || isScrolledByScript(element, style);
    record.overflow = record.scrollable || SCROLLABLE.test(style.overflowX) ? "scrolled" : overflowOf(style);
    const beginning = title ? this.records.beginning : null;
    const { blocks } = this.context;
    if (blocks && tag === "table" && kept && TABLES.has(role)) blocks.enter(element);
    this.children(subject, record, kept ? within(subject) : inherited, kept);
    if (isBlock) this.line++;
    if (subject.why && isWrapper(this.records, record, subject)) subject.why = null;
    if (subject.weak && isOverruled(this.records, record, subject)) subject.why = null;
    const isNode = kept && counts();
    const isForm = tag === "form" && record.kids > 0;
    const isItem = !isNode && !isForm && isBlock && isOneOfItems(record, this.records.list);
    const stays = isNode || isForm || isItem || record.kids > 1;
    // Nothing goes on in a block's last line.
    this.records.close(record, isBlock ? -1 : this.line, stays);
    if (isEdge) this.gap = true;
    if (beginning && !stays) this.records.title(beginning, title);
    if (!stays) return;
    if (!isBlock && isInlineLevel(display)) record.flags = State.INLINE;
    if (!subject.visible && stands && !asks) record.flags |= State.HIDDEN;
    if (sign) record.flags |= State.UNSEEN;
    if (isNode) {
      this.finish(record, subject);
      if (CELLS.has(role) && this.parts.words === words) this.parts.noteCell(count, record, element);
    } else if (isForm) record.extra = formExtras(element, { ...record.extra });
    else if (marks & (Mark.ID | Mark.KEY)) record.extra = { ...record.extra, ...identityOf(element) };
    if (title && !isNode) record.extra = { ...record.extra, description: title };
    this.noteRows(record, subject);
  }

  /** Note how a row is written; on a table which of its rows were walked. */
  private noteRows(record: NodeRecord, { element, tag }: Visit): void {
    const { blocks, part } = this.context;
    if (!part && blocks && !blocks.isInUse) this.written.note(record, element, tag);
    const block = blocks?.blockOf(element);
    if (block) record.extra = { ...record.extra, block };
  }

  private children(subject: Visit, up: NodeRecord | null, inherited: number, kept: boolean): void {
    const { element, tag } = subject;
    if (CHILDLESS.has(tag)) {
      // The options of a list that can't be seen can't be chosen.
      if (tag === "select" && kept) this.options(element, up, inherited);
      return;
    }
    if (subject.marks & (Mark.EDITABLE | Mark.ROLE) && isSecret(element)) return;
    const { words, count } = this.parts;
    const shadow = this.context.flat.shadow(element, tag);
    if (shadow) this.generated.meet(shadow);
    const isLeft = inherited & (Within.ARIA_HIDDEN | Within.LABEL) || !subject.visible;
    const adds = !isLeft && this.context.part?.inside !== false && this.generated.mayAdd(element);
    if (adds) this.generate(element, up, inherited, "::before");
    this.contents(subject, up, inherited, shadow ?? element);
    if (adds) this.generate(element, up, inherited, "::after");
    if (this.parts.words !== words) this.parts.note(count, up);
  }

  /** Record the text that a style sheet adds to an element, as a run of its own. */
  private generate(
    element: Element,
    up: NodeRecord | null,
    inherited: number,
    which: "::before" | "::after",
  ): void {
    const text = this.generated.of(element, which);
    if (!text) return;
    this.parts.says(text);
    const flags = inherited & Within.UNSEEN ? State.UNSEEN : 0;
    this.records.generated(element, up, text, this.line, flags);
    this.cut = true;
    this.gap = this.field = false;
  }

  /** Walk what is in an element, or in its shadow root. */
  private contents(
    subject: Visit,
    up: NodeRecord | null,
    inherited: number,
    from: Element | ShadowRoot,
  ): void {
    const { element, tag, style } = subject;
    if (tag !== "slot" && !dom.firstChild(from)) return;
    const texts = hasText(from);
    // Elements in skipped contents say so themselves; text can't.
    const visible = subject.visible && !(texts && (skipsContent(style) || isFoldedUp(element)));
    // What is in an element without a size of letters may have one.
    const shown = !visible ? NOTHING : texts && style.fontSize === "0px" ? State.UNSEEN : 0;
    if (tag === "svg") inherited |= Within.SVG;
    const outside = inherited;
    let legend: Element | null = null;
    if (tag === "fieldset" && dom.hasAttribute(element, "disabled")) {
      inherited |= Within.DISABLED_FIELDS;
      for (const child of dom.children(element))
        if (!legend && dom.localName(child) === "legend") legend = child;
    }
    if (tag === "slot") {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      for (const node of assigned) this.child(node, up, inherited, shown);
      if (assigned.length) return;
    }
    inherited = withProse(inherited, tag, texts);
    const { blocks } = this.context;
    if (blocks?.isPart(element)) {
      const count = (): number => this.records.list.length;
      for (const child of blocks.childrenOf(element, count)) this.child(child, up, inherited, shown);
      return;
    }
    if (blocks && up?.source === element && tag === "tbody" && this.plainRows(element, up, inherited)) return;
    const fields = !(inherited & (Within.NAMING | Within.PROSE)) && holdsFields(from, style);
    for (let node = dom.firstChild(from); node; node = dom.nextSibling(node)) {
      if (fields && dom.nodeType(node) === dom.ELEMENT) this.field = true;
      this.child(node, up, node === legend ? outside : inherited, shown);
    }
  }

  /** Put the rows of a part of a table on its record, where they are texts and nothing else. */
  private plainRows(section: Element, up: NodeRecord, inherited: number): boolean {
    const { blocks, listeners } = this.context;
    const texts = blocks?.textsOf(section);
    if (!blocks || !texts) return false;
    const { list } = this.records;
    const { elements } = this;
    const { kids } = up;
    const at = list.length;
    const first = dom.firstElementChild(section) as Element;
    this.child(first, up, inherited, 0);
    const pattern = list.splice(at);
    const { isPlain: isShown, hasPointer } = this.sheets.showingOf(first);
    const isSure =
      !(inherited & (Within.NAMING | ~HARMLESS)) &&
      isShown &&
      (!hasPointer || (inherited & Within.POINTER) !== 0) &&
      dom.getRootNode(section) === document &&
      this.sheets.leavesRows &&
      !listeners.hasInside(section);
    up.plain = isSure && isPlain(pattern, up, texts) ? placeRows(section, texts, pattern) : null;
    if (!up.plain && blocks.isLarge(section)) throw new NotPlain();
    up.kids = kids + (up.plain?.rows.length ?? 0);
    this.elements = elements + (up.plain ? up.plain.rows.length + texts.texts.length : 0);
    this.line++;
    return up.plain !== null;
  }

  private child(node: Node, up: NodeRecord | null, inherited: number, shown: number): void {
    if (dom.nodeType(node) === dom.ELEMENT) this.visit(node as Element, up, inherited);
    else if (dom.nodeType(node) !== dom.TEXT || shown === NOTHING) return;
    else if (!(inherited & (Within.ARIA_HIDDEN | Within.LABEL)) && this.context.part?.inside !== false)
      this.text(node as Text, up, flagsOfText(inherited, shown));
  }

  /** `flags` are those of the text: whether nobody can see it. */
  private text(node: Text, up: NodeRecord | null, flags: number): void {
    const { data } = node;
    this.parts.says(data);
    const { last } = this.records;
    const goesHere = last?.isText && last.up === up && last.flags === flags && last.firstLine === this.line;
    const before = goesHere && !this.cut ? last : null;
    const goesOn = before && (!this.field || (!this.gap && isGlued(before.label, data)));
    if (!hasInk(data)) {
      if (goesOn && data) before.label += " ";
      this.gap = true;
      return;
    }
    if (goesOn) {
      const last = before.lastText ?? (before.source as Text);
      const isParted = this.gap || BEGINS_APART.test(data);
      if (!isParted && !isGlued(before.label, data) && standApart(last, node)) before.label += " ";
      before.label += /\d$/.test(before.label) ? raised(data, tagAround(node)) : collapse(data);
      before.lastText = node;
    } else this.records.text(node, up, collapse(data), this.line, flags);
    this.gap = data.endsWith(" ") || data.endsWith("\n");
    this.cut = this.field = false;
  }

  private options(parent: Element, up: NodeRecord | null, inherited: number): void {
    for (const child of dom.children(parent)) {
      const tag = dom.localName(child);
      if ((tag !== "option" && tag !== "optgroup") || dom.get(child as HTMLElement, "hidden")) continue;
      const role = tag === "option" ? "option" : "group";
      const record = this.records.open(child, up, role, ++this.line);
      if (tag === "optgroup") {
        const isDisabled = (child as HTMLOptGroupElement).disabled;
        this.options(child, record, isDisabled ? inherited | Within.DISABLED : inherited);
      }
      this.records.close(record, -1, true);
      this.line++;
      const label =
        tag === "option" ? (child as HTMLOptionElement).label : (dom.getAttribute(child, "label") ?? "");
      record.label = fold(dom.getAttribute(child, "aria-label") || label);
      const list = dom.closest(child, "select") as HTMLSelectElement;
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
      describe(record, option, NAMELESS, this.context);
      if (tag === "option" && (list.multiple || list.size > 1)) record.flags |= State.ACTIONABLE;
    }
  }

  /** Name, states and extras of a kept element whose children are known. */
  private finish(record: NodeRecord, subject: Visit): void {
    const { element, tag, marks, role, inherited } = subject;
    const named = subject.control ?? element;
    const name = this.nodeNames.of(record, subject);
    record.label = name.text;
    if (name.from !== "content") this.parts.says(name.text);
    if (name.from === "content") this.nodeNames.foldText(record);
    else if (SAYS_BY_ICON.has(role) && (name.from === "author" || name.from === "title"))
      if (!this.nodeNames.showsText(record)) record.flags |= State.UNSEEN;
    if (subject.interactive || subject.why || subject.control) record.flags |= State.ACTIONABLE;
    const disabled =
      ((inherited & Within.DISABLED) !== 0 && (subject.interactive || subject.why !== null)) ||
      ((inherited & Within.DISABLED_FIELDS) !== 0 && FIELDS.has(dom.localName(named)));
    const isPlainControl = subject.interactive && !subject.control && !(inherited & Within.ARIA_HIDDEN);
    const isHiddenControl =
      (subject.interactive || tag === "select") && (inherited & Within.ARIA_HIDDEN) !== 0;
    const why = isHiddenControl ? ["aria-hidden"] : isPlainControl ? null : subject.why;
    const internals = tag.includes("-") ? this.context.internals(element) : null;
    const facts = { element: named, tag: dom.localName(named), role, marks, disabled, why, internals };
    if (isStateful(facts)) describe(record, facts, name, this.context);
    if (CELLS.has(role)) describeCell(record, element);
    if (role === "heading") describeHeading(record, element);
    if (record.flags & State.MODAL || (tag === "dialog" && dom.matches(element, ":modal")))
      this.modals.push(record);
  }
}

/** What holds for a text: whether nobody can see it, and whether it is struck out. */
function flagsOfText(inherited: number, shown: number): number {
  return (inherited & Within.UNSEEN ? State.UNSEEN : shown) | (inherited & Within.STRUCK ? State.STRUCK : 0);
}

function isHiddenItself(element: Element): boolean {
  return dom.getAttribute(element, "aria-hidden") === "true";
}

function overflowOf({ overflowX, overflowY }: CSSStyleDeclaration): "visible" | "cut" {
  return CUT.test(overflowX) || CUT.test(overflowY) ? "cut" : "visible";
}

function isHeader(element: Element, tag: string): boolean {
  const role = dom.getAttribute(element, "role");
  return role === null ? tag === "th" : role === "columnheader";
}

/** What a cell begins with that is no part of its value, and the icons of one without text. */
function describeCell(record: NodeRecord, cell: Element): void {
  const column = columnShownIn(cell);
  if (column) record.extra = { ...record.extra, column };
  const says = column && record.label.startsWith(column) ? record.label.slice(column.length) : record.label;
  if (record.kids || SAYS_SOMETHING.test(says)) return;
  const icon = iconIn(cell, column !== "");
  if (icon !== null) record.extra = { ...record.extra, icon };
}

/** The number at a heading's end in an element of its own: how many there are of what it names. */
function describeHeading(record: NodeRecord, heading: Element): void {
  const badge = fold(dom.textContent(dom.lastElementChild(heading) ?? heading));
  if (/^[([]?\d[\d.,']*[)\]]?$/.test(badge) && record.label.endsWith(` ${badge}`))
    record.extra = { ...record.extra, badge: badge.replace(/[^\d]/g, "") };
}

function tagAround(text: Text): string | undefined {
  const around = dom.parentElement(text);
  return around ? dom.localName(around) : undefined;
}

/** Whether scripts scroll a box: it clips a block that they have made much higher, to keep room for what isn't rendered. */
function isScrolledByScript(element: Element, style: CSSStyleDeclaration): boolean {
  if (style.overflowY !== "hidden") return false;
  const room = dom.firstElementChild(element);
  const height = room && STYLED_HEIGHT.exec(dom.getAttribute(room, "style") ?? "");
  return Boolean(height) && Number(height?.[1]) > 2 * dom.get(element, "clientHeight");
}
