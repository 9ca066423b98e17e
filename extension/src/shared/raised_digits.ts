// Digits above or below the line after a number: a footnote's, an exponent's, cents. They are no part of the number.

const RAISED: Record<string, string> = { sup: "⁰¹²³⁴⁵⁶⁷⁸⁹", sub: "₀₁₂₃₄₅₆₇₈₉" };

/** What a text says after a digit, in an element of this tag. */
export function raised(text: string, tag: string | undefined): string {
  const digits = tag && /^\d{1,3}$/.test(text) ? RAISED[tag] : undefined;
  return digits ? text.replace(/\d/g, (digit) => digits[Number(digit)] as string) : text;
}
