// What a record says, and which of it tells the record from those beside it, as `record_around.py` has it.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import type { NodeRecord } from "../engine/dom/walk/records";
import { INTERACTIVE, words } from "../shared/roles";
import { VOLATILE } from "./record";

const ITEMS = words("row listitem article option treeitem menuitem definition");
/** What these are called is what is in them. */
const UNTITLED = words("row option treeitem menuitem");
const TITLES = words("heading rowheader term");
const IMAGES = words("img image svg canvas graphics-document");
const VALUED = words("textbox searchbox combobox spinbutton slider listbox progressbar meter");
const TICKED = words("checkbox radio switch option");
const SAYS = /[\p{L}\p{N}]/u;
/** Nodes; what is larger is a part of the page, of which only titles count. */
const LARGEST = 120;
export const MOST_TEXTS = 3;
const MOST_TITLES = 2;

export enum Rank {
  TITLE = 0,
  LINK = 1,
  TEXT = 2,
  IMAGE = 3,
  CONTROL = 4,
}

export interface Piece {
  rank: Rank;
  /** Its place among what has the same rank: records beside it have the same kind of thing there. */
  place: number;
  text: string;
  href: string;
}

/** What a record says, without a control in it, and without what people enter. */
export function piecesOf(engine: Engine, holder: Element, control: Element | null): Piece[] {
  const list = engine.walkPart(holder);
  const places = new Map<Rank, number>();
  const skipped = new Set<NodeRecord>();
  const found: Piece[] = [];
  let isSmall = list.length <= LARGEST;
  for (const node of list) {
    const { source, role, label, extra } = node;
    if (isBelow(node, skipped)) continue;
    if (role === "iframe" || (control && isPartOf(engine, source, control))) {
      skipped.add(node); // the page can't read another document when it compares
      continue;
    }
    const isRecord = source === holder;
    const rank = rankOf(role, isRecord);
    if (VALUED.has(role) || rank === Rank.CONTROL) skipped.add(node);
    if (isSmall && control && rank === Rank.TEXT && !isRecord && ITEMS.has(role))
      // Items inside of a record are records of their own: only titles count then.
      isSmall = ITEMS.has(engine.roles.of(holder)) || engine.flat.isInside(control, source as Element);
    if (rank === null || !(isSmall || rank === Rank.TITLE)) continue;
    const href = rank === Rank.LINK ? (extra?.href ?? "") : "";
    const text = SAYS.test(label) ? fold(label) : "";
    if (!text && !href) continue;
    const place = (places.get(rank) ?? -1) + 1;
    places.set(rank, place);
    found.push({ rank, place, text, href });
  }
  return found;
}

function isBelow({ up }: NodeRecord, skipped: ReadonlySet<NodeRecord>): boolean {
  for (let at = up; at; at = at.up) if (skipped.has(at)) return true;
  return false;
}

function isPartOf({ flat }: Engine, source: Element | Text, control: Element): boolean {
  return flat.isInside(source instanceof Element ? source : dom.parentElement(source), control);
}

function rankOf(role: string, isRecord: boolean): Rank | null {
  if (isRecord) return UNTITLED.has(role) ? null : Rank.TITLE;
  if (TITLES.has(role)) return Rank.TITLE;
  if (role === "link") return Rank.LINK;
  if (IMAGES.has(role)) return Rank.IMAGE;
  if (VALUED.has(role)) return null;
  return INTERACTIVE.has(role) && !TICKED.has(role) ? Rank.CONTROL : Rank.TEXT;
}

/** The pieces that tell a record from those beside it: titles and links, else the first text that does. */
export function distinguishing(
  own: readonly Piece[],
  beside: readonly Piece[][],
  byNumbers: boolean,
): Piece[] {
  const others = new Set(beside.flatMap((each) => each.map(({ text }) => text)));
  const leads = new Set(beside.flatMap((each) => each.map(({ href }) => href)));
  const links = own
    .filter(({ href }) => href && !leads.has(href) && !/^javascript:/i.test(href))
    .slice(0, MOST_TEXTS)
    .map((piece) => ({ ...piece, text: "" }));
  const fresh = own.filter(({ text }) => text && !others.has(text));
  for (const rank of [Rank.TITLE, Rank.LINK]) {
    const titles = fresh.filter((piece) => piece.rank === rank);
    if (titles.length) return [...titles.slice(0, MOST_TITLES), ...links];
  }
  for (const rank of [Rank.TEXT, Rank.IMAGE, Rank.CONTROL]) {
    const lettered = fresh.filter((piece) => piece.rank === rank && hasLetters(piece.text));
    if (lettered.length) return [steadiest(lettered, beside), ...links];
  }
  if (links.length) return links;
  const counted = fresh.filter(({ rank }) => rank === Rank.TEXT);
  if (byNumbers && counted.length) return counted.slice(0, MOST_TEXTS);
  // Nothing tells it from the records beside it: what it says at all still tells it from others.
  return own.filter(({ rank, text }) => hasLetters(text) && rank !== Rank.CONTROL).slice(0, MOST_TEXTS);
}

/** The first of the pieces in whose place texts repeat least: a state does that, a name doesn't. */
function steadiest(pieces: readonly Piece[], beside: readonly Piece[][]): Piece {
  const repeats = ({ rank, place }: Piece): number => {
    const there = beside.flat().filter((other) => other.rank === rank && other.place === place);
    return there.length - new Set(there.map(({ text }) => text)).size;
  };
  return pieces.reduce((best, piece) => (repeats(piece) < repeats(best) ? piece : best));
}

const hasLetters = (text: string): boolean => /\p{L}/u.test(steadyOf(text));

/** A text without counts in brackets, clocks and amounts. */
export const steadyOf = (text: string): string => fold(text.replace(VOLATILE, ""));
