// Which part of the page is left to be seen of what is in boxes that scroll or clip.

import type { FlatTree } from "../tree/flat_tree";

export interface Clip {
  left: number;
  top: number;
  right: number;
  bottom: number;
  /** A box without area may clip it, or not, where it is positioned. */
  empty?: boolean;
}

/** What boxes that scroll or clip leave to be seen of what is in them. */
export class Clips {
  private readonly known = new Map<Element, Clip>();
  private readonly view: Clip;

  constructor(
    private readonly flat: FlatTree,
    document: Document,
  ) {
    const { innerWidth: right, innerHeight: bottom } = document.defaultView as Window;
    this.view = { left: 0, top: 0, right, bottom };
  }

  /** What may be seen of an element itself. */
  around(element: Element): Clip {
    if (getComputedStyle(element).position === "fixed") return this.view;
    const parent = this.flat.parent(element);
    return parent ? this.within(parent) : this.view;
  }

  private within(element: Element): Clip {
    const known = this.known.get(element);
    if (known) return known;
    let clip = this.around(element);
    const { overflowX, overflowY } = getComputedStyle(element);
    if ((overflowX !== "visible" || overflowY !== "visible") && !isRoot(element)) {
      const box = element.getBoundingClientRect();
      clip =
        box.width && box.height
          ? {
              left: Math.max(clip.left, box.left),
              top: Math.max(clip.top, box.top),
              right: Math.min(clip.right, box.right),
              bottom: Math.min(clip.bottom, box.bottom),
            }
          : { ...clip, empty: true };
    }
    this.known.set(element, clip);
    return clip;
  }
}

/** The overflow of these is mostly the viewport's. */
function isRoot(element: Element): boolean {
  return element.localName === "html" || element.localName === "body";
}

export function isWithin(clip: Clip, { x, y }: { x: number; y: number }): boolean {
  return x >= clip.left && y >= clip.top && x < clip.right && y < clip.bottom;
}
