// What can be answered: one bar, always there, of one height and in one place, whatever a page or a model says.

import { useEffect, useRef, useState } from "react";
import type { Decision, RunView } from "../asks";
import { isOver } from "../words";
import type { Answer } from "./use_answer";

interface Props {
  view: RunView;
  answer: Answer;
}

export function AnswerBar({ view, answer }: Props): React.ReactNode {
  return (
    <fieldset
      className={answer.guarded ? "answers guarded" : "answers"}
      aria-label="Your answer"
      aria-busy={answer.busy}
    >
      {!view.question ? (
        <Waits view={view} />
      ) : answer.writing ? (
        <Reply answer={answer} />
      ) : (
        <Buttons view={view} answer={answer} />
      )}
    </fieldset>
  );
}

const SURE = "Yes, do it: this can't be undone";

function Buttons({ view, answer }: Props): React.ReactNode {
  const { question } = view;
  const { edit, armed, busy } = answer;
  if (!question) return null;
  const can = (decision: Decision): boolean => question.decisions.includes(decision);
  const press = (
    words: string,
    key: string,
    kind: string,
    act: () => void,
    disabled = false,
  ): React.ReactNode => (
    <button
      type="button"
      className={kind}
      disabled={busy || disabled}
      aria-keyshortcuts={key}
      title={`Key ${key}`}
      onClick={act}
    >
      {words}
    </button>
  );
  if (question.kind === "assist" || question.kind === "choose") {
    const isChoice = question.kind === "choose";
    const ready = !isChoice || answer.text.trim() !== "";
    const done = (): void => answer.decide(isChoice ? "choose" : answer.text ? "respond" : "done");
    return (
      <>
        {press(
          isChoice ? "Answer" : "Done, go on",
          "A",
          question.choices.length > 0 ? "" : "primary",
          done,
          !ready,
        )}
        {can("skip") && press("Skip", "S", "", () => answer.decide("skip"))}
        {can("reject") && press("I can't", "R", "", () => answer.decide("reject"))}
      </>
    );
  }
  const main = question.risk === "irreversible" ? "primary final" : "primary";
  return (
    <>
      {can("approve") &&
        press(
          armed === "approve" ? SURE : edit.dirty ? "Approve as proposed" : "Approve",
          "A",
          armed === "approve" ? "sure" : edit.dirty ? "" : main,
          () => answer.decide("approve"),
        )}
      {can("edit") &&
        press(
          armed === "edit" ? SURE : "Approve edited",
          "E",
          armed === "edit" ? "sure" : edit.dirty ? main : "",
          () => answer.decide("edit"),
          !edit.dirty || !edit.valid,
        )}
      {can("skip") && press("Skip", "S", "", () => answer.decide("skip"))}
      {can("reject") && press("Reject…", "R", "danger", () => answer.write("reject"))}
      {can("respond") && press("Respond…", "T", "", () => answer.write("respond"))}
    </>
  );
}

function Reply({ answer }: { answer: Answer }): React.ReactNode {
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.focus();
  }, []);
  const isRejection = answer.writing === "reject";
  const send = (event: React.SyntheticEvent): void => {
    event.preventDefault();
    if (answer.writing && (isRejection || answer.text.trim())) answer.decide(answer.writing);
  };
  return (
    <form className="reply" onSubmit={send}>
      <input
        ref={field}
        aria-label="What to tell the agent"
        placeholder={isRejection ? "Why not? The agent reads this" : "Answer in the tool's place"}
        value={answer.text}
        dir="auto"
        onChange={(event) => answer.setText(event.target.value)}
        onKeyDown={(event) => event.key === "Escape" && answer.write(null)}
      />
      <button
        type="submit"
        className={isRejection ? "danger" : "primary"}
        disabled={answer.busy || !(isRejection || answer.text.trim())}
      >
        {isRejection ? "Reject" : "Respond"}
      </button>
      <button type="button" onClick={() => answer.write(null)}>
        Cancel
      </button>
    </form>
  );
}

/** Nothing waits for the person: what is waited for, and for how long. */
function Waits({ view }: { view: RunView }): React.ReactNode {
  const [now, setNow] = useState(() => Date.now());
  const isAtWork = view.status === "running" && !isOver(view.state);
  useEffect(() => {
    if (!isAtWork) return;
    const timer = setInterval(() => setNow(Date.now()), 1_000);
    return () => clearInterval(timer);
  }, [isAtWork]);
  const seconds = Math.floor(now / 1000 - view.since);
  const since = view.since > 0 && seconds >= 2 ? `, for ${seconds} s` : "";
  const words = !isAtWork
    ? isOver(view.state)
      ? "Nothing waits for you: the run is over."
      : "Nothing waits for you."
    : `${view.under_way ? "The page is being worked on" : "The next step is being chosen"}${since}.`;
  return <span className="waits">{words}</span>;
}
