// Tables that a style sheet makes of elements which are none: rows of as many cells each.

import * as dom from "../tree/dom";

const FEWEST = 2;
const ROLES: Readonly<Record<string, string>> = {
  table: "table",
  "inline-table": "table",
  "table-row-group": "rowgroup",
  "table-header-group": "rowgroup",
  "table-footer-group": "rowgroup",
  "table-row": "row",
  "table-cell": "cell",
};
const AROUND: Readonly<Record<string, RegExp>> = {
  rowgroup: /^(inline-)?table$/,
  row: /^((inline-)?table|table-(row|header|footer)-group)$/,
  cell: /^table-row$/,
};

/** The role that a display gives an element without one; "generic" where it only lays something out. */
export function roleByDisplay(element: Element, display: string, inTable: boolean): string {
  const role = ROLES[display] ?? "generic";
  if (role === "table") return isTable(element) ? role : "generic";
  const around = dom.parentElement(element);
  const fits = inTable && around && AROUND[role]?.test(displayOf(around));
  return fits ? role : "generic";
}

function isTable(element: Element): boolean {
  const rows = [...dom.children(element)].flatMap((each) =>
    /-group$/.test(displayOf(each)) ? [...dom.children(each)] : [each],
  );
  const counts = rows
    .filter((row) => displayOf(row) === "table-row")
    .map((row) => [...dom.children(row)].filter((cell) => displayOf(cell) === "table-cell").length);
  return counts.length >= FEWEST && counts.every((count) => count >= FEWEST && count === counts[0]);
}

const displayOf = (element: Element): string => getComputedStyle(element).display;
