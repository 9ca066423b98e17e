// What a walk asks of the platform: so the same walk goes over a live document and over one read from outside.

import type { InternalFacts } from "../../shared/messages";
import { Names } from "./naming/names";
import type { Pseudos } from "./naming/pseudo_content";
import { Roles } from "./semantics/roles";
import { type Rendering, renderingOf } from "./semantics/visibility";
import type { FlatTree } from "./tree/flat_tree";
import { Odd } from "./walk/records";
import type { Internals } from "./watch/element_internals";

export type Style = Pick<
  CSSStyleDeclaration,
  "contentVisibility" | "cursor" | "display" | "pointerEvents" | "whiteSpaceCollapse"
>;

export interface Rules {
  roles: Pick<Roles, "of" | "implicit">;
  names: Pick<Names, "given" | "of" | "fallback" | "description"> & { pseudos: Pick<Pseudos, "concerns"> };
  style(element: Element): Style;
  rendering(element: Element): Rendering;
  /** Whether text may flow around the element, or something in it. */
  floats(element: Element): boolean;
  /** What is odd about where the element's box stands, for later walks. */
  oddity(element: Element, style: Style): number;
  /** Whether a part of a line stands elsewhere in it when the page is scrolled. */
  sticks(style: Style): boolean;
  isSvg(element: Element): boolean;
  /** Whether scripts listen for clicks on the element itself, as far as that can be known. */
  listens(element: Element): boolean;
  /** What a custom element says by its internals, as far as that is known. */
  internals(element: Element): InternalFacts | null;
  /** Told of elements that say, or are told, something by an id. */
  link(element: Element): void;
}

/** The rules for the document that this script runs in. */
export function liveRules(
  flat: FlatTree,
  pseudos?: Pseudos,
  few = false,
  link: Rules["link"] = () => {},
  listens: Rules["listens"] = () => false,
  internals?: Internals,
): Rules {
  const roles = new Roles(flat, internals);
  return {
    roles,
    names: new Names(flat, roles, pseudos, few),
    style: (element) => getComputedStyle(element),
    rendering: renderingOf,
    floats,
    oddity: (element, style) => oddity(element, style as CSSStyleDeclaration),
    sticks: (style) => (style as CSSStyleDeclaration).position === "sticky",
    isSvg: (element) => element instanceof SVGElement,
    listens,
    internals: internals?.of ?? (() => null),
    link,
  };
}

/** Elements to look for floats in; with more it is taken that there are some. */
const MOST_INERT = 200;

function floats(element: Element): boolean {
  const inside = element.getElementsByTagName("*");
  if (inside.length > MOST_INERT) return true;
  for (const each of [element, ...inside]) if (getComputedStyle(each).cssFloat !== "none") return true;
  return false;
}

/** Values of `overflow-y` with which a person can scroll. */
export const ROLLING = /^(?:auto|scroll)$/;

const IN_FLOW = new Set(["static", "relative", ""]);

function oddity(element: Element, style: CSSStyleDeclaration): number {
  if (element.localName === "area") return Odd.ASIDE;
  let odd = IN_FLOW.has(style.position) ? 0 : Odd.ASIDE;
  if (style.cssFloat !== "none") odd |= Odd.FLOAT;
  const { overflowY } = style;
  if (overflowY !== "visible") odd |= Odd.SCROLLS;
  if (ROLLING.test(overflowY)) odd |= Odd.ROLLS;
  if (style.display === "contents") odd |= Odd.LOOSE;
  return odd;
}
