// From a ref's number to its element, or to an error that says what was there and what is like it now.

import type { Engine } from "../engine/dom/engine";
import { Failure } from "../shared/errors";
import type { NamedElement } from "../shared/messages";
import { elementInWords } from "../shared/refs";
import { visibleName } from "./visible_name";

const CANDIDATES = 5;

/** The element that a number names, or a `Failure`: unknown_ref, stale_ref. */
export function findElement(engine: Engine, number: number): Element {
  const found = engine.refs.find(number);
  if ("element" in found) return found.element;
  const ref = refOf(engine, number);
  if (found.error === "unknown") throw new Failure("unknown_ref", `No element was ever called ${ref}.`);
  const { role, name } = engine.refs.lastKnown(number);
  const was = role && ` (${elementInWords({ role, name })})`;
  throw new Failure("stale_ref", `The element ${ref}${was} is no longer in the page.`, undefined, {
    ref,
    role,
    name,
    candidates: candidatesFor(engine, number, role, name),
  });
}

/** The element that a number names, or null where there is none any more. */
export function elementOf(engine: Engine, number: number): Element | null {
  const found = engine.refs.find(number);
  return "element" in found ? found.element : null;
}

/** A number as people write it. */
export function refOf(engine: Engine, number: number): string {
  return engine.frame ? `f${engine.frame}e${number}` : `e${number}`;
}

/** What an element is called now, for messages. */
export function labelOf(engine: Engine, element: Element): NamedElement {
  const named = closestNumbered(engine, element);
  const role = engine.roles.of(named);
  const number = engine.refs.numberOf(named);
  return {
    ref: number ? refOf(engine, number) : "",
    role,
    name: visibleName(engine, named, role),
  };
}

function closestNumbered(engine: Engine, element: Element): Element {
  for (let at: Element | null = element; at; at = engine.flat.parent(at))
    if (engine.refs.numberOf(at)) return at;
  return element;
}

/** The elements that are most like the one that is gone; of equals those numbered nearest. */
function candidatesFor(engine: Engine, number: number, role: string, name: string): NamedElement[] {
  const tree = engine.takeSnapshot().tree;
  const scored: { score: number; near: number; candidate: NamedElement }[] = [];
  for (let i = 0; i < tree.number.length; i++) {
    const other = tree.number[i] as number;
    if (!other) continue;
    const candidate = {
      ref: refOf(engine, other),
      role: tree.roles[tree.role[i] as number] as string,
      name: tree.name[i] as string,
    };
    const score = (candidate.role === role ? 1 : 0) + likeness(name, candidate.name) * 2;
    if (score > 0.5) scored.push({ score, near: Math.abs(other - number), candidate });
  }
  scored.sort((a, b) => b.score - a.score || a.near - b.near);
  return scored.slice(0, CANDIDATES).map(({ candidate }) => candidate);
}

function likeness(a: string, b: string): number {
  if (!a || !b) return 0;
  if (a === b) return 1;
  const left = new Set(a.toLowerCase().split(/\W+/));
  const right = new Set(b.toLowerCase().split(/\W+/));
  let common = 0;
  for (const word of left) if (word && right.has(word)) common++;
  return common / Math.max(left.size, right.size);
}
