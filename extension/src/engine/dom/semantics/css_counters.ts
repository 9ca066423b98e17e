// What a style sheet counts: `counter-increment` and `counter()`, which a computed style names and doesn't resolve.

import * as dom from "../tree/dom";
import { isRendered } from "./visibility";

type Which = "::before" | "::after";

/** A counter, and how deep the element is that made it: the next one beside that element takes its place. */
interface Counter {
  value: number;
  depth: number;
}

type Scope = Map<string, Counter[]>;

const PAIR = /([\w-]+)\s+(-?\d+)/g;
const STYLES: Readonly<Record<string, (value: number) => string>> = {
  decimal: String,
  "decimal-leading-zero": (value) => String(value).padStart(2, "0"),
  "lower-alpha": lettersOf,
  "lower-latin": lettersOf,
  "upper-alpha": (value) => lettersOf(value).toUpperCase(),
  "upper-latin": (value) => lettersOf(value).toUpperCase(),
  "lower-roman": romanOf,
  "upper-roman": (value) => romanOf(value).toUpperCase(),
};

/** Counts of one moment: a page doesn't change while it is walked. */
let known: Map<Element, Record<Which, Scope>> | null = null;

/** What `counter(name, style)` or `counters(name, separator, style)` shows in an element's `::before` or `::after`. */
export function countedIn(
  element: Element,
  which: Which,
  name: string,
  style = "decimal",
  separator?: string,
): string {
  if (!known) {
    known = new Map();
    queueMicrotask(() => {
      known = null;
    });
  }
  const root = dom.get(dom.get(element, "ownerDocument"), "documentElement");
  if (!known.size && root) new CounterPass(known).visit(root, new Map(), 0);
  const counters = known.get(element)?.[which].get(name) ?? [];
  const write = STYLES[style] ?? String;
  const values = counters.length ? counters.map(({ value }) => value) : [0];
  return separator === undefined ? write(values.at(-1) ?? 0) : values.map(write).join(separator);
}

class CounterPass {
  constructor(private readonly found: Map<Element, Record<Which, Scope>>) {}

  /** Count in an element and what is in it; `scope` is what it shares with the elements beside it. */
  visit(element: Element, scope: Scope, depth: number): void {
    if (!isRendered(element)) return;
    const style = getComputedStyle(element);
    count(scope, style, depth);
    countItem(scope, element, style, depth);
    const inside: Scope = new Map([...scope].map(([name, counters]) => [name, [...counters]]));
    const before = this.pseudo(element, "::before", inside, depth + 1);
    for (const child of shownIn(element)) this.visit(child, inside, depth + 1);
    const after = this.pseudo(element, "::after", inside, depth + 1);
    if (before.size || after.size) this.found.set(element, { "::before": before, "::after": after });
  }

  private pseudo(element: Element, which: Which, scope: Scope, depth: number): Scope {
    const style = getComputedStyle(element, which);
    if (style.content === "none" || style.content === "normal" || style.display === "none") return new Map();
    count(scope, style, depth);
    const shown = [...scope].filter(([name]) => style.content.includes(name));
    return new Map(shown.map(([name, counters]) => [name, counters.map((counter) => ({ ...counter }))]));
  }
}

/** The elements in another, in its shadow root or in its slot; a closed shadow root isn't known here. */
function shownIn(element: Element): Iterable<Element> {
  if (dom.localName(element) === "slot") {
    const assigned = (element as HTMLSlotElement).assignedElements();
    if (assigned.length) return assigned;
  }
  return dom.shadowRoot(element)?.children ?? dom.children(element);
}

function count(scope: Scope, style: CSSStyleDeclaration, depth: number): void {
  const { counterReset, counterIncrement, counterSet } = style;
  for (const [, name = "", value = ""] of counterReset.matchAll(PAIR))
    begin(scope, name, Number(value), depth);
  for (const [, name = "", value = ""] of counterIncrement.matchAll(PAIR))
    innermost(scope, name, depth).value += Number(value);
  for (const [, name = "", value = ""] of counterSet.matchAll(PAIR))
    innermost(scope, name, depth).value = Number(value);
}

/** The counter that lists have without being styled. */
function countItem(scope: Scope, element: Element, style: CSSStyleDeclaration, depth: number): void {
  const tag = dom.localName(element);
  if (tag === "ol" || tag === "ul" || tag === "menu") {
    const start = tag === "ol" ? (element as HTMLOListElement).start : 1;
    begin(scope, "list-item", start - 1, depth);
  }
  if (style.display !== "list-item" || style.counterIncrement.includes("list-item")) return;
  const counter = innermost(scope, "list-item", depth);
  counter.value =
    tag === "li" && dom.hasAttribute(element, "value") ? (element as HTMLLIElement).value : counter.value + 1;
}

function begin(scope: Scope, name: string, value: number, depth: number): void {
  const counters = scope.get(name) ?? [];
  if (counters.at(-1)?.depth === depth) counters.pop();
  counters.push({ value, depth });
  scope.set(name, counters);
}

function innermost(scope: Scope, name: string, depth: number): Counter {
  const counter = scope.get(name)?.at(-1);
  if (counter) return counter;
  begin(scope, name, 0, depth);
  return scope.get(name)?.at(-1) as Counter;
}

function lettersOf(value: number): string {
  let [text, left] = ["", value];
  for (; left > 0; left = Math.floor((left - 1) / 26))
    text = String.fromCharCode(97 + ((left - 1) % 26)) + text;
  return text || String(value);
}

function romanOf(value: number): string {
  const digits = "m 1000 cm 900 d 500 cd 400 c 100 xc 90 l 50 xl 40 x 10 ix 9 v 5 iv 4 i 1".split(" ");
  let [text, left] = ["", value];
  for (let at = 0; at < digits.length; at += 2)
    for (const size = Number(digits[at + 1]); left >= size; left -= size) text += digits[at];
  return text || String(value);
}
