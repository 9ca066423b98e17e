// Tabs that a held page opens. The debugger comes to a new tab too late for its first request, so rules of the browser's
// block there what may change something, until the tab is held as well. Nobody can be asked about that request.

export type RulesApi = Pick<typeof chrome.declarativeNetRequest, "updateSessionRules" | "getSessionRules">;
type Rule = chrome.declarativeNetRequest.Rule;
type Condition = chrome.declarativeNetRequest.RuleCondition;

const WRITES = ["post", "put", "patch", "delete", "other"];

export class NewTabs {
  /** Tabs that the rules leave alone; null while there are no rules. */
  #known: Set<number> | null = null;
  #words: readonly string[] = [];
  #last: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly rules: RulesApi,
    private readonly tabs: Pick<typeof chrome.tabs, "query">,
  ) {}

  isGuarded(tab: number): boolean {
    return this.#known !== null && !this.#known.has(tab);
  }

  /** From now on, new tabs load nothing that may change something. */
  async guard(words: readonly string[]): Promise<void> {
    if (this.#known) return;
    this.#words = words;
    this.#known = new Set();
    for (const { id } of await this.tabs.query({})) if (id !== undefined) this.#known?.add(id);
    await this.#install();
  }

  /** The tab is held, or no held page opened it. */
  async leaveAlone(tab: number): Promise<void> {
    if (!this.isGuarded(tab)) return;
    this.#known?.add(tab);
    await this.#install();
  }

  /** No tab is held any more; also rules of an earlier worker go. */
  async end(): Promise<void> {
    this.#known = null;
    await this.#install();
  }

  #install(): Promise<unknown> {
    this.#last = this.#last.then(async () => {
      const old = await this.rules.getSessionRules();
      const addRules = this.#known ? this.#made([...this.#known]) : [];
      await this.rules.updateSessionRules({ removeRuleIds: old.map(({ id }) => id), addRules });
    });
    return this.#last;
  }

  #made(excludedTabIds: number[]): Rule[] {
    const conditions = [
      { requestMethods: WRITES },
      ...this.#words.map((word) => ({
        regexFilter: `^https?://[^/]+/(.*[/?&=._-])?${word}([/?&=._-]|$)`,
        requestMethods: ["get"],
      })),
    ];
    return conditions.map((condition, at) => ({
      id: at + 1,
      action: { type: "block" as Rule["action"]["type"] },
      condition: { ...condition, resourceTypes: ["main_frame"], excludedTabIds } as unknown as Condition,
    }));
  }
}
