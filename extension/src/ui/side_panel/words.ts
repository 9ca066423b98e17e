// The panel's words for states, decisions and amounts: those of the notebook's panel.

import type { RunSummary, RunView } from "./asks";

export type Tone = "busy" | "wait" | "help" | "good" | "bad" | "soft";

const TONES: Record<RunSummary["state"], Tone> = {
  created: "soft",
  planning: "busy",
  exploring: "busy",
  executing: "busy",
  awaiting_user: "wait",
  blocked: "help",
  succeeded: "good",
  failed: "bad",
  cancelled: "soft",
};

export const toneOf = (state: RunSummary["state"]): Tone => TONES[state] ?? "soft";

export const isOver = (state: RunSummary["state"]): boolean =>
  state === "succeeded" || state === "failed" || state === "cancelled";

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
  custom: "The agent asks for your help",
};

/** "done · 12 rows · 14:03". */
export function describeRun({ words, rows, ended, started }: RunSummary): string {
  const counted = rows > 0 ? countOf(rows, "row") : "";
  return [words, counted, formatWhen(ended ?? started)].filter(Boolean).join(" · ");
}

export function countOf(count: number, thing: string): string {
  return `${count.toLocaleString("en")} ${thing}${count === 1 ? "" : "s"}`;
}

/** The time of day, with the day where it isn't today. */
export function formatWhen(seconds: number, now = new Date()): string {
  const then = new Date(seconds * 1000);
  const time = then.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit" });
  return then.toDateString() === now.toDateString()
    ? time
    : `${then.toLocaleDateString([], { day: "numeric", month: "short" })} ${time}`;
}

export function formatDuration(ms: number): string {
  return ms >= 1000 ? `${(ms / 1000).toFixed(1)} s` : `${Math.round(ms)} ms`;
}

/** "1,234 tokens", "$0.01": what a run took so far. */
export function describeCost({ tokens, cost }: Pick<RunView, "tokens" | "cost">): string[] {
  const spent = tokens > 0 ? [`${tokens.toLocaleString("en")} tokens`] : [];
  return cost ? [...spent, `$${cost.toFixed(cost < 0.01 ? 4 : 2)}`] : spent;
}
