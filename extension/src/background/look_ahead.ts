// What is found out about a page as soon as it has loaded, so that its first snapshot need not wait for it.

import { Failure } from "../shared/errors";
import { Deadline } from "./deadline";
import type { Debuggers } from "./debuggers";
import type { Documents } from "./documents";
import type { Listeners } from "./listeners";

const MOST_MS = 5_000;

interface Needed {
  documents: Pick<Documents, "list">;
  debuggers: Pick<Debuggers, "isAttached">;
  listeners: Pick<Listeners, "refresh">;
}

/** Greet a loaded tab's documents, and ask what is listened on where the debugger is there anyway. */
export async function lookAhead({ documents, debuggers, listeners }: Needed, tab: number): Promise<void> {
  const deadline = new Deadline(MOST_MS, "looking at a page that loaded");
  try {
    const docs = await documents.list(tab, deadline);
    if (debuggers.isAttached(tab)) await listeners.refresh({ tab, deadline, input: "trusted" }, docs);
  } catch (error) {
    // It has gone again, or can't be spoken to: whoever asks for it hears of that.
    if (!(error instanceof Failure)) throw error;
  } finally {
    deadline.close();
  }
}
