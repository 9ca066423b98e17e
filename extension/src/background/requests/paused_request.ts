// What the debugger says of a request that it paused.

export interface PausedRequest {
  /** The headers that it is sent with, where they were changed. */
  sentHeaders?: { name: string; value: string }[];
  requestId: string;
  networkId?: string;
  /** The request whose answer redirected here. */
  redirectedRequestId?: string;
  frameId?: string;
  resourceType: string;
  request: {
    url: string;
    method: string;
    headers: Record<string, string>;
    hasPostData?: boolean;
    postData?: string;
    postDataEntries?: { bytes?: string }[];
  };
  /** Where its answer is paused: what came back, or why nothing did. */
  responseStatusCode?: number;
  responseErrorReason?: string;
  responseHeaders?: { name: string; value: string }[];
}

/** Bytes of a body that are reported; a longer one is cut, and then says nothing for itself. */
const LONGEST_BODY = 200_000;

interface Pattern {
  urlPattern: string;
  resourceType?: string;
}

/** What may send something other than a GET, or load an address that says that it changes something. */
const SENDERS = ["Document", "XHR", "Fetch", "Ping", "CSPViolationReport", "Other"];

/**
 * What the browser pauses: what may send something, and any address that has one of the words in it, or letters that
 * are written as numbers. Each pause costs a request a way to the worker and back; a secret may leave by any.
 */
export function patternsOf(
  settings: { words?: string[]; secret_origins?: string[] | null },
  isWhole = false,
): Pattern[] {
  if (settings.secret_origins || isWhole) return [{ urlPattern: "*" }];
  const senders = SENDERS.map((resourceType) => ({ urlPattern: "*", resourceType }));
  const words = (settings.words ?? []).flatMap((word) => [`*?${word.slice(1)}*`, `*${word.toUpperCase()}*`]);
  return [...senders, ...["*%*", ...words].map((urlPattern) => ({ urlPattern }))];
}

export function headerOf({ request }: PausedRequest, name: string): string {
  const found = Object.keys(request.headers).find((key) => key.toLowerCase() === name);
  return found === undefined ? "" : (request.headers[found] ?? "");
}

const OVERRIDES = /method|verb/i;
const WRITES = /^\s*(?:post|put|patch|delete|merge|move|copy|mkcol|proppatch)\s*$/i;
/** Headers that browsers write by themselves. */
const OWN = /^(?:access-control-|sec-)/i;

/**
 * Whether a header or parameter of a GET may ask for another method or address, or its address has a GraphQL document.
 *
 * Which ones do, the kernel says.
 */
export function saysMore({ url, headers }: PausedRequest["request"]): boolean {
  const own = Object.entries(headers).filter(([name]) => !OWN.test(name));
  if (own.some(([name, value]) => OVERRIDES.test(name) || WRITES.test(value) || value.startsWith("/")))
    return true;
  const { pathname, searchParams } = new URL(url);
  const names = [...searchParams.keys()];
  return (
    names.some((name) => OVERRIDES.test(name)) ||
    (/graphql|\bgql\b/i.test(pathname) && names.includes("query"))
  );
}

type ReadPostData = () => Promise<{ postData?: string; base64Encoded?: boolean } | null>;

/** A body's bytes; null where some aren't known, as those of a stream. */
export async function bytesOf({ request }: PausedRequest, read: ReadPostData): Promise<Uint8Array | null> {
  if (!request.hasPostData && request.postData === undefined) return new Uint8Array();
  const entries = request.postDataEntries ?? [];
  if (entries.some(({ bytes }) => bytes === undefined)) return null;
  if (entries.length > 0) return bytesIn(entries.map(({ bytes }) => atob(bytes ?? "")).join(""));
  const known = await read();
  if (known?.postData === undefined) return null;
  return known.base64Encoded ? bytesIn(atob(known.postData)) : new TextEncoder().encode(known.postData);
}

interface Body {
  /** Its text, if its bytes are UTF-8. */
  body: string | null;
  /** Its bytes in base64, if they aren't. */
  data: string | null;
  /** How many bytes it has; null where some aren't known. */
  size: number | null;
}

/** A body as it is reported; of a long one its beginning. */
export async function bodyOf(paused: PausedRequest, read: ReadPostData): Promise<Body> {
  const bytes = await bytesOf(paused, read);
  if (!bytes?.length) return { body: null, data: null, size: bytes && 0 };
  const reported = bytes.subarray(0, LONGEST_BODY);
  const isCut = reported.length < bytes.length;
  try {
    // A cut may part a letter; one with a mark for the byte order isn't that text without it.
    const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
    return { body: decoder.decode(reported, { stream: isCut }), data: null, size: bytes.length };
  } catch {
    return { body: null, data: btoa(charactersOf(reported)), size: bytes.length };
  }
}

/** A body as text, whatever its bytes are; null where some aren't known. */
export async function textOf(paused: PausedRequest, read: ReadPostData): Promise<string | null> {
  const bytes = await bytesOf(paused, read);
  return bytes?.length ? new TextDecoder().decode(bytes.subarray(0, LONGEST_BODY)) : null;
}

/**
 * Whether an address has one of the words as a word, or as two that follow each other (`log-out`), however often it is
 * encoded and wherever its capitals are; or has letters that aren't English, which the kernel reads.
 */
export function saysWord(url: string, words: readonly string[]): boolean {
  const known = new Set(words);
  const text = decoded(url.replace(/^[a-z]+:\/\/[^/?#]*/i, "")).normalize("NFKC");
  if (/[^\P{L}a-z]/iu.test(text)) return true;
  return [text, text.replace(/(?<=[a-z])(?=[A-Z])/g, " ")].some((each) => {
    const found = each.toLowerCase().match(/[a-z]+/g) ?? [];
    return found.some((word, at) => known.has(word) || known.has(word + (found[at + 1] ?? "")));
  });
}

/** A text that is encoded no more. */
function decoded(text: string): string {
  try {
    const once = decodeURIComponent(text);
    return once === text ? text : decoded(once);
  } catch {
    return text; // An address that no browser would write is taken as it stands.
  }
}

function bytesIn(characters: string): Uint8Array {
  return Uint8Array.from(characters, (char) => char.charCodeAt(0));
}

function charactersOf(bytes: Uint8Array): string {
  let characters = "";
  for (let from = 0; from < bytes.length; from += 32_768)
    characters += String.fromCharCode(...bytes.subarray(from, from + 32_768));
  return characters;
}
