// The elements that a CSS selector names, in the document and in every shadow root, also those that no snapshot has.

import type { Engine } from "../engine/dom/engine";
import { refOf } from "../hit_safety/find_element";
import { Failure } from "../shared/errors";

/** More than these nobody can mean. */
const MOST = 1_000;

/** Refs of the elements that a CSS selector matches, in document order, those in shadow roots after the others. */
export function matchingRefs(engine: Engine, css: string): string[] {
  const found: Element[] = [];
  try {
    collect(engine, engine.document, css, found);
  } catch (error) {
    if (!(error instanceof DOMException)) throw error;
    throw new Failure("invalid_params", `'${css.slice(0, 200)}' is no CSS selector.`, "correct the selector");
  }
  return found.slice(0, MOST).map((element) => {
    const number = engine.refs.numberOf(element);
    if (number) return refOf(engine, number);
    const role = engine.roles.of(element);
    return refOf(engine, engine.refs.note(element, role, engine.names().of(element, role).text));
  });
}

function collect(engine: Engine, root: Document | ShadowRoot, css: string, found: Element[]): void {
  for (const element of root.querySelectorAll(css)) if (!engine.isOwn(element)) found.push(element);
  for (const element of root.querySelectorAll("*")) {
    const inner = found.length < MOST ? engine.flat.shadow(element) : null;
    if (inner) collect(engine, inner, css, found);
  }
}
