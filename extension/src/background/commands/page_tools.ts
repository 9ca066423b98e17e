// Tools that the page's documents declare: their content scripts list them, and the browser calls them.

import type { CallPageToolOutcome, CallPageToolParams, PageToolsResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ALIVE_MS } from "../../shared/limits";
import type { PageToolAnswer } from "../../shared/messages";
import { within } from "../deadline";
import { act } from "../input/action";
import type { Doc } from "../tabs/registry";
import { requireOrigin } from "../tabs/targets";
import { type CommandContext, callContent } from "./context";
import { callTool } from "./page_tool_call";

const MOST = 40;
const ADDRESS = 300;
const ANSWER = 100_000;

export async function listPageTools(context: CommandContext): Promise<PageToolsResult> {
  const { services, tab, deadline } = context;
  const main = await services.documents.main(tab, deadline);
  const own = await callContent(context, main, { op: "page_tools" });
  if (!own.supported) return own;
  const frames = (await services.documents.readable(tab, deadline)).filter(
    (doc) => doc.frameId !== 0 && addressIn(doc).length <= ADDRESS,
  );
  const theirs = await Promise.all(frames.map((doc) => toolsOfFrame(context, doc)));
  const all = [own, ...theirs];
  return {
    supported: true,
    tools: all.flatMap(({ tools }) => tools).slice(0, MOST),
    silent: [...new Set(all.flatMap(({ silent = [] }) => silent))].slice(0, MOST),
  };
}

export async function callPageTool(
  context: CommandContext,
  { name, args = {}, frame = "" }: CallPageToolParams,
): Promise<CallPageToolOutcome> {
  let answer: PageToolAnswer | null = null;
  const outcome = await act(context, async (action) => {
    const { watch } = action;
    watch.isTrusted = false;
    const doc = await documentOf(action, frame);
    const { waits } = await callContent(action, doc, { op: "find_page_tool", name, args });
    await watch.baseline();
    watch.acted = true;
    answer = await callTool(action, doc, { name, args, waits });
  });
  return { ...outcome, ...written(answer, outcome.navigated) };
}

/** A frame's tools; none where it goes away, or says nothing. */
async function toolsOfFrame(context: CommandContext, doc: Doc): Promise<PageToolsResult> {
  const frame = addressIn(doc);
  const gone: PageToolsResult = { supported: false, tools: [], silent: [] };
  const asked = callContent(context, doc, { op: "page_tools" }).catch(() => gone);
  // Frames that say nothing don't keep a snapshot waiting.
  const { supported, tools, silent = [] } = (await within(asked, ALIVE_MS)) ?? { ...gone, silent: [""] };
  return {
    supported,
    tools: tools.map((tool) => ({ ...tool, frame })),
    silent: silent.map(() => frame),
  };
}

/** The address of a frame's document, without what changes from visit to visit. */
function addressIn({ url }: Doc): string {
  return url.replace(/[?#].*/s, "");
}

/** The document that declares the tool: the main one, or the only frame with this address. */
async function documentOf(context: CommandContext, frame: string): Promise<Doc> {
  const { services, tab, deadline } = context;
  if (!frame) return services.documents.main(tab, deadline);
  const docs = await services.documents.readable(tab, deadline);
  const found = docs.filter((doc) => doc.frameId !== 0 && addressIn(doc) === frame);
  const [doc] = found;
  if (!doc || found.length > 1) {
    const how = doc ? `has ${found.length} frames` : "has no frame";
    throw new Failure("command", `The page ${how} at ${frame}.`, "list the page's tools anew");
  }
  requireOrigin(context, doc);
  return doc;
}

/** An answer as it goes over the wire: as text, and as the value that it is unless that is too long. */
function written(
  answer: PageToolAnswer | null,
  navigated: boolean,
): Pick<CallPageToolOutcome, "answer" | "value" | "waits"> {
  if (!answer) return { answer: "", value: null, waits: true };
  const { value = null } = answer;
  // So the browser writes that the document is gone and said nothing.
  const isEmpty = navigated && Array.isArray(value) && !value.length;
  if (isEmpty || value === null) return { answer: "", value: null, waits: false };
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length > ANSWER) return { answer: `${text.slice(0, ANSWER)}…`, value: null, waits: false };
  return { answer: text, value, waits: false };
}
