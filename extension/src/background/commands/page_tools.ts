// Tools that the page declares: its content script lists and calls them.

import type { CallPageToolOutcome, CallPageToolParams, PageToolsResult } from "../../protocol/generated";
import { act } from "../input/action";
import { type CommandContext, callContent } from "./context";

export async function listPageTools(context: CommandContext): Promise<PageToolsResult> {
  const { services, tab, deadline } = context;
  return callContent(context, await services.documents.main(tab, deadline), { op: "page_tools" });
}

export async function callPageTool(
  context: CommandContext,
  { name, args }: CallPageToolParams,
): Promise<CallPageToolOutcome> {
  let reply = { answer: "", waits: true };
  const outcome = await act(context, async (action) => {
    const { watch, services, tab, deadline } = action;
    watch.isTrusted = false;
    const doc = await services.documents.main(tab, deadline);
    await watch.baseline();
    watch.acted = true;
    const timeout_ms = Math.max(50, Math.round(deadline.left() * 0.8));
    reply = await callContent(action, doc, { op: "call_page_tool", name, args: args ?? {}, timeout_ms });
  });
  return { ...outcome, ...reply };
}
