// A request for help, or a question of the agent's, that waits for the person.

import type { Question } from "../common/asks";
import { shorten, showHidden } from "../common/text";
import type { Answer } from "./answer";
import { Button } from "./button";
import { onKeydown } from "./keys";
import { HELP, isQuestion } from "./words";

/** What *Done, go on* and *Answer* mean: without words the tool goes on and reads the page; words go to the agent in its place. */
export function confirmHelp(question: Question, answer: Answer): void {
  const isChoice = question.kind === "choose";
  if (answer.text.trim()) answer.decide(isChoice ? "choose" : "respond");
  else if (!isQuestion(question)) answer.decide("done");
}

export function Help({ question, answer }: { question: Question; answer: Answer }): React.ReactNode {
  const asks = isQuestion(question);
  const label = asks ? "Your answer" : "What you did";
  return (
    <>
      <div className="sbp-help" role={asks ? "status" : "alert"}>
        <span className="sbp-help-sign" aria-hidden="true">
          {asks ? "?" : "!"}
        </span>
        <div>
          <strong>{asks ? HELP.question : (HELP[question.obstacle] ?? HELP.custom)}</strong>
          <p dir="auto">{showHidden(question.words)}</p>
          {!asks && <p className="sbp-note">Do it in the page, then press “Done, go on” above.</p>}
        </div>
      </div>
      {!asks && question.noticed && (
        <p className="sbp-noticed" role="status">
          ✓ This seems to be done. Press Done, go on.
        </p>
      )}
      {question.choices.length > 0 && (
        // biome-ignore lint/a11y/useSemanticElements: a row of buttons
        <div className="sbp-options" role="group" aria-label="Answers">
          {question.choices.map((choice, place) => (
            <Button
              // biome-ignore lint/suspicious/noArrayIndexKey: two answers may read alike
              key={place}
              kind="sbp-primary"
              dir="auto"
              disabled={answer.busy}
              onClick={() => answer.decide(question.kind === "choose" ? "choose" : "respond", choice)}
            >
              {shorten(showHidden(choice), 120)}
            </Button>
          ))}
        </div>
      )}
      <input
        className="sbp-input"
        type="text"
        aria-label={label}
        placeholder={asks ? "Your answer" : "Optional: tell the agent what you did"}
        dir="auto"
        value={answer.text}
        onChange={(event) => answer.set({ text: event.target.value })}
        ref={(node) => {
          if (node)
            onKeydown(node, (event) => {
              if (event.key !== "Enter" || event.isComposing || event.ctrlKey || event.metaKey) return;
              event.stopPropagation();
              confirmHelp(question, answer);
            });
        }}
      />
    </>
  );
}
