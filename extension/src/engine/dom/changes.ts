// What a walk has to look at again: whatever may be other than at the walk before. In doubt, everything.

import { Anchors } from "./anchors";
import { Links } from "./links";
import type { LiveChanges, LiveState } from "./live";
import type { Styles } from "./styles";
import type { FlatTree } from "./tree/flat_tree";
import type { Listening } from "./watch/listening";

type Root = Document | ShadowRoot;

/** More mutations than these aren't remembered: then everything is looked at. */
const MOST = 5_000;
/** Where more elements than these are to be looked at again, or are in those, that is done in stretches. */
const MOST_AT_ONCE = 150;
const MOST_WITHIN = 400;
/** Elements that may style others, or say what addresses mean. */
const STYLING = "base,meta,style,link[rel~=stylesheet i]";
/** Elements whose children decide about each other. */
const KNIT = new Set("datalist details fieldset figure picture select tr".split(" "));
/** What tells that something was loaded, and so that it may show something else. */
const LOADS = ["load", "error", "loadstart", "loadedmetadata", "emptied", "resize", "slotchange"] as const;

export interface Changed {
  /** Elements to look at again, not necessarily with what is in them. */
  path: ReadonlySet<Element>;
  /** Elements of which nothing is as it was. */
  whole: ReadonlySet<Element>;
  /** Boxes may be elsewhere though nothing else changed. */
  moved: boolean;
  /** Nothing but texts changed. */
  calm: boolean;
}

/** Whether there is more to look at again than in one task. */
export function isMuch({ path, whole }: Changed): boolean {
  if (path.size > MOST_AT_ONCE) return true;
  let within = 0;
  for (const element of whole) {
    within += element.getElementsByTagName("*").length;
    if (within > MOST_WITHIN) return true;
  }
  return false;
}

/** What changed in two looks, one after the other. */
export function both(a: Changed, b: Changed): Changed {
  return {
    path: new Set([...a.path, ...b.path]),
    whole: new Set([...a.whole, ...b.whole]),
    moved: a.moved || b.moved,
    calm: a.calm && b.calm,
  };
}

/** Where what no observer tells of isn't looked at. */
const UNREAD: LiveChanges = { all: false, elements: [], restyled: [], moved: false };

export class Changes {
  private all = true;
  private moved = false;
  private records: MutationRecord[] = [];
  private loaded = new Set<Element>();
  private touched: Element[] = [];
  private readonly roots: Root[] = [];
  path = new Set<Element>();
  whole = new Set<Element>();
  private readonly anchors = new Anchors();
  private readonly links: Links;

  constructor(
    document: Document,
    private readonly listening: Listening,
    private readonly flat: FlatTree,
    private readonly live: LiveState,
    readonly styles: Styles,
    private readonly ignored: (node: Node) => boolean,
    private readonly isControl: (element: Element) => boolean,
  ) {
    this.links = new Links(document, flat);
    if (document.fonts) listening.add(document.fonts, ["loadingdone"], this.onFonts);
  }

  /** Also watch this root; `walked` where all in it is looked at from here on. */
  observe(root: Root, walked = false): void {
    this.roots.push(root);
    if (walked && root instanceof ShadowRoot) this.styles.meet(root);
    this.live.observe(root);
    this.listening.add(root, LOADS, this.onLoad);
  }

  /** Mutations that were seen. */
  take(records: readonly MutationRecord[]): void {
    if (this.all) return;
    if (this.records.length + records.length > MOST) this.forget();
    else this.records.push(...records);
  }

  /** What an element says, or is, may depend on another that one of the two names by its id. */
  readonly link = (element: Element): void => this.links.note(element);

  /** These are to be looked at again, not what is in them; but for controls, of which nobody learns anything new. */
  touch(elements: readonly Element[]): void {
    if (!this.all) this.touched.push(...elements);
  }

  /** Of these nothing is as it was. */
  renew(elements: readonly Element[]): void {
    if (!this.all) for (const element of elements) this.loaded.add(element);
  }

  /** Learn what style sheets that came say, until then; whether all is known, and `soon` enough. */
  learn(until: number, soon: number): boolean {
    return this.styles.learn(this.rootsNow, until, soon);
  }

  /** Look at everything the next time. */
  forget(): void {
    this.all = true;
    this.records = [];
    this.touched = [];
    this.loaded.clear();
  }

  /**
   * What changed since the last call; null for everything. A `brief` look is at what observers tell alone: the rest is
   * left for the next call.
   */
  since(brief = false): Changed | null {
    const roots = this.rootsNow;
    const told = brief ? this.gather(roots, true) : null;
    if (told) return told;
    if (brief) this.forget();
    const changed = this.gather(roots, false);
    if (!changed) {
      this.anchors.forget();
      this.links.renew(roots);
    }
    return changed;
  }

  private get rootsNow(): Root[] {
    return this.roots.filter((root) => root instanceof Document || root.host.isConnected);
  }

