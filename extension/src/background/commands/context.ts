// What a handler gets: the browser's services, and the one command that it works on.

import type { InputDelivery } from "../../hit_safety/input_delivery";
import type { ExpectedTarget, Welcome } from "../../protocol/generated";
import { SHOWN_MS, TICK_MS } from "../../shared/limits";
import type { ContentOp, ReplyTo, RequestFor } from "../../shared/messages";
import type { Deadline } from "../deadline";
import type { DebuggerFacts } from "../reading/debugger_facts";
import type { HeldRequests } from "../requests/held_requests";
import type { NetworkLog } from "../requests/network_log";
import type { OpenRequestsOfTabs } from "../requests/open_requests";
import type { RetryAfter } from "../requests/retry_after";
import type { Signal } from "../signal";
import type { CdpSessions } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import type { Dialogs } from "../tabs/dialogs";
import type { Documents } from "../tabs/documents";
import type { Emulations } from "../tabs/emulations";
import type { Groups } from "../tabs/groups";
import type { Navigations } from "../tabs/navigations";
import type { Picks } from "../tabs/picks";
import type { Doc } from "../tabs/registry";
import type { RelatedWindows } from "../tabs/related_windows";
import type { Shares } from "../tabs/shares";
import type { ConsoleLog } from "./console";

interface TabsApi
  extends Pick<
    typeof chrome.tabs,
    "get" | "query" | "create" | "update" | "remove" | "goBack" | "goForward" | "reload" | "captureVisibleTab"
  > {}

export interface CookiesApi extends Pick<typeof chrome.cookies, "getAll" | "set"> {}

interface WindowsApi extends Pick<typeof chrome.windows, "create" | "update"> {}

/** What the browser says of files that it saves. */
interface Downloads {
  created: Signal<chrome.downloads.DownloadItem>;
  changed: Signal<chrome.downloads.DownloadDelta>;
  api: Pick<typeof chrome.downloads, "search" | "cancel" | "download">;
}

/** What all kernels' commands share. */
export interface Services {
  tabs: TabsApi;
  windows: WindowsApi;
  shares: Shares;
  groups: Groups;
  documents: Documents;
  navigations: Navigations;
  debuggers: Debuggers;
  delivery: InputDelivery;
  dialogs: Dialogs;
  console: ConsoleLog;
  sessions: CdpSessions;
  facts: DebuggerFacts;
  downloads: Downloads;
  requests: HeldRequests;
  network: NetworkLog;
  emulations: Emulations;
  picks: Picks;
  /** None in a browser that skillbook didn't start. */
  cookies: () => CookiesApi | undefined;
  retryAfter: RetryAfter;
  openRequests: OpenRequestsOfTabs;
  related: RelatedWindows;
  /** A shared page opened a tab. */
  opened: Signal<{ opener: number; tab: number }>;
}

/** What is known of one command, apart from its parameters, and all that it works with. */
export interface CommandContext {
  kernel: string;
  allowEvaluate: boolean;
  input: Welcome["input"];
  /** Show in the page what is done to it. */
  effects: boolean;
  deadline: Deadline;
  /** Until when it waits for the element to be ready, by `performance.now()`; null for nearly all of its time. */
  readyBy: number | null;
  /** The origin that the command was judged for; null where it may go to any. */
  origin: string | null;
  /** What the element was when the command was judged; null where that doesn't matter. */
  expected: ExpectedTarget | null;
  /** The tab that it works on; -1 for commands on the browser. */
  tab: number;
  services: Services;
}

/** Send a request to a document's content script. */
export function callContent<Op extends ContentOp>(
  context: CommandContext,
  doc: Doc,
  request: RequestFor<Op>,
): Promise<ReplyTo<Op>> {
  return context.services.documents.call(doc, request, context.deadline);
}

/** How long a document may wait for the command's element; the rest is for what comes afterwards. */
export function patienceOf({ deadline, readyBy }: CommandContext): number {
  const left = deadline.left();
  // An element that was ready a moment ago gets this long to be so again.
  const ready = readyBy === null ? Infinity : Math.max(SHOWN_MS, readyBy - performance.now());
  return Math.max(50, Math.round(Math.min(left * 0.8, left - TICK_MS, ready)));
}

/** Whether there is no time left to wait for the command's element. */
export function isOutOfPatience({ deadline, readyBy }: CommandContext): boolean {
  return deadline.left() < TICK_MS || (readyBy !== null && readyBy <= performance.now());
}

/** Run a command of the DevTools protocol on the tab. */
export function sendCdp<T = unknown>(
  context: CommandContext,
  method: string,
  params: object = {},
): Promise<T> {
  return context.services.debuggers.send<T>(context.tab, method, params, context.deadline);
}

/** A result that is JSON text already: large ones are not parsed and written again on their way. */
export class RawJson<T> {
  /** Only a type: what the text would be once parsed. */
  declare readonly value: T;

  constructor(readonly text: string) {}
}
