// Elements that are looked for by CSS or by a text: which of them a snapshot has, and how it gets the others.

import { type DocumentTree, State } from "../../../protocol/generated";
import { contentRects } from "../layout/hit_test";
import { fold } from "../naming/text";
import { isSecret } from "../semantics/values";
import { UNRENDERED } from "../semantics/visibility";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";
import type { Refs } from "../tree/refs";
import type { NodeRecord, Records } from "./records";

export class WantedElements {
  private readonly all: ReadonlySet<Element>;

  constructor(
    private readonly flat: FlatTree,
    private readonly css: ReadonlyMap<string, readonly Element[]>,
    private readonly texts: readonly Element[],
    /** Whether those that the snapshot would leave out are nodes of it all the same. */
    readonly keep: boolean,
  ) {
    this.all = new Set([...css.values(), texts].flat());
  }

  /** Whether a walk keeps an element that it would leave out. */
  keeps(element: Element): boolean {
    return this.keep && this.all.has(element);
  }

  /**
   * Keep the elements that nobody sees as well: those without area, and, behind all else in what they are in, those that
   * the walk didn't come to.
   */
  addHidden(records: Records, roleOf: (element: Element) => string): void {
    const known = new Map(records.list.map((record) => [record.source as Node, record]));
    /** By what they are in: an element, or the page. */
    const hidden = new Map<Element | null, Element[]>();
    for (const element of this.all) {
      const record = known.get(element);
      if (record?.dropped) record.flags |= State.HIDDEN | State.UNSEEN;
      if (record) record.dropped = false;
      else {
        let at = this.around(element);
        while (at && known.get(at)?.dropped !== false && !this.all.has(at)) at = this.around(at);
        hidden.set(at, [...(hidden.get(at) ?? []), element]);
      }
    }
    if (!hidden.size) return;
    const list = records.list.splice(0);
    const add = (around: Element | null, up: NodeRecord | null): void => {
      for (const element of hidden.get(around) ?? []) {
        const record = records.open(element, up, roleOf(element), up?.lastLine ?? 0);
        record.label = this.textOf(element);
        record.flags = State.HIDDEN | State.UNSEEN;
        add(element, record);
        records.close(record, -1, true);
      }
    };
    const open: [NodeRecord, number][] = [];
    const closeUntil = (index: number): void => {
      while (open.length && (open.at(-1) as [NodeRecord, number])[1] <= index) {
        const [record] = open.pop() as [NodeRecord, number];
        if (!record.isText) add(record.source as Element, record);
        record.end = records.list.length;
      }
    };
    list.forEach((record, index) => {
      closeUntil(index);
      open.push([record, record.end]);
      record.at = records.list.length;
      records.list.push(record);
    });
    closeUntil(list.length);
    add(null, null);
  }

  /** Say in a tree which of its nodes each selector matches, and how many elements it doesn't have. */
  report(tree: DocumentTree, refs: Refs): void {
    const nodes = new Set(tree.number);
    const numberOf = (element: Element): number => {
      const number = refs.numberOf(element);
      return nodes.has(number) ? number : 0;
    };
    const numbers = [...this.css].map(([selector, found]): [string, number[]] => [
      selector,
      found.map(numberOf),
    ]);
    tree.css = Object.fromEntries(numbers.map(([selector, found]) => [selector, found.filter(Boolean)]));
    const isPressed = (element: Element): boolean => {
      let holder = element;
      for (let at: Element | null = element; at; at = this.flat.parent(at)) {
        holder = at;
        if (numberOf(at)) break;
      }
      return holder === element ? numberOf(element) > 0 : standsFor(holder, element);
    };
    tree.unkept = numbers.flatMap(([, found]) => found).filter((number) => !number).length;
    tree.unkept += this.texts.filter((element) => !isPressed(element)).length;
  }

  private around(element: Element): Element | null {
    const parent = this.flat.parent(element) ?? dom.parentElement(element);
    if (parent) return parent;
    const root = dom.getRootNode(element);
    return root instanceof ShadowRoot ? root.host : null;
  }

  /** What a hidden element says, without what nobody may read. */
  private textOf(element: Element): string {
    if (UNRENDERED.has(dom.localName(element))) return "";
    for (let at: Element | null = element; at; at = this.around(at)) if (isSecret(at)) return "";
    if ([...dom.querySelectorAll(element, "[contenteditable], [role]")].some(isSecret)) return "";
    return fold(dom.textContent(element));
  }
}

/** Whether a press on the middle of an element comes to one in it, and shows nothing else. */
function standsFor(holder: Element, element: Element): boolean {
  const [middle] = contentRects(holder);
  if (!middle || fold(dom.textContent(holder)) !== fold(dom.textContent(element))) return false;
  const [x, y] = [middle.x + middle.width / 2, middle.y + middle.height / 2];
  return contentRects(element).some(
    ({ left, right, top, bottom }) => left <= x && x < right && top <= y && y < bottom,
  );
}
