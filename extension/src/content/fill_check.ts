// Whether a field holds what was filled in, however the page formats it. `page/filled_fields.py` has the same rule for what
// the page makes of it later, and the same cases test both.

/** Runs of letters, and runs of digits without leading zeros. */
function partsOf(text: string): string[] {
  const found = text
    .normalize("NFKC")
    .toLowerCase()
    .match(/\p{L}[\p{L}\p{M}]*|\p{N}+/gu);
  return (found ?? []).map((part) => part.replace(/^0+(?=.)/, ""));
}

/** Letters and digits alone. */
export function squash(text: string): string {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]/gu) ?? []
  ).join("");
}

/**
 * Whether a field took a value. Pages may format it ("(555) 123-4567"), complete it, or write a date otherwise; they may
 * not drop a part of it, keep what was there before, or put another number, word or day in its place.
 */
export function isTaken(field: HTMLInputElement, value: string, before: string): boolean {
  // Browsers write line ends, and what numbers and addresses have around them, in their own way.
  const held = field.value;
  if (held === value || held.trim() === value.trim()) return true;
  const [now, wanted, old] = [squash(held), squash(value), squash(before)];
  if (wanted === "") return now === "" && (held !== "" || value.trim() === "");
  if (isAmount(value)) {
    const mayBeNearby = held.trim() === "" || (/^\d+$/.test(value.trim()) && now.length < wanted.length);
    return isSameAmount(held, value) || (mayBeNearby && isNearby(field, value));
  }
  if (old !== "" && now !== wanted && [old, old + wanted, wanted + old].includes(now)) return false;
  if (losesDecimals(held, value)) return false;
  if (isSameText(held, value) || isSameMoment(held, value)) return true;
  return now.length < wanted.length && isNearby(field, value);
}

/** Whether a text is nothing but a number with a sign or a decimal point, so that a sign lost makes it another one. */
function isAmount(text: string): boolean {
  return /^[-−+]?\d*[.,]?\d+$/.test(text.trim());
}

