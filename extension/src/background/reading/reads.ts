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
import type { PageCall, Parts } from "../commands/context";
import { findTarget } from "../tabs/targets";

interface Reads {
  get: { params: GetParams; result: GetResult };
  is: { params: IsParams; result: IsResult };
  describe: { params: DescribeParams; result: DescribeResult };
}

/** get, is, describe: the content script knows. */
export async function read<C extends keyof Reads>(
  parts: Parts,
  call: PageCall,
  command: C,
  params: Reads[C]["params"],
): Promise<Reads[C]["result"]> {
  if (!params.ref) return readPage(parts, call, params as GetParams);
  const { doc, number } = await findTarget(parts, call, params.ref);
  if (command === "is") await parts.internals.renew(call, doc);
  return parts.documents.ask(doc, { op: "read", command, number, params: { ...params } }, call.deadline);
}

async function readPage(parts: Parts, call: PageCall, params: GetParams): Promise<GetResult> {
  if (params.what === "url" || params.what === "title") {
    const tab = await parts.tabs.get(call.tab);
    return { value: tab[params.what] ?? "" };
  }
  if (params.what === "refs") return { value: await matchingRefs(parts, call, params) };
  if (params.what !== "text" && params.what !== "html") {
    throw new Failure("invalid_params", `To get the ${params.what}, name an element.`);
  }
  const doc = await parts.documents.main(call.tab, call.deadline);
  return parts.documents.ask(
    doc,
    { op: "read", command: "get", number: null, params: { ...params } },
    call.deadline,
  );
}

/** What a CSS selector matches in every document that can be read. */
async function matchingRefs(parts: Parts, call: PageCall, params: GetParams): Promise<unknown[]> {
  const found: unknown[] = [];
  for (const doc of await parts.documents.list(call.tab, call.deadline)) {
    if (doc.frame === null || doc.problem !== null) continue;
    const request = { op: "read", command: "get", number: null, params: { ...params } } as const;
    const { value } = await parts.documents.ask<GetResult>(doc, request, call.deadline);
    found.push(...(value as unknown[]));
  }
  return found;
}
