// Parts without words: bars, stars, dots. How they look may tell rows apart, and no text says so.

import type { NodeExtra } from "../../../protocol/generated";
import { INTERACTIVE } from "../../../shared/roles";
import * as dom from "../tree/dom";
import type { NodeRecord } from "./records";
import { FIELDS, hasText, ROOTS, type Visit, Within } from "./visit";

type Look = [shape: string, image: string];

/** Begins a shape of which nobody sees anything, as where a template has no value. */
const UNSEEN = "~";
/** Parts what an element shows as a text, which is no word, from how it looks. */
const SIGN_ENDS = "\t";
const MOST_SIGNS = 20;
const WORD = /[\p{L}\p{N}]/u;
/** What has a value of its own, or is a page of its own. */
const OTHERWISE = new Set("audio canvas embed iframe meter object progress select textarea video".split(" "));
const ADDRESS = /url\([^)]*\)/g;
/** Styles that show something: when and where an element moves is none of these. */
const SHOWN = /^(?:--|width$|height$|left$|right$|background|color$|fill$|stroke|clip-path$|transform$)/;
/** A part that is turned is as before, and a time isn't seen. */
const TURNED = /rotate|\d(?:deg|turn|m?s)$/;
/** What a drawing shows: how much of it is filled, and with what. How it is drawn, and how large, is what it is. */
const FILLED = "fill href xlink:href offset width".split(" ");
const DRAWINGS = "d points".split(" ");
const LONGEST_VALUE = 20;
/** So many elements of a part are looked at, and so many characters of what they are. */
const MOST_ELEMENTS = 40;
const MOST_CHARACTERS = 160;

/** Finds the outermost parts without words while elements are entered and left, and notes how they look. */
export class WordlessParts {
  /** How many texts with words there were. */
  words = 0;
  private readonly found: Element[] = [];

  get count(): number {
    return this.found.length;
  }

  says(text: string): void {
    if (WORD.test(text)) this.words++;
  }

  /** An element has no words in it: it stands for what is in it, if it counts. */
  close(from: number, subject: Visit): void {
    this.found.length = from;
    if (counts(subject)) this.found.push(subject.element);
  }

  /** An element with words ends: note on its record how the parts in it look. */
  note(from: number, record: NodeRecord | null): void {
    const looks = this.found.splice(from).map((element) => lookOf(element));
    noteOn(record, looks);
  }

  /** A cell has no words: how it looks is the cell's. */
  noteCell(from: number, record: NodeRecord, cell: Element): void {
    this.found.length = from;
    noteOn(record, [lookOf(cell, true)]);
    this.words++;
  }
}

function noteOn(record: NodeRecord | null, looks: readonly Look[]): void {
  const some = looks.filter(([shape, image]) => shape || image);
  if (!record || !some.length) return;
  const extra: NodeExtra = { ...record.extra };
  record.extra = { ...extra, looks: [...(extra.looks ?? []), ...some] };
}

function counts({ element, tag, role, inherited, visible }: Visit): boolean {
  if (!visible || inherited & (Within.LEAF | Within.LABEL) || ROOTS.has(tag)) return false;
  if (FIELDS.has(tag) || OTHERWISE.has(tag) || (INTERACTIVE.has(role) && role !== "link")) return false;
  return !WORD.test(dom.textContent(element));
}

/** What an element and what is in it are, by classes, styles and lines; and which images they show. */
function lookOf(element: Element, isCell = false): Look {
  const parts: string[] = [];
  const images: string[] = [];
  const inside = [element, ...dom.querySelectorAll(element, "*")].slice(0, MOST_ELEMENTS);
  // What is around an image is the image, loaded or not.
  const framing = new Set<Element | null>();
  for (const each of inside) {
    const shown = imagesOf(each);
    images.push(...shown);
    if (shown.length && !(each instanceof SVGElement))
      for (let up: Element | null = each; up && !framing.has(up); up = dom.parentElement(up)) framing.add(up);
  }
  for (const each of inside) if (!framing.has(each)) parts.push(piecesOf(each, isCell && each === element));
  const shape = shortened(runsOf(parts.filter(Boolean)).join(" > "));
  const unseen = shape && !inside.some(shows) ? UNSEEN : "";
  const sign = isCell ? "" : dom.textContent(element).replace(/\s+/g, "");
  const signed = shape && sign ? `${sign.slice(0, MOST_SIGNS)}${SIGN_ENDS}` : "";
  return [signed + unseen + shape, shortened(images.filter(Boolean).join(" "))];
}

/** The images that an element shows, and the forms that it draws. */
function imagesOf(element: Element): string[] {
  const tag = dom.localName(element);
  if (tag === "img" || tag === "source") return [dom.getAttribute(element, "src") ?? ""];
  if (element instanceof SVGElement)
    return DRAWINGS.map((name) => dom.getAttribute(element, name) ?? "").filter(Boolean);
  return dom.getAttribute(element, "style")?.match(ADDRESS) ?? [];
}

/** Classes, data, styles and lines of one element, a word each. */
function piecesOf(element: Element, isCell: boolean): string {
  const pieces: string[] = [];
  for (const name of dom.getAttributeNames(element)) {
    const value = dom.getAttribute(element, name) ?? "";
    if (name === "class") pieces.push(...(isCell ? [] : value.split(/\s+/)));
    else if (name === "style") pieces.push(...stylesOf(value));
    else if (name.startsWith("data-") && value && value.length <= LONGEST_VALUE)
      pieces.push(`${name}=${value.replace(/\s+/g, "_")}`);
    else if (element instanceof SVGElement && isFilled(element, name, value))
      pieces.push(`${name}:${value.replace(/\s+/g, "")}`);
  }
  return pieces.filter(Boolean).join(" ");
}

function isFilled(element: SVGElement, name: string, value: string): boolean {
  return FILLED.includes(name) && value !== "none" && !(name === "width" && dom.localName(element) === "svg");
}

function stylesOf(style: string): string[] {
  const declared = style.replace(ADDRESS, "").replace(/\s+/g, "").split(";");
  return declared.filter((each) => SHOWN.test(each.slice(0, each.indexOf(":"))) && !TURNED.test(each));
}

/** Whether an element shows anything by itself: a sign, an image, a box that isn't empty. */
function shows(element: Element): boolean {
  if (element instanceof SVGElement || dom.localName(element) === "img" || hasText(element)) return true;
  const { width, height } = dom.getBoundingClientRect(element);
  return width > 0 && height > 0;
}

/** Parts with how often each stands in a row. */
function runsOf(parts: readonly string[]): string[] {
  const runs: [part: string, times: number][] = [];
  for (const part of parts) {
    const last = runs.at(-1);
    if (last?.[0] === part) last[1]++;
    else runs.push([part, 1]);
  }
  return runs.map(([part, times]) => (times > 1 ? `${times}×${part}` : part));
}

/** A text that isn't long, and differs if the whole does. */
function shortened(text: string): string {
  if (text.length <= MOST_CHARACTERS) return text;
  let hash = 5381;
  for (let at = 0; at < text.length; at++) hash = ((hash * 33) ^ text.charCodeAt(at)) | 0;
  return `${text.slice(0, MOST_CHARACTERS)}… ${(hash >>> 0).toString(36)}`;
}
