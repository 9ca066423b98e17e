// The snapshot that comes with an action's outcome: one trip less for whoever wants to see what it did.

import type { ActionOutcome, SnapshotParams } from "../../protocol/generated";
import { Deadline, within } from "../deadline";
import { takeSnapshot } from "../reading/snapshot";
import type { PageCall, Parts } from "./context";
import { RawJson } from "./raw_json";

/** Time kept back to tell the outcome without a snapshot. */
const RESERVE_MS = 250;
const MOST_MS = 5_000;

/** Whether a command's result is an action's outcome. */
export function isOutcome(result: unknown): result is ActionOutcome {
  return typeof result === "object" && result !== null && "changed" in result && "opened_tabs" in result;
}

/** The outcome with a snapshot; without one where the page is another by now, or can't be read. */
export async function withObservation(
  parts: Parts,
  call: PageCall,
  outcome: ActionOutcome,
  params: SnapshotParams,
): Promise<ActionOutcome | RawJson<ActionOutcome>> {
  const left = Math.min(MOST_MS, call.deadline.left() - RESERVE_MS);
  if (outcome.navigated || outcome.dialog || left <= 0) return outcome;
  const deadline = new Deadline(left, "the snapshot after the action");
  const abort = (): void => deadline.cancel(call.deadline.signal.reason);
  call.deadline.signal.addEventListener("abort", abort, { once: true });
  try {
    const seen = await within(takeSnapshot(parts, { ...call, deadline }, params, true), left);
    if (!(seen instanceof RawJson)) return outcome;
    return new RawJson(`${JSON.stringify(outcome).slice(0, -1)},"observation":${seen.text}}`);
  } catch {
    // What the action did is known all the same; whoever asked looks again, and is told why that fails.
    return outcome;
  } finally {
    call.deadline.signal.removeEventListener("abort", abort);
    deadline.close();
  }
}
