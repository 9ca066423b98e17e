// What still goes on in a page, as far as its documents and the browser know.

import type { Activity } from "../../protocol/generated";
import type { DocumentActivity } from "../../shared/messages";
import type { CommandContext } from "../commands/context";
import { isOnItsWay } from "../commands/goto";
import type { Doc } from "../tabs/registry";

/** So long a page counts as quiet about which nothing else is known. */
const UNKNOWN_MS = 3_600_000;

/** What still goes on in the page. */
export function activityOf(
  { services, tab }: CommandContext,
  replies: ReadonlyMap<Doc, DocumentActivity>,
): Activity {
  const { navigations, openRequests } = services;
  const state = navigations.state(tab);
  const { open, caused, answered, acted, causedAnswered } = openRequests.of(tab);
  const documents = [...replies.values()];
  const isStill = documents.length > 0 && documents.every(({ still }) => still);
  const quiet = documents.filter(({ still }) => !still).map(({ quiet_ms }) => quiet_ms);
  const whole = (ms: number): number | null => (ms === Number.POSITIVE_INFINITY ? null : Math.round(ms));
  return {
    loading: !state.loaded || isOnItsWay(state) || documents.some(({ unfinished }) => unfinished),
    leaving: documents.some(({ leaving }) => leaving),
    open_ms: open.map(Math.round),
    caused,
    caused_ms: whole(causedAnswered),
    acted_ms: whole(acted),
    quiet_ms: Math.round(Math.min(...(isStill ? [] : [answered]), ...quiet, UNKNOWN_MS)),
  };
}
