// Which option of a native list a word names.

import { fold } from "../engine/dom/naming/text";
import * as dom from "../engine/dom/tree/dom";
import { Failure } from "../shared/errors";

const LISTED = 20;

/** What an option is called; an empty one may have a name for those who can't see that. */
export function labelOf(option: HTMLOptionElement): string {
  return fold(option.label || (dom.getAttribute(option, "aria-label") ?? "")).normalize("NFC");
}

/** The option that a label, a value, a label with its group or a number names. */
export function findOption(
  options: HTMLOptionElement[],
  wanted: string,
  by: "label" | "value" | "index" | null,
): HTMLOptionElement {
  const text = fold(wanted.normalize("NFC"));
  const all = (fits: (option: HTMLOptionElement) => boolean) => () => options.filter(fits);
  const ways = {
    label: all((option) => labelOf(option) === text),
    value: all((option) => option.value === wanted),
    folded: all((option) => labelOf(option).toLowerCase() === text.toLowerCase()),
    grouped: all((option) => `${groupOf(option)} / ${labelOf(option)}` === text),
    index: all((option) => /^\d+$/.test(text) && options[Number(text)] === option),
  };
  const tried = by ? [ways[by]] : Object.values(ways);
  for (const found of tried) {
    const [first, ...others] = found();
    if (!first) continue;
    // Options that are the same in all respects do the same.
    if (others.every((other) => isSame(first, other))) return first;
    throw ambiguous([first, ...others], text);
  }
  const labels = options.map((option) => labelOf(option));
  const quoted = labels.slice(0, LISTED).map((label) => `'${label}'`);
  const more = labels.length > LISTED ? `, and ${labels.length - LISTED} more` : "";
  const hint = `options are: ${quoted.join(", ")}${more}`;
  throw new Failure("invalid_params", `This list has no option '${text.slice(0, 80)}'.`, hint, {
    options: labels,
  });
}

/** What names the chosen options of a list: their labels, or their values where others are called so too. */
export function choiceOf(list: HTMLSelectElement): { values: string[]; by?: "value" } {
  const [options, chosen] = [[...list.options], [...list.selectedOptions]];
  const alike = (one: HTMLOptionElement, other: HTMLOptionElement) =>
    labelOf(one) === labelOf(other) && !isSame(one, other);
  const labels = chosen.map((option) => option.label.trim());
  if (!chosen.some((option) => options.some((other) => alike(option, other)))) return { values: labels };
  const values = chosen.map((option) => option.value);
  const isTelling = values.every((value) => options.filter((other) => other.value === value).length === 1);
  if (isTelling) return { values, by: "value" };
  return { values: chosen.map((option) => `${groupOf(option)} / ${labelOf(option)}`) };
}

/** The name of the group that an option is in; "" where it is in none. */
function groupOf(option: HTMLOptionElement): string {
  const parent = dom.get(option, "parentElement");
  return parent && dom.localName(parent) === "optgroup"
    ? fold(dom.getAttribute(parent, "label") ?? "").normalize("NFC")
    : "";
}

function isSame(one: HTMLOptionElement, other: HTMLOptionElement): boolean {
  return one.value === other.value && labelOf(one) === labelOf(other) && groupOf(one) === groupOf(other);
}

/** Options of one name: which of them is meant, only the caller knows. */
function ambiguous(found: HTMLOptionElement[], text: string): Failure {
  const described = found.slice(0, LISTED).map((option) => {
    const group = groupOf(option);
    return `${group ? `in ${group}: ` : ""}value '${option.value}'`;
  });
  const why = `${found.length} options are called '${text.slice(0, 80)}': ${described.join("; ")}.`;
  const options = found.map((option) => ({ group: groupOf(option), value: option.value }));
  const hint = "choose by value, with by='value', or by group and label, as in 'Group / Label'";
  return new Failure("invalid_params", why, hint, { reason: "ambiguous", options });
}
