// Tools that this document declares (WebMCP, `document.modelContext`). The isolated world has the browser's own
// functions, which the page can't replace; every name, word and answer is the page's all the same.

import type { PageToolsResult } from "../protocol/generated";
import { Failure } from "../shared/errors";
import { ALIVE_MS, DOCUMENT_MS, FRAME_MS } from "../shared/limits";
import type { PageToolAnswer } from "../shared/messages";

interface DeclaredTool {
  name: string;
  description?: string;
  inputSchema?: unknown;
  outputSchema?: unknown;
  annotations?: { consequentialHint?: boolean };
  /** The window whose document declares it: a document is offered those of frames of its origin as well. */
  source?: Window;
  /** The same before Chrome 160. */
  window?: Window;
}

interface ModelContext {
  getTools(): Promise<DeclaredTool[]>;
  executeTool(tool: DeclaredTool, args: object, options: { signal: AbortSignal }): Promise<unknown>;
}

interface FoundTool {
  context: ModelContext;
  tool: DeclaredTool;
  /** It is a form that it fills in and leaves to a person to send: such a one doesn't answer by itself. */
  waits: boolean;
}

const MOST = 40;
const NAME = 100;
const WORDS = 500;
const SCHEMA = 8_000;

function modelContext(): ModelContext | null {
  const { modelContext: found } = document as { modelContext?: ModelContext };
  return typeof found?.getTools === "function" ? found : null;
}

/**
 * Whether the browser leaves this document without an answer: Chromium 156 at times never connects a frame that loads
 * on a busy machine, neither for its own script nor for ours, until it is loaded again.
 */
let isSilent = false;

/** The tools that this document declares; null where the browser doesn't say in time. */
async function declaredTools(context: ModelContext, ms: number): Promise<DeclaredTool[] | null> {
  const asked = context.getTools().then((tools) => {
    isSilent = false;
    return tools;
  });
  asked.catch(() => undefined);
  const late = new Promise<null>((resolve) => setTimeout(resolve, ms, null));
  const tools = await Promise.race([asked, late]);
  isSilent = tools === null;
  return tools?.filter(({ source, window: before }) => (source ?? before ?? window) === window) ?? null;
}

export async function listPageTools(): Promise<PageToolsResult> {
  const context = modelContext();
  if (!context) return { supported: false, tools: [], silent: [] };
  // How long the browser may take to say which tools there are, for a list and for a call.
  // And for a list where it didn't say it before.
  const found = await declaredTools(context, isSilent ? FRAME_MS : ALIVE_MS);
  if (!found) return { supported: true, tools: [], silent: [""] };
  const declared = found.filter(({ name }) => name && name.length <= NAME);
  const tools = declared.slice(0, MOST).map((tool) => ({
    name: tool.name,
    description: (tool.description ?? "").slice(0, WORDS),
    input_schema: schemaText(tool.inputSchema),
    output_schema: schemaText(tool.outputSchema),
    consequential: tool.annotations?.consequentialHint === true,
  }));
  return { supported: true, tools, silent: [] };
}

/** A tool that may be called with these arguments; fails where it isn't declared, or declares others. */
export async function findPageTool(name: string, args: object): Promise<FoundTool> {
  const context = modelContext();
  const tools = context ? await declaredTools(context, DOCUMENT_MS) : [];
  if (!tools) {
    const why = "The browser doesn't say which tools the document declares.";
    throw new Failure("command", why, "load the page again: page.reload()");
  }
  const tool = tools.find((one) => one.name === name);
  if (!context || !tool) {
    const known = tools.map((one) => one.name).slice(0, 10);
    throw new Failure(
      "command",
      `The page declares no tool '${name}'.`,
      `there are: ${known.join(", ") || "none"}`,
    );
  }
  const misfit = misfitOf(args, tool.inputSchema);
  if (misfit) {
    const hint = `it takes ${asText(tool.inputSchema).slice(0, WORDS)}`;
    throw new Failure("command", `The page's tool '${name}' wasn't called: ${misfit}.`, hint);
  }
  return { context, tool, waits: waitsForPerson(name) };
}

/** Call a tool; null where a form that it fills in waits to be sent. Aborting the signal cancels the call. */
export async function callPageTool(
  name: string,
  args: object,
  formMs: number,
  signal: AbortSignal,
): Promise<PageToolAnswer | null> {
  const { context, tool, waits } = await findPageTool(name, args);
  signal.throwIfAborted();
  const run = context.executeTool(tool, args, { signal }).catch((error) => {
    signal.throwIfAborted();
    throw new Failure("command", `The page's tool '${name}' failed: ${String(error).slice(0, 500)}`);
  });
  if (!waits) return { value: asValue(await run) };
  const late = new Promise<symbol>((resolve) => setTimeout(resolve, formMs, LATE));
  const answer = await Promise.race([run, late]);
  run.catch(() => undefined);
  return answer === LATE ? null : { value: asValue(answer) };
}

const LATE = Symbol("late");

/** The browser gives structured answers as JSON text, and texts as they are. */
function asValue(answer: unknown): unknown {
  if (typeof answer !== "string" || !/^\s*[[{]/.test(answer)) return answer;
  try {
    return JSON.parse(answer);
  } catch {
    return answer;
  }
}

interface ArgumentSchema {
  type?: string | string[];
  enum?: unknown[];
}

interface ToolSchema {
  properties?: Record<string, ArgumentSchema>;
  required?: string[];
  additionalProperties?: unknown;
}

/**
 * Why arguments can't be those that a tool declares; empty where they may be. The browser checks nothing, and a page
 * that has changed since would take a value that is missing for one that says "undefined".
 */
export function misfitOf(args: object, declared: unknown): string {
  const schema = asSchema(declared);
  if (!schema) return "";
  const { properties = {}, required = [] } = schema;
  const missing = required.filter((name) => !(name in args));
  if (missing.length) return `it needs ${missing.join(", ")}`;
  for (const [name, value] of Object.entries(args)) {
    const facts = properties[name];
    if (!facts) {
      if (schema.properties && !schema.additionalProperties) return `it takes no '${name}'`;
      continue;
    }
    const types = facts.type === undefined ? [] : [facts.type].flat();
    if (types.length && !types.some((type) => isOf(value, type)))
      return `'${name}' is no ${types.join(" or ")}`;
    if (facts.enum && !facts.enum.includes(value)) return `'${name}' can't be ${asText(value)}`;
  }
  return "";
}

function asSchema(declared: unknown): ToolSchema | null {
  try {
    const schema = typeof declared === "string" ? JSON.parse(declared) : declared;
    return schema && typeof schema === "object" ? schema : null;
  } catch {
    return null;
  }
}

function isOf(value: unknown, type: string): boolean {
  if (type === "integer") return Number.isInteger(value);
  if (type === "array") return Array.isArray(value);
  if (type === "null") return value === null;
  return typeof value === type && value !== null && !Array.isArray(value);
}

/** Whether a tool is a form that it fills in and leaves to a person to send. */
function waitsForPerson(name: string): boolean {
  return [...document.querySelectorAll("form[toolname]")].some(
    (form) => form.getAttribute("toolname") === name && !form.hasAttribute("toolautosubmit"),
  );
}

/** A schema that is cut short is none. */
function schemaText(schema: unknown): string {
  const text = asText(schema);
  return text.length > SCHEMA ? "" : text;
}

function asText(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}
