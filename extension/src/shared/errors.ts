// Failures as values that cross the wire: a code, what happened, what to try.

import type { ErrorCode, WireError } from "../protocol/generated";

/** Thrown by whatever can't do what a command says. */
export class Failure extends Error {
  override readonly name = "Failure";

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly hint = "",
    readonly data: Record<string, unknown> = {},
  ) {
    super(message);
  }

  toWire(): WireError {
    return { code: this.code, message: this.message, hint: this.hint, data: this.data };
  }

  static fromWire(error: WireError): Failure {
    return new Failure(error.code as ErrorCode, error.message, error.hint, error.data);
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
  return new Failure("internal", why).toWire();
}
