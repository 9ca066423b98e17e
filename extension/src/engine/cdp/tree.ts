// First pass: the whole document one to one, joined with what accessibility tells by backend id.

import { LISTENERS, TEST_IDS } from "../../shared/attributes";
import { INTERACTIVE } from "../dom/semantics/aria";
import { isSecret, keepSecret } from "../dom/semantics/secrets";
import { isInlineDisplay, skipsContent } from "../dom/semantics/visibility";
import { DELEGATES_FROM, hasOwnClicks } from "../dom/watch/event_listeners";
import type { AxFacts } from "./ax";
import { makeElement } from "./fields";
import {
  type Bounds,
  shownIn,
  type VirtualElement,
  type VirtualNode,
  type VirtualParent,
  VirtualRoot,
  VirtualText,
} from "./nodes";
import type { Captured, CapturedDocument, Rare } from "./protocol";
import { assignSlots } from "./slots";

const ELEMENT = 1;
const TEXT = 3;
const DOCUMENT = 9;
const FRAGMENT = 11;

/** One document at one moment; nothing in it changes after it is built. */
export interface VirtualDocument {
  readonly frameId: string;
  readonly url: string;
  readonly title: string;
  readonly root: VirtualRoot;
  readonly viewport: Bounds;
  readonly scroll: readonly [number, number];
  readonly size: readonly [number, number];
  readonly elements: ReadonlyMap<number, VirtualElement>;
  readonly texts: readonly VirtualText[];
  /** Documents of frames in the same process: the frame's element and the document's place in the capture. */
  readonly frames: ReadonlyMap<VirtualElement, number>;
  readonly tiers: Readonly<Record<VirtualElement["tier"], number>>;
}

export interface Joined {
  ax: ReadonlyMap<number, AxFacts>;
  /** Elements that :user-invalid holds for. */
  invalid: ReadonlySet<number>;
  /** Fields that were secret once. */
  secret: ReadonlySet<number>;
  /** Elements that scripts listen on. */
  heard: ReadonlySet<number>;
}

/** Build one of the captured documents. */
export function buildTree(captured: Captured, at: number, joined: Joined): VirtualDocument {
  const document = captured.documents[at] as CapturedDocument;
  const text = (index: number | undefined): string => captured.strings[index ?? -1] ?? "";
  const builder = new Builder(document, text, joined);
  builder.run();
  const { elements, texts, frames } = builder;
  assignSlots(elements.values());
  markRendered(builder.root);
  for (const [element, child] of frames) element.framed = child >= 0;
  const tiers = classify(elements.values());
  const viewport = (document.layout.bounds[0] ?? [0, 0, 0, 0]) as unknown as Bounds;
  return Object.freeze({
    frameId: text(document.frameId),
    url: text(document.documentURL),
    title: text(document.title),
    root: builder.root,
    viewport,
    scroll: [document.scrollOffsetX ?? 0, document.scrollOffsetY ?? 0] as const,
    size: [Math.round(document.contentWidth ?? 0), Math.round(document.contentHeight ?? 0)] as const,
    elements,
    texts,
    frames,
    tiers,
  });
}

type Pseudo = [owner: VirtualParent, which: "::before" | "::after"];

class Builder {
  readonly elements = new Map<number, VirtualElement>();
  readonly texts: VirtualText[] = [];
  readonly frames = new Map<VirtualElement, number>();
  readonly root: VirtualRoot;
  private readonly places: (VirtualNode | VirtualParent | null)[] = [];
  /** Of each pseudo-element with text of its own what it belongs to. */
  private readonly pseudos = new Map<number, Pseudo>();
  private readonly last = new Map<VirtualParent, VirtualNode>();
  private readonly lastElement = new Map<VirtualParent, VirtualElement>();

  constructor(
    private readonly document: CapturedDocument,
    private readonly text: (index: number | undefined) => string,
    private readonly joined: Joined,
  ) {
    this.root = new VirtualRoot(null, text(document.baseURL) || text(document.documentURL));
  }

  run(): void {
    const { nodes } = this.document;
    const shadows = new Set(nodes.shadowRootType?.index);
    for (let i = 0; i < nodes.nodeType.length; i++) this.places.push(this.place(i, shadows));
    this.layOut();
    this.fill();
  }

