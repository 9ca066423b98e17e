// What the debugger doesn't pause is blocked by rules of the browser's. Nobody can be asked about that.
//
// Tabs that the debugger hasn't come to yet (those that a held page opens, and a held one that has lost its debugger)
// load nothing that may change something. Held tabs prefetch nothing. Where a secret was filled in, no socket, worker
// or new tab reaches an origin that the secret doesn't belong to.

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
/** Prefetches, which no debugger pauses; and downloads, which must go where their address says nothing. */
const PREFETCHES = ["other"];
/** A letter that is written as a number, however often: no browser writes addresses so. */
const ENCODED_LETTER = "%(25)*(4[1-9a-fA-F]|5[0-9aA]|6[1-9a-fA-F]|7[0-9aA])";
/** So many letters fit into one pattern: the browser takes 1,000 patterns of two kilobytes each, as it compiles them. */
const MOST_LETTERS = 70;
/** What no tab sends: workers that other tabs share, the browser itself. */
const NO_TAB = -1;

/** Where a secret was filled in, and the origins that it may go to. */
export interface SecretTabs {
  origins: readonly string[];
  tabs: readonly number[];
  /** Hosts whose workers and other tabs may know it. */
  hosts: readonly string[];
  /** Tabs at these hosts that have another origin, such as another port: what they know isn't the secret's. */
  apart: readonly number[];
}

export class NewTabs {
  #held: readonly number[] = [];
  #secrets: SecretTabs | null = null;
  /** Tabs that the rules leave alone; null while there are no rules. */
  #known: Set<number> | null = null;
  #words: readonly string[] = [];
  /** Origins that new tabs may be redirected to. */
  #origins: readonly string[] = [];
  /** New tabs whose first document is on its way: the debugger doesn't pause what that is redirected to. */
  readonly #arriving = new Set<number>();
  /** New tabs load nothing at all; these tabs open no WebSockets. */
  #all: { replaying: readonly number[] } | null = null;
  #last: Promise<unknown> = Promise.resolve();
  /** A change that hasn't begun: what is wanted meanwhile goes with it. */
  #next: Promise<unknown> | null = null;
  #opening: Promise<unknown> | null = null;

  constructor(
    private readonly rules: RulesApi,
    private readonly tabs: Pick<typeof chrome.tabs, "query">,
    /** Whether the browser's rules can go by what a server answers. */
    private readonly readsAnswers = true,
  ) {}

  isGuarded(tab: number): boolean {
    return this.#known !== null && !this.#known.has(tab);
  }

  /** The tabs that are open. */
  open(): Promise<chrome.tabs.Tab[]> {
    return this.tabs.query({});
  }

  /**
   * From now on, new tabs load nothing that may change something, and sites at these origins redirect them to no other
   * ones.
   */
  async guard(words: readonly string[], origins: readonly string[] = []): Promise<void> {
    this.#words = words;
    this.#origins = origins;
    if (!this.#known) await this.#begin();
  }

  async #begin(): Promise<void> {
    const known = new Set([NO_TAB]);
    this.#known = known;
    const add = (tabs: chrome.tabs.Tab[]): void => {
      for (const { id } of tabs) if (id !== undefined) known.add(id);
    };
    this.#opening = this.open().then(add, () => undefined);
    await this.#install();
  }

