// A kept element's states and the facts that few elements have.

import type { NodeExtra } from "../../../protocol/generated";
import { asksNoAi } from "../../../shared/ai_opt_out";
import type { InternalFacts } from "../../../shared/messages";
import type { Name, Names } from "../naming/names";
import { fold } from "../naming/text";
import type { FlatTree } from "../tree/flat_tree";
import type { NodeRecord } from "../walk/records";
import { Mark, testIdOf } from "./actionable";
import { flagsOf } from "./states";
import { shownValue } from "./values";

export interface Facts {
  element: Element;
  tag: string;
  role: string;
  disabled: boolean;
  marks: number;
  why: string[] | null;
  internals: InternalFacts | null;
}

const STATEFUL = new Set(
  `a area audio button details dialog embed form frame h1 h2 h3 h4 h5 h6 iframe img input meter object option output
  progress select summary textarea video`.split(/\s+/),
);

/** What can set a flag, by attribute and by element. */
const FLAGGED_MARKS = Mark.ROLE | Mark.ARIA | Mark.EDITABLE;
const FLAGGED = new Set(
  "button details dialog h1 h2 h3 h4 h5 h6 input meter option progress select summary td textarea th".split(
    " ",
  ),
);

/** Whether there is anything to say of an element beyond role and name. */
export function isStateful({ element, tag, marks, why, disabled, internals }: Facts): boolean {
  if (marks !== 0 || internals || why !== null || disabled || STATEFUL.has(tag)) return true;
  return (
    (tag === "td" || tag === "th") && (element.hasAttribute("colspan") || element.hasAttribute("rowspan"))
  );
}

/** Write an element's flags and extras into its record. */
export function describe(
  record: NodeRecord,
  facts: Facts,
  name: Name,
  { names, flat }: { names: Names; flat: FlatTree },
): void {
  const { element, tag, role, marks, why } = facts;
  const extra: NodeExtra = {};
  if (facts.disabled || facts.internals || marks & FLAGGED_MARKS || FLAGGED.has(tag))
    record.flags |= flagsOf(facts, extra);
  if (marks & (Mark.ARIA | Mark.TITLE)) {
    const description = names.description(element, name);
    if (description) extra.description = description;
  }
  const value = shownValue(element, role, flat);
  if (value) extra.value = value;
  htmlExtras(element, tag, name, extra);
  if (marks & Mark.TEST_ID) {
    const id = testIdOf(element);
    if (id) extra.test_id = id;
  }
  if (marks & Mark.ID && element.id) extra.html_id = element.id;
  if (why) extra.why = why;
  if (marks & Mark.NO_AI && asksNoAi(element.getAttribute("data-no-ai"))) extra.no_ai = true;
  for (const _ in extra) {
    record.extra = extra;
    break;
  }
}

function htmlExtras(element: Element, tag: string, name: Name, extra: NodeExtra): void {
  switch (tag) {
    case "a":
    case "area": {
      const href = (element as HTMLAnchorElement).href as string | SVGAnimatedString;
      const text = typeof href === "string" ? href : href.baseVal;
      if (text) extra.href = text;
      return;
    }
    case "img":
    case "iframe":
    case "frame":
    case "embed":
    case "audio":
    case "video": {
      const media = element as HTMLImageElement;
      const src = media.currentSrc || media.src;
      if (src) extra.src = src.startsWith("data:") ? `${src.slice(0, src.search(/[;,]|$/))}` : src;
      return;
    }
    case "input":
    case "textarea":
    case "select":
    case "button": {
      const field = element as HTMLInputElement;
      if (tag === "input" || (tag === "button" && field.type !== "submit")) extra.type = field.type;
      if (field.name) extra.html_name = field.name;
      const hint = fold(field.placeholder ?? "");
      if (hint && hint !== name.text) extra.placeholder = hint;
      return;
    }
    case "form":
    case "output":
      if ((element as HTMLFormElement).getAttribute("name")) extra.html_name = element.getAttribute("name");
  }
}
