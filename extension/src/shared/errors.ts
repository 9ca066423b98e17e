// Failures as values that cross the wire: a code, what happened, what to try.

import { type ErrorCode, RETRYABLE, type WireError } from "../protocol/generated";

/** Thrown by whatever can't do what a command says. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint = "",
    readonly data: Record<string, unknown> = {},
    readonly retryable = RETRYABLE.has(code),
  ) {
    super(message);
  }

  toWire(): WireError {
    const { code, message, hint, data, retryable } = this;
    return { code, message, hint, data, retryable };
  }

  static fromWire(error: WireError): Failure {
    const { code, message, hint, data, retryable } = error;
    return new Failure(code as ErrorCode, message, hint, data, retryable ?? undefined);
  }
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Chrome's words for a tab that was closed in the middle of a command. */
const GONE = /^No tab with id\b/;

/** Any thrown thing as the wire carries it; what nobody foresaw has the code "internal". */
export function toWireError(error: unknown): WireError {
  if (error instanceof Failure) return error.toWire();
  const why = messageOf(error);
  if (GONE.test(why)) return new Failure("page_closed", "The tab was closed meanwhile.").toWire();
  if (error instanceof RangeError && /call stack/.test(why)) return tooDeep().toWire();
  return new Failure("internal", why).toWire();
}

/** Only scripts nest so deeply: the browser's parser stops at 512 levels, and its layout fails at some thousands. */
function tooDeep(): Failure {
  const text = "The page is nested too deeply to be read: about a thousand levels are too many.";
  return new Failure(
    "page_unreachable",
    text,
    "use page.get('text'), page.evaluate or page.screenshot",
    {},
    false,
  );
}

/** What one message of the browser's may hold (64 MB), whatever bytes its characters take. */
const MOST_CHARACTERS = 20 * 2 ** 20;

/** The failure of a result that can't be handed over whole; null where it can. */
export function tooLarge(characters: number, most = MOST_CHARACTERS): Failure | null {
  if (characters <= most) return null;
  const [is, allowed] = [Math.ceil(characters / 2 ** 20), Math.floor(most / 2 ** 20)];
  const text = `The result is too large: ${is} MB, and at most ${allowed} can be handed over.`;
  return new Failure("command", text, "name an element, or ask for a part of it");
}