  private gather(roots: readonly Root[], brief: boolean): Changed | null {
    const { styles, live, records, loaded, touched } = this;
    const restyled = !brief && styles.changed(roots);
    const { facts } = styles;
    const { all, elements, restyled: seen, moved } = brief ? UNREAD : live.read(roots, facts);
    const resized = brief ? [] : this.anchors.resized(roots, facts.containers);
    const everything = this.all || restyled || all;
    const any = records.length + loaded.size + elements.length + seen.length + (resized?.length ?? 1) > 0;
    const shifted = !brief && (this.moved || moved);
    this.all = false;
    if (!brief) this.moved = false;
    this.records = [];
    this.touched = [];
    this.loaded = new Set();
    this.path = new Set();
    this.whole = new Set();
    if (everything || facts.unseen || !resized || (any && facts.anything)) return null;
    for (const record of records) if (!this.look(record)) return null;
    for (const element of [...elements, ...loaded]) {
      if (element.matches(STYLING)) return null;
      this.markWhole(element);
    }
    const mark = (element: Element): void =>
      this.markWhole((facts.siblings && element.parentElement) || element);
    [...seen, ...resized].forEach(mark);
    for (const element of touched)
      if (element.isConnected && !this.isControl(element)) this.markPath(element);
    this.anchors.differing([...this.path], facts.anchors).forEach(mark);
    if (any) this.links.mark(roots, this, (element) => this.markWhole(element));
    const calm =
      !shifted &&
      elements.length + loaded.size + seen.length + resized.length === 0 &&
      records.every(isOfText);
    return { path: this.path, whole: this.whole, moved: shifted, calm };
  }

  /** Mark what a mutation concerns; false where that is everything. */
  private look(record: MutationRecord): boolean {
    const { target, type } = record;
    const { siblings } = this.styles.facts;
    const element = target instanceof Element ? target : target.parentElement;
    if (element?.matches(STYLING)) return false;
    if (type === "attributes") {
      if (this.ignored(target)) return true;
      // Icons are changed to show that a page is at work. Where it was a style sheet, that has gone from the list of them.
      if (element?.localName === "link" && element.parentElement === element.ownerDocument.head) return true;
      if (record.attributeName === "slot" && element?.parentElement) this.markWhole(element.parentElement);
      const root = element?.localName === "slot" ? element.getRootNode() : null;
      if (root instanceof ShadowRoot) this.markWhole(root.host);
      if (element) this.markWhole((siblings && element.parentElement) || element);
      return true;
    }
    if (type === "characterData") {
      if (element && siblings) this.markWhole(element);
      else this.markPath(target);
      if (element) this.markLabel(element);
      return true;
    }
    const nodes = [...record.addedNodes, ...record.removedNodes];
    if (nodes.every((node) => this.ignored(node))) return true;
    if (nodes.some(isStyling)) return false;
    if (target instanceof ShadowRoot) {
      this.markWhole(target.host);
      return true;
    }
    if (!element) return false; // the document's own children
    this.markLabel(element);
    const root = element.getRootNode();
    if (root instanceof ShadowRoot && nodes.some(hasSlot)) this.markWhole(root.host);
    if (siblings || KNIT.has(element.localName) || this.flat.shadow(element)) {
      this.markWhole(element);
      return true;
    }
    this.markPath(element);
    for (const node of [...record.addedNodes, record.previousSibling, record.nextSibling]) {
      if (node instanceof Element && node.isConnected) this.markWhole(node);
    }
    return true;
  }

  private markWhole(element: Element): void {
    this.whole.add(element);
    this.markPath(element);
  }

  private markPath(node: Node): void {
    for (let at = node instanceof Element ? node : this.flat.parent(node); at; at = this.flat.parent(at)) {
      if (this.path.has(at)) return;
      this.path.add(at);
      // Its text, also what is slotted into it, names what else is in it.
      if (at.localName === "label") this.whole.add(at);
    }
  }

  /** What is in a label names what else is in it. */
  private markLabel(element: Element): void {
    for (let label = element.closest("label"); label; label = label.parentElement?.closest("label") ?? null)
      this.markWhole(label);
  }

  private readonly onLoad = (event: Event): void => {
    if (event.target instanceof Element && !this.all) this.loaded.add(event.target);
  };

  private readonly onFonts = (): void => {
    this.moved = true;
  };
}

/** Whether a mutation is of texts alone. */
function isOfText({ type, addedNodes, removedNodes }: MutationRecord): boolean {
  const isText = (node: Node): boolean => node instanceof Text;
  return type !== "attributes" && [...addedNodes, ...removedNodes].every(isText);
}

function isStyling(node: Node): boolean {
  return node instanceof Element && (node.matches(STYLING) || node.querySelector(STYLING) !== null);
}

function hasSlot(node: Node): boolean {
  return node instanceof Element && (node.localName === "slot" || node.querySelector("slot") !== null);
}
