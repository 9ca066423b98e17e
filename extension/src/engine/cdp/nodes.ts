// The virtual tree: every node of a document as it was at one moment. Elements answer what the rules of the dom engine
// ask of live ones, so that both engines go by one set of rules.

import { fold } from "../dom/naming/text";
import type { AxFacts } from "./ax";
import { matches } from "./selectors";

export type Bounds = readonly [x: number, y: number, width: number, height: number];

/** Tier one is told by accessibility, tier two by heuristics, tier three is layout. */
export type Tier = "semantic" | "interactive" | "structural";

export class VirtualText {
  readonly nodeType = 3;
  readonly firstChild = null;
  parentNode: VirtualParent | null = null;
  nextSibling: VirtualNode | null = null;
  assignedSlot: VirtualElement | null = null;
  bounds: Bounds | null = null;

  constructor(
    readonly backend: number,
    readonly data: string,
    /** Its place among the document's texts. */
    readonly order: number,
  ) {}

  get parentElement(): VirtualElement | null {
    return this.parentNode instanceof VirtualElement ? this.parentNode : null;
  }

  get textContent(): string {
    return this.data;
  }

  get length(): number {
    return this.data.length;
  }
}

/** A document or a shadow root. */
export class VirtualRoot {
  firstChild: VirtualNode | null = null;
  private ids: Map<string, VirtualElement[]> | null = null;

  constructor(
    readonly host: VirtualElement | null,
    readonly baseUrl: string,
  ) {}

  get childNodes(): VirtualNode[] {
    return childrenOf(this);
  }

  get documentElement(): VirtualElement | null {
    return this.firstElementChild;
  }

  get firstElementChild(): VirtualElement | null {
    return elementsOf(this)[0] ?? null;
  }

  querySelector(selector: string): VirtualElement | null {
    for (const element of descendants(this)) if (matches(element, selector)) return element;
    return null;
  }

  querySelectorAll(selector: string): VirtualElement[] {
    return [...descendants(this)].filter((element) => matches(element, selector));
  }

  /**
   * The element of an id that is nearest to another one in the tree, if need be through a slot: a capture is of the flat
   * tree, where the ids of several shadow roots meet.
   */
  getElementById(id: string, from?: VirtualElement): VirtualElement | null {
    if (!this.ids) {
      this.ids = new Map();
      for (const element of descendants(this)) {
        const found = element.getAttribute("id");
        if (found) this.ids.set(found, [...(this.ids.get(found) ?? []), element]);
      }
    }
    const found = this.ids.get(id) ?? [];
    if (!from || found.length < 2) return found[0] ?? null;
    return nearest(found, from, true) ?? nearest(found, from, false);
  }
}

export class VirtualElement {
  readonly nodeType = 1;
  firstChild: VirtualNode | null = null;
  nextSibling: VirtualNode | null = null;
  previousElementSibling: VirtualElement | null = null;
  parentNode: VirtualParent | null = null;
  shadow: VirtualRoot | null = null;
  assignedSlot: VirtualElement | null = null;
  /** On a slot: what is shown in it. */
  assigned: VirtualNode[] = [];
  svg = false;
  tier: Tier = "structural";
  ax: AxFacts | null = null;
  bounds: Bounds | null = null;
  style = {
    display: "contents",
    cursor: "auto",
    contentVisibility: "visible",
    pointerEvents: "auto",
    whiteSpaceCollapse: "collapse",
    overflowY: "visible",
  };
  /** `visibility` says visible. */
  seen = true;
  /** Its contents are skipped (content-visibility), but not itself. */
  skips = false;
  /** It, or something in it, takes part in the layout. */
  rendered = false;
  clickable = false;
  /** What CSS puts before and after its content. */
  readonly generated = { "::before": "", "::after": "" };
  userInvalid = false;
  /** A frame's document is in it. */
  framed = false;
  /** What a field holds: its live value, not the attribute. */
  held: string | null = null;
  on = false;
  source = "";

  constructor(
    readonly backend: number,
    readonly localName: string,
    private readonly attributes: ReadonlyMap<string, string>,
  ) {}

  hasAttributes(): boolean {
    return this.attributes.size > 0;
  }

  hasAttribute(name: string): boolean {
    return this.attributes.has(name);
  }

  getAttribute(name: string): string | null {
    return this.attributes.get(name) ?? null;
  }

  getAttributeNames(): string[] {
    return [...this.attributes.keys()];
  }

  get id(): string {
    return this.getAttribute("id") ?? "";
  }

  get parentElement(): VirtualElement | null {
    return this.parentNode instanceof VirtualElement ? this.parentNode : null;
  }

  get children(): VirtualElement[] {
    return elementsOf(this);
  }

  get childNodes(): VirtualNode[] {
    return childrenOf(this);
  }

  get firstElementChild(): VirtualElement | null {
    for (let at = this.firstChild; at; at = at.nextSibling) if (at instanceof VirtualElement) return at;
    return null;
  }

  get nextElementSibling(): VirtualElement | null {
    for (let at = this.nextSibling; at; at = at.nextSibling) if (at instanceof VirtualElement) return at;
    return null;
  }

