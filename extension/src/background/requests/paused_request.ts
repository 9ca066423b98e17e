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

/** Characters of a body that are reported; a longer one is cut, and then says nothing for itself. */
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

const OVERRIDES =
  /^(?:x[-_](?:http[-_])?method(?:[-_]override)?|x-original-url|x-rewrite-url|_method|_?method_override)$/i;

/** Whether a header or parameter of a GET asks for another method or address, or its address has a GraphQL document. */
export function saysMore({ url, headers }: PausedRequest["request"]): boolean {
  if (Object.keys(headers).some((name) => OVERRIDES.test(name))) return true;
  const { pathname, searchParams } = new URL(url);
  const names = [...searchParams.keys()];
  return (
    names.some((name) => OVERRIDES.test(name)) ||
    (/graphql|\bgql\b/i.test(pathname) && names.includes("query"))
  );
}

/** A body's text and its size; null for what isn't known. */
export async function bodyOf(
  { request }: PausedRequest,
  read: () => Promise<{ postData?: string } | null>,
): Promise<{ body: string | null; size: number | null }> {
  if (!request.hasPostData && request.postData === undefined) return { body: null, size: 0 };
  const entries = (request.postDataEntries ?? []).map(({ bytes }) => atob(bytes ?? ""));
  const size = entries.reduce((sum, bytes) => sum + bytes.length, 0);
  const text = entries.length > 0 ? utf8(entries.join("")) : (request.postData ?? (await read())?.postData);
  if (text === undefined) return { body: null, size: size || null };
  return { body: text.slice(0, LONGEST_BODY), size: size || text.length };
}

/** Whether an address has one of the words as a word, or as two that follow each other (`log-out`). */
export function saysWord(url: string, words: readonly string[]): boolean {
  const known = new Set(words);
  let text = url.replace(/^[a-z]+:\/\/[^/?#]*/i, "");
  try {
    text = decodeURIComponent(text);
  } catch {
    // An address that no browser would write is taken as it stands.
  }
  const found =
    text
      .replace(/(?<=[a-z])(?=[A-Z])/g, " ")
      .toLowerCase()
      .match(/[a-z]+/g) ?? [];
  return found.some((word, at) => known.has(word) || known.has(word + (found[at + 1] ?? "")));
}

function utf8(bytes: string): string {
  return new TextDecoder().decode(Uint8Array.from(bytes, (char) => char.charCodeAt(0)));
}
