// Text as people read it: whitespace folded.

/** Collapse every run of whitespace to one space; ends are kept as one space. */
export function collapse(text: string): string {
  return text.replace(/\s+/g, " ");
}

/** Collapse whitespace and trim. */
export function fold(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

/** Whether there is anything but whitespace. */
export function hasInk(text: string): boolean {
  return /\S/.test(text);
}

/** Cut a long string, marking the cut. */
export function clip(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit - 1)}…` : text;
}
