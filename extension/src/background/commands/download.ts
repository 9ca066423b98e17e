// Clicking what downloads a file, and waiting until the file is there.

import type {
  DescribeResult,
  DownloadedFile,
  DownloadOutcome,
  ElementParams,
} from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { click } from "../input/click";
import { describe } from "../reading/reads";
import { Signal } from "../signal";
import type { CdpEvent } from "../tabs/debuggers";
import type { NavigationEvent } from "../tabs/navigations";
import type { CommandContext } from "./context";
import { goInHistory } from "./goto";

type DownloadItem = chrome.downloads.DownloadItem;
const PAGES = new Set(["text/html", "application/xhtml+xml"]);

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
    const shown = begun.item ? null : await begun.shownInstead(facts);
    if (shown) return { ...outcome, ...(await keepShown(context, shown)) };
    return { ...outcome, file: fileOf(await finished(context, (await begun.first()).id), begun.suggested) };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "timeout" || begun.item) throw error;
    const hint = "it may show the file in the page, or ask something first; look with a snapshot";
    throw new Failure("timeout", "The element was clicked but no download began.", hint, error.data);
  } finally {
    begun.close();
  }
}

/** Get a file by the address at which the browser shows it, as its command *Save as* does, and go back to the page. */
async function keepShown(
  context: CommandContext,
  url: string,
): Promise<Pick<DownloadOutcome, "file" | "url">> {
  const id = await context.services.downloads.api.download({ url, saveAs: false });
  // By its media type alone the browser would call a CSV file that is sent as text `.txt`.
  const [named = null] = /[^/]+\.[A-Za-z0-9]{1,8}$/.exec(decode(new URL(url).pathname)) ?? [];
  const file = fileOf(await finished(context, id), named);
  const back = await goInHistory(context, "back", "dom").catch(() => ({ url }));
  return { file, url: back.url };
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

/** The downloads that a tab begins from here on, and the file that it shows in the page's place. */
class DownloadWatch {
  item: DownloadItem | null = null;
  /** The name that the page or the server gave. */
  suggested: string | null = null;
  #arrived: NavigationEvent | null = null;
  readonly #found = new Signal<DownloadItem>();
  readonly #urls = new Set<string>();
  readonly #items: DownloadItem[] = [];
  readonly #stops: (() => void)[];

  constructor(private readonly context: CommandContext) {
    const { services } = context;
    this.#stops = [
      services.downloads.created.on((item) => {
        this.#items.push(item);
        this.#match();
      }),
      services.debuggers.events.on((event) => this.#take(event)),
      services.navigations.happened.on(({ tab, kind, event }) => {
        const arrives = tab === context.tab && kind === "committed" && event.frameId === 0;
        if (arrives) this.#arrived = event;
      }),
    ];
  }

  /** The tab's first download. */
  async first(): Promise<DownloadItem> {
    const { deadline } = this.context;
    return this.item ?? (await this.#found.next(() => true, deadline));
  }

  /** The address of a file that the browser shows where a download was expected; null where it shows a page. */
  async shownInstead(facts: DescribeResult): Promise<string | null> {
    const { services, tab, deadline } = this.context;
    const { transitionType = "", url = "" } = this.#arrived ?? {};
    // What was posted may not be sent again.
    const isGet =
      transitionType === "link" || (transitionType === "form_submit" && facts.form?.method === "get");
    if (!isGet) return null;
    const type = await services.documents.main(tab, deadline).then(
      (doc) => doc.type,
      () => "",
    );
    return type && !PAGES.has(type) ? url : null;
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #take({ tab, method, params }: CdpEvent): void {
    if (tab !== this.context.tab || method !== "Page.downloadWillBegin") return;
    this.#urls.add(params.url);
    this.suggested ??= params.suggestedFilename || null;
    this.#match();
  }

  /** A debugger reports the addresses of the tab's downloads; without one, the page that they came from decides. */
  #match(): void {
    if (this.item) return;
    const attached = this.context.services.debuggers.isAttached(this.context.tab);
    const ours = (item: DownloadItem): boolean =>
      attached ? this.#urls.has(item.url) || this.#urls.has(item.finalUrl) : this.#cameFromHere(item);
    this.item = this.#items.find(ours) ?? null;
    if (this.item) this.#found.emit(this.item);
  }

  /** Its referrer is one of the tab's documents, or of their site and no document of another shared tab. */
  #cameFromHere({ url, referrer }: DownloadItem): boolean {
    const { services, tab: here } = this.context;
    const from = withoutHash(referrer || url);
    const isOn = (tab: number): boolean =>
      [services.navigations.state(tab), ...services.documents.known(tab)].some(
        (each) => withoutHash(each.url) === from,
      );
    if (isOn(here)) return true;
    if (services.shares.tabs().some((tab) => tab !== here && isOn(tab))) return false;
    return isOf(from, services.navigations.state(here).url);
  }
}

function withoutHash(address: string): string {
  return address.split("#", 1)[0] as string;
}

function isOf(address: string, page: string): boolean {
  if (!URL.canParse(address) || !URL.canParse(page)) return false;
  return new URL(address).origin === new URL(page).origin;
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
