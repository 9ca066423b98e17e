// Whether a field holds what was filled in, however the page formats it.

/** What is compared: letters and digits, without case, signs and blanks. */
function squash(text: string): string {
  return (
    text
      .normalize("NFKC")
      .toLowerCase()
      .match(/[\p{L}\p{N}]/gu) ?? []
  ).join("");
}

/** Whether all characters of one text are in the other, in this order. */
function isWithin(part: string, whole: string): boolean {
  let at = 0;
  for (const char of whole) if (char === part[at]) at++;
  return at >= part.length;
}

/**
 * Whether a field took a value. Pages may format it ("(555) 123-4567"), complete it, or write a date otherwise; they may
 * not drop a part of it, keep what was there before, or put another number in its place.
 */
export function isTaken(field: HTMLInputElement, value: string, before: string): boolean {
  // Browsers write line ends, and what numbers and addresses have around them, in their own way.
  const held = field.value;
  if (held === value || held.trim() === value.trim()) return true;
  const [now, wanted, old] = [squash(held), squash(value), squash(before)];
  if (now === wanted) return wanted !== "" || held !== "" || value.trim() === "";
  if (isSameNumber(held, value)) return true;
  if ((now === old && now !== "") || (old !== "" && [old + wanted, wanted + old].includes(now))) return false;
  if (now.length < wanted.length && isWithin(now, wanted)) return isNearby(field, value);
  if (isWithin(wanted, now)) return true;
  // A date written otherwise has some of its parts in common.
  const parts = partsOf(held);
  return !(/^\d+$/.test(now) && /^\d+$/.test(wanted)) && partsOf(value).some((part) => parts.includes(part));
}

function partsOf(text: string): string[] {
  return (text.toLowerCase().match(/\p{L}+|\p{N}+/gu) ?? []).map((part) => part.replace(/^0+(?=.)/, ""));
}

function isSameNumber(one: string, other: string): boolean {
  return one.trim() !== "" && other.trim() !== "" && Number(one) === Number(other);
}

/** Whether the page put it beside the field: as tags, in the other boxes of a code, or in an editor that it renders. */
function isNearby(field: HTMLElement, value: string): boolean {
  const words = value.toLowerCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let around: HTMLElement | null = field;
  for (let up = 0; up < 4 && around; up++) {
    const root: Node = around.getRootNode();
    around = around.parentElement ?? (root instanceof ShadowRoot ? (root.host as HTMLElement) : null);
    if (!around || around.localName === "body") return false;
    const boxes = [...around.querySelectorAll("input")].map((each) => each.value);
    const text = `${around.innerText ?? around.textContent}\n${boxes.join("\n")}`.toLowerCase();
    const there = new Set(text.match(/[\p{L}\p{N}]+/gu) ?? []);
    if (words.every((word) => there.has(word))) return true;
    if (boxes.length > 1 && squash(boxes.join("")).includes(squash(value))) return true;
  }
  return false;
}
