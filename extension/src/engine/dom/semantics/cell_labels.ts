// Style sheets turn tables into cards on narrow windows: each cell then begins with the name of its column, as generated
// text. It is no part of the cell's value.

import { pseudoContent } from "../naming/names";
import { fold } from "../naming/text";
import * as dom from "../tree/dom";

const LETTER = /\p{L}/u;
const AFTER_NAME = /[^\p{L}\p{N}]*$/u;
/** So many cells of a row have a name of their own; a single one may be a currency or a unit. */
const FEWEST = 2;

/** The generated text at a cell's beginning if it names the column; "" if there is none, or it may be part of the value. */
export function columnShownIn(cell: Element): string {
  const text = generatedIn(cell);
  const row = dom.parentElement(cell);
  if (!text || !row) return "";
  const attribute = attributeSaying(cell, text);
  const said = new Set<string>();
  for (const each of dom.children(row)) {
    if (dom.localName(each) !== dom.localName(cell)) continue;
    const other = attribute ? fold(dom.getAttribute(each, attribute) ?? "") : besideOthers(each);
    if (other) said.add(other);
    if (said.size >= FEWEST) return text;
  }
  return "";
}

function generatedIn(cell: Element): string {
  const text = fold(pseudoContent(cell, "::before"));
  return LETTER.test(text) ? text : "";
}

/** The attribute that a generated text is the value of, as in `content: attr(data-label) ":"`. */
function attributeSaying(cell: Element, text: string): string | undefined {
  const name = text.replace(AFTER_NAME, "");
  return dom.getAttributeNames(cell).find((each) => {
    const value = fold(dom.getAttribute(cell, each) ?? "");
    return value === text || (value !== "" && value.replace(AFTER_NAME, "") === name);
  });
}

/** What a cell begins with if it is no longer laid out as one: `td:nth-of-type(2)::before { content: "Total" }`. */
function besideOthers(cell: Element): string {
  return getComputedStyle(cell).display === "table-cell" ? "" : generatedIn(cell);
}
