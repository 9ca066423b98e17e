// JavaScript in the page's own world, where the user allowed it.

import type { EvaluateParams, EvaluateResult } from "../protocol/generated";
import { Failure } from "../shared/errors";
import type { PageCall, Parts } from "./context";
import { withElement } from "./handles";
import { findTarget } from "./targets";

interface Evaluation {
  result: { type: string; value?: unknown; unserializableValue?: string; objectId?: string };
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } };
}

export async function evaluate(
  parts: Parts,
  call: PageCall,
  params: EvaluateParams,
): Promise<EvaluateResult> {
  if (!call.allowEvaluate)
    throw new Failure("evaluate_refused", "Running JavaScript in pages was not allowed.");
  const send = (method: string, rest: object): Promise<Evaluation> =>
    parts.debuggers.send<Evaluation>(
      call.tab,
      method,
      { awaitPromise: true, returnByValue: true, ...rest },
      call.deadline,
    );
  if (!params.ref) {
    return {
      value: resultOf(await send("Runtime.evaluate", { expression: params.expression, userGesture: true })),
    };
  }
  const target = await findTarget(parts, call, params.ref);
  return withElement(parts, call, target, async (objectId, frame) => {
    const world = parts.worlds.main(call.tab, frame);
    if (!world) throw new Failure("page_navigated", "The element's document has gone away.");
    const describe = { objectId };
    const { node } = await parts.debuggers.send<{ node: { backendNodeId: number } }>(
      call.tab,
      "DOM.describeNode",
      describe,
      call.deadline,
    );
    const place = { backendNodeId: node.backendNodeId, executionContextId: world.id };
    const { object } = await parts.debuggers.send<{ object: { objectId: string } }>(
      call.tab,
      "DOM.resolveNode",
      place,
      call.deadline,
    );
    // `this` and the first argument are the element, so that both function forms work.
    const functionDeclaration = `function (element) { return (${params.expression}).call(element, element); }`;
    const run = {
      functionDeclaration,
      objectId: object.objectId,
      arguments: [{ objectId: object.objectId }],
    };
    return { value: resultOf(await send("Runtime.callFunctionOn", run)) };
  });
}

function resultOf({ result, exceptionDetails: problem }: Evaluation): unknown {
  if (problem) {
    const text = problem.exception?.description ?? String(problem.exception?.value ?? problem.text);
    throw new Failure("command", `The expression failed: ${text.slice(0, 2_000)}`, "correct the expression");
  }
  // NaN, Infinity and big integers have no JSON.
  return result.value ?? result.unserializableValue ?? null;
}
