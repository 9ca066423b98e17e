// What is found out about a page as soon as it has loaded, so that its first snapshot need not wait for it.

import { Failure } from "../shared/errors";
import { Deadline } from "./deadline";
import type { Documents } from "./documents";
import type { Listeners } from "./listeners";

const MOST_MS = 5_000;

interface Needed {
  documents: Pick<Documents, "list">;
  listeners: Pick<Listeners, "refresh" | "isAsked">;
}

/** Greet a loaded tab's documents and ask what is listened on, where an earlier snapshot of the tab asked for that. */
export async function lookAhead({ documents, listeners }: Needed, tab: number): Promise<void> {
  // Whatever needs the debugger is left to those who ask first: attaching it shows.
  if (!listeners.isAsked(tab)) return;
  const deadline = new Deadline(MOST_MS, "looking at a page that loaded");
  try {
    const docs = await documents.list(tab, deadline);
    await listeners.refresh({ tab, deadline, input: "trusted" }, docs);
  } catch (error) {
    // It has gone again, or can't be spoken to: whoever asks for it hears of that.
    if (!(error instanceof Failure)) throw error;
  } finally {
    deadline.close();
  }
}
