// Tabs that the debugger hasn't come to yet: those that a held page opens, and a held one that has lost its debugger.
// Rules of the browser's block there what may change something, until the tab is held. Nobody can be asked about that.

export type RulesApi = Pick<typeof chrome.declarativeNetRequest, "updateSessionRules" | "getSessionRules">;
type Rule = chrome.declarativeNetRequest.Rule;
type Condition = chrome.declarativeNetRequest.RuleCondition;

const WRITES = ["post", "put", "patch", "delete", "other"];
/** All but WebSockets, which nobody holds anywhere. */
const TYPES =
  "main_frame sub_frame stylesheet script image font object xmlhttprequest ping csp_report media other".split(
    " ",
  );
const SOCKETS = ["websocket", "webtransport"];
/** What no tab sends: workers that other tabs share, the browser itself. */
const NO_TAB = -1;

export class NewTabs {
  /** Tabs that the rules leave alone; null while there are no rules. */
  #known: Set<number> | null = null;
  #words: readonly string[] = [];
  /** New tabs load nothing at all; these tabs open no WebSockets. */
  #all: { replaying: readonly number[] } | null = null;
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
    this.#words = words;
    if (!this.#known) await this.#begin();
  }

  async #begin(): Promise<void> {
    this.#known = new Set([NO_TAB]);
    for (const { id } of await this.tabs.query({})) if (id !== undefined) this.#known?.add(id);
    await this.#install();
  }

  /** From now on, new tabs load nothing, or no longer so; those that are replayed open no WebSockets. */
  async guardAll(replaying: readonly number[], on: boolean): Promise<void> {
    this.#all = on ? { replaying } : null;
    if (on && !this.#known) await this.#begin();
    else await this.#install();
  }

  /** The tab is held, or no held page opened it. */
  async leaveAlone(tab: number): Promise<void> {
    if (!this.isGuarded(tab)) return;
    this.#known?.add(tab);
    await this.#install();
  }

  /** The tab should be held and isn't. */
  async watch(tab: number): Promise<void> {
    if (this.#known?.delete(tab)) await this.#install();
  }

  /** No tab is held any more; also rules of an earlier worker go. */
  async end(): Promise<void> {
    this.#known = null;
    this.#all = null;
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
    const writes = [
      { requestMethods: WRITES },
      ...this.#words.map((word) => ({
        regexFilter: `^https?://[^/]+/(.*[/?&=._-])?${word}([/?&=._-]|$)`,
        requestMethods: ["get"],
      })),
    ].map((condition) => ({ ...condition, resourceTypes: TYPES, excludedTabIds }));
    const { replaying = [] } = this.#all ?? {};
    const all: object[] = this.#all ? [{ resourceTypes: [...TYPES, ...SOCKETS], excludedTabIds }] : [];
    if (replaying.length) all.push({ resourceTypes: SOCKETS, tabIds: replaying });
    return [...writes, ...all].map((condition, at) => ({
      id: at + 1,
      action: { type: "block" as Rule["action"]["type"] },
      condition: condition as unknown as Condition,
    }));
  }
}
