// Names during a walk: most can be told from what the walk has recorded inside an element, without a second look at it.

import type { Name } from "./naming/names";
import { fold, isIcon } from "./naming/text";
import type { Rules } from "./rules";
import { Mark } from "./semantics/actionable";
import { NAMED_BY_CONTENT, NAMELESS_ROLES, SET_APART, WALLED } from "./semantics/aria";
import { isFocusable } from "./semantics/roles";
import type { Records } from "./walk/records";

/** An element on its way into the records. */
export interface Named {
  element: Element;
  tag: string;
  marks: number;
  role: string;
  why: string[] | null;
  /** On a label that stands for a field which isn't rendered: the field. */
  control?: HTMLElement;
}

/** Elements that HTML can name by other means than ARIA. */
const NATIVELY_NAMED = new Set(
  "area button fieldset figure img input meter optgroup option output progress select svg table textarea".split(
    " ",
  ),
);

/** Roles whose content is told by their children where those are more than text, unless they can be focused. */
const LEFT_TO_CHILDREN = new Set(["cell", "gridcell", "row"]);

/** Controls whose value counts in what they are embedded in. */
const ASKED = new Set(
  "combobox listbox meter progressbar scrollbar searchbox slider spinbutton textbox".split(" "),
);

/** Roles whose lines may be fields of a record, such as a card that is one link. */
const KEEPS_LINES = new Set(["cell", "generic", "gridcell", "link", "row", "treeitem"]);

export class Naming {
  constructor(
    private readonly records: Records,
    private readonly rules: Pick<Rules, "names" | "isSvg" | "internals">,
  ) {}

  /** The name of a record whose children are known; `simple` where nothing but records contributes to it. */
  of(at: number, subject: Named, simple: boolean): Name {
    const { element, tag, marks, role } = subject;
    if (subject.control) return { text: fold(slottedText(element)), from: "native" };
    const mayBeNamed = marks & Mark.LABEL || NATIVELY_NAMED.has(tag) || this.rules.isSvg(element);
    if (mayBeNamed || (tag.includes("-") && this.rules.internals(element))) {
      const given = this.rules.names.given(element, role);
      if (given.from !== "none") return given;
    }
    const onlyText = this.onlyText(at);
    if (NAMED_BY_CONTENT.has(role)) {
      const told =
        simple && !(marks & Mark.OWNS) && !this.rules.names.pseudos.concerns(element)
          ? fold(this.told(at, -1) ?? "")
          : "";
      if (onlyText || !LEFT_TO_CHILDREN.has(role) || isFocusable(element)) {
        if (told && !isIcon(told)) return { text: told, from: "content" };
        return this.rules.names.of(element, role);
      }
    } else if (role === "generic" && subject.why && onlyText && (this.records.kids[at] as number) > 0) {
      return { text: this.joined(at), from: "content" };
    }
    return marks & Mark.TITLE || tag === "input" || tag === "textarea" || marks & Mark.ARIA
      ? this.rules.names.fallback(element, role)
      : { text: "", from: "none" };
  }

  /** What the records inside contribute to a name (step 2F), or null where only the full computation can tell. */
  private told(at: number, line: number): string | null {
    const { records } = this;
    const end = records.ends[at] as number;
    let text = "";
    for (let i = at + 1; i < end; ) {
      const next = records.ends[i] as number;
      if (records.gaps[i] || this.isSpaced(i) || records.starts[i] !== line) text += " ";
      if (records.isText[i]) {
        text += records.names[i];
        line = records.stops[i] as number;
        i++;
        continue;
      }
      const role = records.roles[i] as string;
      if (ASKED.has(role)) return null;
      const inner = records.dropped[i] ? "" : (records.names[i] as string);
      if (inner && NAMELESS_ROLES.has(role) && records.apart[i]) return null;
      const own = inner || (WALLED.has(role) ? "" : this.told(i, records.starts[i] as number));
      if (own === null) return null;
      const apart = (inner && records.apart[i]) || SET_APART.has(role);
      text += apart ? ` ${own} ` : own;
      // What stands last in an element may be in another line than the element itself ends in.
      line = records.stops[next - 1] === records.stops[i] ? (records.stops[i] as number) : -1;
      i = next;
    }
    return text;
  }

  /** Whether what a record begins with begins with a space, which the name of the record has lost. */
  private isSpaced(at: number): boolean {
    const { isText, gaps, names, ends } = this.records;
    const first = at + 1;
    if (isText[at] || first >= (ends[at] as number)) return false;
    return gaps[first] === 1 || (isText[first] === 1 && (names[first] as string).startsWith(" "));
  }

  private onlyText(at: number): boolean {
    const { isText, dropped, ends } = this.records;
    for (let i = at + 1; i < (ends[at] as number); i++) if (!isText[i] && !dropped[i]) return false;
    return true;
  }

  private joined(at: number): string {
    const { isText, names, ends } = this.records;
    let text = "";
    for (let i = at + 1; i < (ends[at] as number); i++) if (isText[i]) text += ` ${names[i]}`;
    return fold(text);
  }

  /** Text that is exactly the name is not shown a second time; a link's or cell's several lines stay apart. */
  foldText(at: number, role: string, name: string): void {
    const { records } = this;
    if (!this.onlyText(at) || !name.includes(this.joined(at))) return;
    const texts: number[] = [];
    for (let i = at + 1; i < (records.ends[at] as number); i++) if (records.isText[i]) texts.push(i);
    if (KEEPS_LINES.has(role) && texts.some((i) => records.starts[i] !== records.starts[texts[0] as number]))
      return;
    for (const i of texts) records.drop(i);
  }
}

/** An element's text, with what is slotted into it. */
function slottedText(element: Element): string {
  const slotted = element.localName === "slot" ? (element as HTMLSlotElement).assignedNodes() : [];
  let text = "";
  for (const node of slotted.length ? slotted : element.childNodes) {
    if (node.nodeType === TEXT) text += (node as Text).data;
    else if (node.nodeType === ELEMENT) text += slottedText(node as Element);
  }
  return text;
}

const ELEMENT = 1;
const TEXT = 3;
