// Page text made safe to show: nothing hides in it. The same table as `skillbook/notebook/escaping.py`; a test compares them.

const BREAKS: Record<string, string> = { "\n": "⏎", "\r": "␍", "\t": "⇥", "\u2028": "⏎", "\u2029": "⏎" };
const JOINERS = new Set(["\u200c", "\u200d"]);
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each stands for itself
  /[\u0000-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u2800\u3164\ufe00-\ufe0e\ufeff\uffa0\ufff0-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** Put a visible sign in the place of each line break, control, bidirectional or invisible character. */
export function showHidden(text: unknown): string {
  return String(text).replace(HIDDEN, (char) => {
    if (JOINERS.has(char)) return char;
    const code = (char.codePointAt(0) as number).toString(16).toUpperCase().padStart(4, "0");
    return BREAKS[char] ?? `⟨U+${code}⟩`;
  });
}

/** Text of several lines: its breaks stay, everything else that hides is shown. */
export function showLines(text: string): string {
  return text.split(/\r?\n/).map(showHidden).join("\n");
}

export function shorten(text: string, length: number): string {
  return text.length <= length ? text : `${text.slice(0, length - 1)}…`;
}
