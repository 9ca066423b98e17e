// The origin that a command was judged for, held against what the browser committed, at the moment of the act.

import { Failure } from "../../shared/errors";
import type { Doc } from "../tabs/registry";
import type { PageCall, Parts } from "./context";

/** The origin of a committed address, as the kernel writes it; null where it has none of its own. */
export function originOf(address: string): string | null {
  if (!URL.canParse(address)) return null;
  const { protocol, hostname, port } = new URL(address);
  if (protocol !== "http:" && protocol !== "https:") return null;
  return `${protocol}//${hostname.replace(/\.$/, "")}${port && `:${port}`}`;
}

/** Refuse where a document isn't of the origin that the command is for. */
export function requireOrigin(parts: Parts, call: PageCall, doc: Doc): void {
  const address = addressOf(doc, parts.documents.known(call.tab));
  requireAddress(call, address, doc.frameId === 0);
}

/** The same for commands without an element: the tab's own document. */
export async function requireTabOrigin(parts: Parts, call: PageCall): Promise<void> {
  if (!call.origin) return;
  const { url } = await parts.tabs.get(call.tab);
  requireAddress(call, url ?? "", true);
}

function requireAddress(call: PageCall, address: string, main: boolean): void {
  const origin = originOf(address);
  if (!call.origin || origin === call.origin) return;
  throw new Failure(
    "origin_changed",
    `The command was for ${call.origin}, and the ${main ? "page" : "frame"} is at ${origin ?? address.slice(0, 200)} now.`,
    "",
    { url: address, origin, expected: call.origin, main },
  );
}

/** A document without an address of its own has its parent's origin. */
function addressOf(doc: Doc, known: readonly Doc[]): string {
  let at: Doc | undefined = doc;
  while (at?.url.startsWith("about:") && at.parent !== null) {
    const { parent }: Doc = at;
    at = known.find((each) => each.id === parent);
  }
  return at?.url ?? doc.url;
}