  private place(i: number, shadows: ReadonlySet<number>): VirtualNode | VirtualParent | null {
    const { nodes } = this.document;
    const type = nodes.nodeType[i] as number;
    if (type === DOCUMENT) return this.root;
    const up = this.places[nodes.parentIndex[i] as number];
    if (!up || up instanceof VirtualText) return null;
    if (type === FRAGMENT) return this.shadowRoot(i, up, shadows);
    const backend = nodes.backendNodeId[i] as number;
    if (type === TEXT) {
      const node = new VirtualText(backend, this.text(nodes.nodeValue[i]), this.texts.length);
      this.texts.push(node);
      return this.append(up, node);
    }
    if (type !== ELEMENT) return null;
    const name = this.text(nodes.nodeName[i]);
    const tag = name === name.toUpperCase() ? name.toLowerCase() : name;
    if (tag === "::before" || tag === "::after") this.pseudos.set(i, [up, tag]);
    // Pseudo-elements are captured as elements; their text is part of names, not of the tree.
    if (tag.startsWith("::")) return null;
    const element = makeElement(backend, tag, this.attributesOf(i));
    element.svg =
      tag === "svg" || (!(up instanceof VirtualRoot) && up.svg && up.localName !== "foreignObject");
    element.ax = this.joined.ax.get(backend) ?? null;
    element.clickable = this.joined.heard.has(backend);
    element.userInvalid = this.joined.invalid.has(backend);
    this.elements.set(backend, element);
    element.previousElementSibling = this.lastElement.get(up) ?? null;
    this.lastElement.set(up, element);
    return this.append(up, element);
  }

  private shadowRoot(i: number, up: VirtualParent, shadows: ReadonlySet<number>): VirtualRoot | null {
    const isTemplate = !shadows.has(i) && up !== this.root;
    const kind = this.shadowKind(i);
    if (up instanceof VirtualRoot || isTemplate || kind === "user-agent") return null;
    up.shadow = new VirtualRoot(up, this.root.baseUrl);
    return up.shadow;
  }

  private shadowKind(i: number): string {
    const types = this.document.nodes.shadowRootType;
    return this.text(types?.value[types.index.indexOf(i)]);
  }

  private append<T extends VirtualNode>(parent: VirtualParent, node: T): T {
    const before = this.last.get(parent);
    if (before) before.nextSibling = node;
    else parent.firstChild = node;
    node.parentNode = parent;
    this.last.set(parent, node);
    return node;
  }

  private attributesOf(i: number): Map<string, string> {
    const pairs = this.document.nodes.attributes[i] ?? [];
    const found = new Map<string, string>();
    for (let j = 0; j < pairs.length; j += 2) found.set(this.text(pairs[j]), this.text(pairs[j + 1]));
    return found;
  }

  private layOut(): void {
    const { nodeIndex, styles, bounds, text } = this.document.layout;
    nodeIndex.forEach((i, j) => {
      const pseudo = this.pseudos.get(i);
      // Its box comes first, then its lines.
      if (pseudo) this.generate(pseudo, this.text(styles[j]?.[0]), this.text(text?.[j]));
      const node = this.places[i];
      if (!node || node instanceof VirtualRoot) return;
      const box = bounds[j] as unknown as Bounds;
      node.bounds = node.bounds ? union(node.bounds, box) : box;
      if (node instanceof VirtualText) return;
      const [display, visibility, cursor, content, pointer, space, overflow] = (styles[j] ?? []).map(
        (style) => this.text(style),
      );
      node.style = {
        display: display || "contents",
        cursor: cursor || "auto",
        contentVisibility: content || "visible",
        pointerEvents: pointer || "auto",
        whiteSpaceCollapse: space || "collapse",
        overflowY: overflow || "visible",
      };
      node.seen = visibility === "visible";
      node.skips = skipsContent(node.style);
    });
  }

  private generate([owner, which]: Pseudo, display: string, text: string): void {
    if (owner instanceof VirtualRoot) return;
    const apart = display && !isInlineDisplay(display) ? " " : "";
    owner.generated[which] += `${apart}${text}`;
  }