  /** From now on, new tabs load nothing, or no longer so; those that are replayed open no WebSockets. */
  async guardAll(replaying: readonly number[], on: boolean): Promise<void> {
    this.#all = on ? { replaying } : null;
    if (on && !this.#known) await this.#begin();
    else await this.#install();
  }

  /** These tabs are held, and in some of them a secret was filled in. */
  async hold(held: readonly number[], secrets: SecretTabs | null): Promise<void> {
    if (!held.length && !secrets && !this.#held.length && !this.#secrets) return;
    [this.#held, this.#secrets] = [held, secrets];
    await this.#install();
  }

  /** The tab is held, or no held page opened it. */
  async leaveAlone(tab: number): Promise<void> {
    if (!this.isGuarded(tab)) return;
    this.#known?.add(tab);
    await this.#install();
  }

  /** A tab's first document is there, or couldn't be loaded. */
  async arrived(tab: number): Promise<void> {
    if (this.#arriving.delete(tab) && this.#known) await this.#install();
  }

  /** What was wanted so far is done. */
  done(): Promise<unknown> {
    return this.#last.catch(() => undefined);
  }

  /** The tab should be held and isn't. */
  async watch(tab: number): Promise<void> {
    this.#arriving.add(tab);
    if (this.#known?.delete(tab)) await this.#install();
  }

  /** No tab is held any more; also rules of an earlier worker go. */
  async end(): Promise<void> {
    this.#known = null;
    this.#all = null;
    this.#arriving.clear();
    await this.#install();
  }

  /** What is wanted at once is one change: the browser takes long to compile the patterns of all rules. */
  #install(): Promise<unknown> {
    if (this.#next) return this.#next;
    const before = this.#last.catch(() => undefined);
    const next = before.then(async () => {
      await this.#opening;
      this.#next = null;
      await this.#update();
    });
    this.#next = next;
    this.#last = next;
    return next;
  }

  async #update(): Promise<void> {
    const made = [...(this.#known ? this.#made([...this.#known]) : []), ...this.#ofHeld()];
    const addRules = made.map((rule, at) => ({ ...rule, id: at + 1 }) as Rule);
    const old = await this.rules.getSessionRules();
    await this.rules.updateSessionRules({ removeRuleIds: old.map(({ id }) => id), addRules });
  }

  /** What may change something, by its method or by a word in its address; capitals are left out where they are spare. */
  #changing(capitals: boolean): object[] {
    const words = groupsOf(this.#words).flatMap((group) => patternsOf(group, capitals));
    if (words.length) words.push(`^https?://[^/]+/.*${ENCODED_LETTER}`);
    return [
      { requestMethods: WRITES },
      ...words.map((regexFilter) => ({
        regexFilter,
        isUrlFilterCaseSensitive: true,
        requestMethods: ["get"],
      })),
    ];
  }

  #made(excludedTabIds: number[]): Omit<Rule, "id">[] {
    const writes = this.#changing(true).map((each) => ({ ...each, resourceTypes: TYPES, excludedTabIds }));
    const { replaying = [] } = this.#all ?? {};
    const all: object[] = this.#all ? [{ resourceTypes: [...TYPES, ...SOCKETS], excludedTabIds }] : [];
    if (replaying.length) all.push({ resourceTypes: SOCKETS, tabIds: replaying });
    const others = this.#secrets ? this.#kept({ excludedTabIds, resourceTypes: [...TYPES, ...SOCKETS] }) : [];
    const redirects = this.readsAnswers && this.#origins.length ? this.#redirects(excludedTabIds) : [];
    return [...[...writes, ...redirects, ...all].map((condition) => rule("block", condition, 3)), ...others];
  }

  /** Answers of these origins that redirect a document elsewhere, as far as that can be said of an address. */
  #redirects(known: number[]): object[] {
    const condition = {
      resourceTypes: ["main_frame"],
      requestDomains: [...new Set(this.#origins.map((origin) => new URL(origin).hostname))],
      excludedTabIds: known.filter((tab) => !this.#arriving.has(tab)),
    };
    const within = ["/*", ...this.#origins.flatMap((origin) => [origin, `${origin}/*`])];
    return [
      { values: ["*"], excludedValues: within },
      // Browsers read these as `//host`.
      { values: ["//*", "/\\\\*", "/\t*"] },
    ].map((location) => ({ ...condition, responseHeaders: [{ header: "location", ...location }] }));
  }

  #ofHeld(): Omit<Rule, "id">[] {
    const tabIds = [...this.#held];
    const prefetches = tabIds.length ? this.#changing(false) : [];
    const rules = prefetches.map((each) => rule("block", { ...each, tabIds, resourceTypes: PREFETCHES }, 3));
    if (!this.#secrets) return rules;
    const { tabs, hosts, apart } = this.#secrets;
    const held = tabs.filter((tab) => this.#held.includes(tab));
    const others = tabs.filter((tab) => !this.#held.includes(tab));
    const unpaused = [...PREFETCHES, ...SOCKETS];
    if (held.length) rules.push(...this.#kept({ tabIds: held, resourceTypes: unpaused }));
    if (others.length) rules.push(...this.#kept({ tabIds: others, resourceTypes: [...TYPES, ...SOCKETS] }));
    const ofHosts = {
      excludedTabIds: [...tabIds, ...apart],
      initiatorDomains: [...hosts],
      resourceTypes: [...TYPES, ...SOCKETS],
    };
    if (hosts.length) rules.push(...this.#kept(ofHosts));
    return rules;
  }

  /** Only the origins of the filled secrets are reached. */
  #kept(condition: object): Omit<Rule, "id">[] {
    const origins = this.#secrets?.origins ?? [];
    const addresses = origins.flatMap((origin) => [`|${origin}/`, `|${origin.replace(/^http/, "ws")}/`]);
    return [
      rule("block", condition, 1),
      ...addresses.map((urlFilter) => rule("allow", { ...condition, urlFilter }, 2)),
    ];
  }
}

function rule(type: "block" | "allow", condition: object, priority: number): Omit<Rule, "id"> {
  return { action: { type: type as Rule["action"]["type"] }, condition: condition as Condition, priority };
}

/** Words of one first letter, as many as go into one pattern. */
function groupsOf(words: readonly string[]): string[][] {
  const groups: string[][] = [];
  for (const word of [...words].sort()) {
    const last = groups.at(-1);
    const fits = last && last[0]?.[0] === word[0] && last.join("").length + word.length <= MOST_LETTERS;
    if (fits) last.push(word);
    else groups.push([word]);
  }
  return groups;
}

/** What finds a word in an address behind its host: `/delete`, `/itemDelete`, and with `capitals` also `/DELETE`. */
function patternsOf(group: readonly string[], capitals: boolean): string[] {
  const first = group[0]?.[0] ?? "";
  const rest = group.map((word) => word.slice(1)).join("|");
  const behindHost = "[^:/]/";
  return [
    `${behindHost}(.*[^a-zA-Z])?${first}(${rest})([^a-z]|$)`,
    `${behindHost}(.*[^A-Z])?${first.toUpperCase()}(${rest})([^a-z]|$)`,
    ...(capitals
      ? [`${behindHost}(.*[^a-zA-Z])?${first.toUpperCase()}(${rest.toUpperCase()})([^a-zA-Z]|$)`]
      : []),
  ];
}
