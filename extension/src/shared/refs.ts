import { REF_PATTERN } from "../protocol/generated";

/** A ref taken apart: frame 0 is the main document. */
interface RefParts {
  frame: number;
  number: number;
}

/** Take `e12` or `f3e5` apart; null where the text is no ref. */
export function splitRef(ref: string): RefParts | null {
  if (!REF_PATTERN.test(ref)) return null;
  const at = ref.indexOf("e");
  return { frame: at > 0 ? Number(ref.slice(1, at)) : 0, number: Number(ref.slice(at + 1)) };
}

/** An element as messages name it: `button 'Save' [e12]`, without what isn't known of it. */
export function elementInWords({ role, name, ref }: { role: string; name: string; ref?: string }): string {
  return `${role}${name && ` '${name}'`}${ref ? ` [${ref}]` : ""}`;
}
