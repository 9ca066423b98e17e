// One named tab group a kernel, so that the user sees which tabs a kernel sees; what the user drags in is shared,
// what he drags out no longer is.

import { messageOf } from "../../shared/errors";
import type { Store } from "../store";
import type { Shares } from "./shares";

interface GroupApi {
  tabs: Pick<typeof chrome.tabs, "get" | "group" | "ungroup">;
  tabGroups: Pick<typeof chrome.tabGroups, "update">;
}

const KEY = "groups";
const COLORS = ["blue", "green", "purple", "orange", "cyan", "pink"] as const;

export class Groups {
  readonly #groups = new Map<string, number>();
  /** Tabs that sit in a kernel's group, as far as events said. */
  readonly #members = new Map<number, number>();

  constructor(
    private readonly api: GroupApi,
    private readonly store: Store,
    private readonly shares: Shares,
    private readonly nameOf: (kernel: string) => string,
  ) {}

  async load(): Promise<void> {
    for (const [kernel, group] of await this.store.load<[string, number][]>(KEY, []))
      this.#groups.set(kernel, group);
  }

  /** Put a shared tab into its kernel's group. A window that can't have groups goes without. */
  async put(tab: number, kernel: string): Promise<void> {
    await this.#join(tab, kernel, this.#groups.get(kernel))
      // The group that the kernel had may be gone.
      .catch(() => this.#join(tab, kernel))
      .catch((error) => console.warn("skillbook: no tab group:", messageOf(error)));
  }

  async take(tab: number): Promise<void> {
    this.#members.delete(tab);
    await this.api.tabs.ungroup(tab).catch(() => undefined);
  }

  /** The tab was moved into or out of a group, perhaps by the user, perhaps because it closes. */
  async moved(tab: number, group: number): Promise<void> {
    const before = this.#members.get(tab);
    const kernel = [...this.#groups].find(([, id]) => id === group)?.[0];
    if (kernel) {
      this.#members.set(tab, group);
      this.shares.add(tab, kernel, "user");
    } else if (before !== undefined) {
      const found = await this.api.tabs.get(tab).catch(() => null);
      if (!found || found.groupId === before) return;
      this.#members.delete(tab);
      if (this.#groups.get(this.shares.get(tab)?.kernel ?? "") === before)
        this.shares.remove(tab, "unshared");
    }
  }

  async #join(tab: number, kernel: string, group?: number): Promise<void> {
    const place = group === undefined ? {} : { groupId: group };
    const id = await this.api.tabs.group({ tabIds: tab, ...place });
    this.#members.set(tab, id);
    if (id === group) return;
    this.#groups.set(kernel, id);
    this.store.save(KEY, () => [...this.#groups]);
    const color = COLORS[[...this.#groups.keys()].indexOf(kernel) % COLORS.length];
    await this.api.tabGroups.update(id, { title: this.nameOf(kernel), color });
  }
}
