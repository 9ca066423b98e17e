// Commands that only read.

import type {
  DescribeParams,
  DescribeResult,
  GetParams,
  GetResult,
  IsParams,
  IsResult,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { ask, type CommandContext } from "../commands/context";
import { findTarget } from "../tabs/targets";

interface Reads {
  get: { params: GetParams; result: GetResult };
  is: { params: IsParams; result: IsResult };
  describe: { params: DescribeParams; result: DescribeResult };
}

/** get, is, describe: the content script knows. */
export async function read<C extends keyof Reads>(
  context: CommandContext,
  command: C,
  params: Reads[C]["params"],
): Promise<Reads[C]["result"]> {
  if (!params.ref) return readPage(context, params as GetParams);
  const { doc, number } = await findTarget(context, params.ref);
  if (command === "is") await context.services.internals.renew(context, doc);
  return ask(context, doc, { op: "read", command, number, params: { ...params } });
}

async function readPage(context: CommandContext, params: GetParams): Promise<GetResult> {
  const { services, tab, deadline } = context;
  const { what } = params;
  if (what === "url" || what === "title") return { value: (await services.tabs.get(tab))[what] ?? "" };
  if (what !== "text" && what !== "html" && what !== "refs")
    throw new Failure("invalid_params", `To get the ${what}, name an element.`);
  const request = { op: "read", command: "get", number: null, params: { ...params } } as const;
  if (what !== "refs") return ask(context, await services.documents.main(tab, deadline), request);
  // What a CSS selector matches in every document that can be read.
  const found: unknown[] = [];
  for (const doc of await services.documents.list(tab, deadline))
    if (doc.frame !== null && doc.problem === null)
      found.push(...((await ask<GetResult>(context, doc, request)).value as unknown[]));
  return { value: found };
}
