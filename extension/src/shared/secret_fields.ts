// Which fields hold what nobody but their owner may read, though they are no password fields: by their name in the code,
// their label, or because the page hides what is typed. Both snapshot engines and the actions go by it.

import { ACCENTED, ALONE, ANYWHERE, UNSPACED } from "./secret_words";

/** What a field that takes text says of itself. */
export interface FieldSigns {
  type: string;
  autocomplete: string | null;
  /** Its `name` and `id`. */
  codeNames: readonly (string | null | undefined)[];
  /** What labels it: label elements, ARIA, placeholder, title; a browser searches the whole document for them. */
  labels: () => readonly (string | null | undefined)[];
  /** Its computed `-webkit-text-security`. */
  textSecurity: string | null | undefined;
}

/** Types of inputs whose value may be such a text. */
const TAKES_TEXT = /^(?:|text|tel|number|password)$/;

/** `autocomplete` details of something else: these decide before words do. */
const OTHER_DETAIL =
  /^(?:(?:honorific|given|additional|family)-.+|name|nickname|username|email|organization.*|street-address|address-.+|country.*|postal-code|tel.*|bday.*|sex|url|photo|impp|language|transaction-.+)$/;

/** Words of code, the same in every language: `cardNumber`, `card_number`, `cc-num`, `ssn`, `apiKey`. */
const CODE_NAME =
  /(?:^| )(?:pass ?word|passwd|pwd|pass ?code|pass ?phrase|pin(?: ?code)?|(?:credit|debit)? ?card ?(?:number|no|num|nr)|credit ?card|cc ?(?:number|num|no|nr)|cvc2?|cvv2?|csc|security ?code|iban|ssn|social ?security(?: ?number)?|tax ?(?:id|number)|national ?id|otp|one ?time ?code|seed ?phrase|recovery ?(?:phrase|code)|mnemonic|(?:security|secret) ?answer|(?:api|secret|private|access) ?key|(?:api|access|auth) ?token|secret)(?: |$)/;

const LONGEST_LABEL = 120;
const LETTER = "[\\p{L}\\p{N}]";
const quoted = (words: readonly string[]): string => `(?:${words.join("|")})`;
const WORD = new RegExp(`(?<!${LETTER})${quoted(ANYWHERE)}(?!${LETTER})|${quoted(UNSPACED)}`, "u");
const ACCENTED_WORD = new RegExp(`(?<!${LETTER})${quoted(ACCENTED)}(?!${LETTER})`, "u");
const ONLY: ReadonlySet<string> = new Set(ALONE);

/** Whether nobody may read what is in a field that takes text. */
export function hidesItself(signs: FieldSigns): boolean {
  const { type, autocomplete, codeNames, labels, textSecurity } = signs;
  if (textSecurity && textSecurity !== "none") return true;
  if (!TAKES_TEXT.test(type)) return false;
  const details = (autocomplete ?? "").toLowerCase().split(/\s+/);
  if (details.some((detail) => OTHER_DETAIL.test(detail))) return false;
  return codeNames.some(saysInCode) || labels().some(saysInWords);
}

function saysInCode(name: string | null | undefined): boolean {
  if (!name) return false;
  const words = name
    .replace(/([a-z\d])([A-Z])/g, "$1 $2")
    .replace(/[^A-Za-z\d]+/g, " ")
    .toLowerCase();
  return CODE_NAME.test(words);
}

/** Labels looked at before: a page is read many times. */
const known = new Map<string, boolean>();
const MOST_KNOWN = 2_000;

function saysInWords(label: string | null | undefined): boolean {
  if (!label || label.length > LONGEST_LABEL) return false;
  let says = known.get(label);
  if (says === undefined) {
    if (known.size >= MOST_KNOWN) known.clear();
    says = matchesWords(label);
    known.set(label, says);
  }
  return says;
}

function matchesWords(label: string): boolean {
  const text = folded(label);
  const plain = bare(text);
  if (WORD.test(plain) || ACCENTED_WORD.test(text)) return true;
  const alone = (from: string): string => from.replace(/[^\p{L}\p{N}]+/gu, " ").trim();
  return ONLY.has(alone(plain)) || ONLY.has(alone(text));
}

const LIKE: Readonly<Record<string, string>> = { ي: "ی", ى: "ی", ك: "ک", "’": "'", "-": " ", "‑": " " };
const PLAIN: Readonly<Record<string, string>> = { ı: "i", ł: "l", ø: "o", đ: "d", æ: "ae", œ: "oe" };

/** A text as the lexicon folds it: without case, compatibility forms and unseen characters. */
function folded(text: string): string {
  const shown = text
    .normalize("NFKC")
    .toLowerCase()
    .normalize("NFKC")
    .replace(/\p{Cf}/gu, "");
  return shown.replace(/[يىك’‑-]/g, (char) => LIKE[char] as string).replace(/\s+/g, " ");
}

/** A folded text without accents. */
function bare(text: string): string {
  const letters = text
    .normalize("NFD")
    .replace(/[\u0300-\u036f]/g, "")
    .normalize("NFC");
  return letters.replace(/[ıłøđæœ]/g, (char) => PLAIN[char] as string);
}