  get textContent(): string {
    return childrenOf(this)
      .map((child) => child.textContent)
      .join("");
  }

  /** The text that is shown, blocks apart. */
  get innerText(): string {
    if (!this.rendered) return this.textContent;
    let text = "";
    for (const child of childrenOf(this)) {
      if (child instanceof VirtualText) text += child.data;
      else if (child.localName === "br") text += "\n";
      else if (child.rendered)
        text += child.style.display.startsWith("inline") ? child.innerText : `\n${child.innerText}\n`;
    }
    return text;
  }

  get contentWindow(): object | null {
    return this.framed ? {} : null;
  }

  get isContentEditable(): boolean {
    for (let at: VirtualElement | null = this; at; at = at.parentElement) {
      const value = at.getAttribute("contenteditable");
      if (value !== null) return !/^false$/i.test(value);
    }
    return false;
  }

  getRootNode(): VirtualRoot {
    let at: VirtualParent | null = this.parentNode;
    while (at instanceof VirtualElement) at = at.parentNode;
    if (!at) throw new Error("a node without a root");
    return at;
  }

  assignedNodes(): VirtualNode[] {
    return this.assigned;
  }

  matches(selector: string): boolean {
    return matches(this, selector);
  }

  closest(selector: string): VirtualElement | null {
    for (let at: VirtualElement | null = this; at; at = at.parentElement)
      if (matches(at, selector)) return at;
    return null;
  }

  querySelectorAll(selector: string): VirtualElement[] {
    return [...descendants(this)].filter((element) => matches(element, selector));
  }

  querySelector(selector: string): VirtualElement | null {
    return this.querySelectorAll(selector)[0] ?? null;
  }

  /** An address in an attribute, made absolute. */
  address(name: string): string {
    const text = this.getAttribute(name);
    if (text === null) return "";
    return URL.canParse(text, this.getRootNode().baseUrl)
      ? new URL(text, this.getRootNode().baseUrl).href
      : text;
  }

  get href(): string | { baseVal: string } {
    if (this.svg) return { baseVal: this.getAttribute("href") ?? this.getAttribute("xlink:href") ?? "" };
    return this.address("href");
  }

  get src(): string {
    return this.getAttribute("src") ? this.address("src") : "";
  }

  get currentSrc(): string {
    return this.source;
  }

  get hidden(): boolean {
    return this.hasAttribute("hidden");
  }

  get open(): boolean {
    return this.hasAttribute("open");
  }

  get name(): string {
    return this.getAttribute("name") ?? "";
  }

  get label(): string {
    return this.getAttribute("label") || fold(this.textContent);
  }

  get colSpan(): number {
    return span(this.getAttribute("colspan"), 1, 1000);
  }

  get rowSpan(): number {
    return span(this.getAttribute("rowspan"), 0, 65534);
  }
}

export type VirtualNode = VirtualElement | VirtualText;
export type VirtualParent = VirtualElement | VirtualRoot;

/** Which of some elements is nearest to another one; `slots` where none may come through a slot. */
function nearest(
  found: readonly VirtualElement[],
  from: VirtualElement,
  slots: boolean,
): VirtualElement | null {
  for (let around: VirtualParent | null = from; around; around = parentOf(around)) {
    const place = around;
    const near = found.find((element) => isWithin(element, place, slots));
    if (near) return near;
  }
  return null;
}

function isWithin(element: VirtualElement, around: VirtualParent, slots: boolean): boolean {
  for (let at: VirtualParent | null = element; at; at = parentOf(at)) {
    if (at === around) return true;
    if (slots && at instanceof VirtualElement && at.localName === "slot") return false;
  }
  return false;
}

function parentOf(at: VirtualParent): VirtualParent | null {
  return at instanceof VirtualElement ? at.parentNode : null;
}

function span(text: string | null, low: number, high: number): number {
  const value = text === null ? Number.NaN : Number.parseInt(text, 10);
  return Number.isNaN(value) || value < low ? 1 : Math.min(value, high);
}

export function childrenOf(parent: VirtualParent): VirtualNode[] {
  const found: VirtualNode[] = [];
  for (let at = parent.firstChild; at; at = at.nextSibling) found.push(at);
  return found;
}

export function elementsOf(parent: VirtualParent): VirtualElement[] {
  return childrenOf(parent).filter((child) => child instanceof VirtualElement);
}

/** Every element below in the flat tree. */
export function* shownIn(element: VirtualElement): Generator<VirtualElement> {
  const nodes = element.assigned.length ? element.assigned : childrenOf(element.shadow ?? element);
  for (const node of nodes) {
    if (!(node instanceof VirtualElement)) continue;
    yield node;
    yield* shownIn(node);
  }
}

/** Every element below, in document order, without those in shadow roots. */
export function* descendants(parent: VirtualParent): Generator<VirtualElement> {
  for (let at = parent.firstChild; at; at = at.nextSibling) {
    if (!(at instanceof VirtualElement)) continue;
    yield at;
    yield* descendants(at);
  }
}
