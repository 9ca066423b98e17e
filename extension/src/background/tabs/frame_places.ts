// In which frame of the document around it a document is. The debugger knows, and no page notices; without one the content
// scripts find out by a message, which a page that listened before them hears.

import { Failure } from "../../shared/errors";
import { POLL_MS, TICK_MS } from "../../shared/limits";
import type { CommandContext } from "../commands/context";
import { pause } from "../deadline";
import { callIn, type DocumentWorlds, handlesOf, unlessGone, withObjects, worldsOf } from "./document_worlds";
import type { Doc } from "./registry";

const NONCE = "function (frame) { return frame && globalThis.skillbook.nonceOf(frame); }";

/** Whether a command may look through the debugger. */
export function mayQueryDebugger({
  input,
  services,
  tab,
}: Pick<CommandContext, "input" | "services" | "tab">): boolean {
  return input === "trusted" || services.debuggers.isAttached(tab);
}

/** Have it reported of these documents, as far as it isn't known, in which frames they are. */
export async function placeFrames(context: CommandContext, docs: readonly Doc[]): Promise<void> {
  const hasScript = new Set(docs.filter(({ key, problem }) => key && !problem).map(({ id }) => id));
  const inner = docs.filter(({ id, parent }) => hasScript.has(id) && hasScript.has(parent ?? ""));
  const unplaced = (): Doc[] => inner.filter(({ nonce }) => nonce === null);
  try {
    // A script that has just been put in is known to the debugger a moment later.
    const until = performance.now() + TICK_MS;
    while (mayQueryDebugger(context) && unplaced().length && performance.now() < until) {
      await placeByDebugger(context, docs, unplaced());
      if (unplaced().length) await pause(POLL_MS, context.deadline);
    }
  } catch (error) {
    if (context.deadline.signal.aborted || !(error instanceof Failure)) throw error;
  }
  for (const doc of unplaced()) context.services.documents.post(doc, { op: "meet" });
}

async function placeByDebugger(
  { services, tab, deadline }: CommandContext,
  docs: readonly Doc[],
  unplaced: readonly Doc[],
): Promise<void> {
  const needed = docs.filter((doc) => unplaced.some((each) => each === doc || each.parent === doc.id));
  const worlds = await worldsOf(await services.sessions.open(tab, deadline), needed);
  await Promise.all(
    worlds.map(async (child) => {
      const parent = worlds.find(({ doc }) => doc.id === child.doc.parent);
      if (!parent || !unplaced.includes(child.doc)) return;
      const nonce = await unlessGone(() => nonceIn(parent, child));
      if (nonce) services.documents.reported(parent.doc.id, { key: child.doc.key, nonce });
    }),
  );
}

async function nonceIn(parent: DocumentWorlds, { ours }: DocumentWorlds): Promise<string | null> {
  const query = { frameId: ours.frame };
  const { backendNodeId } = await parent.send<{ backendNodeId: number }>("DOM.getFrameOwner", query);
  return withObjects(parent.send, async (group) => {
    const frame = await handlesOf(parent, [backendNodeId], group);
    return (await callIn<string | null>(parent, NONCE, frame, { returnByValue: true })).value;
  });
}
