// What a handler gets: the browser's parts, and the one command that it works on.

import type { InputDelivery } from "../../hit_safety/input_delivery";
import type { ExpectedTarget, Welcome } from "../../protocol/generated";
import type { Deadline } from "../deadline";
import type { CdpSnapshots } from "../reading/cdp_snapshot";
import type { Worlds } from "../reading/element_handles";
import type { Internals } from "../reading/internals";
import type { Listeners } from "../reading/listeners";
import type { Signal } from "../signal";
import type { CdpSessions } from "../tabs/cdp_sessions";
import type { Debuggers } from "../tabs/debuggers";
import type { Dialogs } from "../tabs/dialogs";
import type { Documents } from "../tabs/documents";
import type { Groups } from "../tabs/groups";
import type { Navigations } from "../tabs/navigations";
import type { Shares } from "../tabs/shares";
import type { ConsoleLog } from "./console";
import type { Downloads } from "./saved_files";

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
  delivery: InputDelivery;
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
  meant: ExpectedTarget | null;
}

/** One command on a page. */
export interface PageCall extends Call {
  tab: number;
}
