// What ARIA's attributes say of an element beside its states and its name: the same for both engines.

import type { NodeExtra } from "../protocol/generated";

/**
 * Add what isn't the default.
 *
 * @param aria - reads an attribute, without its prefix.
 * @param spans - how many columns and rows a cell covers by HTML.
 */
export function addAria(
  extra: NodeExtra,
  role: string,
  aria: (name: string) => string | null | undefined,
  spans: () => readonly [columns: number, rows: number],
): void {
  const current = aria("current");
  if (current && current !== "false") extra.current = current;
  const haspopup = aria("haspopup");
  if (haspopup && haspopup !== "false") extra.haspopup = haspopup === "true" ? "menu" : haspopup;
  const sort = aria("sort");
  if (sort && sort !== "none") extra.sort = sort;
  const orientation = aria("orientation");
  if (orientation) extra.orientation = orientation;
  const isTable = /^(table|grid|treegrid)$/.test(role);
  const isCell = /^(cell|gridcell|columnheader|rowheader)$/.test(role);
  // A tree's row counts its place among those of its level, where others have the same one.
  const isOfTree = role === "row" && whole(aria("level")) !== null;
  const size = (isTable ? whole(aria("rowcount")) : null) ?? (isOfTree ? null : whole(aria("setsize")));
  if (size !== null) extra.setsize = size;
  const columnCount = isTable ? whole(aria("colcount")) : null;
  if (columnCount !== null) extra.colcount = columnCount;
  const line = role === "row" ? whole(aria("rowindex")) : isCell ? whole(aria("colindex")) : null;
  const place = line ?? (isOfTree ? null : whole(aria("posinset")));
  if (place !== null) extra.posinset = place;
  // ARIA doesn't let cells be checked, but grids show ticks by it, with nothing but a drawing in the cell.
  const checked = isCell ? aria("checked") : null;
  if (checked && /^(true|false|mixed)$/.test(checked)) extra.value = checked;
  // A cell of HTML has its span whatever its role.
  const [columns, rows] = spans();
  const [colspan, rowspan] = [whole(aria("colspan")) ?? columns, whole(aria("rowspan")) ?? rows];
  if (colspan > 1) extra.colspan = colspan;
  if (rowspan > 1) extra.rowspan = rowspan;
}

/** Add a limit or value, where there is one. */
export function addNumber(extra: NodeExtra, key: "valuemin" | "valuemax" | "valuenow", given: unknown): void {
  const number = given === undefined || given === null || given === "" ? Number.NaN : Number(given);
  if (Number.isFinite(number)) extra[key] = number;
}

/** An address of a document in full. */
export function absolute(address: string, base: string): string {
  return URL.canParse(address, base) ? new URL(address, base).href : address;
}

/** Add where an image or a frame comes from; of data only of which kind they are. */
export function addSource(extra: NodeExtra, address: string): void {
  if (address) extra.src = address.startsWith("data:") ? address.slice(0, address.search(/[;,]|$/)) : address;
}

/** A whole number; null where the text is none. */
export function whole(text: string | null | undefined): number | null {
  return /^\s*-?\d+\s*$/.test(text ?? "") ? Number(text) : null;
}
