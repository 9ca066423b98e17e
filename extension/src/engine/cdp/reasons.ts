// Why an element without a role for it is acted on: scripts listen on it, or further up while a weak sign speaks for it.

import { State } from "../../protocol/generated";
import { MOST_IN_TESTED, type Sign, TEST_IDS, weakSignOf } from "../../shared/attributes";
import { INTERACTIVE } from "../../shared/roles";
import { isEditingHost } from "./states";
import type { VirtualNode } from "./tree";

/** An element, and the rows that it has in it. */
interface Content {
  node: VirtualNode;
  role: string;
  flags: number;
  rows: readonly Content[];
}

/** More controls than these in an element say that a listener on it is for them. */
const DELEGATES_FROM = 3;

/** Whether scripts listen on an element for its own sake, and not for many others in it. */
export function listensItself(node: VirtualNode): boolean {
  const { listens, tag, attributes, role } = node;
  if (!listens || !node.bounds || INTERACTIVE.has(role)) return false;
  if (/^(area|html|body|option|summary)$/.test(tag) || (tag === "a" && attributes.has("href"))) return false;
  return !isEdited(node) && countActing(node) < DELEGATES_FROM;
}

function countActing(node: VirtualNode): number {
  let count = 0;
  for (const child of node.children) {
    const acts =
      child.bounds &&
      ((child.listens && child.tag !== "label") || (INTERACTIVE.has(child.ax?.role ?? "") && child.visible));
    count += (acts ? 1 : 0) + countActing(child);
  }
  return count;
}

/** The weak sign that a person acts on an element, where nothing inside is acted on by itself. */
export function signOf({ node, role, rows }: Content): Sign | null {
  const { attributes } = node;
  const hasTestId = TEST_IDS.some((name) => attributes.get(name));
  const classes = attributes.get("class") ?? null;
  const sign = isRoot(node) ? null : weakSignOf(role, classes, hasTestId, node.children.length > 0);
  if (!sign || isEdited(node)) return null;
  const inside = rowsIn(rows);
  if (inside.some(({ flags }) => flags & State.ACTIONABLE)) return null;
  return sign === "test id" && inside.length > MOST_IN_TESTED ? null : sign;
}

function rowsIn(rows: readonly Content[]): Content[] {
  return rows.flatMap((row) => [row, ...rowsIn(row.rows)]);
}

/** Whether an element is a part of what people edit. */
function isEdited(node: VirtualNode): boolean {
  for (let at: VirtualNode | null = node; at; at = at.parent) if (isEditingHost(at)) return true;
  return false;
}

export function isRoot({ tag }: VirtualNode): boolean {
  return tag === "html" || tag === "body";
}
