// What of the record around an element tells it from its neighbours, where the page found the element by itself.
//
// The kernel chooses from a snapshot (`skillbook/perception/records/record_around.py`); without one the page chooses, from few
// elements, what `record.ts` compares at the last moment.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { type DocumentTree, type FindQuery, type SeenRecord, State } from "../protocol/generated";
import { CELLS, words } from "../shared/roles";
import { elementOf, refOf } from "./find_element";
import { LONGEST } from "./record";
import { distinguishing, MOST_TEXTS, type Piece, piecesOf, Rank, steadyOf } from "./record_pieces";

const ITEMS = words("row listitem article option treeitem menuitem definition");
const DIALOGS = words("dialog alertdialog");
const HEADING = "h1,h2,h3,h4,h5,h6,[role=heading]";
const SAYS = /[\p{L}\p{N}]/u;
const LARGEST = 400;
/** Elements; what is larger is a part of the page, which the words before it don't tell from others. */
const SMALL = 40;
const REACH = 60;
/** Records beside one that it is compared with, and elements in all of them. */
const NEIGHBOURS = 12;
const MOST_BESIDE = 1_000;
const WORDS = 60;

/** More elements than these are no answer yet: the kernel looks at the whole page then. */
const FEW = 8;

/** The records around those of a tree's elements that a query may name; null where these are many, or hard to tell. */
export function recordsOf(
  engine: Engine,
  tree: DocumentTree,
  query: FindQuery,
): [string, SeenRecord][] | null {
  const wanted = tree.number.filter((number, at) => {
    const isWanted = query.roles.includes(tree.roles[tree.role[at] ?? -1] ?? "");
    return (
      number > 0 && (isWanted || (query.editable === true && ((tree.flags[at] ?? 0) & State.EDITABLE) !== 0))
    );
  });
  return wanted.length > FEW ? null : recordsAround(engine, wanted);
}

/** The records around some elements, by their numbers; null where they are hard to tell. */
export function recordsAround(engine: Engine, numbers: readonly number[]): [string, SeenRecord][] | null {
  const found: [string, SeenRecord][] = [];
  for (const number of numbers) {
    const element = elementOf(engine, number);
    const record = element && recordAround(engine, element);
    if (record === undefined) return null;
    if (record) found.push([refOf(engine, number), record]);
  }
  return found;
}

/** The record around an element; null for none, undefined where the kernel has to see the whole page to say it. */
function recordAround(engine: Engine, element: Element): SeenRecord | null | undefined {
  const { flat, roles } = engine;
  if (isItsOwn(engine, element)) return undefined;
  if (followsWords(engine, element)) return recordBefore(engine, element);
  let isSmall = true;
  for (let at = flat.parent(element); at && !isRoot(at); at = flat.parent(at)) {
    const role = roles.of(at);
    if (CELLS.has(role)) continue;
    const isDialog = DIALOGS.has(role);
    const isLarge = dom.querySelectorAll(at, "*").length > LARGEST;
    isSmall &&= dom.querySelectorAll(at, "*").length <= SMALL;
    const beside = isDialog || isLarge ? [] : twinsOf(at);
    if (!beside) return undefined;
    const repeats = beside.some((each) => holdsLike(engine, each, element));
    if (isDialog || ITEMS.has(role) || repeats) {
      if (isLarge) break;
      const own = piecesOf(engine, at, element);
      const others = beside.map((each) => piecesOf(engine, each, null));
      const chosen = isDialog
        ? own.filter(isOfDialog).slice(0, MOST_TEXTS)
        : distinguishing(own, others, repeats);
      if (chosen.length) return recordOf(engine, at, role, chosen, others.flat(), false);
      if (isDialog) break;
    }
    if (isSmall && followsWords(engine, at)) return recordBefore(engine, at);
  }
  const heading = headingOver(engine, element);
  const title = heading && fold(engine.names().of(heading, "heading").text);
  const piece = { rank: Rank.TITLE, place: 0, text: title ?? "", href: "" };
  return heading && title ? recordOf(engine, heading, "", [piece], [], true) : null;
}

const isOfDialog = ({ rank, text }: Piece): boolean =>
  text !== "" && (rank === Rank.TITLE || rank === Rank.TEXT);

/** Whether an element without a name may be a record itself, told from those beside it by what is in it. */
function isItsOwn(engine: Engine, element: Element): boolean {
  const role = engine.roles.of(element);
  if (engine.names().of(element, role).text) return false;
  return ITEMS.has(role) || twinsOf(element)?.length !== 0;
}

/** Whether words stand before an element, and one like it stands beside it: the words say which of them it is. */
function followsWords(engine: Engine, element: Element): boolean {
  const before = wordsBefore(engine, element);
  if (!before || (before instanceof Element && isLike(engine, before, element))) return false;
  const beside = [
    ...besideOf(element, "previousElementSibling"),
    ...besideOf(element, "nextElementSibling"),
  ].filter((each) => isLike(engine, each, element));
  const tag = dom.localName(element);
  return (
    beside.some((each) => dom.localName(each) === tag) || (beside.length > 0 && isGroup(engine, element))
  );
}

/** What stands before an element and may show text. */
function wordsBefore(engine: Engine, element: Element): Node | null {
  let before = dom.get(element, "previousSibling");
  while (before && !mayShowText(engine, before)) before = dom.get(before, "previousSibling");
  return before;
}

/** Whether snapshots have a node for an element, or in its place for one alike in it. */
const isGroup = (engine: Engine, element: Element): boolean =>
  engine.walkPart(element)[0]?.role === engine.roles.of(element);

