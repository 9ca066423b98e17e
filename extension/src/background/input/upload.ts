// Choosing files: in a file field, or in the chooser that a click opens.

import type { ActionOutcome, UploadParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import type { PageCall, Parts } from "../commands/context";
import type { Watch } from "../commands/outcome";
import { type Handle, withElement } from "../reading/element_handles";
import type { CdpEvent } from "../tabs/debuggers";
import { findTarget, type Target } from "../tabs/targets";
import { act } from "./action";
import { press } from "./click";

export function upload(parts: Parts, call: PageCall, params: UploadParams): Promise<ActionOutcome> {
  return act(parts, call, async (watch) => {
    const target = await findTarget(parts, call, params.ref);
    await watch.baseline();
    const isField = await withElement(parts, call, target, async (handle) => {
      if (!(await holdsFiles(handle))) return false;
      watch.acted = true;
      const { objectId } = handle;
      await handle.send("DOM.setFileInputFiles", { files: params.files, objectId }).catch(explain);
      return true;
    });
    if (!isField) await throughChooser(parts, call, watch, target, params.files);
  });
}

async function holdsFiles({ objectId, send }: Handle): Promise<boolean> {
  const functionDeclaration = "function () { return this.localName === 'input' && this.type === 'file'; }";
  const run = { objectId, functionDeclaration, returnByValue: true };
  return (await send<{ result: { value: boolean } }>("Runtime.callFunctionOn", run)).result.value;
}

/** Click the element and give the files to the chooser that would open. */
async function throughChooser(
  parts: Parts,
  call: PageCall,
  watch: Watch,
  target: Target,
  files: string[],
): Promise<void> {
  const { tab, deadline } = call;
  const isChooser = (event: CdpEvent): boolean =>
    event.tab === tab && event.method === "Page.fileChooserOpened";
  const intercept = (enabled: boolean): Promise<unknown> =>
    parts.debuggers.send(tab, "Page.setInterceptFileChooserDialog", { enabled }, deadline);
  await intercept(true);
  try {
    const opened = parts.debuggers.events.nextOr(isChooser, deadline.over());
    opened.catch(() => undefined);
    await press(parts, call, watch, target, {}, 1);
    const event = (await opened.catch((error) => {
      if (!(error instanceof Failure) || error.code !== "timeout") throw error;
      const hint = "name the file field, or the button that asks for a file";
      throw new Failure("not_actionable", `The element ${target.ref} asks for no file.`, hint, {
        reason: "no_chooser",
      });
    })) as CdpEvent;
    const { backendNodeId, mode } = event.params;
    if (mode === "selectSingle" && files.length > 1)
      throw new Failure("invalid_params", `${files.length} files were given, and the page takes one.`, "");
    const set = parts.debuggers.send(tab, "DOM.setFileInputFiles", { files, backendNodeId }, deadline);
    await set.catch(explain);
  } finally {
    await intercept(false).catch(() => undefined);
  }
}

function explain(error: unknown): never {
  if (!(error instanceof Failure) || !/not allowed/i.test(error.message)) throw error;
  const hint = "open chrome://extensions, skillbook, and turn on 'Allow access to file URLs'";
  throw new Failure("not_allowed", "The browser does not let the extension choose files.", hint);
}
