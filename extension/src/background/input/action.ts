// What every action is made of: a watch around it, trusted input where the tab has it, the part that happens in the page.

import type { ActionOutcome, Commands, ExpectedTarget, InPageCommand } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { ActReply } from "../../shared/messages";
import { type CommandContext, callContent, patienceOf } from "../commands/context";
import type { Doc } from "../tabs/registry";
import { findTarget, type Target } from "../tabs/targets";
import { OutcomeWatch } from "./outcome_watch";
import { TrustedInput } from "./trusted_input";

/** One action: its command, and what it does to the page so far. */
interface Action extends CommandContext {
  watch: OutcomeWatch;
  trusted: TrustedInput;
}

export interface ElementAction extends Action {
  target: Target;
}

/** Run an action under watch; a dialog that it opens, or that its page closes, ends it at once. */
export async function act(
  context: CommandContext,
  work: (action: Action) => Promise<void>,
): Promise<ActionOutcome> {
  const { documents, dialogs } = context.services;
  const { signal } = context.deadline;
  const watch = new OutcomeWatch(context);
  // The page would go on waiting for the element, and then act; and it would guard input that won't come.
  const abort = (): void => {
    for (const doc of documents.known(context.tab)) documents.post(doc, { op: "abort" });
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    await work({ ...context, watch, trusted: new TrustedInput(context) });
    return await watch.finish();
  } catch (error) {
    abort();
    if (error instanceof Failure && error.code === "page_closed" && watch.acted)
      return await watch.ended(error);
    const isGone = error instanceof Failure && /^(stale_ref|page_navigated)$/.test(error.code);
    if (isGone && !watch.acted) error.data.unsent = true;
    const dialog = dialogs.current(context.tab);
    if (!watch.acted || !dialog || !(error instanceof Failure) || error.code !== "dialog_blocked")
      throw error;
    return await watch.outcome(false, { kind: dialog.kind, message: dialog.message });
  } finally {
    signal.removeEventListener("abort", abort);
    watch.close();
  }
}

/** Run an action on an element, with trusted input where the tab has it. */
export function actOn(
  context: CommandContext,
  ref: string,
  work: (action: ElementAction) => Promise<void>,
): Promise<ActionOutcome> {
  return act(context, async (action) => {
    const target = await findTarget(action, ref);
    action.watch.isTrusted = await hasTrusted(action);
    await work({ ...action, target });
  });
}

/** Whether the tab takes trusted input; where it doesn't, events made in the page must do. */
export async function hasTrusted({ services, input, deadline, tab }: CommandContext): Promise<boolean> {
  if (input === "synthetic") return false;
  try {
    await deadline.race(services.debuggers.ensure(tab));
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "debugger_unavailable") return false;
    throw error;
  }
}

/** The in-page part of a command; where `guarded` the document keeps keys for the element from then on. */
export async function inPage<C extends InPageCommand>(
  action: Action,
  command: C,
  { doc, number }: { doc: Doc; number: number | null },
  params: Commands[C]["params"],
  guarded = false,
): Promise<ActReply> {
  const timeout_ms = patienceOf(action);
  const { effects: flash, expected } = action;
  const guard_ms = guarded ? action.deadline.left() : null;
  const how = { synthetic: !action.watch.isTrusted, timeout_ms, flash, expected, guard_ms };
  const reply = await callContent(action, doc, { op: "act", command, number, params, ...how });
  action.watch.note(doc, reply.version);
  return reply;
}

/** Refuse where an element isn't what was seen or expected, apart from any input. */
export async function requireExpected(
  action: Action,
  { doc, number, ref }: Target,
  expected: ExpectedTarget | null,
): Promise<void> {
  const request = { op: "is", number, params: { what: "visible", ref }, expected } as const;
  if (expected) await callContent(action, doc, request);
}

/** An action on an element that the content script does alone. */
export async function pageOnly<C extends InPageCommand>(
  action: ElementAction,
  command: C,
  params: Commands[C]["params"],
): Promise<void> {
  await action.watch.baseline(action.target.doc);
  action.watch.acted = true;
  await inPage(action, command, action.target, params);
}
