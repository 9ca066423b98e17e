// What waits for the person: a call to approve, or a request for help; else what is under way.

import { useId } from "react";
import type { Question } from "../common/asks";
import { shorten, showHidden } from "../common/text";
import type { Answer } from "./answer";
import { CellCode } from "./cell_code";
import { Form } from "./form";
import { Help } from "./help";
import { EFFECTS, isQuestion, needsPerson } from "./words";

/** What the card knows of the page that is shown beside it. */
export interface PageWords {
  /** An element in words, or "" where the page has no such ref. */
  describe: (ref: string) => string;
  /** Where a click points; "" where only one in the page itself does. */
  places: string;
}

interface Props {
  question: Question;
  answer: Answer;
  page: PageWords;
  /** The code of a cell is shown as text to change. */
  editing: boolean;
  setEditing: (on: boolean) => void;
  /** It can't be answered now: what it is about is gone. */
  inert: boolean;
}

const kindOf = (question: Question): string =>
  isQuestion(question) ? "question" : question.kind === "assist" ? "help" : question.risk;

export function Card(props: Props): React.ReactNode {
  const { question, answer } = props;
  const problems = [question.refusal, answer.words, answer.error?.message, answer.error?.hint].filter(
    Boolean,
  );
  return (
    <section
      className={`sbp-card sbp-is-${kindOf(question)}${answer.guarded ? " sbp-guarded" : ""}`}
      aria-label="Waiting for you"
      aria-busy={answer.busy}
      inert={props.inert}
    >
      {problems.length > 0 && (
        <div className="sbp-problem sbp-answer-problem" role="alert" dir="auto">
          {problems
            .flatMap((problem) => (question.cell ? (problem ?? "").split("\n") : [problem]))
            .map((line) => (
              <div key={line}>{showHidden(line)}</div>
            ))}
        </div>
      )}
      {needsPerson(question) ? <Help question={question} answer={answer} /> : <Call {...props} />}
    </section>
  );
}

/** Nothing waits for the person: what is under way stays readable, so that the pane is never empty while a run works. */
export function Rest({ going, awaited }: { going: string; awaited: string }): React.ReactNode {
  return (
    <section className="sbp-card sbp-is-running" aria-label="Under way" hidden={!going}>
      <strong className="sbp-words" dir="auto">
        {shorten(going, 300)}
      </strong>
      <p className="sbp-note">{awaited}</p>
    </section>
  );
}

/** What the call is about, as it stands: another element, or as proposed. */
export function targetWords(question: Question, answer: Answer, describe: PageWords["describe"]): string {
  const { call } = question;
  if (!call) return "";
  const first = call.targets[0];
  if (first === undefined) return answer.edit.dirty ? "" : showHidden(call.target);
  const now = answer.edit.args[first] ?? call.args[first];
  const found = describe(String(now ?? ""));
  if (now !== call.args[first]) return found ? `the ${found}` : showHidden(now ?? "");
  return showHidden(call.target) || (found && `the ${found}`);
}

/** What is put into the target, as it stands now; "" where nothing is. */
export function valueWords(question: Question, answer: Answer): string {
  const { call } = question;
  if (!call?.puts_text) return "";
  const name = Object.keys(call.args).find((each) => !call.targets.includes(each));
  const value = name === undefined ? undefined : (answer.edit.args[name] ?? call.args[name]);
  return typeof value === "string" ? `with “${shorten(showHidden(value), 80)}”` : "";
}

/** A question in words, for the line that says what is next; "" for a request for help. */
export function wordsOf(question: Question, answer: Answer, describe: PageWords["describe"]): string {
  if (needsPerson(question)) return "";
  if (!question.call?.phrase) return showHidden(question.words);
  const words = [targetWords(question, answer, describe), valueWords(question, answer)];
  return [showHidden(question.call.phrase), ...words].filter(Boolean).join(" ");
}

function Call({ question, answer, page, editing, setEditing }: Props): React.ReactNode {
  const { call, cell, risk } = question;
  const isWhole = call?.tool === "run_cell";
  const value = valueWords(question, answer);
  const hasForm = answer.fields.length > 0 && call?.tool !== "plan";
  const describe = (name: string): string => {
    const isMoved = call?.targets.includes(name) && answer.edit.args[name] !== call.args[name];
    return isMoved ? page.describe(String(answer.edit.args[name] ?? "")) : "";
  };
  return (
    <>
      <div className="sbp-title">
        <strong className="sbp-words" dir="auto">
          {showHidden(call?.phrase || question.words)}
        </strong>
        <span className="sbp-target" dir="auto">
          {call?.phrase ? targetWords(question, answer, page.describe) : showHidden(question.place)}
        </span>
        {value && (
          <span className="sbp-value" dir="auto">
            {value}
          </span>
        )}
        <span className={`sbp-effect sbp-effect-${risk}`} title={EFFECTS[risk]}>
          {risk}
        </span>
        {call && <code className="sbp-tool">{showHidden(call.tool)}</code>}
      </div>
      {question.said && (
        <p className="sbp-said" dir="auto">
          {shorten(showHidden(question.said), 600)}
        </p>
      )}
      {question.why && (
        <p className="sbp-why" dir="auto">
          {showHidden(question.why)}
        </p>
      )}
      {call?.tool === "plan" && <p className="sbp-note">Change the tasks above as you like.</p>}
      {cell && (
        <CellCode
          cell={cell}
          answer={answer}
          editing={editing}
          edit={isWhole && hasForm ? () => setEditing(!editing) : null}
        />
      )}
      {hasForm && (!isWhole || editing || !cell) && (
        <Form fields={answer.fields} answer={answer} describe={describe} />
      )}
      {call && call.targets.length > 0 && hasForm && <Pointing answer={answer} places={page.places} />}
      {(question.learn || question.form) && question.always.length > 0 && (
        <Always question={question} answer={answer} />
      )}
    </>
  );
}

/** Where a click points, and, while the person points, that one is waited for. */
function Pointing({ answer, places }: { answer: Answer; places: string }): React.ReactNode {
  const going = places
    ? `Click the element ${places}. Esc ends this.`
    : "Click it in the page; Esc there gives up.";
  const words = `P: to point at another element, click it ${places || "in the page"}.`;
  return (
    <p className={answer.pointing ? "sbp-note sbp-pointing" : "sbp-note"} role="status">
      {answer.pointing ? going : words}
    </p>
  );
}

/** What the approval may teach; choosing alone approves nothing. */
function Always({ question, answer }: { question: Question; answer: Answer }): React.ReactNode {
  const id = useId();
  const { always, learn, form } = question;
  return (
    <div className="sbp-remember">
      <label htmlFor={id} dir="auto">
        After approving <code>{[learn, form].filter(Boolean).map(showHidden).join("; or ")}</code>
      </label>
      <select
        className="sbp-input"
        id={id}
        value={answer.always}
        disabled={answer.edit.dirty}
        onChange={(event) => answer.set({ always: event.target.value as Answer["always"] })}
      >
        <option value="">Ask every time</option>
        {always.includes("session") && (
          <option value="session">Don't ask again until the browser is closed</option>
        )}
        {always.includes("always") && <option value="always">Never ask again</option>}
        {always.includes("form") && (
          <option value="form">This form only reads: don't ask about it again</option>
        )}
      </select>
    </div>
  );
}
