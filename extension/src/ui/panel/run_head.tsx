// The head of a run: its state, what it cost, what it is to do, the pages it came over, and what steers it.

import { useState } from "react";
import type { RunView } from "../common/asks";
import { shorten, showHidden } from "../common/text";
import { Button } from "./button";
import type { Door, Reach } from "./door";
import { factsOf } from "./facts";
import { signOf, stateOf } from "./words";

interface Props {
  view: RunView;
  door: Door;
  status: string;
  /** The pages that it came over, on one line. */
  visited: string;
  /** What waits, or is under way, in one line. */
  next: string;
  steer: (how: "pause" | "resume" | "stop") => void;
  children?: React.ReactNode;
}

export function RunHead({ view, door, status, visited, next, steer, children }: Props): React.ReactNode {
  const facts = factsOf(view);
  const step = view.steps.at(-1);
  const outcome = step && (step.error || step.outcome || step.words).split("\n").join(" ");
  const last = step ? `${signOf(step)} Step ${step.number}: ${showHidden(outcome)}` : "Nothing was done yet";
  const isBad = step && !step.ok && !step.declined;
  return (
    <div className="sbp-header">
      <div className="sbp-lead">
        <span className="sbp-status" role="status" aria-live="polite">
          {status}
        </span>
        <div className="sbp-facts" title={facts.join("\n")}>
          {facts.map((fact) => (
            <span key={fact}>{fact}</span>
          ))}
        </div>
        <Controls view={view} door={door} steer={steer} />
        {children}
      </div>
      <div className="sbp-what">
        <h2 className="sbp-goal" dir="auto" title={showHidden(view.title)}>
          {showHidden(view.title)}
        </h2>
        <div
          className="sbp-visited"
          dir="rtl"
          role="note"
          aria-label="The pages it came over"
          title={visited}
          hidden={!visited}
        >
          <bdi dir="ltr">{visited}</bdi>
        </div>
      </div>
      <div className="sbp-now" aria-live="polite">
        <div className={isBad ? "sbp-last sbp-bad" : "sbp-last"} dir="auto" title={last}>
          {shorten(last, 220)}
        </div>
        <div className="sbp-next" dir="auto" title={next}>
          {shorten(next, 220)}
        </div>
      </div>
    </div>
  );
}

const REACHES: readonly (readonly [string, number | null, Reach])[] = [
  ["Next 5 calls", 5, "irreversible"],
  ["Until something is written", null, "write"],
  ["Until something can't be undone", null, "irreversible"],
];

/** What steers the run: let calls pass, pause, go on, stop. */
function Controls({ view, door, steer }: Pick<Props, "view" | "door" | "steer">): React.ReactNode {
  const [reach, setReach] = useState("0");
  const { can } = view;
  const isAsking = ["waiting", "paused", "assistance", "question"].includes(stateOf(view));
  return (
    <div className="sbp-controls">
      {isAsking && door.letPass && (
        <>
          <select
            className="sbp-input"
            aria-label="How far to go on without asking"
            value={reach}
            onChange={(event) => setReach(event.target.value)}
          >
            {REACHES.map(([words], place) => (
              <option key={words} value={String(place)}>
                {words}
              </option>
            ))}
          </select>
          <Button
            letter="U"
            onClick={() => {
              const [, count, until] = REACHES[Number(reach)] ?? [];
              door.letPass?.(count ?? null, until ?? "irreversible");
            }}
          >
            Auto
          </Button>
        </>
      )}
      {can.includes("pause") && (
        <Button letter="W" onClick={() => steer("pause")}>
          Pause
        </Button>
      )}
      {can.includes("resume") && (
        <Button letter="G" onClick={() => steer("resume")}>
          Go on
        </Button>
      )}
      {can.includes("stop") && (
        <Button letter="X" kind="sbp-stop" onClick={() => steer("stop")}>
          Stop
        </Button>
      )}
    </div>
  );
}
