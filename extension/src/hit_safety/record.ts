// The record around an element: what told it from its neighbours when somebody saw it, compared with what is there now.
//
// Lists that reuse their nodes keep an element and its label, and give it another row. The kernel chooses from its
// snapshot what identifies the record; here the same walk reads that part of the page again.

import type { Engine } from "../engine/dom/engine";
import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import type { NodeRecord } from "../engine/dom/walk/records";
import type { SeenRecord } from "../protocol/generated";
import { keysIn } from "../shared/attributes";
import { LONGEST, VOLATILE } from "../shared/record_table";
import { splitRef } from "../shared/refs";
import { elementOf } from "./find_element";

const LONGEST_AMOUNT = 30;
/** What of a record a message quotes. */
const QUOTED = 3;

/** What the record says now, where it isn't the one that was seen; null where it is. */
export function otherRecord(engine: Engine, element: Element, seen: SeenRecord): string | null {
  const holder = elementOf(engine, splitRef(seen.ref)?.number ?? 0);
  if (!holder || (!seen.apart && !engine.flat.isInside(element, holder))) return "";
  const around = engine.walkPart(holder);
  const records = partOf(engine, around, holder, element, seen);
  const labels = new Set(records.map(({ label }) => readAs(label, seen.loose)));
  const hasTexts = (seen.texts ?? []).every((text) => {
    const wanted = readAs(text, seen.loose);
    if (text.length < LONGEST) return labels.has(wanted);
    // A long text was cut, perhaps within an amount: its end is left out.
    const start = wanted.slice(0, -LONGEST_AMOUNT);
    return [...labels].some((label) => label.startsWith(start));
  });
  const exact = new Set(records.map(({ label }) => fold(label)));
  const hasFacts = (seen.facts ?? []).every((text) => text.length >= LONGEST || exact.has(fold(text)));
  const leads = new Set([...around.map(({ extra }) => extra?.href), ...keysAround(engine, element, holder)]);
  if (hasTexts && hasFacts && (seen.links ?? []).every((href) => leads.has(href))) return null;
  const wanted = new Set((seen.texts ?? []).map(fold));
  const said = records.map(({ label }) => fold(label)).filter((label) => /[\p{L}\p{N}]/u.test(label));
  // What wasn't there comes first: rows may say the same but for one cell.
  said.sort((one, other) => Number(wanted.has(one)) - Number(wanted.has(other)));
  return said.slice(0, QUOTED).join(" ");
}

/** What the holder shows, without the element; or the text right before the element. */
function partOf(
  engine: Engine,
  records: NodeRecord[],
  holder: Element,
  element: Element,
  seen: SeenRecord,
): NodeRecord[] {
  if (seen.before) {
    // The outermost of what the element is in stands after the text.
    const at = records.findIndex(
      ({ source }) => source !== holder && source instanceof Element && engine.flat.isInside(element, source),
    );
    return records.slice(Math.max(0, at - 1), Math.max(0, at));
  }
  if (holder === element) return records;
  return records.filter(({ source }) => {
    const inside = source instanceof Element ? source : source.parentElement;
    return !inside || !engine.flat.isInside(inside, element);
  });
}

/** The keys of what an element is in, up to its record. */
function* keysAround(engine: Engine, element: Element, holder: Element): Generator<string> {
  for (let at: Element | null = element; at && at !== holder; ) {
    at = engine.flat.parent(at);
    if (!at) return;
    const around = at;
    yield* keysIn(dom.getAttributeNames(around), (name) => dom.getAttribute(around, name));
    yield `id=${dom.get(around, "id")}`;
  }
}

function readAs(text: string, loose = false): string {
  return fold(loose ? text.replace(VOLATILE, "") : text);
}
