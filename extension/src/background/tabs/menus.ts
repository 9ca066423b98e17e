// "Share with …" in the context menu of a page, one entry a kernel; the side panel in that of the toolbar's icon.

import type { Shares } from "./shares";

interface MenuApi {
  create(properties: {
    id: string;
    title: string;
    contexts: ["page"] | ["action"];
    documentUrlPatterns?: string[];
  }): unknown;
  removeAll(): Promise<void>;
}

interface MenuKernel {
  id: string;
  name: string;
}

export const PANEL_ITEM = "panel";
const PREFIX = "share:";
const PAGES = ["http://*/*", "https://*/*"];

export class Menus {
  #shown = "";
  #writing: Promise<void> = Promise.resolve();

  constructor(
    private readonly api: MenuApi,
    private readonly shares: Shares,
  ) {}

  /** Offer these kernels; the browser gets a request only where that changes something. */
  show(kernels: readonly MenuKernel[]): Promise<void> {
    const wanted = JSON.stringify(kernels.map(({ id, name }) => [id, name]));
    if (wanted === this.#shown) return this.#writing;
    this.#shown = wanted;
    this.#writing = this.#writing.then(() => this.#write(kernels));
    return this.#writing;
  }

  /** An entry was chosen on a tab: share it, or end that where it is shared with this kernel. */
  chosen(item: string, tab: number | undefined): void {
    if (!item.startsWith(PREFIX) || tab === undefined) return;
    const kernel = item.slice(PREFIX.length);
    if (this.shares.get(tab)?.kernel === kernel) this.shares.remove(tab, "unshared");
    else this.shares.add(tab, kernel, "user");
  }

  async #write(kernels: readonly MenuKernel[]): Promise<void> {
    await this.api.removeAll();
    this.api.create({ id: PANEL_ITEM, title: "Open the side panel", contexts: ["action"] });
    for (const { id, name } of kernels) {
      // An ampersand would mark the next letter.
      const title = `Share with ${name.slice(0, 60).replaceAll("&", "&&")} (again to stop)`;
      this.api.create({ id: PREFIX + id, title, contexts: ["page"], documentUrlPatterns: PAGES });
    }
  }
}
