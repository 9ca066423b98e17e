// What people act on though accessibility says nothing of it: why an element without an interactive role is actionable.

import { LISTENERS, TEST_IDS } from "../../../shared/attributes";
import { KEY } from "../../../shared/record_table";
import * as dom from "../tree/dom";
import { isEditingHost } from "./roles";

/** What an element's attributes are about, so that a walk reads each list of attributes once. */
export const Mark = {
  ROLE: 1 << 0,
  ARIA: 1 << 1,
  ARIA_HIDDEN: 1 << 2,
  TABINDEX: 1 << 3,
  LISTENER: 1 << 4,
  EDITABLE: 1 << 5,
  DRAGGABLE: 1 << 6,
  TEST_ID: 1 << 7,
  TITLE: 1 << 8,
  INERT: 1 << 9,
  ID: 1 << 10,
  LABEL: 1 << 11,
  /** It asks that no AI uses it. */
  NO_AI: 1 << 12,
  /** The browser's own controls of what it plays. */
  CONTROLS: 1 << 13,
  /** An `aria-*` attribute that doesn't only name the element. */
  STATE: 1 << 14,
  /** An attribute that may be the key of a record: its id has a mark of its own. */
  KEY: 1 << 15,
} as const;

const MARKS: ReadonlyMap<string, number> = new Map<string, number>([
  ["role", Mark.ROLE],
  ["aria-hidden", Mark.ARIA_HIDDEN],
  ["aria-label", Mark.ARIA | Mark.LABEL],
  ["aria-labelledby", Mark.ARIA | Mark.LABEL],
  ["tabindex", Mark.TABINDEX],
  ["contenteditable", Mark.EDITABLE],
  ["draggable", Mark.DRAGGABLE],
  ["title", Mark.TITLE],
  ["inert", Mark.INERT],
  ["controls", Mark.CONTROLS],
  ["id", Mark.ID],
  ["data-no-ai", Mark.NO_AI],
  ...[...LISTENERS].map((name): [string, number] => [name, Mark.LISTENER]),
  ...TEST_IDS.map((name): [string, number] => [name, Mark.TEST_ID]),
]);

const PLAYED: ReadonlySet<string> = new Set(["audio", "video"]);

/** What an element's attributes are about. */
export function marksOf(element: Element): number {
  let marks = 0;
  for (const name of dom.getAttributeNames(element)) {
    const mark = MARKS.get(name);
    if (mark !== undefined) marks |= mark;
    else if (name.startsWith("aria-")) marks |= Mark.ARIA | Mark.STATE;
    else if (name.includes("-") && KEY.test(name)) marks |= Mark.KEY;
  }
  return marks;
}

/** Why an element is actionable beyond its role; `pointer` where the pointing hand begins at it. */
export function reasonsOf(element: Element, marks: number, pointer: boolean): string[] {
  const why: string[] = [];
  if (marks & Mark.LISTENER) {
    for (const name of dom.getAttributeNames(element)) if (LISTENERS.has(name)) why.push(name);
  }
  if (pointer) why.push("cursor");
  if (marks & Mark.TABINDEX && Number.parseInt(dom.getAttribute(element, "tabindex") as string, 10) >= 0)
    why.push("tabindex");
  if (marks & Mark.EDITABLE && isEditingHost(element)) why.push("contenteditable");
  if (marks & Mark.DRAGGABLE && dom.getAttribute(element, "draggable") === "true") why.push("draggable");
  if (marks & Mark.CONTROLS && PLAYED.has(dom.localName(element))) why.push("controls");
  return why;
}

/** The element's test id, or null. */
export function testIdOf(element: Element): string | null {
  for (const name of TEST_IDS) {
    const value = dom.getAttribute(element, name);
    if (value) return value;
  }
  return null;
}
