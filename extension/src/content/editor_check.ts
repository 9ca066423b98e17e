// Whether an editor shows what was put into it. Editors that are typed into as a page's content have no value to read.

import * as dom from "../engine/dom/tree/dom";
import { nextFrame } from "../hit_safety/actionability";
import { squash } from "./fill_check";

/** Editors that render by frameworks show new text within so many frames. */
const FRAMES = 8;
/** What editors make lists, headings and quotes of where it begins a line. */
const MARKUP = /^[ \t]*(?:\d+[.)]|[-*+]|#{1,6}|>|\[[ x]?\])[ \t]+/gim;

/** Wait until an editor shows a text; false where it shows another one. */
export async function showsText(editor: HTMLElement, wanted: string): Promise<boolean> {
  for (let frame = 0; frame < FRAMES; frame++) {
    // What is gone, or empty once it was sent, can't be read.
    if (!dom.get(editor, "isConnected") || isShown(editor, wanted)) return true;
    await nextFrame();
  }
  return false;
}

function isShown(editor: HTMLElement, wanted: string): boolean {
  const [seen, bare] = [textOf(editor), typedTextOf(editor)];
  const texts = [wanted, wanted.replace(MARKUP, "")].map(squash);
  const shown = [seen, bare].map(squash);
  if (texts.some((text) => shown.includes(text))) return hasLines(editor, seen, wanted);
  // Of a long text some render only what is in view.
  return scrolls(editor) && isPartOf(seen, wanted);
}

/** Whether every line of a text is one of another text's, in their order. */
function isPartOf(part: string, whole: string): boolean {
  const lines = whole.split("\n");
  let at = 0;
  const seen = part.split("\n").filter((line) => line.trim() !== "");
  return seen.every((line) => {
    at = lines.indexOf(line, at) + 1;
    return at > 0;
  });
}

/** What an editor shows, as it is remembered before text is typed after it. */
export function textOf(editor: HTMLElement): string {
  return (editor.innerText ?? editor.textContent ?? "").replace(/\u00a0/g, " ");
}

/** The text that a person can change: without placeholders, and controls that the editor puts into it. */
function typedTextOf(node: Node): string {
  if (node instanceof Text) return node.data;
  if (node instanceof HTMLElement && dom.getAttribute(node, "contenteditable") === "false") return "";
  return [...dom.get(node, "childNodes")].map(typedTextOf).join("");
}

/** Whether lines are lines still: some editors drop line ends, and code editors indent twice what is indented already. */
function hasLines(editor: HTMLElement, seen: string, wanted: string): boolean {
  const lines = (text: string): string[] => text.split("\n").filter((line) => line.trim() !== "");
  const [now, given] = [lines(seen), lines(wanted)];
  if (now.length < given.length) return false;
  if (!/^(pre|pre-wrap|break-spaces)$/.test(getComputedStyle(editor).whiteSpace)) return true;
  if (now.length !== given.length) return false;
  return given.every((line, i) => line.trim() !== now[i]?.trim() || line.trimEnd() === now[i]?.trimEnd());
}

function scrolls(editor: HTMLElement): boolean {
  for (let at: HTMLElement | null = editor; at; at = dom.get(at, "parentElement"))
    if (at.scrollHeight > at.clientHeight + 1 && getComputedStyle(at).overflowY !== "visible") return true;
  const root = dom.get(document, "documentElement");
  return root.scrollHeight > root.clientHeight + 1;
}
