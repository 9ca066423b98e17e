// Text as people read it: whitespace folded.

/** Whitespace that isn't a single space. Most texts have none, and looking is cheaper than writing them anew. */
const UNFOLDED = /\s\s|[^\S ]/;

/** Collapse every run of whitespace to one space; ends are kept as one space. */
export function collapse(text: string): string {
  return UNFOLDED.test(text) ? text.replace(/\s+/g, " ") : text;
}

/** Collapse whitespace and trim. */
export function fold(text: string): string {
  return collapse(text).trim();
}

/** Whether there is anything but whitespace. */
export function hasInk(text: string): boolean {
  return /\S/.test(text);
}

/** Cut a long string, marking the cut. */
export function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}

/** Whether a text is nothing but glyphs of icon fonts, which say nothing by themselves (private use area). */
export function isIcon(text: string): boolean {
  return /^[\uE000-\uF8FF\s]+$/.test(text);
}
