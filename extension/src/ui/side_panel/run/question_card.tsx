// What a run waits for: the call in words, why a person decides, its arguments; or what the person is to do.

import { useId } from "react";
import { shorten, showHidden } from "../../common/text";
import type { Question } from "../asks";
import { Problem } from "../problem";
import { Field } from "../start/input_field";
import { EFFECTS, HELP } from "../words";
import { inputsOf } from "./call_edit";
import { CellCode } from "./cell_code";
import { PointButton } from "./point_button";
import type { Answer } from "./use_answer";

interface Props {
  question: Question;
  answer: Answer;
}

export function QuestionCard({ question, answer }: Props): React.ReactNode {
  const isHelp = question.kind === "assist";
  const isChoice = question.kind === "choose";
  const tone = isHelp ? "help" : isChoice ? "busy" : question.risk;
  return (
    <section className={`question ${tone}`} aria-label="Waiting for you">
      {question.refusal && (
        <p className="problem" role="alert" dir="auto">
          {question.cell
            ? question.refusal.split("\n").map(showHidden).join("\n")
            : showHidden(question.refusal)}
        </p>
      )}
      {answer.words && (
        <p className="problem" role="alert">
          {showHidden(answer.words)}
        </p>
      )}
      <Problem error={answer.error} />
      {isHelp || isChoice ? (
        <Help question={question} answer={answer} />
      ) : (
        <Call question={question} answer={answer} />
      )}
    </section>
  );
}

function Call({ question, answer }: Props): React.ReactNode {
  return (
    <>
      <p className="call">
        <strong className="words" dir="auto">
          {showHidden(question.words)}
        </strong>
        {question.place && (
          <span className="words soft" dir="auto">
            {" "}
            {showHidden(question.place)}
          </span>
        )}
      </p>
      <p className="row wrap">
        <span className={`effect ${question.risk}`}>{question.risk}</span>
        <span className="note">{EFFECTS[question.risk]}</span>
      </p>
      {question.said && (
        <p className="said words" dir="auto">
          {shorten(showHidden(question.said), 600)}
        </p>
      )}
      {question.why && (
        <p className="reason words" dir="auto">
          {showHidden(question.why)}
        </p>
      )}
      {question.cell && <CellCode question={question} cell={question.cell} answer={answer} />}
      {question.call?.tool !== "run_cell" && <Arguments question={question} answer={answer} />}
      {(question.learn || question.form) && question.always.length > 0 && (
        <Always question={question} answer={answer} />
      )}
    </>
  );
}

function Arguments({ question, answer }: Props): React.ReactNode {
  const inputs = inputsOf(question);
  if (inputs.length === 0 || !question.decisions.includes("edit")) return null;
  return (
    <div className="inputs">
      {inputs.map((input) => (
        <div key={input.name}>
          <Field
            input={input}
            value={answer.draft[input.name] ?? ""}
            problem={answer.edit.problems[input.name] ?? ""}
            change={(value) => answer.setDraft({ ...answer.draft, [input.name]: value })}
          />
          {question.call?.targets.includes(input.name) && (
            <PointButton
              run={answer.run}
              question={question.id}
              name={input.name}
              pointed={(ref) => answer.setDraft((draft) => ({ ...draft, [input.name]: ref }))}
            />
          )}
        </div>
      ))}
    </div>
  );
}

/** What the approval may teach; choosing alone approves nothing. */
function Always({ question, answer }: Props): React.ReactNode {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} dir="auto">
        After approving {[question.learn, question.form ?? ""].filter(Boolean).map(showHidden).join("; or ")}
      </label>
      <select
        id={id}
        value={answer.always}
        disabled={answer.edit.dirty}
        onChange={(event) => answer.setAlways(event.target.value as Answer["always"])}
      >
        <option value="">Ask every time</option>
        {question.always.includes("session") && (
          <option value="session">Don't ask again until the browser is closed</option>
        )}
        {question.always.includes("always") && <option value="always">Never ask again</option>}
        {question.always.includes("form") && (
          <option value="form">This form only reads: don't ask about it again</option>
        )}
      </select>
    </div>
  );
}

function Help({ question, answer }: Props): React.ReactNode {
  const isChoice = question.kind === "choose";
  const title = isChoice ? "The agent asks you" : (HELP[question.obstacle] ?? HELP.custom);
  return (
    <>
      <div className="help" role={isChoice ? "status" : "alert"}>
        <span className="sign" aria-hidden="true">
          {isChoice ? "?" : "!"}
        </span>
        <div>
          <strong>{title}</strong>
          <p className="words instructions" dir="auto">
            {showHidden(question.words)}
          </p>
          {!isChoice && <p className="note">Do it in the page, then press “Done, go on” above.</p>}
        </div>
      </div>
      {question.noticed && (
        <p className="noticed" role="status">
          ✓ This seems to be done. Press Done, go on.
        </p>
      )}
      {question.choices.length > 0 && (
        <fieldset className="choices" aria-label="Answers">
          {question.choices.map((choice, place) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: two answers may read alike
              key={place}
              type="button"
              className="primary"
              dir="auto"
              disabled={answer.busy || answer.guarded}
              onClick={() => answer.decide("choose", choice)}
            >
              {shorten(showHidden(choice), 120)}
            </button>
          ))}
        </fieldset>
      )}
      <input
        aria-label={isChoice ? "Your answer" : "What you did"}
        placeholder={isChoice ? "Your answer" : "Optional: tell the agent what you did"}
        value={answer.text}
        dir="auto"
        onChange={(event) => answer.setText(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.nativeEvent.isComposing) return;
          if (answer.text.trim()) answer.decide(isChoice ? "choose" : "respond");
        }}
      />
    </>
  );
}
