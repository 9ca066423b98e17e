// What can be answered, and at the end what can be made of the run: one bar, always there, of one height and in one place,
// whatever a page or a model says.

import { useLayoutEffect, useRef } from "react";
import type { Decision, Question } from "../common/asks";
import type { Answer } from "./answer";
import { Button } from "./button";
import { confirmHelp } from "./help";
import { Insert } from "./insert";
import { useKeydown } from "./keys";
import { isQuestion, needsPerson } from "./words";

interface Props {
  question: Question | null;
  answer: Answer;
  /** What is waited for, where nothing waits for the person. */
  waits: string;
  /** What can be made of a run that is over. */
  offers: Readonly<Record<string, readonly string[]>>;
  /** Lets the person use the page in its picture, where one is shown. */
  usePage?: () => void;
}

const SURE = "Yes, do it: this can't be undone";
const APPROVE_KEY = /Mac|iPhone|iPad/.test(globalThis.navigator?.platform ?? "") ? "⌘ ↵" : "Ctrl ↵";

export function AnswerBar({ question, answer, waits, offers, usePage }: Props): React.ReactNode {
  const classes = ["sbp-actions"];
  if (answer.guarded) classes.push("sbp-guarded");
  if (question?.risk === "irreversible") classes.push("sbp-is-irreversible");
  if (answer.writing) classes.push("sbp-replying");
  return (
    // biome-ignore lint/a11y/useSemanticElements: a row of buttons
    <div className={classes.join(" ")} role="group" aria-label="Your answer" aria-busy={answer.busy}>
      {!question && Object.keys(offers).length > 0 ? (
        Object.entries(offers).map(([label, cells]) => <Insert key={label} code={cells} label={label} />)
      ) : !question ? (
        <span className="sbp-waits" role="status">
          {waits}
        </span>
      ) : answer.writing ? (
        <Reply answer={answer} />
      ) : needsPerson(question) ? (
        <HelpButtons question={question} answer={answer} usePage={usePage} />
      ) : (
        <CallButtons question={question} answer={answer} />
      )}
    </div>
  );
}

function CallButtons({ question, answer }: { question: Question; answer: Answer }): React.ReactNode {
  const { edit, confirming, busy } = answer;
  const can = (decision: Decision): boolean => question.decisions.includes(decision);
  const again = useRef<HTMLButtonElement>(null);
  useLayoutEffect(() => {
    if (confirming) again.current?.focus({ preventScroll: true });
  }, [confirming]);
  const toneOf = (decision: Decision, isMain: boolean): string =>
    confirming === decision ? "sbp-confirm" : isMain ? "sbp-primary" : "";
  return (
    <>
      {can("approve") && (
        <Button
          kind={toneOf("approve", !edit.dirty)}
          letter="A"
          title={APPROVE_KEY}
          disabled={busy}
          ref={confirming === "approve" ? again : undefined}
          onClick={() => answer.decide("approve")}
        >
          {confirming === "approve" ? SURE : edit.dirty ? "Approve as proposed" : "Approve"}
        </Button>
      )}
      {can("edit") && (
        <Button
          kind={toneOf("edit", edit.dirty)}
          letter="E"
          disabled={busy || !edit.dirty || !edit.valid}
          ref={confirming === "edit" ? again : undefined}
          onClick={() => answer.decide("edit")}
        >
          {confirming === "edit" ? SURE : "Approve edited"}
        </Button>
      )}
      {can("reject") && (
        <Button
          letter="S"
          disabled={busy}
          title="Leave this step out; the agent goes on with what comes next"
          onClick={() => answer.decide("skip")}
        >
          Skip
        </Button>
      )}
      {can("reject") && (
        <Button
          kind="sbp-danger"
          letter="R"
          disabled={busy}
          onClick={() => answer.set({ writing: "reject" })}
        >
          Reject…
        </Button>
      )}
      {can("respond") && (
        <Button letter="T" disabled={busy} onClick={() => answer.set({ writing: "respond" })}>
          Respond…
        </Button>
      )}
    </>
  );
}

function HelpButtons({
  question,
  answer,
  usePage,
}: Omit<Props, "waits" | "offers"> & { question: Question }): React.ReactNode {
  const asks = isQuestion(question);
  return (
    <>
      <Button
        kind={question.choices.length > 0 ? "" : "sbp-primary"}
        disabled={answer.busy || (asks && !answer.text.trim())}
        onClick={() => confirmHelp(question, answer)}
      >
        {asks ? "Answer" : "Done, go on"}
      </Button>
      {!asks && usePage && (
        <Button title="In its picture, with your mouse and keys" onClick={usePage}>
          Use the page here
        </Button>
      )}
      {question.decisions.includes("skip") && (
        <Button disabled={answer.busy} onClick={() => answer.decide("skip")}>
          Skip
        </Button>
      )}
      {question.decisions.includes("reject") && (
        <Button
          disabled={answer.busy}
          onClick={() => answer.decide("reject", answer.text || "The user could not do this.")}
        >
          I can't
        </Button>
      )}
    </>
  );
}

function Reply({ answer }: { answer: Answer }): React.ReactNode {
  const field = useRef<HTMLInputElement | null>(null);
  const isRejection = answer.writing === "reject";
  const send = (): void => {
    if (answer.writing && (isRejection || answer.text.trim())) answer.decide(answer.writing);
  };
  const keys = useKeydown<HTMLInputElement>((event) => {
    if (event.key === "Escape") answer.set({ writing: null });
    else if (event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.isComposing) send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  useLayoutEffect(() => {
    field.current?.focus();
  }, []);
  return (
    <div className="sbp-reply">
      <input
        className="sbp-input"
        type="text"
        dir="auto"
        aria-label="What to tell the agent"
        placeholder={isRejection ? "Why not? The agent reads this" : "Answer in the tool's place"}
        value={answer.text}
        onChange={(event) => answer.set({ text: event.target.value })}
        ref={(node) => {
          field.current = node;
          keys(node);
        }}
      />
      <Button kind={isRejection ? "sbp-danger" : "sbp-primary"} disabled={answer.busy} onClick={send}>
        {isRejection ? "Reject" : "Respond"}
      </Button>
      <Button kind="sbp-quiet" onClick={() => answer.set({ writing: null })}>
        Cancel
      </Button>
    </div>
  );
}
