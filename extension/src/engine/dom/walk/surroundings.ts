// What of a page is read where only the record around an element is wanted: the kernel finds that in it.
//
// It is as much around the element as is small, what stands beside that, and the heading over it. What is larger is a
// part of the page: where that may be a record all the same, the kernel needs the whole page to know.

import { type DocumentTree, type FindQuery, State } from "../../../protocol/generated";
import { RECORD_ROLES } from "../../../shared/record_table";
import type { Roles } from "../semantics/roles";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import { WalkPart } from "./part_walk";

/** More elements than these are no answer yet: the kernel looks at the whole page then. */
export const FEW = 8;
/** Elements in what is read as a whole, in what is read beside it, and in what may be a record all the same. */
const SMALL = 200;
const MOST_BESIDE = 400;
const LARGEST = 400;
/** How many elements on each side count as beside. */
const REACH = 60;
const HEADING = "h1,h2,h3,h4,h5,h6,[role=heading]";
const SAYS = /[\p{L}\p{N}]/u;

/** The numbers of those of a tree's elements that a query may name. */
export function namedIn(tree: DocumentTree, query: FindQuery): number[] {
  return tree.number.filter((number, at) => {
    const isWanted = query.roles.includes(tree.roles[tree.role[at] ?? -1] ?? "");
    const isEditable = query.editable === true && ((tree.flags[at] ?? 0) & State.EDITABLE) !== 0;
    return number > 0 && (isWanted || isEditable);
  });
}

/** The part of a page around an element; null where the kernel has to see the whole page. */
export function partAround(element: Element, flat: FlatTree, roles: Roles): WalkPart | null {
  let nearest = element;
  for (let at = flat.parent(element); at && sizeOf(at, flat) <= SMALL; at = flat.parent(at)) nearest = at;
  const part = new WalkPart(flat);
  part.add(nearest);
  const beside = [...besideOf(nearest)];
  // A walk of parts has no text that stands between them.
  if (beside.some(followsText) || followsText(nearest)) return null;
  for (const each of beside) part.add(each);
  for (let at = flat.parent(nearest); at; at = flat.parent(at))
    if (RECORD_ROLES.has(roles.of(at)) && sizeOf(at, flat) <= LARGEST) return null;
  const heading = headingOver(nearest, flat, roles);
  if (heading) part.add(heading);
  return part;
}

/** The elements beside one, nearest first, as far as they are small. */
function* besideOf(element: Element): Generator<Element> {
  const before = [...siblings(element, "previousElementSibling")];
  const after = [...siblings(element, "nextElementSibling")];
  let left = MOST_BESIDE;
  for (let i = 0; i < REACH; i++)
    for (const each of [before[i], after[i]]) {
      if (!each) continue;
      left -= 1 + dom.querySelectorAll(each, "*").length;
      if (left < 0) return;
      yield each;
    }
}

function* siblings(
  element: Element,
  side: "previousElementSibling" | "nextElementSibling",
): Generator<Element> {
  let at = dom.get(element, side);
  for (let i = 0; at && i < REACH; i++, at = dom.get(at, side)) yield at;
}

function followsText(element: Element): boolean {
  const before = dom.get(element, "previousSibling");
  return before !== null && !(before instanceof Element) && SAYS.test(dom.textContent(before));
}

/** The heading of the part that an element is in; of the whole page only the first. */
function headingOver(element: Element, flat: FlatTree, roles: Roles): Element | null {
  for (let at: Element | null = element; at && !isRoot(at); at = flat.parent(at)) {
    const above = flat.parent(at);
    const isPage = !above || isRoot(above) || roles.of(above) === "main";
    for (const before of siblings(at, "previousElementSibling")) {
      const heading = dom.matches(before, HEADING)
        ? before
        : dom.querySelector(before, `:scope > :is(${HEADING})`);
      if (heading && (!isPage || dom.localName(heading) === "h1")) return heading;
    }
  }
  return null;
}

const isRoot = (element: Element): boolean => /^(?:html|body)$/.test(dom.localName(element));

/** The elements in one, those in its shadow root with it. */
function sizeOf(element: Element, flat: FlatTree): number {
  const shadow = flat.shadow(element);
  const inside = shadow ? dom.querySelectorAll(shadow, "*").length : 0;
  return dom.querySelectorAll(element, "*").length + inside;
}
