// Pages that are shown as at another place may know that place: else the browser would ask a person who isn't there.
//
// The browser keeps such a permission for a site, in all of its tabs, and over its restarts. So it is given only while no
// other tab shows that site, which would learn the real place, and it is taken back as soon as it isn't needed.

type Setting = Pick<typeof chrome.contentSettings.location, "set" | "clear">;

export class PlacePermissions {
  #given = "";
  #last: Promise<void> = Promise.resolve();

  constructor(
    private readonly setting: Setting,
    private readonly tabs: Pick<typeof chrome.tabs, "query">,
  ) {}

  /** Permit the sites of some tabs to know their place, and no others; `isFirst` also takes back what an earlier worker gave. */
  update(placed: ReadonlySet<number>, isFirst = false): Promise<void> {
    if (placed.size === 0 && !this.#given && !isFirst) return this.#last;
    this.#last = this.#last.then(() => this.#update(placed, isFirst)).catch(() => undefined);
    return this.#last;
  }

  async #update(placed: ReadonlySet<number>, isFirst: boolean): Promise<void> {
    const tabs = placed.size > 0 ? await this.tabs.query({}) : [];
    const wanted = new Set<string>();
    const elsewhere = new Set<string>();
    for (const tab of tabs)
      for (const origin of originsOf(tab)) (placed.has(tab.id ?? -1) ? wanted : elsewhere).add(origin);
    const origins = [...wanted].filter((origin) => !elsewhere.has(origin)).sort();
    const given = origins.join(" ");
    if (given === this.#given && !isFirst) return;
    await this.setting.clear({});
    this.#given = given;
    await Promise.all(
      origins.map((origin) => this.setting.set({ primaryPattern: `${origin}/*`, setting: "allow" })),
    );
  }
}

/** What a tab shows, and what it is about to show. */
function originsOf({ url, pendingUrl }: chrome.tabs.Tab): string[] {
  return [url, pendingUrl].flatMap((each) => (each && /^https?:/.test(each) ? [new URL(each).origin] : []));
}
