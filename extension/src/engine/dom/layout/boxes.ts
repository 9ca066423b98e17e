// Boxes as records keep them: in whole pixels.

import * as dom from "../tree/dom";
import type { NodeRecord } from "../walk/records";

export type Edges = Pick<DOMRect, "x" | "y" | "right" | "bottom">;

/** Where an element's sides are. */
export const edgesOf = (element: Element): Edges => dom.getBoundingClientRect(element);

/** Write a box, rounded so that neighbours still touch. */
export function setBox(record: NodeRecord, { x, y, right, bottom }: Edges): void {
  record.x = Math.round(x);
  record.y = Math.round(y);
  record.width = Math.round(right) - record.x;
  record.height = Math.round(bottom) - record.y;
}
