// Which documents come from another origin than the address that somebody went to: by a redirect, or since the page
// itself goes on. The kernel judges these like the address. A link's address is the one that was pressed.

import type { SessionEvent } from "../tabs/cdp_sessions";
import type { PausedRequest } from "./paused_request";

/** The address of a frame's last request for a document. */
interface Hop {
  requestId: string;
  url: string;
}

export interface Entered {
  /** The origin that redirected it. */
  redirected_from: string | null;
}

export class EnteredDocuments {
  /** By tab and frame. */
  readonly #hops = new Map<number, Map<string, Hop>>();
  /** Where frames' own scripts, forms and refreshes go, by tab and frame. */
  readonly #going = new Map<number, Map<string, string>>();

  /** `shownBy` gives a tab's main frame, and the address that it shows. */
  constructor(private readonly shownBy: (tab: number) => Promise<{ targetId: string; url: string } | null>) {}

  forget(tab: number): void {
    this.#hops.delete(tab);
    this.#going.delete(tab);
  }

  /** What the debugger reports of a page that goes to another address by itself. */
  take({ tab, method, params }: SessionEvent): void {
    if (method !== "Page.frameRequestedNavigation" || params.disposition !== "currentTab") return;
    const going = of(this.#going, tab);
    if (params.reason === "anchorClick" || params.reason === "reload") going.delete(params.frameId);
    else going.set(params.frameId, plain(params.url));
  }

  /** How a document comes from another origin; null where it doesn't. */
  async entered(tab: number, paused: PausedRequest): Promise<Entered | null> {
    const { frameId = "", requestId, redirectedRequestId, request } = paused;
    if (paused.resourceType !== "Document") return null;
    const [hops, going] = [of(this.#hops, tab), of(this.#going, tab)];
    const before = hops.get(frameId);
    hops.set(frameId, { requestId, url: request.url });
    const isOwn = going.get(frameId) === plain(request.url);
    going.delete(frameId);
    const origin = originOf(request.url);
    if (redirectedRequestId !== undefined) {
      const from = before?.requestId === redirectedRequestId ? originOf(before.url) : null;
      return from === origin ? null : { redirected_from: from };
    }
    if (!isOwn) return null;
    const shown = await this.shownBy(tab);
    const isElsewhere = !shown || (shown.targetId === frameId && originOf(shown.url) !== origin);
    return isElsewhere ? { redirected_from: null } : null;
  }
}

function of<T>(tabs: Map<number, Map<string, T>>, tab: number): Map<string, T> {
  const known = tabs.get(tab) ?? new Map<string, T>();
  tabs.set(tab, known);
  return known;
}

function plain(url: string): string {
  return url.split("#")[0] ?? "";
}

function originOf(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : url;
}
