// The text that stands before a field without being its label in the code: `<td>Card number</td><td><input></td>`.

const MOST_LEVELS = 4;
/** Nobody labels a field by prose. */
const LONGEST = 40;
/** What is outside of these labels other fields as well. */
const ENDS = /^(?:tr|li|ul|ol|table|tbody|form|fieldset|section|article|main|dialog|body|html|label)$/;
const NO_LABEL = /^(?:h[1-6]|script|style|template|caption|thead|nav|header)$/;

/** How a tree is walked: the page's own, or the one that the debugger describes. */
export interface Walk<N> {
  parent: (node: N) => N | null;
  previous: (node: N) => N | null;
  /** The element's name; "#text" for texts. */
  tag: (node: N) => string;
  text: (node: N) => string;
  /** Whether a field that people see is it or in it. */
  hasField: (node: N) => boolean;
}

/** The nearest text before a field, in its row or group; empty if there is none, or if another field is nearer. */
export function textBefore<N>(field: N, walk: Walk<N>): string {
  let at: N | null = field;
  for (let level = 0; at !== null && level < MOST_LEVELS; level++) {
    for (let one = walk.previous(at); one !== null; one = walk.previous(one)) {
      if (walk.hasField(one) || NO_LABEL.test(walk.tag(one))) return "";
      const text = walk.text(one).trim();
      if (text) return text.length <= LONGEST ? text : "";
    }
    at = walk.parent(at);
    if (at === null || ENDS.test(walk.tag(at))) return "";
  }
  return "";
}
