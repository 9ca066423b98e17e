// How rows are written: bold type, colors, room before the first text. Where this differs, it may say what no text does: a
// sum, a state, a level. Rows of the same classes and styles are looked at once.

import { hasInk } from "../naming/text";
import * as dom from "../tree/dom";
import type { NodeRecord } from "./records";

/** By name, how a text is written: "bold", "italic", "color", "background", "indent"; "" where it is as texts are. */
type Manner = Record<string, string>;
/** How a row is written otherwise than the first one: by the place of its cell, -1 for all that say something. */
export type Written = [place: number, manner: string];

/** What of a style shows how texts are written. */
const WRITING = /(?:^|;)\s*(?:background|color|font|padding|margin|text-indent)[^;]*/gi;
const ATTRIBUTES = ["class", "bgcolor", "color"];
const PARTS = /^t(?:body|foot)$/;
const ITEMS = /^(?:row|listitem|article|option|treeitem|generic)$/;
const OF_ITSELF = /^(?:a|button|input|select|textarea)$/;
const CLEAR = /^(?:transparent|rgba\(.*, 0\))$/;
const BOLD = 600;
/** So deep the first text of a cell is looked for, and so many kinds of rows and cells are looked at in one list. */
const DEEPEST = 6;
const MOST_KINDS = 60;

interface List {
  first: Manner[];
  known: Map<string, Manner>;
  kinds: Map<string, Written[]>;
}

/** Notes on records of rows, as they end, how these are written. */
export class WrittenRows {
  private readonly lists = new Map<Element, Map<string, List>>();

  note(record: NodeRecord, row: Element, tag: string): void {
    const holder = ITEMS.test(record.role) ? holderOf(row, tag) : null;
    if (!holder) return;
    const cells = record.role === "row" ? [...dom.children(row)] : [row];
    if (!cells.length || cells.every((cell) => dom.localName(cell) === "th")) return;
    const own = kindOf(row);
    const firsts = cells.map((cell) => firstText(cell));
    const kinds = cells.map((cell, place) =>
      wayTo(firsts[place] ?? null, cell)
        .map(kindOf)
        .join(">"),
    );
    const kind = [own, ...kinds].join("|");
    const list = this.listOf(holder, tag, record.role);
    let written = list.kinds.get(kind);
    if (!written) {
      if (list.known.size >= MOST_KINDS) return;
      const manners = firsts.map((text, place) => {
        if (!text) return {};
        const key = [place, own, kinds[place]].join("|");
        const known = list.known.get(key) ?? mannerOf(text, cells[place] as Element, row);
        list.known.set(key, known);
        return known;
      });
      if (!list.kinds.size) list.first = manners;
      written = differences(manners, list.first, firsts);
      list.kinds.set(kind, written);
    }
    if (written.length) record.extra = { ...record.extra, written };
  }

  private listOf(holder: Element, tag: string, role: string): List {
    const lists = this.lists.get(holder) ?? new Map<string, List>();
    this.lists.set(holder, lists);
    const key = `${tag} ${role}`;
    const list = lists.get(key) ?? { first: [], known: new Map(), kinds: new Map() };
    lists.set(key, list);
    return list;
  }
}

/** What holds a row and others like it; null for headers, and where there is no other. */
function holderOf(row: Element, tag: string): Element | null {
  const around = dom.parentElement(row);
  if (!around || dom.localName(around) === "thead") return null;
  if (PARTS.test(dom.localName(around))) return dom.parentElement(around);
  const beside = dom.nextElementSibling(row) ?? dom.previousElementSibling(row);
  return beside && dom.localName(beside) === tag ? around : null;
}

/** Classes and styles of an element, as far as they may say how its texts are written. */
function kindOf(element: Element): string {
  if (!dom.hasAttributes(element)) return dom.localName(element);
  const style = dom.getAttribute(element, "style")?.match(WRITING)?.join("") ?? "";
  const others = ATTRIBUTES.map((name) => dom.getAttribute(element, name) ?? "");
  return [dom.localName(element), style, ...others].join(" ").trimEnd();
}

/** The element that the first text in another one stands in. */
function firstText(element: Element, deep = 0): Element | null {
  for (let node = dom.firstChild(element); node; node = dom.nextSibling(node)) {
    const type = dom.nodeType(node);
    if (type === dom.TEXT && hasInk((node as Text).data)) return element;
    if (type !== dom.ELEMENT || deep > DEEPEST || OF_ITSELF.test(dom.localName(node as Element))) continue;
    const found = firstText(node as Element, deep + 1);
    if (found) return found;
  }
  return null;
}

/** An element and what is around it, from the inside up to another one. */
function wayTo(inner: Element | null, outer: Element): Element[] {
  const way: Element[] = [];
  for (let at = inner; at && at !== outer; at = dom.parentElement(at)) way.push(at);
  return [...way, outer];
}

function mannerOf(text: Element, cell: Element, row: Element): Manner {
  const { fontWeight, fontStyle, color } = getComputedStyle(text);
  const manner: Manner = { color, background: "", indent: "" };
  manner["bold"] = Number(fontWeight) >= BOLD ? "yes" : "";
  manner["italic"] = fontStyle === "normal" ? "" : "yes";
  const way = wayTo(text, row);
  for (const at of way) {
    const { backgroundColor } = getComputedStyle(at);
    if (CLEAR.test(backgroundColor)) continue;
    manner["background"] = backgroundColor;
    break;
  }
  if (cell !== row) {
    const { paddingInlineStart, textIndent } = getComputedStyle(cell);
    const inner = text === cell ? null : getComputedStyle(text);
    const lengths = [paddingInlineStart, textIndent, inner?.paddingInlineStart, inner?.marginInlineStart];
    const indent = lengths.reduce((sum, length) => sum + (Number.parseFloat(length ?? "") || 0), 0);
    manner["indent"] = indent ? `${Math.round(indent)}px` : "";
  }
  return manner;
}

function wordsFor(name: string, value: string): string {
  const isKind = name === "bold" || name === "italic";
  return isKind ? `${value ? "" : "not "}${name}` : `${name} ${value || "none"}`;
}

/** How a row's cells are written otherwise than those of another; what is so in all of them is the row's. */
function differences(
  row: readonly Manner[],
  first: readonly Manner[],
  texts: readonly (Element | null)[],
): Written[] {
  const found = row.map((manner, place) => {
    const usual = first[place] ?? {};
    const names = Object.keys(manner).filter((name) => name in usual && manner[name] !== usual[name]);
    return names.map((name) => wordsFor(name, manner[name] ?? ""));
  });
  const saying = found.filter((_, place) => texts[place] && Object.keys(first[place] ?? {}).length);
  const common = (saying[0] ?? []).filter((each) => saying.every((line) => line.includes(each)));
  const whole = common.map((each): Written => [-1, each]);
  const parts = found.flatMap((line, place) =>
    line.filter((each) => !common.includes(each)).map((each): Written => [place, each]),
  );
  return [...whole, ...parts];
}
