// What the service worker and the extension's pages say to each other, over a port named "ui".

import type { Tab } from "../protocol/generated";
import type { Notice } from "./notices";

export interface ConnectionState {
  /** waiting: for the next attempt. refused, ended: no more attempts. */
  phase: "connecting" | "greeting" | "connected" | "waiting" | "refused" | "ended";
  reason?: string;
  code?: string;
}

/** One command that a kernel gave. */
export interface Activity {
  time: number;
  command: string;
  ms: number;
  /** The error's code, null where it went well. */
  error: string | null;
}

export interface KernelView {
  id: string;
  name: string;
  /** The URL that it is dialled at. */
  base: string;
  state: ConnectionState;
  session: string | null;
  /** How often this worker connected to it: what was reported in between is lost. */
  entries: number;
  /** Milliseconds since the kernel's last message, null while not connected. */
  silentFor: number | null;
  /** Milliseconds between heartbeats, 0 while not connected. */
  heartbeat: number;
  tabs: Tab[];
  activity: Activity[];
}

export interface UiState {
  kernels: KernelView[];
  /** The tab in front, where it can be shared. */
  current: Tab | null;
  /** The kernel that the tab in front is shared with. */
  sharedWith: string | null;
  /** What is done by hand in the tab in front is kept in memory, so that it can be saved as a skill. */
  keepsActs: boolean;
  /** As on which device the tab in front is shown; "" for this one. */
  shownAs: string;
  /** The tab in front shows a pairing page that isn't of this computer: its address. */
  pairable: string | null;
}

/** A page of a kernel that wants to be paired, waiting for the user's click. */
export interface PairRequest {
  id: string;
  base: string;
  kernel: { id: string; name: string };
}

export interface WantedRun {
  kernel: string;
  run: string;
}

/** Why a kernel did not do what a page asked it for. */
export interface AskError {
  code: string;
  message: string;
  hint: string;
}

export type UiRequest =
  /** `window` is the one whose front tab is meant; without it, the one that had the focus last. */
  | { ui: "watch"; window?: number }
  | { ui: "ask"; id: number; kernel: string; name: string; params: object }
  | { ui: "share"; kernel: string; tab: number }
  | { ui: "unshare"; tab: number }
  | { ui: "stop"; kernel: string }
  | { ui: "retry"; kernel: string }
  | { ui: "forget"; kernel: string }
  | { ui: "invite"; tab: number }
  | { ui: "pair_request"; id: string }
  | { ui: "pair"; id: string }
  | { ui: "cancel"; id: string };

export type UiReply =
  | { ui: "state"; state: UiState }
  | { ui: "answer"; id: number; result: unknown }
  | { ui: "answer"; id: number; error: AskError }
  | { ui: "notice"; kernel: string; notice: Notice }
  /** A run that the person wants to see. */
  | ({ ui: "show" } & WantedRun)
  | { ui: "pair_request"; request: PairRequest | null }
  | { ui: "pair_done"; ok: boolean; message: string };

/** What the content script on a pairing page sends to the worker. */
export interface PairPage {
  report: "pair_page";
  query?: string;
  code: string;
  kernel: { id: string; name: string };
}

/** The worker's answer to it, once the user has decided. */
export interface PairOutcome {
  outcome: "paired" | "declined" | "failed";
  message: string;
}
