// The flat tree: shadow roots in place of their hosts' children, assigned nodes in place of slots.

import * as dom from "./dom";

/** Opens a closed shadow root too; given by the content script, where the browser has such a function. */
export type OpenShadow = (element: Element) => ShadowRoot | null;

/** Built-in elements that may host a shadow root (DOM standard, "valid shadow host name"). */
const HOSTS = new Set(
  "article aside blockquote body div footer h1 h2 h3 h4 h5 h6 header main nav p section span".split(" "),
);

export class FlatTree {
  private readonly without = new WeakSet<Element>();
  private readonly closed = new WeakMap<Element, ShadowRoot>();
  private readonly met = new WeakSet<ShadowRoot>();
  /** Whether a shadow root was met in the document. */
  hasShadows = false;
  /** Called with every shadow root when it is first seen. */
  onShadow: (root: ShadowRoot) => void = () => {};

  constructor(private readonly openShadow: OpenShadow) {}

  /** An element's shadow root, open or closed. */
  shadow(element: Element, tag: string = dom.localName(element)): ShadowRoot | null {
    const open = dom.shadowRoot(element);
    if (open) return this.meet(open);
    const isCustom = tag.includes("-");
    if (!isCustom && !HOSTS.has(tag)) return null;
    const known = this.closed.get(element);
    if (known) return known;
    // To query the browser takes as long as the rest of what a walk does with an element: built-in ones with children
    // hardly ever become hosts later on, so they are queried once.
    if (!isCustom && dom.firstChild(element) && this.without.has(element)) return null;
    const root = element instanceof HTMLElement ? this.openShadow(element) : null;
    if (!root) {
      this.without.add(element);
      return null;
    }
    this.closed.set(element, root);
    return this.meet(root);
  }

  /** All that a query within a node has to search: the node itself, and the shadow roots in it, however deep. */
  *roots<T extends Document | Element | ShadowRoot>(within: T): Generator<T | ShadowRoot> {
    yield within;
    for (const element of [within, ...dom.querySelectorAll(within, "*")]) {
      const inner = element instanceof Element ? this.shadow(element) : null;
      if (inner) yield* this.roots(inner);
    }
  }

  private meet(root: ShadowRoot): ShadowRoot {
    if (!this.met.has(root)) {
      this.met.add(root);
      this.hasShadows = true;
      this.onShadow(root);
    }
    return root;
  }

  /** A node's children in the flat tree. */
  children(element: Element): readonly Node[] | NodeListOf<ChildNode> {
    const tag = dom.localName(element);
    if (tag === "slot") {
      const assigned = (element as HTMLSlotElement).assignedNodes();
      return assigned.length ? assigned : dom.childNodes(element);
    }
    return dom.childNodes(this.shadow(element, tag) ?? element);
  }

  /** The slot that a node is shown in, also in a closed shadow root. */
  slotOf(node: Element | Text): HTMLSlotElement | null {
    const slotted = dom.get(node, "assignedSlot");
    if (slotted) return slotted;
    const host = dom.parentElement(node);
    const root = host && !dom.shadowRoot(host) ? this.shadow(host) : null;
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
    const up = dom.parentNode(node);
    return up instanceof ShadowRoot ? up.host : up instanceof Element ? up : null;
  }

  /** Whether `node` is `ancestor` or lies in it, in the flat tree. */
  isInside(node: Node | null, ancestor: Element): boolean {
    for (let at: Node | null = node; at; at = this.parent(at)) if (at === ancestor) return true;
    return false;
  }

  /** The innermost element at a point, through open and closed shadow roots. */
  elementAt(document: Document, x: number, y: number): Element | null {
    let found = dom.call(document, "elementFromPoint", x, y);
    for (let root = found && this.shadow(found); found && root; root = this.shadow(found)) {
      const inner = root.elementFromPoint(x, y);
      if (!inner || inner === found) break;
      found = inner;
    }
    return found;
  }

  /** The focused element, through shadow roots. */
  active(document: Document): Element | null {
    let found = dom.get(document, "activeElement");
    for (let root = found && this.shadow(found); found && root?.activeElement; root = this.shadow(found)) {
      found = root.activeElement;
    }
    return found;
  }
}
