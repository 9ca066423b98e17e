// What of the record around an element tells it from its neighbours, where the page found the element by itself.
//
// The kernel chooses from a snapshot (`skillbook/perception/record_around.py`); without one the page chooses, from few
// elements, what `record.ts` compares at the last moment.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { type DocumentTree, type FindQuery, type SeenRecord, State } from "../protocol/generated";
import { CELLS, INTERACTIVE } from "../shared/roles";
import { elementOf, refOf } from "./find_element";
import { VOLATILE } from "./record";

const ITEMS = new Set("row listitem article option treeitem menuitem definition".split(" "));
const DIALOGS = new Set(["dialog", "alertdialog"]);
const TITLES = new Set(["heading", "rowheader", "term"]);
const VALUED = new Set("listbox progressbar meter".split(" "));
const HEADING = "h1,h2,h3,h4,h5,h6,[role=heading]";
const SAYS = /[\p{L}\p{N}]/u;
const LARGEST = 400;
/** Elements; what is larger is a part of the page, which the words before it don't tell from others. */
const SMALL = 40;
const REACH = 60;
const LONGEST = 300;
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
  if (wanted.length > FEW) return null;
  const found: [string, SeenRecord][] = [];
  for (const number of wanted) {
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
  if (followsWords(engine, element)) return undefined;
  let isSmall = true;
  for (let at = flat.parent(element); at && !isRoot(at); at = flat.parent(at)) {
    const role = roles.of(at);
    if (CELLS.has(role)) continue;
    isSmall &&= dom.querySelectorAll(at, "*").length <= SMALL;
    const isDialog = DIALOGS.has(role);
    const beside = isDialog ? [] : twinsOf(at, element);
    if (!isDialog && !ITEMS.has(role) && !beside.length) {
      if (isSmall && followsWords(engine, at)) return undefined;
      continue;
    }
    if (dom.querySelectorAll(at, "*").length > LARGEST) break;
    const others = beside.map((each) => fold(dom.textContent(each)));
    const texts = textsOf(engine, at, element, others, isDialog);
    if (texts.length) return recordOf(engine, at, role, texts, others, false);
    if (isDialog) break;
    if (saysMore(engine, at, element) || followsWords(engine, at)) return undefined;
  }
  const heading = headingOver(engine, element);
  const title = heading && fold(engine.names().of(heading, "heading").text);
  return heading && title ? recordOf(engine, heading, "", [title], [], true) : null;
}

/** Whether words stand before an element, and one like it stands beside it: the words say which of them it is. */
function followsWords(engine: Engine, element: Element): boolean {
  let before = dom.get(element, "previousSibling");
  while (before && !SAYS.test(dom.textContent(before))) before = dom.get(before, "previousSibling");
  if (!before || (before instanceof Element && isLike(engine, before, element))) return false;
  return [...besideOf(element, "previousElementSibling"), ...besideOf(element, "nextElementSibling")].some(
    (each) => isLike(engine, each, element),
  );
}

/** The elements that stand on one side of another, as far as they count. */
function besideOf(element: Element, side: "previousElementSibling" | "nextElementSibling"): Element[] {
  const found: Element[] = [];
  let at = dom.get(element, side);
  for (; at && found.length < REACH; at = dom.get(at, side)) found.push(at);
  return found;
}

function isLike(engine: Engine, one: Element, other: Element): boolean {
  if (dom.localName(one) !== dom.localName(other)) return false;
  const [first, second] = [one, other].map((each) => {
    const role = engine.roles.of(each);
    return `${role} ${engine.names().of(each, role).text}`;
  });
  return first === second;
}

/** Whether there is anything in a record besides an element, such as numbers or links. */
function saysMore({ flat }: Engine, holder: Element, element: Element): boolean {
  if (SAYS.test(dom.textContent(holder).replace(dom.textContent(element), ""))) return true;
  return [...dom.querySelectorAll(holder, "a,button,img,svg")].some(
    (each) => !flat.isInside(each, element) && !flat.isInside(element, each),
  );
}

const isRoot = (element: Element): boolean => /^(?:html|body)$/.test(dom.localName(element));

/** The elements beside one that are of its kind, and hold the like of what was found. */
function twinsOf(holder: Element, element: Element): Element[] {
  const tag = dom.localName(element);
  return [dom.get(holder, "previousElementSibling"), dom.nextElementSibling(holder)].filter(
    (each): each is Element =>
      each !== null && kindOf(each) === kindOf(holder) && dom.querySelector(each, tag) !== null,
  );
}

function kindOf(element: Element): string {
  const first = /\S+/.exec(dom.getAttribute(element, "class") ?? "")?.[0] ?? "";
  return `${dom.localName(element)}.${first}.${dom.getAttribute(element, "role") ?? ""}`;
}

function textsOf(
  engine: Engine,
  holder: Element,
  element: Element,
  others: readonly string[],
  isDialog: boolean,
): string[] {
  const titles: string[] = [];
  const rest: string[] = [];
  for (const { source, role, label, isText } of engine.walkPart(holder)) {
    const around = isText ? dom.parentElement(source) : (source as Element);
    const text = fold(label);
    if (!around || source === holder || engine.flat.isInside(around, element)) continue;
    if (VALUED.has(role) || (INTERACTIVE.has(role) && role !== "link")) continue;
    if (isInControl(engine, around, holder) || others.some((other) => other.includes(text))) continue;
    if (!/\p{L}/u.test(steadyOf(text))) continue;
    if (TITLES.has(role) || TITLES.has(engine.roles.of(around))) titles.push(text);
    else rest.push(text);
  }
  return titles.length ? titles.slice(0, 2) : rest.slice(0, isDialog ? 3 : 1);
}

/** Whether something stands in a control, which may say something else by the next moment. */
function isInControl({ flat, roles }: Engine, inner: Element, holder: Element): boolean {
  for (let at: Element | null = inner; at && at !== holder; at = flat.parent(at)) {
    const role = roles.of(at);
    if (INTERACTIVE.has(role) && role !== "link") return true;
  }
  return false;
}

/** The heading of the part that an element is in; of the whole page only the first. */
function headingOver({ flat, roles }: Engine, element: Element): Element | null {
  for (let at: Element | null = element; at && !isRoot(at); at = flat.parent(at)) {
    const above = flat.parent(at);
    const isPage = !above || isRoot(above) || roles.of(above) === "main";
    let before = dom.get(at, "previousElementSibling");
    for (let i = 0; before && i < REACH; i++, before = dom.get(before, "previousElementSibling")) {
      const heading = dom.matches(before, HEADING)
        ? before
        : dom.querySelector(before, `:scope > :is(${HEADING})`);
      if (heading && (!isPage || dom.localName(heading) === "h1")) return heading;
    }
  }
  return null;
}

function recordOf(
  engine: Engine,
  holder: Element,
  role: string,
  texts: string[],
  others: readonly string[],
  apart: boolean,
): SeenRecord {
  const number = engine.refs.numberOf(holder) || engine.refs.note(holder, engine.roles.of(holder), "");
  const said = texts.map((text) => text.slice(0, LONGEST));
  const kind = /^(?:generic|none|)$/.test(role) ? "" : `${role} `;
  const words = `${kind}'${(said[0] ?? "").slice(0, WORDS)}'`;
  // Counts and amounts may change where something else tells the record from the others.
  const loose = !said.some((text) => others.some((other) => steadyOf(other).includes(steadyOf(text))));
  return { ref: refOf(engine, number), words, texts: said, loose, apart };
}

const steadyOf = (text: string): string => fold(text.replace(VOLATILE, ""));
