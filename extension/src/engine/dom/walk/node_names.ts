// Which name a node gets: the accessible name, unless its children say it already.

import { State } from "../../../protocol/generated";
import type { InternalFacts } from "../../../shared/messages";
import { NAMELESS, type Name, type Names } from "../naming/names";
import { fold } from "../naming/text";
import { Mark } from "../semantics/actionable";
import { NAMED_BY_CONTENT } from "../semantics/aria";
import { isFocusable } from "../semantics/roles";
import * as dom from "../tree/dom";
import { drop, type NodeRecord, type Records } from "./records";
import type { Visit } from "./visit";

/** Elements that HTML can name by other means than ARIA. */
const NATIVELY_NAMED = new Set(
  "area button fieldset figure img input meter optgroup option output progress select svg table textarea".split(
    " ",
  ),
);

/** Roles whose children say their content where those are more than text, unless they can be focused. */
const LEFT_TO_CHILDREN = new Set(["cell", "gridcell", "row"]);

/** Roles whose lines may be fields of a record, such as a card that is one link. */
const KEEPS_LINES = new Set(["cell", "generic", "gridcell", "link", "row", "treeitem"]);

export class NodeNames {
  constructor(
    private readonly records: Records,
    private readonly context: { names: Names; internals(element: Element): InternalFacts | null },
  ) {}

  /** The name of a record whose children are known. */
  of(record: NodeRecord, { element, tag, marks, role, why, control, visible }: Visit): Name {
    const { names, internals } = this.context;
    if (!visible) return NAMELESS;
    if (control) return { text: fold(slottedText(element)), from: "native" };
    const onlyText = this.holdsOnlyText(record);
    const isNatively = NATIVELY_NAMED.has(tag) || element instanceof SVGElement;
    if (marks & Mark.LABEL || isNatively || (tag.includes("-") && internals(element))) {
      const given = names.given(element, role);
      if (given.from !== "none") return given;
    }
    if (NAMED_BY_CONTENT.has(role) && (onlyText || !LEFT_TO_CHILDREN.has(role) || isFocusable(element)))
      return names.fromContent(element, role);
    if (role === "generic" && why && onlyText && record.kids > 0)
      return { text: this.joinedText(record), from: "content" };
    const mayHaveHint = marks & (Mark.TITLE | Mark.ARIA) || tag === "input" || tag === "textarea";
    return mayHaveHint ? names.fallback(element, role) : NAMELESS;
  }

  /**
   * Text that is exactly the name is not shown a second time; a link's or cell's several lines stay apart, and so does
   * text that nobody sees.
   */
  foldText(record: NodeRecord): void {
    if (!this.holdsOnlyText(record)) return;
    const texts = [...this.records.inside(record)];
    const isStyled = texts.some(({ isGenerated }) => isGenerated);
    const joined = this.joinedText(record);
    // Blanks beside a text that a style sheet adds are its own, and no part of the run.
    if (!(isStyled ? without(record.label).includes(without(joined)) : record.label.includes(joined))) return;
    if (texts.some(({ flags }) => flags & State.STRUCK)) {
      // Both would be one text in it: the cell is called by neither.
      if (LEFT_TO_CHILDREN.has(record.role)) record.label = "";
      return;
    }
    if (texts.some((text) => text.flags & State.UNSEEN)) return;
    const isOneLine = texts.every((text) => text.firstLine === texts[0]?.firstLine);
    if (!isOneLine && KEEPS_LINES.has(record.role)) return;
    const titled = texts.flatMap(({ extra }) => extra?.titled ?? []);
    if (titled.length) record.extra = { ...record.extra, titled };
    texts.forEach(drop);
  }

  /** Whether there is text in a record. */
  showsText(record: NodeRecord): boolean {
    for (const inner of this.records.inside(record)) if (inner.isText) return true;
    return false;
  }

  private holdsOnlyText(record: NodeRecord): boolean {
    const { list } = this.records;
    for (let at = record.at + 1; at < record.end; at++) {
      const inner = list[at] as NodeRecord;
      if (!inner.dropped && !inner.isText) return false;
    }
    return true;
  }

  private joinedText(record: NodeRecord): string {
    let text = "";
    for (const inner of this.records.inside(record)) if (inner.isText) text += ` ${inner.label}`;
    return fold(text);
  }
}

const without = (text: string): string => text.replace(/\s/g, "");

/** An element's text, with what is slotted into it. */
function slottedText(element: Element): string {
  const slotted = dom.localName(element) === "slot" ? (element as HTMLSlotElement).assignedNodes() : [];
  let text = "";
  for (const node of slotted.length ? slotted : dom.childNodes(element)) {
    if (dom.nodeType(node) === dom.TEXT) text += (node as Text).data;
    else if (node instanceof Element) text += slottedText(node);
  }
  return text;
}
