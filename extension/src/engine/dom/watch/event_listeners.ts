// Elements that the page's own scripts listen on: this script's world doesn't show that, the debugger does.

import { INTERACTIVE } from "../../../shared/roles";
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

/** Whether an element has clicks of its own, or passes them on, as a label does to its field. */
function hasOwnClicks(element: Element): boolean {
  const tag = dom.localName(element);
  if (tag === "a") return dom.hasAttribute(element, "href");
  return OWN_CLICKS.has(tag) || (tag === "label" && (element as HTMLLabelElement).control !== null);
}

export class EventListeners {
  private elements = new WeakSet<Element>();

  constructor(
    private readonly flat: FlatTree,
    private readonly roles: Roles,
  ) {}

  /** These are all that scripts listen on; whether any element among them can be acted on by that alone, and was not known. */
  replace(nodes: readonly (Node | null)[]): boolean {
    const before = this.elements;
    // Documents and shadow roots are listened on too, also by this script, whose listeners the debugger can't tell apart.
    const now = nodes.filter((node) => node instanceof Element);
    this.elements = new WeakSet(now);
    return now.some(
      (element) => !before.has(element) && !INTERACTIVE.has(this.roles.of(element)) && this.listens(element),
    );
  }

  /** Whether scripts listen on an element for its own sake, and not for many others in it. */
  readonly listens = (element: Element): boolean => {
    if (!this.elements.has(element) || hasOwnClicks(element)) return false;
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
    if (this.elements.has(element)) return dom.localName(element) !== "label" && dom.checkVisibility(element);
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
