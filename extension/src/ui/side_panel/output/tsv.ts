// Rows as text that a spreadsheet takes when it is pasted. Pure.

import type { Rows } from "../../common/asks";

const PAGE = 2_000;

/** A cell that a spreadsheet takes as text or a number, never as a formula, nor as two cells. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  const text = String(value).replace(/[\t\r\n\u2028\u2029\0]+/g, " ");
  return typeof value !== "number" && /^\s*[=+\-@|%]/.test(text) && Number.isNaN(Number(text))
    ? `'${text}`
    : text;
}

export const toTsv = (columns: readonly string[], rows: readonly (readonly unknown[])[]): string =>
  [columns, ...rows].map((row) => row.map(cellText).join("\t")).join("\n");

/** Every row, read page by page. */
export async function copyableRows(read: (start: number, count: number) => Promise<Rows>): Promise<string> {
  const first = await read(0, PAGE);
  const rows = [...first.rows];
  while (rows.length < first.total) {
    const more = (await read(rows.length, PAGE)).rows;
    if (more.length === 0) break;
    rows.push(...more);
  }
  return toTsv(first.columns, rows);
}
