// The flat tree: shadow roots in place of their hosts' children, assigned nodes in place of slots.

/** Opens a closed shadow root too; given by the content script, where the browser has such a function. */
export type OpenShadow = (element: Element) => ShadowRoot | null;

/** Built-in elements that may host a shadow root (DOM standard, "valid shadow host name"). */
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

/** So many elements are kept in mind though they may be gone. */
const FEW = 1_000;

export class FlatTree {
  private readonly without = new WeakSet<Element>();
  private readonly met = new WeakSet<ShadowRoot>();
  private readonly closed = new WeakMap<Element, ShadowRoot>();
  private pending: Element[] = [];
  /** Elements that were met without a shadow root and may get one. */
  private readonly bare = new Set<Element>();
  /** How many there were after those that are gone were last left out. */
  private kept = 0;
  /** Called with every shadow root when it is first seen. */
  onShadow: (root: ShadowRoot) => void = () => {};

  constructor(private readonly openShadow: OpenShadow) {}

  /** An element's shadow root, open or closed. */
  shadow(element: Element, tag: string = element.localName): ShadowRoot | null {
    const open = element.shadowRoot;
    if (open) return open;
    if (tag.includes("-")) return this.probe(element);
    if (!HOSTS.has(tag)) return null;
    this.bare.add(element);
    // Asking costs as much as the rest of the walk, so built-in elements with children are asked once.
    return element.firstChild && this.without.has(element) ? null : this.probe(element);
  }

  /** Like `shadow`, but built-in elements that were never asked are put off to `askPending`. */
  quickShadow(element: Element, tag: string): ShadowRoot | null {
    const open = element.shadowRoot;
    if (open) return this.meet(open);
    if (tag.includes("-")) return this.probe(element);
    if (!HOSTS.has(tag)) return null;
    this.bare.add(element);
    if (!element.firstChild) return this.probe(element);
    const known = this.closed.get(element);
    if (known) return known;
    if (!this.without.has(element)) this.pending.push(element);
    return null;
  }

  /** Start a walk: forget what was put off, and met, before. */
  begin(): void {
    this.pending = [];
    this.bare.clear();
    this.kept = 0;
  }

  /** Elements that have become hosts since they were met: no mutation tells of that. */
  newHosts(): Element[] {
    const found: Element[] = [];
    for (const element of this.bare) {
      const root = element.shadowRoot;
      if (!root) continue;
      this.bare.delete(element);
      if (!this.met.has(root) && element.isConnected) found.push(element);
    }
    if (this.bare.size > 2 * this.kept + FEW) {
      for (const element of this.bare) if (!element.isConnected) this.bare.delete(element);
      this.kept = this.bare.size;
    }
    return found;
  }

  /** How many elements were put off. */
  get pendingCount(): number {
    return this.pending.length;
  }

  /** Ask up to `limit` of the elements put off; returns whether any has a closed shadow root after all. */
  askPending(limit: number): boolean {
    let found = false;
    for (const element of this.pending.splice(0, limit)) {
      if (element.isConnected && !this.without.has(element) && this.probe(element)) found = true;
    }
    return found;
  }

  private meet(root: ShadowRoot): ShadowRoot {
    if (!this.met.has(root)) {
      this.met.add(root);
      this.onShadow(root);
    }
    return root;
  }

  private probe(element: Element): ShadowRoot | null {
    const known = this.closed.get(element);
    if (known) return known;
    const root = element instanceof HTMLElement ? this.openShadow(element) : null;
    if (root) {
      this.closed.set(element, root);
      this.meet(root);
    } else {
      this.without.add(element);
      this.bare.add(element);
    }
    return root;
  }

  /** A node's children in the flat tree. */
  children(element: Element): readonly Node[] | NodeListOf<ChildNode> {
    const tag = element.localName;
    if (tag === "slot") {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      return assigned.length ? assigned : element.childNodes;
    }
    return (this.shadow(element, tag) ?? element).childNodes;
  }

  /** The slot that a node is shown in, also in a closed shadow root. */
  slotOf(node: Element | Text): HTMLSlotElement | null {
    if (node.assignedSlot) return node.assignedSlot;
    const host = node.parentElement;
    const root = host && !host.shadowRoot ? this.shadow(host) : null;
    if (!root) return null;
    for (const slot of root.querySelectorAll("slot")) if (slot.assignedNodes().includes(node)) return slot;
    return null;
  }

  /** The parent element in the flat tree. */
  parent(node: Node): Element | null {
    if (node instanceof Element || node instanceof Text) {
      const slot = this.slotOf(node);
      if (slot) return slot;
    }
    const up = node.parentNode;
    return up instanceof ShadowRoot ? up.host : up instanceof Element ? up : null;
  }

  /** Whether `node` is `ancestor` or lies in it, in the flat tree. */
  isInside(node: Node | null, ancestor: Element): boolean {
    for (let at: Node | null = node; at; at = this.parent(at)) if (at === ancestor) return true;
    return false;
  }

  /** The innermost element at a point, through open and closed shadow roots. */
  elementAt(document: Document, x: number, y: number): Element | null {
    let found = document.elementFromPoint(x, y);
    for (let root = found && this.shadow(found); found && root; root = this.shadow(found)) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  }

  /** The focused element, through shadow roots. */
  active(document: Document): Element | null {
    let found = document.activeElement;
    for (let root = found && this.shadow(found); found && root?.activeElement; root = this.shadow(found)) {
      found = root.activeElement;
    }
    return found;
  }
}