/** Whether an element is a node of snapshots: of those that only hold others there are none. */
const isNode = (engine: Engine, element: Element): boolean => engine.walkPart(element)[0]?.source === element;

/** The record that the words before an element are; undefined where only the kernel can say what they are. */
function recordBefore(engine: Engine, element: Element): SeenRecord | undefined {
  const before = wordsBefore(engine, element);
  if (
    !(before instanceof Element) ||
    dom.querySelectorAll(before, "*").length > SMALL ||
    !isNode(engine, before)
  )
    return undefined;
  const isSaid = ({ rank }: Piece): boolean => rank !== Rank.CONTROL;
  const own = piecesOf(engine, before, null).filter(isSaid);
  const beside = own.length > 0 ? twinsOf(before) : null;
  if (!beside) return undefined;
  const others = beside.map((each) => piecesOf(engine, each, null));
  const chosen = distinguishing(own, others, true);
  return chosen.length > 0 ? recordOf(engine, before, engine.roles.of(before), chosen, [], true) : undefined;
}

/** Whether there is text in a node, or a shadow root, in which there may be. */
function mayShowText(engine: Engine, node: Node): boolean {
  return SAYS.test(dom.textContent(node)) || (node instanceof Element && hasShadow(engine, node));
}

function hasShadow({ flat }: Engine, element: Element): boolean {
  return [element, ...dom.querySelectorAll(element, "*")].some((each) => flat.shadow(each) !== null);
}

/** The elements that stand on one side of another, as far as they count. */
function besideOf(element: Element, side: "previousElementSibling" | "nextElementSibling"): Element[] {
  const found: Element[] = [];
  let at = dom.get(element, side);
  for (; at && found.length < REACH; at = dom.get(at, side)) found.push(at);
  return found;
}

function isLike(engine: Engine, one: Element, other: Element): boolean {
  const [first, second] = [one, other].map((each) => {
    const role = engine.roles.of(each);
    return `${role} ${engine.names().of(each, role).text}`;
  });
  return first === second;
}

const isRoot = (element: Element): boolean => /^(?:html|body)$/.test(dom.localName(element));

/** The elements beside one that are of its kind, nearest first; null where they are too large to be read. */
function twinsOf(holder: Element): Element[] | null {
  const kind = kindOf(holder);
  const sides = [besideOf(holder, "previousElementSibling"), besideOf(holder, "nextElementSibling")];
  const found: Element[] = [];
  let inside = 0;
  for (let i = 0; i < REACH && found.length < NEIGHBOURS; i++)
    for (const each of sides.flatMap((side) => side[i] ?? [])) {
      if (kindOf(each) !== kind) continue;
      inside += 1 + dom.querySelectorAll(each, "*").length;
      if (inside > MOST_BESIDE && found.length >= 2) return found;
      if (inside > MOST_BESIDE) return null;
      found.push(each);
    }
  return found.slice(0, NEIGHBOURS);
}

/** Whether a record has a control of the same role and name: then the name doesn't say whose it is. */
function holdsLike(engine: Engine, holder: Element, element: Element): boolean {
  if (!dom.querySelector(holder, dom.localName(element)) && !hasShadow(engine, holder)) return false;
  const role = engine.roles.of(element);
  const name = fold(engine.names().of(element, role).text);
  return engine.walkPart(holder).some((each) => each.role === role && fold(each.label) === name);
}

function kindOf(element: Element): string {
  const first = /\S+/.exec(dom.getAttribute(element, "class") ?? "")?.[0] ?? "";
  return `${dom.localName(element)}.${first}.${dom.getAttribute(element, "role") ?? ""}`;
}

/** The heading of the part that an element is in; of the whole page only the first. */
function headingOver(engine: Engine, element: Element): Element | null {
  const { flat, roles } = engine;
  for (let at: Element | null = element; at && !isRoot(at); at = flat.parent(at)) {
    const above = flat.parent(at);
    const isPage = !above || isRoot(above) || roles.of(above) === "main";
    let before = dom.get(at, "previousElementSibling");
    for (let i = 0; before && i < REACH; i++, before = dom.get(before, "previousElementSibling")) {
      const heading = dom.matches(before, HEADING)
        ? before
        : dom.querySelector(before, `:scope > :is(${HEADING})`);
      // One that snapshots don't have, as behind an open menu, couldn't be read again when the records are compared.
      if (heading && (!isPage || dom.localName(heading) === "h1") && isNode(engine, heading)) return heading;
    }
  }
  return null;
}

function recordOf(
  engine: Engine,
  holder: Element,
  role: string,
  chosen: readonly Piece[],
  others: readonly Piece[],
  apart: boolean,
): SeenRecord {
  const number = engine.refs.numberOf(holder) || engine.refs.note(holder, engine.roles.of(holder), "");
  const texts = chosen.flatMap(({ text }) => (text ? [text.slice(0, LONGEST)] : []));
  const links = chosen.flatMap(({ text, href }) => (text ? [] : [href]));
  const kind = /^(?:generic|none|)$/.test(role) ? "" : `${role} `;
  const said = `${kind}'${(texts[0] ?? links[0] ?? "").slice(0, WORDS)}'`;
  // Counts and amounts may change where something else tells the record from the others.
  const taken = new Set(others.map(({ text }) => steadyOf(text)));
  const loose = texts.every((text) => steadyOf(text) !== "" && !taken.has(steadyOf(text)));
  return { ref: refOf(engine, number), words: said, texts, links, loose, apart };
}
