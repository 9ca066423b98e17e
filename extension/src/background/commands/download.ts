// Clicking what downloads a file, and waiting until the file is there.

import type { DownloadOutcome, ElementParams } from "../../protocol/generated";
import { Failure } from "../../shared/errors";
import { act } from "../input/action";
import { press } from "../input/click";
import { Signal } from "../signal";
import type { CdpEvent } from "../tabs/debuggers";
import { findTarget } from "../tabs/targets";
import type { PageCall, Parts } from "./context";
import type { DownloadItem } from "./saved_files";

export async function download(
  parts: Parts,
  call: PageCall,
  params: ElementParams,
): Promise<DownloadOutcome> {
  const begun = new Begun(parts, call);
  try {
    const outcome = await act(parts, call, async (watch) => {
      await press(parts, call, watch, await findTarget(parts, call, params.ref), {}, 1);
    });
    if (outcome.dialog) {
      const { kind, message } = outcome.dialog;
      throw new Failure("dialog_blocked", `A ${kind} dialog came instead of a file: ${message}`, "", {
        kind,
        message,
      });
    }
    const item = await finished(parts, call, await begun.first());
    const name = item.filename.split(/[\\/]/).pop() ?? "";
    const { filename: path, fileSize: bytes, mime, finalUrl: url } = item;
    return {
      ...outcome,
      file: { path, name: begun.suggested ?? name, bytes, mime, url: url.slice(0, 2_000) },
    };
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "timeout" || begun.item) throw error;
    const hint = "it may show the file in the page, or ask something first; look with a snapshot";
    throw new Failure("timeout", "The element was clicked but no download began.", hint, error.data);
  } finally {
    begun.close();
  }
}

/** The downloads that a tab begins from here on. */
class Begun {
  item: DownloadItem | null = null;
  /** The name that the page or the server gave. */
  suggested: string | null = null;
  readonly #found = new Signal<DownloadItem>();
  readonly #urls = new Set<string>();
  readonly #items: DownloadItem[] = [];
  readonly #stops: (() => void)[];

  constructor(
    private readonly parts: Parts,
    private readonly call: PageCall,
  ) {
    this.#stops = [
      parts.downloads.created.on((item) => {
        this.#items.push(item);
        this.#match();
      }),
      parts.debuggers.events.on((event) => this.#take(event)),
    ];
  }

  /** The tab's first download. */
  async first(): Promise<DownloadItem> {
    const { deadline } = this.call;
    return this.item ?? (await deadline.race(this.#found.nextOr(() => true, deadline.over())));
  }

  close(): void {
    for (const stop of this.#stops) stop();
  }

  #take({ tab, method, params }: CdpEvent): void {
    if (tab !== this.call.tab || method !== "Page.downloadWillBegin") return;
    this.#urls.add(params.url);
    this.suggested ??= params.suggestedFilename || null;
    this.#match();
  }

  /** With a debugger the tab tells its downloads' addresses; without one, the page that they came from. */
  #match(): void {
    if (this.item) return;
    const attached = this.parts.debuggers.isAttached(this.call.tab);
    const ours = (item: DownloadItem): boolean =>
      attached ? this.#urls.has(item.url) || this.#urls.has(item.finalUrl) : this.#cameFromHere(item);
    this.item = this.#items.find(ours) ?? null;
    if (this.item) this.#found.emit(this.item);
  }

  /** Its referrer is one of the tab's documents, or of their site and no document of another shared tab. */
  #cameFromHere({ url, referrer }: DownloadItem): boolean {
    const { parts, call } = this;
    const from = withoutHash(referrer || url);
    const isOn = (tab: number): boolean =>
      [parts.navigations.state(tab), ...parts.documents.known(tab)].some(
        (each) => withoutHash(each.url) === from,
      );
    if (isOn(call.tab)) return true;
    if (parts.shares.tabs().some((tab) => tab !== call.tab && isOn(tab))) return false;
    return isOf(from, parts.navigations.state(call.tab).url);
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
async function finished(parts: Parts, call: PageCall, { id }: DownloadItem): Promise<DownloadItem> {
  const { downloads } = parts;
  for (;;) {
    const changed = downloads.changed.nextOr((change) => change.id === id, call.deadline.over());
    const item = await downloads.find(id);
    if (!item) throw new Failure("command", "The download was removed from the browser's list.");
    if (item.state === "complete") {
      changed.catch(() => undefined);
      return item;
    }
    if (item.state === "interrupted") {
      changed.catch(() => undefined);
      throw new Failure("command", `The download broke off: ${item.error ?? "unknown"}`, "try again", {
        error: item.error ?? "",
      });
    }
    if (!["safe", "accepted"].includes(item.danger)) {
      changed.catch(() => undefined);
      await downloads.cancel(id);
      const hint = "download it by hand if you trust it";
      throw new Failure(
        "not_allowed",
        `The browser holds the file back as dangerous (${item.danger}).`,
        hint,
      );
    }
    await call.deadline.race(changed);
  }
}
