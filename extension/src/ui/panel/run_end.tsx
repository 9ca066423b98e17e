// How a run ended, and what to know before it goes on.

import type { RunView } from "../common/asks";
import { showHidden } from "../common/text";
import type { Failed } from "./door";
import { hasEnded } from "./words";

export function RunEnd({ view, problem }: { view: RunView; problem: Failed | null }): React.ReactNode {
  const { origin, status, warning, notice, error, hint, result, title } = view;
  const said = [
    origin,
    status === "succeeded" ? "" : warning,
    // Its head says as much, where it says no more than how what ended.
    hasEnded(view) && !notice.endsWith(`: ${title}`) ? notice : "",
    error || result,
    error && hint,
    problem?.message,
    problem?.hint,
  ];
  const lines = said.filter(Boolean).join("\n").split("\n");
  const isBad = Boolean(error || problem);
  return (
    <div
      className={isBad ? "sbp-result sbp-bad" : "sbp-result"}
      role={isBad ? "alert" : "status"}
      tabIndex={0}
      hidden={lines[0] === ""}
      dir="auto"
    >
      {lines.map((line, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may read alike
        <div key={place}>{showHidden(line)}</div>
      ))}
    </div>
  );
}
