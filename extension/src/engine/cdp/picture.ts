// Second pass: the virtual tree flattened to the columns that cross the wire, by the dom engine's own walk.

import { pageAsksNoAi } from "../../shared/ai_opt_out";
import { setBox } from "../dom/layout/boxes";
import { areaIn, imageOf } from "../dom/layout/image_maps";
import { dropEmpty } from "../dom/layout/measure";
import type { Extent } from "../dom/layout/scroll_extents";
import { SVG_UNRENDERED } from "../dom/semantics/visibility";
import { Walk } from "../dom/walk/walk";
import { columnsOf, draw, type Head, type Numbered, type Surface } from "../dom/wire/columns";
import { type Bounds, childrenOf, VirtualElement, type VirtualText } from "./nodes";
import { virtualRules } from "./rules";
import { VIRTUAL_FLAT } from "./slots";
import { union, type VirtualDocument } from "./tree";

/** An element that is shown: what its number is asked for. */
export interface Shown {
  backend: number;
  role: string;
  name: string;
}

export interface Picture extends Numbered {
  /** In document order; their numbers in the tree are their places here, from 1, until `number` replaces them. */
  shown: Shown[];
}

/** Flatten a document. */
export function pictureOf(document: VirtualDocument, head: Head, offscreen: boolean): Picture {
  const rules = virtualRules(document);
  const walk = new Walk(VIRTUAL_FLAT, () => false, rules).run(document.root as unknown as Document);
  const shown: Shown[] = [];
  const note = (element: Element, role: string, name: string): number =>
    shown.push({ backend: (element as unknown as VirtualElement).backend, role, name });
  const drawn = draw(walk, surfaceOf(document), offscreen);
  return { ...columnsOf(drawn, { note }, head), shown };
}

/** Put real numbers in the place of places. */
export function number(picture: Picture, numbers: readonly number[]): void {
  const { tree, frames } = picture;
  tree.number = tree.number.map((place) => (place === 0 ? 0 : (numbers[place - 1] as number)));
  for (const frame of frames) frame.number = numbers[frame.number - 1] as number;
}

function surfaceOf(document: VirtualDocument): Surface {
  const { url, title, viewport, scroll, size, elements } = document;
  const metas = [...elements.values()].filter((element) => element.localName === "meta");
  const active = [...elements.values()].find((element) => element.ax?.properties.get("focused") === true);
  return {
    url,
    title,
    viewport: [Math.round(viewport[2]), Math.round(viewport[3])],
    scroll: [Math.round(scroll[0]), Math.round(scroll[1])],
    size: [...size],
    ...(pageAsksNoAi(metas) && { no_ai: true }),
    active: active && active.localName !== "body" ? (active as unknown as Element) : null,
    extentOf: (element) => extentOf(document, element as unknown as VirtualElement),
    measure: (walk) => measure(document, walk),
  };
}

function measure(document: VirtualDocument, walk: Walk): Int32Array {
  const { records } = walk;
  const boxes = new Int32Array(records.length * 4);
  const [left, top] = document.scroll;
  const set = (i: number, bounds: Bounds | null): Bounds => {
    const [x, y, width, height] = bounds ?? [left, top, 0, 0];
    setBox(boxes, i, { x: x - left, y: y - top, right: x - left + width, bottom: y - top + height });
    return bounds ?? [0, 0, 0, 0];
  };
  for (let i = 0; i < records.length; i++) {
    if (records.dropped[i]) continue;
    const node = records.nodes[i] as unknown as VirtualElement | VirtualText;
    if (!records.isText[i]) {
      const own = areaBounds(node) ?? node.bounds;
      const empty = !own || (own[2] === 0 && own[3] === 0);
      const [, , width, height] = set(i, empty ? (contentBounds(node as VirtualElement) ?? own) : own);
      if (width === 0 || height === 0) dropEmpty(walk, i);
      continue;
    }
    const up = records.parents[i] as number;
    const parent = up >= 0 ? (records.nodes[up] as unknown as VirtualElement) : null;
    if (parent && parent === node.parentNode && !records.dropped[up] && records.kids[up] === 1) {
      boxes.copyWithin(i * 4, up * 4, up * 4 + 4);
      continue;
    }
    const first = (node as VirtualText).order;
    const last = records.lastTexts.get(i) as unknown as VirtualText | undefined;
    set(i, boundsOf(document.texts.slice(first, (last?.order ?? first) + 1)));
  }
  return boxes;
}

/** What there is to scroll through, from where everything in it is. */
function extentOf({ scroll }: VirtualDocument, element: VirtualElement): Extent | null {
  const own = element.bounds;
  const all = own && reachOf(element);
  if (!own || !all || all[3] <= own[3]) return null;
  return { start: all[1] - scroll[1], height: all[3], from: own[1] - all[1], seen: own[3] };
}

/** Where everything is that an element holds; what scrolls itself shows nothing beyond its own box. */
function reachOf(element: VirtualElement): Bounds | null {
  let all: Bounds | null = null;
  for (const child of childrenOf(element.shadow ?? element)) {
    const clips = child instanceof VirtualElement && child.style.overflowY !== "visible";
    for (const part of [child.bounds, child instanceof VirtualElement && !clips && reachOf(child)])
      if (part) all = all ? union(all, part) : part;
  }
  return all;
}

function areaBounds(node: VirtualElement | VirtualText): Bounds | null {
  if (!(node instanceof VirtualElement)) return null;
  const area = node as unknown as Element;
  const bounds = (imageOf(area) as unknown as VirtualElement | null)?.bounds;
  if (!bounds) return null;
  const { x, y, width, height } = areaIn(area, {
    x: bounds[0],
    y: bounds[1],
    width: bounds[2],
    height: bounds[3],
  });
  return [x, y, width, height];
}

function contentBounds(element: VirtualElement): Bounds | null {
  let all: Bounds | null = null;
  for (const child of childrenOf(element)) {
    const own = child.bounds && (child.bounds[2] || child.bounds[3]) ? child.bounds : null;
    const inner =
      own || !(child instanceof VirtualElement) || isDefinition(child) ? own : contentBounds(child);
    if (inner) all = all ? union(all, inner) : inner;
  }
  return all;
}

function isDefinition({ svg, localName }: VirtualElement): boolean {
  return svg && SVG_UNRENDERED.has(localName);
}

function boundsOf(texts: readonly VirtualText[]): Bounds | null {
  let all: Bounds | null = null;
  for (const { bounds } of texts) if (bounds) all = all ? union(all, bounds) : bounds;
  return all;
}
