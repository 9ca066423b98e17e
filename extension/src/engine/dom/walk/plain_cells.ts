// Cells of HTML tables that hold one text and nothing else: most of what a large table has. What a walk reads of such a
// cell is known without the rules for all other elements.

import { hasInk } from "../naming/text";
import { marksOf } from "../semantics/actionable";
import { mayGenerateText } from "../semantics/generated_text";
import type { Roles } from "../semantics/roles";
import * as dom from "../tree/dom";
import { Within } from "./visit";

const CELLS = new Set(["cell", "gridcell"]);
const SHOWN: CheckVisibilityOptions = { visibilityProperty: true, opacityProperty: true };
/** Whatever else holds around a cell may hold for its text. */
const HARMLESS = Within.PROSE | Within.NAMING | Within.POINTER | Within.DELEGATED;
const SPANS = ["colspan", "rowspan"];
const SCROLLS = /^(?:auto|scroll)$/;
/** Glyphs of icon fonts say nothing by themselves, so that something else may. */
const ICON = /[\ue000-\uf8ff]/;

/** So many cells are looked at one by one before the style sheets are: small tables have fewer. */
const FEW = 200;

/** Whether style sheets may add text to cells; read once a walk. */
export class SheetsOfCells {
  private known: ReturnType<typeof mayGenerateText> | null = null;
  private cells = 0;

  mayGenerate(cell: Element): boolean {
    if (this.cells < FEW) {
      this.cells++;
      return true;
    }
    this.known ??= mayGenerateText(document, "td");
    return this.known === "all" || (this.known === "attributed" && dom.hasAttributes(cell));
  }
}

/** What holds for all cells of a row that have no role of their own. */
export class CellsOfRow {
  /** "" where they are none. */
  readonly role: string;
  private readonly isInDocument: boolean;

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
}

/**
 * The only text of a `td` that is shown as it stands, and that nothing but this text is known of; null for all others.
 */
export function plainText(cell: Element, inherited: number, cells: CellsOfRow): Text | null {
  const text = dom.firstChild(cell);
  if (!text || dom.nodeType(text) !== dom.TEXT || dom.nextSibling(text) || inherited & ~HARMLESS) return null;
  const { data } = text as Text;
  if (!hasInk(data) || ICON.test(data)) return null;
  if (dom.hasAttributes(cell) && !hasPlainAttributes(cell, inherited)) return null;
  if (!dom.checkVisibility(cell, SHOWN)) return null;
  const { display, fontSize, cursor, overflowY } = getComputedStyle(cell);
  if (display !== "table-cell" || fontSize === "0px" || SCROLLS.test(overflowY)) return null;
  if (cursor === "pointer" && !(inherited & Within.POINTER)) return null;
  return cells.mayGenerate(cell) && (isGenerated(cell, "::before") || isGenerated(cell, "::after"))
    ? null
    : (text as Text);
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
