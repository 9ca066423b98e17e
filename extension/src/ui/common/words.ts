// Words for states and times, the same on every page of ours.

import { ALIVE_MS } from "../../shared/limits";
import type { ConnectionState } from "../../shared/ui";

const WORDS: Record<ConnectionState["phase"], { tone: "good" | "busy" | "bad"; text: string }> = {
  connecting: { tone: "busy", text: "connecting" },
  greeting: { tone: "busy", text: "connecting" },
  connected: { tone: "good", text: "connected" },
  waiting: { tone: "busy", text: "reconnecting" },
  refused: { tone: "bad", text: "refused" },
  ended: { tone: "bad", text: "ended" },
};

export function describePhase(state: ConnectionState): { tone: string; text: string } {
  return WORDS[state.phase];
}

/** When the last message came; a kernel that misses its heartbeats is connected, and busy. */
export function describeSilence(ms: number, heartbeat: number): string {
  // On slow computers an answer takes as long.
  return ms > 2 * heartbeat + ALIVE_MS
    ? `silent for ${formatAge(ms)}: busy?`
    : `last message ${formatAge(ms)} ago`;
}

/** 850 → "1 s", 61_000 → "1 min". */
function formatAge(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  const minutes = Math.round(seconds / 60);
  return minutes < 60 ? `${minutes} min` : `${Math.round(minutes / 60)} h`;
}

export function formatTime(ms: number): string {
  return new Date(ms).toLocaleTimeString();
}
