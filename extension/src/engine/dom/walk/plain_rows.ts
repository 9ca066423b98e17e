// Rows of HTML tables that hold texts and nothing else: most of what a large table has. They are read all at once from the
// part's markup, and placed by one box a row, so that most cells are never touched. What this finds is what the rules for all
// elements find; where that isn't sure, those rules read the rows.

import { type Edges, edgesOf } from "../layout/boxes";
import { fold, hasInk } from "../naming/text";
import { iconIn } from "../semantics/styled_icons";
import * as dom from "../tree/dom";
import type { NodeRecord, PlainRows, RowTexts } from "./records";

/** Smaller parts are read as fast by the rules for all elements. */
const FEWEST_CELLS = 300;
/** A message with more than this would be too large. */
export const MOST_CHARACTERS = 16_000_000;
/** Glyphs of icon fonts say nothing by themselves, so that something else may. */
const ICON = /[\ue000-\uf8ff]/;
const OPENING = 60;
const ENTITY = /&(?:amp|lt|gt|nbsp);/g;
const ENTITIES: Record<string, string> = { "&amp;": "&", "&lt;": "<", "&gt;": ">", "&nbsp;": "\u00a0" };

/** The texts of the rows of a part, if these are all that is in it: rows without attributes, of as many cells each. */
export function textsOf(section: Element, most = MOST_CHARACTERS): RowTexts | null {
  if (dom.call(section, "getElementsByTagName", "td").length < FEWEST_CELLS) return null;
  const html = dom.get(section, "innerHTML");
  if (html.length > 4 * most || ICON.test(html)) return null;
  const texts: string[] = [];
  let width = 0;
  let rows = 0;
  let at = afterSpace(html, 0);
  while (at < html.length) {
    if (!html.startsWith("<tr>", at)) return null;
    at = afterSpace(html, at + 4);
    while (html.startsWith("<td>", at)) {
      const end = html.indexOf("<", at + 4);
      if (!html.startsWith("</td>", end)) return null;
      texts.push(html.slice(at + 4, end));
      at = afterSpace(html, end + 5);
    }
    if (!html.startsWith("</tr>", at)) return null;
    at = afterSpace(html, at + 5);
    if (rows++ === 0) width = texts.length;
    if (texts.length !== rows * width) return null;
  }
  let size = 0;
  for (let place = 0; place < texts.length; place++) {
    let text = texts[place] as string;
    if (text.includes("&")) text = text.replace(ENTITY, (entity) => ENTITIES[entity] as string);
    text = fold(text);
    size += text.length + 4;
    texts[place] = text;
  }
  return width && size <= most ? { width, texts, size } : null;
}

function afterSpace(html: string, from: number): number {
  let at = from;
  while (at < html.length && html.charCodeAt(at) !== OPENING && !hasInk(html[at] as string)) at++;
  return at;
}

/** Whether the records of a row and its cells say nothing but the texts. */
export function isPlain(pattern: readonly NodeRecord[], up: NodeRecord, { width, texts }: RowTexts): boolean {
  const [row, ...cells] = pattern;
  const isBare = (record: NodeRecord): boolean =>
    !(record.dropped || record.flags || record.extra || record.isText || record.scrollable);
  return (
    row !== undefined &&
    isBare(row) &&
    row.up === up &&
    row.role === "row" &&
    row.label === "" &&
    cells.length === width &&
    cells.every(
      (cell, place) =>
        isBare(cell) &&
        cell.up === row &&
        cell.role === (cells[0] as NodeRecord).role &&
        cell.label === texts[place],
    ) &&
    /^(?:grid)?cell$/.test((cells[0] as NodeRecord).role)
  );
}

/** Find where rows and their cells are; null where they aren't in columns, or one shows an icon. */
export function placeRows(
  section: Element,
  { width, texts, size }: RowTexts,
  pattern: NodeRecord[],
): PlainRows | null {
  const rows: Element[] = [];
  for (let row = dom.firstElementChild(section); row; row = dom.nextElementSibling(row)) rows.push(row);
  const first = rows[0] as Element;
  const cells = [...dom.children(first)];
  if (rows.length * width !== texts.length || cells.length !== width) return null;
  const sides = [first, ...cells].map((element): [number, number] => {
    const { x, right } = edgesOf(element);
    return [x, right];
  });
  const found: PlainRows = { width, texts, size, rows, pattern, sides, tops: [], bottoms: [] };
  const ends = [rows.length - 1, rows.length >> 1, 0];
  if (!ends.every((at) => isEven(rows[at] as Element, sides))) return null;
  const [left, right] = sides[width] as [number, number];
  for (const row of rows) {
    const box = edgesOf(dom.lastElementChild(row) as Element);
    if (box.x !== left || box.right !== right || Math.round(box.y) === Math.round(box.bottom)) return null;
    found.tops.push(box.y);
    found.bottoms.push(box.bottom);
  }
  if (!sides.every(([left, right]) => Math.round(left) !== Math.round(right))) return null;
  return showsIcons(found) ? null : found;
}

/** Whether a row's cells are in these columns, and as high as the row. */
function isEven(row: Element, sides: PlainRows["sides"]): boolean {
  const around: Edges = edgesOf(row);
  return [row, ...dom.children(row)].every((element, place) => {
    const { x, y, right, bottom } = edgesOf(element);
    const known = sides[place];
    return known && x === known[0] && right === known[1] && y === around.y && bottom === around.bottom;
  });
}

/** Whether a cell without text has an icon. */
function showsIcons({ texts, rows, width }: PlainRows): boolean {
  return texts.some((text, place) => {
    if (text) return false;
    const cell = dom.children(rows[Math.floor(place / width)] as Element)[place % width];
    return iconIn(cell as Element) !== null;
  });
}
