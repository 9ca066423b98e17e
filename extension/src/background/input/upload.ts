// Choosing files: in a file field, or in the chooser that a click opens.

import type { ActionOutcome, UploadParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { type CommandContext, sendCdp } from "../commands/context";
import { type Handle, withElement } from "../reading/element_handles";
import { actOn, type ElementAction, requireExpected } from "./action";
import { press } from "./click";

export function upload(context: CommandContext, { ref, files }: UploadParams): Promise<ActionOutcome> {
  return actOn(context, ref, async (action) => {
    await action.watch.baseline();
    // Files are chosen without any event that a guard could look at.
    await requireExpected(action, action.target, action.expected);
    const isField = await withElement(action, action.target, async (handle) => {
      const takes = await filesTaken(handle);
      if (takes === null) return false;
      if (takes === "one") requireOne(files);
      action.watch.acted = true;
      const { objectId } = handle;
      await handle.send("DOM.setFileInputFiles", { files, objectId }).catch(explain);
      return true;
    });
    if (!isField) await throughChooser(action, files);
  });
}

/** How many files a field takes; null where it is no file field. */
async function filesTaken({ objectId, send }: Handle): Promise<"one" | "many" | null> {
  const functionDeclaration = `function () {
    if (this.localName !== "input" || this.type !== "file") return null;
    return this.multiple || this.webkitdirectory ? "many" : "one";
  }`;
  const run = { objectId, functionDeclaration, returnByValue: true };
  return (await send<{ result: { value: "one" | "many" | null } }>("Runtime.callFunctionOn", run)).result
    .value;
}

function requireOne(files: string[]): void {
  if (files.length < 2) return;
  const text = `${files.length} files were given, and the page takes one; none was chosen.`;
  throw new Failure("invalid_params", text, "upload one file");
}

/** Click the element and give the files to the chooser that would open. */
async function throughChooser(action: ElementAction, files: string[]): Promise<void> {
  const { services, tab, deadline, target } = action;
  const intercept = (enabled: boolean): Promise<unknown> =>
    sendCdp(action, "Page.setInterceptFileChooserDialog", { enabled });
  await intercept(true);
  try {
    const opened = services.debuggers.events.next(
      (event) => event.tab === tab && event.method === "Page.fileChooserOpened",
      deadline,
    );
    await press(action);
    const event = await opened.catch((error) => {
      if (!(error instanceof Failure) || error.code !== "timeout") throw error;
      const text = `The element ${target.ref} asks for no file.`;
      const hint = "name the file field, or the button that asks for a file";
      throw new Failure("not_actionable", text, hint, { reason: "no_chooser" });
    });
    const { backendNodeId, mode } = event.params;
    if (mode === "selectSingle") requireOne(files);
    await sendCdp(action, "DOM.setFileInputFiles", { files, backendNodeId }).catch(explain);
  } finally {
    await intercept(false).catch(() => undefined);
  }
}

function explain(error: unknown): never {
  if (!(error instanceof Failure) || !/not allowed/i.test(error.message)) throw error;
  const hint = "open chrome://extensions, skillbook, and turn on 'Allow access to file URLs'";
  throw new Failure("not_allowed", "The browser does not let the extension choose files.", hint);
}
