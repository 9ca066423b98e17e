// One call of a page's tool: by the debugger, which reports structured answers, errors and ends, else by the content
// script. When the command ends early, the call is cancelled: the page's own signal says so to the tool.

import { Failure } from "../../shared/errors";
import { SHOWN_MS, TICK_MS } from "../../shared/limits";
import type { PageToolAnswer } from "../../shared/messages";
import { hasTrusted } from "../input/action";
import type { SessionEvent } from "../tabs/cdp_sessions";
import { type DocumentWorlds, worldsOf } from "../tabs/document_worlds";
import type { Doc } from "../tabs/registry";
import { type CommandContext, callContent } from "./context";

interface ToolCall {
  name: string;
  args: object;
  /** It fills in a form, which somebody may have to send. */
  waits: boolean;
}

/** `WebMCP.toolResponded`. */
interface Responded {
  invocationId: string;
  status: "Completed" | "Canceled" | "Error";
  output?: unknown;
  errorText?: string;
  exception?: { description?: string };
}

const ERROR = 500;
const NO_DOMAIN = /wasn't found|not found/i;

/** The tool's answer; null where it has none yet: a form waits to be sent, or a person is asked about a request. */
export async function callTool(
  context: CommandContext,
  doc: Doc,
  call: ToolCall,
): Promise<PageToolAnswer | null> {
  const reached = await reachedBy(context, doc);
  if (!reached) {
    // A form that somebody has to send answers only then.
    const request = { op: "call_page_tool", name: call.name, args: call.args, form_ms: SHOWN_MS } as const;
    const answer = callContent(context, doc, request).catch((error) => leftPage(doc, error));
    return inTime(context, call, answer, () => context.services.documents.post(doc, { op: "abort" }));
  }
  const { send } = reached;
  try {
    return await invoke(context, reached, call);
  } finally {
    // A call that still runs goes on without it.
    await send("WebMCP.disable").catch(() => undefined);
  }
}

/** What a tool answered that left its page for another: nothing. */
function leftPage({ frameId }: Doc, error: unknown): PageToolAnswer {
  if (frameId === 0 && error instanceof Failure && error.code === "page_navigated") return { value: null };
  throw error;
}

/** The document as the debugger reaches it, with its tools' reports on; null where that isn't to be had. */
async function reachedBy(context: CommandContext, doc: Doc): Promise<DocumentWorlds | null> {
  const { services, tab, deadline } = context;
  if (!(await hasTrusted(context))) return null;
  const [found] = await worldsOf(await services.sessions.open(tab, deadline), [doc]);
  if (!found) return null;
  try {
    await found.send("WebMCP.enable");
    return found;
  } catch (error) {
    if (error instanceof Failure && NO_DOMAIN.test(String(error.data.cdp))) return null;
    throw error;
  }
}

async function invoke(
  context: CommandContext,
  { send, session, ours }: DocumentWorlds,
  call: ToolCall,
): Promise<PageToolAnswer | null> {
  const { services, tab } = context;
  const responses = new Map<string, Responded>();
  let expected = "";
  let settle: (response: Responded | Failure) => void = () => undefined;
  const settled = new Promise<Responded | Failure>((resolve) => {
    settle = resolve;
  });
  const gone = new Failure("page_navigated", `The frame went away before its tool '${call.name}' answered.`);
  const stop = services.sessions.events.on((event: SessionEvent) => {
    if (event.tab !== tab) return;
    if (event.method === "Target.detachedFromTarget" && event.params.sessionId === session.id) settle(gone);
    if (event.session !== session.id || event.method !== "WebMCP.toolResponded") return;
    responses.set(event.params.invocationId, event.params);
    if (event.params.invocationId === expected) settle(event.params);
  });
  try {
    const params = { frameId: ours.frame, toolName: call.name, input: call.args };
    expected = (await send<{ invocationId: string }>("WebMCP.invokeTool", params)).invocationId;
    // It may have answered before the browser said which call it is.
    const early = responses.get(expected);
    if (early) settle(early);
    const cancel = (): void => {
      const given = { invocationId: expected };
      services.debuggers.sendTo(tab, session.id, "WebMCP.cancelInvocation", given).catch(() => undefined);
    };
    const response = await inTime(context, call, withForm(call, settled), cancel);
    if (response instanceof Failure) throw response;
    return response && answerOf(call.name, response);
  } finally {
    stop();
  }
}

/** A form's answer, or null where it still waits to be sent. */
function withForm<T>({ waits }: ToolCall, answer: Promise<T>): Promise<T | null> {
  if (!waits) return answer;
  const late = new Promise<null>((resolve) => setTimeout(resolve, SHOWN_MS, null));
  return Promise.race([answer, late]);
}

function answerOf(name: string, { status, output, errorText, exception }: Responded): PageToolAnswer {
  if (status === "Completed") return { value: output };
  const why = (exception?.description?.split("\n")[0] || errorText || "").slice(0, ERROR);
  const what = status === "Error" ? "failed" : "was cancelled by the page";
  throw new Failure("command", `The page's tool '${name}' ${what}${why && `: ${why}`}`);
}

/**
 * What comes in the command's time; otherwise the call is cancelled. Not so while a person is asked about a request of
 * the tool: they may take as long as they like.
 */
async function inTime<T>(
  { services, tab, deadline }: CommandContext,
  { name }: ToolCall,
  answer: Promise<T>,
  cancel: () => void,
): Promise<T | null> {
  const left = deadline.left();
  const patience = Math.round(Math.max(left / 2, left - 2 * TICK_MS));
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<null>((resolve, reject) => {
    timer = setTimeout(() => {
      if (services.requests.isAsking(tab)) {
        resolve(null);
        return;
      }
      cancel();
      const text = `The page's tool '${name}' didn't answer within ${patience} ms and was cancelled.`;
      reject(new Failure("timeout", text, "look at the page: it may have done a part", { cancelled: true }));
    }, patience);
  });
  deadline.signal.addEventListener("abort", cancel, { once: true });
  try {
    return await deadline.race(Promise.race([answer, late]));
  } finally {
    clearTimeout(timer);
    deadline.signal.removeEventListener("abort", cancel);
    late.catch(() => undefined);
    answer.catch(() => undefined);
  }
}
