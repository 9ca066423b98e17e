// A page as one file: printed as PDF, or archived as MHTML.

import type { SavePageParams, SavePageResult } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { type CommandContext, sendCdp } from "../commands/context";
import { hasTrusted } from "../input/action";
import { whileMasked } from "./screenshot";

export async function savePage(context: CommandContext, params: SavePageParams): Promise<SavePageResult> {
  if (!(await hasTrusted(context))) {
    const hint = "allow trusted input, or take screenshots";
    throw new Failure("debugger_unavailable", "Only the debugger can print or archive a page.", hint);
  }
  if (params.format === "mhtml") {
    // The kernel masks secrets in its parts: the style sheet of the mask would stay in the archive.
    const { data } = await sendCdp<{ data: string }>(context, "Page.captureSnapshot", { format: "mhtml" });
    return { data: btoa(data) };
  }
  return whileMasked(context, () =>
    sendCdp<{ data: string }>(context, "Page.printToPDF", {
      landscape: params.landscape ?? false,
      printBackground: params.background ?? true,
      paperWidth: params.width ?? 8.27,
      paperHeight: params.height ?? 11.69,
      scale: params.scale ?? 1,
      pageRanges: params.pages ?? "",
    }).then(({ data }) => ({ data })),
  );
}
