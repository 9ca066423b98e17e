// Which rows of a long table are rendered, and which of them have to be read. Pure.

export const ROW_HEIGHT = 26;
export const PAGE_ROWS = 100;
const MARGIN_ROWS = 8;

export interface RowWindow {
  /** The first row that is rendered, and the one after the last. */
  from: number;
  to: number;
}

/** The rows in view, with some above and below. */
export function rowsInView(scrolled: number, height: number, total: number): RowWindow {
  const first = Math.floor(Math.max(scrolled, 0) / ROW_HEIGHT) - MARGIN_ROWS;
  const last = Math.ceil((Math.max(scrolled, 0) + Math.max(height, 0)) / ROW_HEIGHT) + MARGIN_ROWS;
  const to = Math.max(Math.min(last, total), 0);
  return { from: Math.min(Math.max(first, 0), to), to };
}

/** The pages that hold these rows. */
export function pagesOf({ from, to }: RowWindow): number[] {
  if (to <= from) return [];
  const first = Math.floor(from / PAGE_ROWS);
  return Array.from({ length: Math.floor((to - 1) / PAGE_ROWS) - first + 1 }, (_, place) => first + place);
}

/** Widths of columns in pixels, by what their first rows and their names hold. */
export function columnWidths(columns: readonly string[], rows: readonly (readonly unknown[])[]): number[] {
  return columns.map((name, column) => {
    const lengths = rows.map((row) => String(row[column] ?? "").length);
    const longest = Math.max(name.length + 2, ...lengths, 4);
    return Math.min(Math.max(longest * 7.5 + 22, 56), 240);
  });
}
