// What a selector says of an element besides its role and name: states, what it is in, and its number among others.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import { renderingOf } from "../engine/dom/semantics/visibility";
import * as dom from "../engine/dom/tree/dom";
import { inDocumentOrder, isShownBefore } from "../engine/dom/tree/order";
import type { NodeRecord } from "../engine/dom/walk/records";
import type { SeenCount, SeenPart } from "../protocol/generated";
import { splitRef } from "../shared/refs";
import { elementOf } from "./find_element";
import { visibleName } from "./visible_name";

/** Whether what a part of a selector named, the element or something around it, is as it was. */
export function holds(engine: Engine, element: Element, part: SeenPart): boolean {
  const holder = elementAt(engine, part.ref);
  return !!holder && engine.flat.isInside(element, holder) && fits(engine, holder, part);
}

/** Whether an element is as a part of a selector says. */
function fits(engine: Engine, element: Element, part: SeenPart): boolean {
  const { name = "", text = "", has = 0, lacks = 0 } = part;
  if (name && !isCalled(engine, element, engine.roles.of(element), name)) return false;
  if (!text && !has && !lacks) return true;
  const records = engine.walkPart(element);
  if (text && !records.some(({ label }) => fold(label) === fold(text))) return false;
  const flags = records[0]?.source === element ? records[0].flags : null;
  return flags === null || ((flags & has) === has && (flags & lacks) === 0);
}

/** Whether an element has the number that a selector gave it: what was counted before it is there, and nothing else. */
export function countsStill(engine: Engine, element: Element, count: SeenCount): boolean {
  const { flat } = engine;
  const { before = [], others = [], known = [], css = "", query } = count;
  const counted = elementAt(engine, count.ref);
  if (!counted || !flat.isInside(element, counted)) return false;
  if (css) {
    const matches = [...flat.roots(engine.document)].flatMap((root) => [...dom.querySelectorAll(root, css)]);
    const earlier = matches.filter((each) => each !== counted && inDocumentOrder(each, counted) < 0);
    return (
      earlier.filter((each) => !engine.isOwn(each) && isInside(engine, each, count)).length === before.length
    );
  }
  const isEarlier = (each: Element): boolean =>
    each !== counted && isInside(engine, each, count) && isShownBefore(flat, each, counted);
  const isCounted = (part: SeenPart): boolean => {
    const each = elementAt(engine, part.ref);
    return !!each && isRendered(engine, each) && isEarlier(each) && fits(engine, each, part);
  };
  if (!before.every(isCounted) || others.some(isCounted)) return false;
  const numbers = new Set(known);
  const roles = new Set(query?.roles);
  const named = ((query && engine.mayBeNamed(query)) ?? []).filter(isEarlier);
  const isNew = ({ source, role }: NodeRecord): boolean =>
    roles.has(role) && source instanceof Element && !numbers.has(engine.refs.numberOf(source));
  return !named.some((each) => renderingOf(each) !== "none" && engine.walkPart(each).some(isNew));
}

/** Whether an element is in what everything is in that is counted. */
function isInside(engine: Engine, element: Element, count: SeenCount): boolean {
  const { flat, roles } = engine;
  const { inside = [] } = count;
  const holders = inside.map(({ ref }) => elementAt(engine, ref));
  for (let at = flat.parent(element); at && inside.length; at = flat.parent(at)) {
    const around = at;
    if (holders.includes(around)) return true;
    const isLike = (part: SeenPart, place: number): boolean => {
      const holder = holders[place];
      return !!holder && roles.of(around) === roles.of(holder) && fits(engine, around, part);
    };
    if (inside.some(isLike)) return true;
  }
  return !inside.length;
}

/** Whether a snapshot would have an element. */
function isRendered(engine: Engine, element: Element): boolean {
  return renderingOf(element) !== "none" && engine.walkPart(element).some(({ source }) => source === element);
}

function elementAt(engine: Engine, ref: string): Element | null {
  return elementOf(engine, splitRef(ref)?.number ?? 0);
}

/** Whether an element is called so by any of the names that it has. */
export function isCalled(engine: Engine, element: Element, role: string, name: string): boolean {
  if (visibleName(engine, element, role) === name) return true;
  return isStyled(engine, element, role, name) || engine.walkPart(element)[0]?.label === name;
}

/** Whether an element says what was expected, and a style sheet adds to that, as many do under the mouse. */
export function isStyled(engine: Engine, element: Element, role: string, expected: string): boolean {
  return expected !== "" && engine.names(false).of(element, role).text === expected;
}
