// What is found out about a page as soon as it has loaded, so that its first snapshot need not wait for it.

import { Failure } from "../../shared/errors";
import { Deadline } from "../deadline";
import type { Documents } from "../tabs/documents";
import type { Listeners } from "./listeners";

const MOST_MS = 5_000;

interface Needed {
  documents: Pick<Documents, "list">;
  listeners: Pick<Listeners, "refresh" | "isWatched">;
}

/** Greet a loaded tab's documents and ask what is listened on, where that was asked of the tab before. */
export async function lookAhead({ documents, listeners }: Needed, tab: number): Promise<void> {
  // Never attach for it: that shows, and after the user or a lost kernel ended it, it must not come back by itself.
  if (!listeners.isWatched(tab)) return;
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
