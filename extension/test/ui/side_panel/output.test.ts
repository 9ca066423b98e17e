import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { nextCell } from "../../../src/ui/side_panel/output/cell_keys";
import {
  columnWidths,
  PAGE_ROWS,
  pagesOf,
  ROW_HEIGHT,
  rowsInView,
} from "../../../src/ui/side_panel/output/row_window";
import { cellText, copyableRows, toTsv } from "../../../src/ui/side_panel/output/tsv";

describe("the rows in view", () => {
  it("are few, in range, and cover what is seen", () => {
    fc.assert(
      fc.property(
        fc.nat(1_000_000),
        fc.integer({ min: -50, max: 30_000_000 }),
        fc.nat(2_000),
        (total, scrolled, height) => {
          const { from, to } = rowsInView(scrolled, height, total);
          expect(from).toBeGreaterThanOrEqual(0);
          expect(to).toBeLessThanOrEqual(total);
          expect(to - from).toBeLessThanOrEqual(height / ROW_HEIGHT + 18);
          const first = Math.floor(Math.max(scrolled, 0) / ROW_HEIGHT);
          const last = Math.min(Math.floor((Math.max(scrolled, 0) + height) / ROW_HEIGHT), total - 1);
          if (first <= last) expect([from <= first, to > last]).toEqual([true, true]);
        },
      ),
    );
  });

  it("are held by the pages that are read", () => {
    fc.assert(
      fc.property(fc.nat(100_000), fc.nat(60), (from, count) => {
        const pages = pagesOf({ from, to: from + count });
        for (let row = from; row < from + count; row++) expect(pages).toContain(Math.floor(row / PAGE_ROWS));
        expect(pages.length).toBeLessThanOrEqual(2);
      }),
    );
  });

  it("have columns of a width that fits, within limits", () => {
    expect(columnWidths(["a", "b"], [["x".repeat(500), 1]])).toEqual([240, 56]);
  });
});

describe("what is copied", () => {
  const cells = fc.oneof(fc.string({ unit: "grapheme" }), fc.integer(), fc.boolean(), fc.constant(null));

  it("has one line a row and one cell a column", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(cells, cells, cells)), (rows) => {
        const lines = toTsv(["a", "b", "c"], rows).split("\n");
        expect(lines.length).toBe(rows.length + 1);
        for (const line of lines) expect(line.split("\t").length).toBe(3);
      }),
    );
  });

  it("is never a formula", () => {
    for (const formula of ["=1+1", "@SUM(A1)", " =cmd|' /C calc'!A0", "+A1", "-A1"])
      expect(cellText(formula)).toBe(`'${formula}`);
    expect([cellText(-5), cellText("-5"), cellText("lamp"), cellText(null)]).toEqual([
      "-5",
      "-5",
      "lamp",
      "",
    ]);
  });

  it("is every row, page by page", async () => {
    const all = Array.from({ length: 4_500 }, (_, at) => [at]);
    const text = await copyableRows(async (start, count) => ({
      columns: ["n"],
      kinds: ["number"],
      rows: all.slice(start, start + count),
      places: [],
      total: all.length,
    }));
    expect(text.split("\n").length).toBe(4_501);
  });
});

describe("the keys in a table", () => {
  it("stay inside", () => {
    const keys = fc.constantFrom(
      "ArrowUp",
      "ArrowDown",
      "ArrowLeft",
      "ArrowRight",
      "PageUp",
      "PageDown",
      "Home",
      "End",
    );
    fc.assert(
      fc.property(
        fc.array(keys),
        fc.integer({ min: 1, max: 9 }),
        fc.integer({ min: 1, max: 4 }),
        (pressed, rows, columns) => {
          let at: ReturnType<typeof nextCell> = null;
          for (const key of pressed) {
            at = nextCell(key, at, rows, columns);
            expect([at && at.row >= 0 && at.row < rows, at && at.column >= 0 && at.column < columns]).toEqual(
              [true, true],
            );
          }
        },
      ),
    );
  });
});
