// JavaScript in the page's script world, where the user allowed it.

import type { EvaluateParams, EvaluateResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { withElement } from "../reading/element_handles";
import { findTarget } from "../tabs/targets";
import { type CommandContext, sendCdp } from "./context";

interface Evaluation {
  result: { type: string; value?: unknown; unserializableValue?: string; objectId?: string };
  exceptionDetails?: { text: string; exception?: { description?: string; value?: unknown } };
}

/** Kernels read 200 levels, those of the message included. */
const DEEPEST = 150;
const TOO_DEEP = `The value is nested too deeply: more than ${DEEPEST} levels.`;
const BY_VALUE = { awaitPromise: true, returnByValue: true } as const;

export async function evaluate(context: CommandContext, params: EvaluateParams): Promise<EvaluateResult> {
  if (!params.ref) return { value: await evaluateInPage(context, params.expression) };
  refuseUnlessAllowed(context);
  const target = await findTarget(context, params.ref);
  return withElement(context, target, async ({ objectId, send, main }) => {
    if (!main) throw new Failure("page_navigated", "The element's document has gone away.");
    const { node } = await send<{ node: { backendNodeId: number } }>("DOM.describeNode", { objectId });
    const place = { backendNodeId: node.backendNodeId, executionContextId: main.id };
    const { object } = await send<{ object: { objectId: string } }>("DOM.resolveNode", place);
    // `this` and the first argument are the element, so that both function forms work.
    const functionDeclaration = `function (element) { return (${params.expression}).call(element, element); }`;
    const run = {
      ...BY_VALUE,
      functionDeclaration,
      objectId: object.objectId,
      arguments: [{ objectId: object.objectId }],
    };
    return { value: await resultOf(send<Evaluation>("Runtime.callFunctionOn", run)) };
  });
}

/** The value of an expression in the main document, where that was allowed. */
export async function evaluateInPage(context: CommandContext, expression: string): Promise<unknown> {
  refuseUnlessAllowed(context);
  const { services, tab, deadline } = context;
  const refused = await deadline.race(services.debuggers.ensure(tab)).catch((error) => error);
  if (refused instanceof Failure && refused.data.foreign_frame) return evaluateByScript(context, expression);
  const params = { ...BY_VALUE, expression, userGesture: true };
  return resultOf(sendCdp<Evaluation>(context, "Runtime.evaluate", params));
}

/** The same where another extension's frame keeps the debugger out; the page's own policy may forbid it. */
async function evaluateByScript(
  { services, tab, deadline }: CommandContext,
  expression: string,
): Promise<unknown> {
  const done = services.documents.runInPage(tab, runHere, expression);
  const { value, problem } = (await deadline.race(done)) as Awaited<ReturnType<typeof runHere>>;
  if (problem) throw new Failure("command", `The expression failed: ${problem.slice(0, 2_000)}`);
  return shallow(value ?? null);
}

/** Runs in the page. */
async function runHere(expression: string): Promise<{ value?: unknown; problem?: string }> {
  try {
    // biome-ignore lint/security/noGlobalEval: evaluating is what the user allowed
    return { value: await globalThis.eval(expression) };
  } catch (error) {
    return { problem: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

function refuseUnlessAllowed({ allowEvaluate }: CommandContext): void {
  if (!allowEvaluate) throw new Failure("evaluate_refused", "Running JavaScript in pages was not allowed.");
}

async function resultOf(evaluated: Promise<Evaluation>): Promise<unknown> {
  const { result, exceptionDetails: problem } = await evaluated.catch(explain);
  if (problem) {
    const text = problem.exception?.description ?? String(problem.exception?.value ?? problem.text);
    throw new Failure("command", `The expression failed: ${text.slice(0, 2_000)}`, "correct the expression");
  }
  // NaN, Infinity and big integers have no JSON.
  return shallow(result.value ?? result.unserializableValue ?? null);
}

/** The value, unless its lists and objects are nested more deeply than readers of JSON go. */
export function shallow(value: unknown): unknown {
  let level = [value];
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > DEEPEST)
      throw new Failure("command", TOO_DEEP, "end the expression with what you want to know");
    level = level.flatMap((one) => (typeof one === "object" && one !== null ? Object.values(one) : []));
  }
  return value;
}

/** Chrome fails on values that have no JSON after the expression has done its work. */
function explain(error: unknown): never {
  if (!(error instanceof Failure && /reference chain|by value/.test(error.message))) throw error;
  throw new Failure(
    "command",
    "The expression ran, but its value can't be handed over: it is no plain data, or refers to itself.",
    "end the expression with what you want to know, or with `null`",
  );
}
