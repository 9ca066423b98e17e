// Where the cells of large tables are: below those of the row before. Only one cell of a row is measured then.

import * as dom from "../tree/dom";
import type { NodeRecord } from "../walk/records";
import { setBox } from "./boxes";

const SPANNING = ":scope > tr > :is([colspan], [rowspan])";

export class TableColumns {
  /** The part of a table whose rows are measured now, and whether each of its cells is in one row and column. */
  private part: Element | null = null;
  private isEven = false;
  /** Left and right sides of the cells of a row of that part. */
  private sides: [left: number, right: number][] = [];

  /**
   * Place the cells of a row, of which the first has this place in the list; false where that isn't sure, and each has to
   * be measured.
   */
  place(list: readonly NodeRecord[], first: number): boolean {
    const row = (list[first] as NodeRecord).up;
    if (!row || row.dropped || row.at + 1 !== first) return false;
    const cells = list.slice(first, row.end);
    if (!cells.every((cell) => cell.isInColumn && !cell.dropped && cell.up === row)) return false;
    const element = row.source as Element;
    if (dom.children(element).length !== cells.length || !this.enter(dom.parentElement(element)))
      return false;
    if (cells.length !== this.sides.length || !this.standsBelow(cells)) {
      this.sides = cells.map((cell) => measureCell(cell));
      if (cells.every(({ width, height }) => width && height)) return true;
      this.sides = [];
      return false;
    }
    return true;
  }

  private enter(part: Element | null): boolean {
    if (part !== this.part) {
      this.part = part;
      this.sides = [];
      this.isEven = part !== null && !dom.querySelector(part, SPANNING);
    }
    return this.isEven;
  }

  /** Place cells in the columns of the row before by where the last one is; false where they aren't there. */
  private standsBelow(cells: readonly NodeRecord[]): boolean {
    const last = cells[cells.length - 1] as NodeRecord;
    const { x, y, right, bottom } = dom.getBoundingClientRect(last.source as Element);
    const known = this.sides[cells.length - 1];
    if (!known || known[0] !== x || known[1] !== right || Math.round(y) === Math.round(bottom)) return false;
    cells.forEach((cell, place) => {
      const [left, right] = this.sides[place] as [number, number];
      setBox(cell, { x: left, y, right, bottom });
    });
    return true;
  }
}

/** Measure a cell by itself, and give its sides. */
function measureCell(cell: NodeRecord): [left: number, right: number] {
  const box = dom.getBoundingClientRect(cell.source as Element);
  setBox(cell, box);
  return [box.x, box.right];
}
