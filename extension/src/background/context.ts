// What a handler gets: the browser's parts, and the one command that it works on.

import type { Meant, Welcome } from "../protocol/generated";
import type { CdpSessions } from "./cdp_sessions";
import type { CdpSnapshots } from "./cdp_snapshot";
import type { ConsoleLog } from "./console";
import type { Deadline } from "./deadline";
import type { Debuggers } from "./debuggers";
import type { Delivery } from "./delivery";
import type { Dialogs } from "./dialogs";
import type { Documents } from "./documents";
import type { Downloads } from "./downloads";
import type { Groups } from "./groups";
import type { Worlds } from "./handles";
import type { Internals } from "./internals";
import type { Listeners } from "./listeners";
import type { Navigations } from "./navigations";
import type { Shares } from "./shares";
import type { Signal } from "./signal";

export interface TabsApi
  extends Pick<
    typeof chrome.tabs,
    "get" | "query" | "create" | "update" | "remove" | "goBack" | "goForward" | "reload" | "captureVisibleTab"
  > {}

export interface WindowsApi extends Pick<typeof chrome.windows, "create" | "update"> {}

/** The parts that all kernels share. */
export interface Parts {
  tabs: TabsApi;
  windows: WindowsApi;
  shares: Shares;
  groups: Groups;
  documents: Documents;
  navigations: Navigations;
  debuggers: Debuggers;
  delivery: Delivery;
  dialogs: Dialogs;
  console: ConsoleLog;
  worlds: Worlds;
  cdp: CdpSnapshots;
  sessions: CdpSessions;
  listeners: Listeners;
  internals: Internals;
  downloads: Downloads;
  /** A shared page opened a tab. */
  opened: Signal<{ opener: number; tab: number }>;
}

/** One command being worked on. */
export interface Call {
  kernel: string;
  allowEvaluate: boolean;
  input: Welcome["input"];
  /** Show in the page what is done to it. */
  effects: boolean;
  deadline: Deadline;
  /** The origin that the command was judged for; null where it may go to any. */
  origin: string | null;
  /** What the element was when the command was judged; null where that doesn't matter. */
  meant: Meant | null;
}

/** One command on a page. */
export interface PageCall extends Call {
  tab: number;
}
