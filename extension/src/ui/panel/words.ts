// The panel's words for states, decisions and amounts; a test holds the table of help to the kernel's.

import type { Question, RunView } from "../common/asks";

export const STATUSES: Record<string, string> = {
  idle: "Not started",
  running: "Working",
  waiting: "Waiting for you",
  paused: "Paused",
  assistance: "Needs your help",
  question: "Has a question",
  succeeded: "Done",
  failed: "Failed",
  stopped: "Stopped",
};

export const EFFECTS = {
  read: "Only reads the page",
  write: "Changes something on the page",
  irreversible: "Can't be undone",
} as const;

export const DECIDED: Record<string, string> = {
  auto: "by policy",
  approve: "approved",
  edit: "edited",
  reject: "rejected",
  skip: "skipped",
  respond: "answered",
  person: "by you",
};

export const HELP: Record<string, string> & { custom: string } = {
  captcha: "A captcha needs you",
  login: "Please sign in",
  two_factor: "A one-time code is needed",
  cookies: "A cookie notice is in the way",
  permission: "The page wants a permission",
  failure: "The agent doesn't get on",
  question: "The agent asks you",
  custom: "The agent asks for your help",
};

const ENDS: ReadonlySet<string> = new Set(["succeeded", "failed", "cancelled"]);

export const hasEnded = ({ state }: Pick<RunView, "state">): boolean => ENDS.has(state);

/** A question of the agent's, rather than a request for help or a call. */
export const isQuestion = ({ kind, obstacle }: Pick<Question, "kind" | "obstacle">): boolean =>
  kind === "choose" || obstacle === "question";

export const needsPerson = ({ kind }: Pick<Question, "kind">): boolean =>
  kind === "choose" || kind === "assist";

/** Which of the states is shown: a question and a request for help are states of their own. */
export function stateOf({ status, question }: Pick<RunView, "status" | "question">): string {
  if (question && isQuestion(question)) return "question";
  return question?.kind === "assist" ? "assistance" : status;
}

/** How a step ended: done, declined by the person, or failed. */
export const signOf = ({ ok, declined }: { ok: boolean; declined: boolean }): string =>
  ok ? "✓" : declined ? "–" : "✕";

export function formatDuration(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`;
}

/** What is said of a kernel that has given no sign: never that it is gone, since a busy one looks the same. */
export const silentFor = (ms: number): string =>
  `No answer for ${Math.round(ms / 1000)} s: the kernel may be at work`;

export const formatCount = (count: number): string => count.toLocaleString("en");

export const formatDollars = (amount: number): string => `$${amount.toFixed(amount < 0.01 ? 4 : 2)}`;
