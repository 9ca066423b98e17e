// A page at one moment, as a notebook's kernel sends it.

import { shorten, showHidden } from "../common/text";

/** Ref, role, name, depth, states, actionable (1) or takes no text (2), and the box in the viewport. */
export type Row = [string, string, string, number, string, number, [number, number, number, number] | null];

export interface ShotSize {
  format: string;
  width: number;
  height: number;
  /** Where it begins in the viewport. */
  origin: [number, number];
}

export interface PageView {
  url: string;
  title: string;
  shown_as: string;
  rows: Row[];
  omitted: number;
  /** Another one after every change; "" where it isn't known. */
  key: string;
  shot: ShotSize | null;
}

/** What a widget sends to its kernel. */
export type Message = { type: string } & Record<string, unknown>;

/** A step whose page is shown as it was before it. */
export interface PastStep {
  number: number;
  of: number;
  call: string;
  target: string;
}

/** The page that a notebook shows beside its run. */
export interface ShownPage {
  view: PageView;
  bytes: DataView | null;
  past: PastStep | null;
  problem: string;
  hasWindow: boolean;
  send: (message: Message) => void;
}

/** An element's role and name in words, or "" where the page has no such ref. */
export function describe(view: PageView | null, ref: string): string {
  const row = ref ? view?.rows.find(([each]) => each === ref) : undefined;
  return row ? `${row[1]}${row[2] ? ` “${shorten(showHidden(row[2]), 100)}”` : ""}` : "";
}

/** Whether text can be put in an element, as far as is known. */
export function takesText(view: PageView | null, ref: string): boolean {
  const row = view?.rows.find(([each]) => each === ref);
  return !((row?.[5] ?? 0) & 2);
}
