// Commands that read one element, or the page; the content script answers them.

import type {
  DescribeParams,
  DescribeResult,
  ElementAtParams,
  ElementAtResult,
  GetParams,
  GetResult,
  IsParams,
  IsResult,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { type CommandContext, callContent } from "../commands/context";
import { elementAt, findTarget } from "../tabs/targets";

export async function get(context: CommandContext, params: GetParams): Promise<GetResult> {
  if (!params.ref) return getOfPage(context, params);
  const { doc, number } = await findTarget(context, params.ref);
  return callContent(context, doc, { op: "get", number, params });
}

export async function is(context: CommandContext, params: IsParams): Promise<IsResult> {
  const { doc, number } = await findTarget(context, params.ref);
  await context.services.facts.renewInternals(context, [doc]);
  return callContent(context, doc, { op: "is", number, params });
}

export async function describe(context: CommandContext, params: DescribeParams): Promise<DescribeResult> {
  const { doc, number } = await findTarget(context, params.ref);
  return callContent(context, doc, { op: "describe", number, params, expected: context.expected });
}

export async function findElementAt(
  context: CommandContext,
  point: ElementAtParams,
): Promise<ElementAtResult> {
  const { doc, numbers, surface, at } = await elementAt(context, point);
  return { frame: doc.frame ?? 0, path: numbers, surface, at };
}

async function getOfPage(context: CommandContext, params: GetParams): Promise<GetResult> {
  const { services, tab, deadline } = context;
  const { what } = params;
  if (what === "url" || what === "title") return { value: (await services.tabs.get(tab))[what] ?? "" };
  if (what === "status") return { value: (await services.documents.main(tab, deadline)).status };
  if (what === "retry_after") return { value: services.retryAfter.secondsOf(tab) };
  if (what !== "text" && what !== "html")
    throw new Failure("invalid_params", `To get the ${what}, name an element.`);
  const request = { op: "get", number: null, params } as const;
  return callContent(context, await services.documents.main(tab, deadline), request);
}
