// Has a page request once more what it requested before, with another query.

import type { FetchAlikeParams, FetchAlikeResult } from "../../protocol/generated";
import { type CommandContext, callContent } from "./context";

export async function fetchAlike(
  context: CommandContext,
  { id, url }: FetchAlikeParams,
): Promise<FetchAlikeResult> {
  const { services, tab, deadline } = context;
  const headers = services.network.headersAlike(tab, id, url);
  const doc = await services.documents.main(tab, deadline);
  const timeout_ms = Math.max(50, Math.round(deadline.left() * 0.9));
  return callContent(context, doc, { op: "fetch", url, headers, timeout_ms });
}
