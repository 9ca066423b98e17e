// What every action is made of: a watch around it, the way input goes, the part that happens in the page.

import type { ActionOutcome, CommandName } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { ActReply, Point } from "../../shared/messages";
import type { PageCall, Parts } from "../commands/context";
import { Watch } from "../commands/outcome";
import type { Doc } from "../tabs/registry";
import type { Target } from "../tabs/targets";
import { Input } from "./input";

/** Run an action under watch; a dialog that it opens ends it at once. */
export async function act(
  parts: Parts,
  call: PageCall,
  action: (watch: Watch) => Promise<void>,
): Promise<ActionOutcome> {
  const watch = new Watch(parts, call);
  const { signal } = call.deadline;
  // The page would go on waiting for the element, and then act.
  const abort = (): void => {
    for (const doc of parts.documents.known(call.tab)) parts.documents.tell(doc, { op: "abort" });
  };
  signal.addEventListener("abort", abort, { once: true });
  try {
    await action(watch);
    return await watch.finish();
  } catch (error) {
    const dialog = parts.dialogs.current(call.tab);
    if (!watch.acted || !dialog || !(error instanceof Failure) || error.code !== "dialog_blocked")
      throw error;
    return await watch.outcome(false, { kind: dialog.kind, message: dialog.message });
  } finally {
    signal.removeEventListener("abort", abort);
    watch.close();
  }
}

/** Whether trusted input is to be had on the tab; where it isn't, the page's own events must do. */
export async function hasTrusted(parts: Parts, call: PageCall): Promise<boolean> {
  if (call.input === "synthetic") return false;
  try {
    await call.deadline.race(parts.debuggers.ensure(call.tab));
    return true;
  } catch (error) {
    if (error instanceof Failure && error.code === "debugger_unavailable") return false;
    throw error;
  }
}

/** Trusted input on the call's tab, shown in the page where effects are. */
export function inputFor(parts: Parts, call: PageCall): Input {
  const show = (point: Point, press: boolean): void => {
    const main = parts.documents.known(call.tab).find((doc) => doc.frameId === 0);
    if (main) parts.documents.tell(main, { op: "effect", point, press });
  };
  return new Input(parts, call.tab, call.deadline, call.effects ? show : null);
}

/** The in-page part of a command. */
export function inPage(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  doc: Doc,
  command: CommandName,
  number: number | null,
  params: object,
  guard: { pauses: number } | null = null,
): Promise<ActReply> {
  const timeout_ms = Math.max(50, Math.round(call.deadline.left() * 0.8));
  const synthetic = !watch.trusted;
  const request = {
    op: "act",
    command,
    number,
    params: { ...params },
    synthetic,
    timeout_ms,
    flash: call.effects,
    meant: call.meant,
    guard,
  } as const;
  return parts.documents.ask<ActReply>(doc, request, call.deadline);
}

/** An action on an element that the content script does alone. */
export async function pageOnly(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  command: CommandName,
  target: Target,
  params: object,
): Promise<void> {
  await watch.baseline();
  watch.acted = true;
  await inPage(parts, call, watch, target.doc, command, target.number, params);
}
