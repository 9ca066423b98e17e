// Elements that the page's own scripts listen on: this script's world doesn't show that, the debugger does.

import { TEST_IDS, weakSignOf } from "../../../shared/attributes";
import { INTERACTIVE } from "../../../shared/roles";
import { testIdOf } from "../semantics/actionable";
import type { Roles } from "../semantics/roles";
import { renderingOf } from "../semantics/visibility";
import * as dom from "../tree/dom";
import type { FlatTree } from "../tree/flat_tree";

/** What has clicks of its own, or passes them on. */
const OWN_CLICKS: ReadonlySet<string> = new Set(["area", "body", "html", "option", "summary"]);
/** More actionable elements than this inside say that a listener is for them, not for the element itself. */
export const DELEGATES_FROM = 3;
/** How many elements to look through for them one by one. */
const MOST_INSIDE = 300;
/** What may be actionable by what it is. */
const CONTROLS = "a[href],area,button,input,select,textarea,summary,option,[contenteditable],[role]";

const SIGNED = ["[class]", ...TEST_IDS.map((name) => `[${name}]`)].join(",");

/** Whether an element has clicks of its own, or passes them on, as a label does to its field. */
function hasOwnClicks(element: Element): boolean {
  const tag = dom.localName(element);
  if (tag === "a") return dom.hasAttribute(element, "href");
  return OWN_CLICKS.has(tag) || (tag === "label" && (element as HTMLLabelElement).control !== null);
}

export class EventListeners {
  /** Elements and documents. */
  private nodes = new WeakSet<Node>();
  private all: WeakRef<Node>[] = [];

  constructor(
    private readonly flat: FlatTree,
    private readonly roles: Roles,
  ) {}

  /** These are all that scripts listen on; whether anything can be acted on by that which was not known. */
  replace(nodes: readonly (Node | null)[]): boolean {
    const before = this.nodes;
    const now = nodes.filter((node) => node instanceof Element || node instanceof Document);
    this.nodes = new WeakSet(now);
    this.all = now.map((node) => new WeakRef(node));
    return now.some((node) => !before.has(node) && (this.isActedOn(node) || this.hasSigns(node)));
  }

  /** Whether scripts listen on a document or an element, be it for itself or for what is in it. */
  readonly has = (node: Node): boolean => this.nodes.has(node);

  /** Whether scripts listen on anything in an element. */
  hasInside(element: Element): boolean {
    return this.all.some((each) => {
      const node = each.deref();
      return node !== undefined && node !== element && element.contains(node);
    });
  }

  private isActedOn(node: Node): boolean {
    return node instanceof Element && !INTERACTIVE.has(this.roles.of(node)) && this.listens(node);
  }

  /** Whether anything in a node has a test id or a class that may be a reason now. */
  private hasSigns(node: Element | Document): boolean {
    for (const element of dom.querySelectorAll(node, SIGNED)) {
      const classes = dom.getAttribute(element, "class");
      if (weakSignOf("generic", classes, testIdOf(element) !== null, true)) return true;
    }
    return false;
  }

  /** Whether scripts listen on an element for its own sake, and not for many others in it. */
  readonly listens = (element: Element): boolean => {
    if (!this.nodes.has(element) || hasOwnClicks(element)) return false;
    if (dom.get(element as HTMLElement, "isContentEditable") || renderingOf(element) === "contents")
      return false;
    let looked = 0;
    let inside = 0;
    for (const inner of this.within(element)) {
      if (this.acts(inner) && ++inside >= DELEGATES_FROM) return false;
      if (++looked >= MOST_INSIDE) return dom.querySelectorAll(element, CONTROLS).length < DELEGATES_FROM;
    }
    return true;
  };

  private acts(element: Element): boolean {
    if (this.nodes.has(element)) return dom.localName(element) !== "label" && dom.checkVisibility(element);
    return (
      dom.matches(element, CONTROLS) &&
      INTERACTIVE.has(this.roles.of(element)) &&
      dom.checkVisibility(element, { visibilityProperty: true }) &&
      !dom.closest(element, "[aria-hidden=true]")
    );
  }

  private *within(element: Element): Generator<Element> {
    for (const node of this.flat.children(element)) {
      if (!(node instanceof Element)) continue;
      yield node;
      yield* this.within(node);
    }
  }
}
