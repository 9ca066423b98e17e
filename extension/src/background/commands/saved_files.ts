// Files that the browser saves.

import { Signal } from "../signal";

export type DownloadItem = chrome.downloads.DownloadItem;
export type DownloadsApi = Pick<typeof chrome.downloads, "search" | "cancel">;

export class Downloads {
  readonly created = new Signal<DownloadItem>();
  readonly changed = new Signal<chrome.downloads.DownloadDelta>();

  constructor(private readonly api: DownloadsApi) {}

  async find(id: number): Promise<DownloadItem | undefined> {
    return (await this.api.search({ id }))[0];
  }

  async cancel(id: number): Promise<void> {
    await this.api.cancel(id);
  }
}
