// A GET in the page's name: with its session, and judged as its own requests are.

import { Failure, messageOf } from "../shared/errors";
import type { ContentRequest, ReplyTo } from "../shared/messages";

/** Characters of an answer. */
const MOST = 30_000_000;

export async function fetchText({
  url,
  headers,
  timeout_ms,
}: ContentRequest<"fetch">): Promise<ReplyTo<"fetch">> {
  try {
    const signal = AbortSignal.timeout(timeout_ms);
    const answer = await fetch(url, { headers, credentials: "include", redirect: "error", signal });
    const body = await answer.text();
    if (body.length > MOST) throw new Failure("command", `The answer has ${body.length} characters.`);
    const named = [...answer.headers].map(([name, value]) => ({ name, value }));
    return { status: answer.status, headers: named, body };
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure("command", `The page couldn't request ${url}: ${messageOf(error)}`);
  }
}
