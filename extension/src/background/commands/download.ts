// Clicking what downloads a file, and waiting until the file is there.

import type { DownloadedFile, DownloadOutcome, ElementParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { click } from "../input/click";
import { describe } from "../reading/reads";
import type { CommandContext } from "./context";
import { type DownloadItem, DownloadWatch, type Shown } from "./download_watch";
import { goInHistory } from "./goto";

export async function download(context: CommandContext, params: ElementParams): Promise<DownloadOutcome> {
  const begun = new DownloadWatch(context);
  try {
    const facts = await describe(context, params);
    const outcome = await click(context, params);
    if (outcome.dialog) {
      const { kind, message } = outcome.dialog;
      const text = `A ${kind} dialog came instead of a file: ${message}`;
      throw new Failure("dialog_blocked", text, "", { kind, message });
    }
    const shown = await begun.first(facts);
    if (shown) return { ...outcome, ...(await keepShown(context, shown)) };
    const items = await begun.all();
    const files = await Promise.all(
      items.map(async (item) => fileOf(await finished(context, item.id), begun.nameOf(item))),
    );
    const closed = await begun.closeEmptyTabs();
    return { ...outcome, files, opened_tabs: outcome.opened_tabs?.filter((tab) => !closed.has(tab)) };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "timeout" || begun.items.length) throw error;
    const hint = "it may show the file in the page, or ask something first; look with a snapshot";
    throw new Failure("timeout", "The element was clicked but no download began.", hint, error.data);
  } finally {
    begun.close();
  }
}

/**
 * Get a file by the address at which the browser shows it, as its command *Save as* does. The page comes back: in its
 * own tab by the history, else the file's tab is closed.
 */
async function keepShown(
  context: CommandContext,
  { tab, url }: Shown,
): Promise<Pick<DownloadOutcome, "files" | "url" | "opened_tabs">> {
  const id = await context.services.downloads.api.download({ url, saveAs: false });
  // By its media type alone the browser would call a CSV file that is sent as text `.txt`.
  const [named = null] = /[^/]+\.[A-Za-z0-9]{1,8}$/.exec(decode(new URL(url).pathname)) ?? [];
  const files = [fileOf(await finished(context, id), named)];
  if (tab === context.tab) {
    const back = await goInHistory(context, "back", "dom").catch(() => ({ url }));
    return { files, url: back.url };
  }
  await context.services.tabs.remove(tab);
  return { files, url: context.services.navigations.state(context.tab).url, opened_tabs: [] };
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}

function fileOf(item: DownloadItem, suggested: string | null = null): DownloadedFile {
  const { filename: path, fileSize: bytes, mime, finalUrl } = item;
  const name = suggested ?? path.split(/[\\/]/).pop() ?? "";
  return { path, name, bytes, mime, url: finalUrl.slice(0, 2_000) };
}

/** The item once its file is whole. */
async function finished({ services, deadline }: CommandContext, id: number): Promise<DownloadItem> {
  const { api, changed } = services.downloads;
  for (;;) {
    const change = changed.next((one) => one.id === id, deadline);
    const [item] = await api.search({ id });
    if (!item) throw new Failure("command", "The download was removed from the browser's list.");
    if (item.state === "complete") return item;
    if (item.state === "interrupted") {
      const error = item.error ?? "";
      throw new Failure("command", `The download broke off: ${error || "unknown"}`, "try again", { error });
    }
    if (!["safe", "accepted"].includes(item.danger)) {
      await api.cancel(id);
      const text = `The browser holds the file back as dangerous (${item.danger}).`;
      throw new Failure("not_allowed", text, "download it by hand if you trust it");
    }
    await change;
  }
}