  /** Live values, which attributes don't tell; those of secret fields are not taken over. */
  private fill(): void {
    const { nodes } = this.document;
    const each = (rare: { index: number[] } | undefined, set: (node: VirtualElement, at: number) => void) =>
      rare?.index.forEach((i, at) => {
        const node = this.places[i];
        if (node && !(node instanceof VirtualRoot) && !(node instanceof VirtualText)) set(node, at);
      });
    for (const backend of this.joined.secret) {
      const element = this.elements.get(backend);
      if (element) keepSecret(element as unknown as Element);
    }
    const take = (rare: Rare<number> | undefined): void =>
      each(rare, (node, at) => {
        if (!isSecret(node as unknown as Element)) node.held = this.text(rare?.value[at]);
      });
    take(nodes.inputValue);
    take(nodes.textValue);
    each(nodes.inputChecked, (node) => {
      node.on = true;
    });
    each(nodes.optionSelected, (node) => {
      node.on = true;
    });
    each(nodes.currentSourceURL, (node, at) => {
      node.source = this.text(nodes.currentSourceURL?.value[at]);
    });
    each(nodes.contentDocumentIndex, (node, at) => {
      this.frames.set(node, nodes.contentDocumentIndex?.value[at] ?? -1);
    });
  }
}

/** What takes part in the layout, down to the boxes; contents that are skipped don't. */
function markRendered(parent: VirtualParent): boolean {
  let any = false;
  for (let at = parent.firstChild; at; at = at.nextSibling) {
    if (at instanceof VirtualText) any ||= at.bounds !== null;
    else {
      const inner = at.skips || isClosedPart(at) ? false : markRendered(at.shadow ?? at);
      if (at.shadow) markRendered(at);
      at.rendered = !isClosedPart(at) && (at.bounds !== null || inner || at.assigned.some(isLaidOut));
      any ||= at.rendered;
    }
  }
  return any;
}

function isLaidOut(node: VirtualNode): boolean {
  return node.bounds !== null;
}

/** Whether a closed `details` holds it back. */
function isClosedPart(element: VirtualElement): boolean {
  const details = element.parentElement;
  if (details?.localName !== "details" || details.open) return false;
  return details.children.find((child) => child.localName === "summary") !== element;
}

/** Sort every element into its tier and say how many there are of each. */
function classify(elements: Iterable<VirtualElement>): Record<VirtualElement["tier"], number> {
  const tiers = { semantic: 0, interactive: 0, structural: 0 };
  for (const element of elements) {
    if (element.ax?.role && element.ax.role !== "generic") element.tier = "semantic";
    else if (isNonSemanticInteractive(element)) element.tier = "interactive";
    tiers[element.tier]++;
  }
  return tiers;
}

function isNonSemanticInteractive(element: VirtualElement): boolean {
  if (listens(element) || (element.style.cursor === "pointer" && element.bounds !== null)) return true;
  return element
    .getAttributeNames()
    .some((name) => MARKS.has(name) || LISTENERS.has(name) || (TEST_IDS as readonly string[]).includes(name));
}

const MARKS = new Set(["contenteditable", "draggable", "tabindex"]);

/** Whether scripts listen for clicks on an element for its own sake, and not for many others in it. */
export function listens(element: VirtualElement): boolean {
  if (!element.clickable || !element.bounds || hasOwnClicks(element as unknown as HTMLLabelElement))
    return false;
  // Everything that can be edited counts as clickable.
  if (element.isContentEditable) return false;
  let inside = 0;
  for (const inner of shownIn(element)) {
    // What a closed list offers has no place.
    if (!inner.bounds) continue;
    const acts = inner.ax?.role && INTERACTIVE.has(inner.ax.role) && inner.seen;
    if (acts || (inner.clickable && inner.localName !== "label"))
      if (++inside >= DELEGATES_FROM) return false;
  }
  return true;
}

export function union(a: Bounds, b: Bounds): Bounds {
  const x = Math.min(a[0], b[0]);
  const y = Math.min(a[1], b[1]);
  return [x, y, Math.max(a[0] + a[2], b[0] + b[2]) - x, Math.max(a[1] + a[3], b[1] + b[3]) - y];
}