/** The numbers that a text can be read as, by what it has as the decimal sign; none where it isn't one number. */
function amountsOf(text: string): number[] {
  const bare = text
    .normalize("NFKC")
    .replace(/[\s'’_]/g, "")
    .replace(/−/g, "-");
  const found = /^([^\d]*?)([.,]?\d[\d.,]*)([^\d]*)$/.exec(bare);
  if (!found) return [];
  const [, front = "", digits = "", back = ""] = found;
  const isNegative = /-/.test(front) || /^-/.test(back) || (/\(/.test(front) && /\)/.test(back));
  const numbers = [readAmount(digits, ",", "."), readAmount(digits, ".", ",")];
  return numbers
    .filter((number) => number !== null)
    .map((number) => (isNegative ? -(number as number) : (number as number)));
}

/** What digits mean where these signs part groups of three and the decimals; null where they can't. */
function readAmount(digits: string, group: string, decimal: string): number | null {
  const [whole = "", rest = "0", ...more] = digits.split(decimal);
  const grouped = new RegExp(`^\\d{1,3}(\\${group}\\d{2,3})*\\${group}\\d{3}$`);
  if (more.length || rest.includes(group) || (whole.includes(group) && !grouped.test(whole))) return null;
  return Number(`${whole.replaceAll(group, "")}.${rest}`);
}

/** Whether a field shows a number: grouped, with a unit, as a code in groups, or as a time or a date. */
function isSameAmount(held: string, value: string): boolean {
  const plain = value.trim().replace(/^\+/, "").replace("−", "-");
  const wanted = Number(plain.replace(",", "."));
  const shown = amountsOf(held);
  // Where the page writes "1.234", only the page knows whether it means a thousand.
  if (shown.includes(wanted)) return true;
  const digits = squash(held).replace(/\D/g, "");
  if (/^-|[.,]/.test(plain) || /\d[.,]\d{1,2}\D*$/.test(held)) return false;
  const isCode = partsOf(held).filter((part) => /^\d+$/.test(part)).length > 1 || /\D/.test(held.trim());
  const bare = digits.replace(/^0+(?=.)/, "");
  if (isCode && bare === plain.replace(/^0+(?=.)/, "")) return true;
  // A country's code before a telephone number, and the minutes that a page adds to an hour.
  if (held.trim().startsWith("+") && plain.length > 3 && digits.endsWith(plain.replace(/^0+/, "")))
    return true;
  return /^0*\d+(:00)+$/.test(held.trim()) && Number.parseInt(held, 10) === wanted;
}

/** Whether a number with a unit became another one: "1250" for "$12.50". */
function losesDecimals(held: string, value: string): boolean {
  const [now, wanted] = [amountsOf(held), amountsOf(value)];
  return (
    /\d[.,]\d/.test(value) && now.length > 0 && wanted.length > 0 && !wanted.some((one) => now.includes(one))
  );
}

/** Whether a text has the same words and numbers; a page may complete it, but not join or drop words. */
function isSameText(held: string, value: string): boolean {
  const [now, wanted] = [partsOf(held), partsOf(value)];
  if (now.join(" ") === wanted.join(" ")) return true;
  // Groups of codes ("DE89 3704") are parted and joined; words are not.
  const hasPlainWords = wanted.some((part, i) => /\p{L}/u.test(part) && /\p{L}/u.test(wanted[i + 1] ?? ""));
  const [joined, whole] = [squash(held), squash(value)];
  // What parts a day or a time says which number is the year; without any, a page can't part it wrongly.
  if (joined === whole) return !hasPlainWords && (!isMoment(value) || /^\d+$/.test(held.trim()));
  if (/^\d+$/.test(whole) && /^\d+$/.test(joined)) return isSameCode(held, value);
  const at = now.findIndex((_, i) =>
    wanted.every((part, n) => fits(now[i + n], part, n === wanted.length - 1)),
  );
  return at >= 0;
}

/** Whether a part is a part of what was filled in; the last one may be completed. */
function fits(now: string | undefined, wanted: string, isLast: boolean): boolean {
  return now === wanted || (isLast && /\p{L}$/u.test(wanted) && (now ?? "").startsWith(wanted));
}

/** Whether a number in groups is the same with a country's code before it, or without the zero of a place's. */
function isSameCode(held: string, value: string): boolean {
  const digits = [held, value].map((text) => text.replace(/\D/g, "").replace(/^0+/, "")) as [string, string];
  return held.trim().startsWith("+") && digits[1].length > 3 && digits[0].endsWith(digits[1]);
}

function isMoment(text: string): boolean {
  return /^\s*\d{1,4}([-/.]\d{1,2}){2,}|\d{1,2}([-/.]\d{1,2})[-/.]\d{2,4}|\d:\d\d/.test(text);
}

/** Whether two texts write one day or time in two ways. */
function isSameMoment(held: string, value: string): boolean {
  const numbers = (text: string): string[] => partsOf(text).filter((part) => /^\d+$/.test(part));
  const [now, wanted] = [numbers(held), numbers(value)];
  if (wanted.length < 2 || !/\d[./:\-\s,]|:/.test(value)) return false;
  const hasWord = /\p{L}{3,}/u;
  if (hasWord.test(held) || hasWord.test(value)) {
    const days = [held, value].map((text) => dayOf(text));
    if (days[0] && days[1]) return days[0] === days[1];
  }
  const isClock = /[ap]\.?\s?m\b/i.test(held) !== /[ap]\.?\s?m\b/i.test(value);
  const named = hasWord.test(held) && !hasWord.test(value) ? 1 : 0;
  const missing = wanted.filter((part) => !now.some((one) => isSameNumber(one, part, isClock)));
  if (missing.length > named || (missing[0] && Number(missing[0]) > 12)) return false;
  // The same place of the year and other numbers in it is another day.
  const isReordered = now.length === wanted.length && yearAt(now) === yearAt(wanted) && yearAt(now) >= 0;
  return !isReordered || now.every((part, i) => isSameNumber(part, wanted[i] as string, isClock));
}

function isSameNumber(one: string, other: string, isClock: boolean): boolean {
  if (one === other) return true;
  const [short, long] = [one, other].sort((a, b) => a.length - b.length) as [string, string];
  if (long.length === 4 && short.length <= 2) return Number(long) % 100 === Number(short);
  return isClock && Number(one) % 12 === Number(other) % 12 && Math.max(Number(one), Number(other)) < 24;
}

function yearAt(numbers: string[]): number {
  return numbers.findIndex((part) => part.length === 4);
}

function dayOf(text: string): string | null {
  const date = new Date(
    /^\d{4}-\d{1,2}-\d{1,2}$/.test(text.trim()) ? text.trim().replaceAll("-", "/") : text,
  );
  return Number.isNaN(date.getTime()) ? null : date.toDateString();
}

/** Whether the page put it beside the field: as tags, in the other boxes of a code, or in an editor that it renders. */
export function isNearby(field: HTMLElement, value: string): boolean {
  const words = value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let around: HTMLElement | null = field;
  for (let up = 0; up < 4 && around; up++) {
    const root: Node = around.getRootNode();
    around = around.parentElement ?? (root instanceof ShadowRoot ? (root.host as HTMLElement) : null);
    if (!around || around.localName === "body") return false;
    const inputs = [...around.querySelectorAll("input")];
    const boxes = inputs.map((each) => each.value);
    const others = inputs.filter((each) => each !== field).map((each) => each.value);
    const text = `${around.innerText ?? around.textContent}\n${others.join("\n")}`.toLowerCase();
    const there = new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);
    if (words.every((word) => there.has(word))) return true;
    if (boxes.length > 1 && squash(boxes.join("")).includes(squash(value))) return true;
  }
  return false;
}
