// What a walk asks of the platform: so the same walk goes over a live document and over one read from outside.

import type { FlatTree } from "./flat";
import { Names } from "./names";
import type { Pseudos } from "./pseudo";
import { Roles } from "./roles";
import { type Rendering, renderingOf } from "./visibility";

export type Style = Pick<CSSStyleDeclaration, "contentVisibility" | "cursor" | "display">;

export interface Rules {
  roles: Pick<Roles, "of" | "implicit">;
  names: Pick<Names, "given" | "of" | "fallback" | "description"> & { pseudos: Pick<Pseudos, "concerns"> };
  style(element: Element): Style;
  rendering(element: Element): Rendering;
  isSvg(element: Element): boolean;
  /** Whether scripts listen for clicks on the element itself, as far as that can be known. */
  listens(element: Element): boolean;
}

/** The rules for the document that this script runs in. */
export function liveRules(flat: FlatTree, pseudos?: Pseudos, few = false): Rules {
  const roles = new Roles(flat);
  return {
    roles,
    names: new Names(flat, roles, pseudos, few),
    style: (element) => getComputedStyle(element),
    rendering: renderingOf,
    isSvg: (element) => element instanceof SVGElement,
    listens: () => false,
  };
}
