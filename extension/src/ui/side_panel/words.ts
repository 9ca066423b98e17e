// The side panel's words for runs and amounts.

import type { RunSummary } from "../common/asks";

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
