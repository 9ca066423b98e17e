// Cells of HTML tables that hold one text and nothing else: most of what a large table has. What a walk reads of such a
// cell is known without the rules for all other elements.

import { hasInk } from "../naming/text";
import { marksOf } from "../semantics/actionable";
import type { Roles } from "../semantics/roles";
import { styledBySheets } from "../semantics/style_sheets";
import * as dom from "../tree/dom";
import { Within } from "./visit";

const CELLS = new Set(["cell", "gridcell"]);
const SHOWN: CheckVisibilityOptions = { visibilityProperty: true, opacityProperty: true };
/** Whatever else holds around a cell may hold for its text. */
export const HARMLESS = Within.PROSE | Within.NAMING | Within.POINTER | Within.DELEGATED;
const SPANS = ["colspan", "rowspan"];
const SCROLLS = /^(?:auto|scroll)$/;
/** Glyphs of icon fonts say nothing by themselves, so that something else may. */
const ICON = /[\ue000-\uf8ff]/;

/** Attributes that by themselves hide nothing and open nothing. */
const FOR_SHEETS = /^(?:class|align|valign|width|height|bgcolor|data-.*)$/;
const isForSheets = (name: string): boolean => FOR_SHEETS.test(name);

/** So many cells are looked at one by one before the style sheets are: small tables have fewer. */
const FEW = 200;

/** How a row is shown, and whether the pointing hand is shown over it. */
interface Showing {
  isPlain: boolean;
  hasPointer: boolean;
}

/** What style sheets may say of cells and rows; read once a walk. */
export class SheetsOfCells {
  private readonly known = new Map<"td" | "tr", ReturnType<typeof styledBySheets>>();
  private cells = 0;
  /** How the rows of a part of a table are shown that nothing styles by themselves. */
  private part: Element | null = null;
  private inPart: Showing | null = null;

  mayGenerate(cell: Element): boolean {
    return this.may("text", "td", cell);
  }

  /** Whether no style sheet says of rows and cells without attributes how they are shown, or adds to them. */
  get leavesRows(): boolean {
    return (["td", "tr"] as const).every((tag) => {
      const { text, showing } = this.of(tag);
      return text !== "all" && showing !== "all";
    });
  }

  private of(tag: "td" | "tr"): ReturnType<typeof styledBySheets> {
    const known = this.known.get(tag) ?? styledBySheets(document, tag);
    this.known.set(tag, known);
    return known;
  }

  /** Whether a cell may be shown otherwise than its row. */
  mayShow(cell: Element): boolean {
    this.cells++;
    return this.may("showing", "td", cell);
  }

  /** How a row is shown: rows of one part that have no attributes, and no style of their own, are shown alike. */
  showingOf(row: Element): Showing {
    const part = dom.parentElement(row);
    if (!part || dom.hasAttributes(row) || this.may("showing", "tr", row)) return showingOf(row);
    if (part !== this.part || !this.inPart) {
      this.part = part;
      this.inPart = showingOf(row);
    }
    return this.inPart;
  }

  private may(what: "text" | "showing", tag: "td" | "tr", element: Element): boolean {
    if (this.cells <= FEW) return true;
    const known = this.of(tag);
    return known[what] === "all" || (known[what] === "attributed" && dom.hasAttributes(element));
  }
}

function showingOf(row: Element): Showing {
  if (!dom.checkVisibility(row, SHOWN)) return { isPlain: false, hasPointer: false };
  const { display, fontSize, cursor } = getComputedStyle(row);
  return { isPlain: display === "table-row" && fontSize !== "0px", hasPointer: cursor === "pointer" };
}

/** What holds for all cells of a row that have no role of their own. */
export class CellsOfRow {
  /** "" where they are none. */
  readonly role: string;
  private readonly isInDocument: boolean;
  private showing: Showing | null = null;

  constructor(
    readonly row: Element,
    first: Element,
    roles: Roles,
    private readonly sheets: SheetsOfCells,
  ) {
    const role = roles.implicit(first);
    this.role = CELLS.has(role) ? role : "";
    this.isInDocument = dom.getRootNode(row) === document;
  }

  mayGenerate(cell: Element): boolean {
    return !this.isInDocument || this.sheets.mayGenerate(cell);
  }

  /** Whether a cell is shown as its row is, and that as rows of tables are. */
  showsAsRow(cell: Element): boolean {
    if (!this.isInDocument || this.sheets.mayShow(cell)) return false;
    if (dom.hasAttributes(cell) && !dom.getAttributeNames(cell).every(isForSheets)) return false;
    return this.showingOfRow.isPlain;
  }

  get hasPointer(): boolean {
    return this.showingOfRow.hasPointer;
  }

  private get showingOfRow(): Showing {
    this.showing ??= this.sheets.showingOf(this.row);
    return this.showing;
  }
}

/** A text that is all that is known of a cell, and whether the cell has its place in the table as its row has. */
interface PlainCell {
  text: Text;
  isInColumn: boolean;
}

/**
 * The only text of a `td` that is shown as it stands, and that nothing but this text is known of; null for all others.
 */
export function plainCell(cell: Element, inherited: number, cells: CellsOfRow): PlainCell | null {
  const text = dom.firstChild(cell);
  if (!text || dom.nodeType(text) !== dom.TEXT || dom.nextSibling(text) || inherited & ~HARMLESS) return null;
  const { data } = text as Text;
  if (!hasInk(data) || ICON.test(data)) return null;
  if (dom.hasAttributes(cell) && !hasPlainAttributes(cell, inherited)) return null;
  const isInColumn = cells.showsAsRow(cell);
  const isPointer = isInColumn ? cells.hasPointer : pointerOn(cell);
  if (isPointer === null || (isPointer && !(inherited & Within.POINTER))) return null;
  return cells.mayGenerate(cell) && (isGenerated(cell, "::before") || isGenerated(cell, "::after"))
    ? null
    : { text: text as Text, isInColumn };
}

/** Whether the pointing hand is shown over a cell; null where the cell isn't shown as cells of tables are. */
function pointerOn(cell: Element): boolean | null {
  if (!dom.checkVisibility(cell, SHOWN)) return null;
  const { display, fontSize, cursor, overflowY } = getComputedStyle(cell);
  if (display !== "table-cell" || fontSize === "0px" || SCROLLS.test(overflowY)) return null;
  return cursor === "pointer";
}

function hasPlainAttributes(cell: Element, inherited: number): boolean {
  // A class may say that scripts further up listen for clicks on the cell.
  if (inherited & Within.DELEGATED || marksOf(cell) !== 0) return false;
  return !SPANS.some((name) => dom.hasAttribute(cell, name));
}

function isGenerated(cell: Element, which: "::before" | "::after"): boolean {
  const { content } = getComputedStyle(cell, which);
  return content !== "none" && content !== "normal" && content !== "";
}
