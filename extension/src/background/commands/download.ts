// Clicking what downloads a file, and waiting until the file is there.

import type { DownloadOutcome, ElementParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { click } from "../input/click";
import { Signal } from "../signal";
import type { CdpEvent } from "../tabs/debuggers";
import type { CommandContext } from "./context";

type DownloadItem = chrome.downloads.DownloadItem;

export async function download(context: CommandContext, params: ElementParams): Promise<DownloadOutcome> {
  const begun = new DownloadWatch(context);
  try {
    const outcome = await click(context, params);
    if (outcome.dialog) {
      const { kind, message } = outcome.dialog;
      const text = `A ${kind} dialog came instead of a file: ${message}`;
      throw new Failure("dialog_blocked", text, "", { kind, message });
    }
    const item = await finished(context, (await begun.first()).id);
    const { filename: path, fileSize: bytes, mime, finalUrl: url } = item;
    const name = begun.suggested ?? path.split(/[\\/]/).pop() ?? "";
    return { ...outcome, file: { path, name, bytes, mime, url: url.slice(0, 2_000) } };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "timeout" || begun.item) throw error;
    const hint = "it may show the file in the page, or ask something first; look with a snapshot";
    throw new Failure("timeout", "The element was clicked but no download began.", hint, error.data);
  } finally {
    begun.close();
  }
}

/** The downloads that a tab begins from here on. */
class DownloadWatch {
  item: DownloadItem | null = null;
  /** The name that the page or the server gave. */
  suggested: string | null = null;
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
    ];
  }

  /** The tab's first download. */
  async first(): Promise<DownloadItem> {
    const { deadline } = this.context;
    return this.item ?? (await this.#found.next(() => true, deadline));
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
