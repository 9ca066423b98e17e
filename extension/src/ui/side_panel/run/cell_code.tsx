// A cell that waits: its code with the line marked, the steps into it, and its text to change.

import { useEffect, useRef, useState } from "react";
import { showHidden } from "../../common/text";
import type { Cell, Question } from "../asks";
import type { Answer } from "./use_answer";

interface Props {
  question: Question;
  cell: Cell;
  answer: Answer;
}

export function CellCode({ question, cell, answer }: Props): React.ReactNode {
  const isWhole = question.call?.tool === "run_cell";
  const canEdit = isWhole && question.decisions.includes("edit");
  const [editing, setEditing] = useState(answer.edit.dirty);
  const size = cell.lines.length;
  const where = cell.line ? `line ${cell.line}` : `${size} line${size > 1 ? "s" : ""}`;
  return (
    <div className="cell">
      <p className="note">{`Cell ${cell.number}, ${where}`}</p>
      {cell.forecast && (
        <p className="forecast words" dir="auto">
          {showHidden(cell.forecast)}
        </p>
      )}
      <fieldset className="steps-into" aria-label="Step through the cell">
        {canEdit && (
          <button type="button" aria-expanded={editing} onClick={() => setEditing(!editing)}>
            {editing ? "Show as code" : "Edit"}
          </button>
        )}
        {!answer.edit.dirty &&
          cell.steps.map(({ until, words }) => (
            <button
              key={until}
              type="button"
              disabled={answer.busy || answer.guarded}
              onClick={() => answer.decide("step", "", until)}
            >
              {words}
            </button>
          ))}
      </fieldset>
      {editing && canEdit ? (
        <textarea
          className="code"
          aria-label="The cell's code"
          rows={Math.min(size + 1, 18)}
          spellCheck={false}
          value={String(answer.draft.code ?? "")}
          onChange={(event) => answer.setDraft({ ...answer.draft, code: event.target.value })}
        />
      ) : (
        <Lines cell={cell} />
      )}
    </div>
  );
}

function Lines({ cell }: { cell: Cell }): React.ReactNode {
  const list = useRef<HTMLOListElement>(null);
  const { number, line, lines } = cell;
  useEffect(() => {
    const scroller = list.current;
    const here = line ? scroller?.children[line - 1] : null;
    if (scroller && here instanceof HTMLElement)
      scroller.scrollTop = here.offsetTop - (scroller.clientHeight - here.offsetHeight) / 2;
  }, [line]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <ol className="code" ref={list} tabIndex={0} aria-label={`Cell ${number}`}>
      {lines.map((pieces, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may read alike
        <CodeLine key={place} pieces={pieces} isHere={place + 1 === line} />
      ))}
    </ol>
  );
}

interface LineProps {
  pieces: Cell["lines"][number];
  isHere: boolean;
}

function CodeLine({ pieces, isHere }: LineProps): React.ReactNode {
  return (
    <li className={isHere ? "here" : ""} aria-current={isHere ? "step" : undefined}>
      {pieces.map(({ kind, text, here }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two pieces may read alike
        <span key={at} className={`${kind || "plain"}${here ? " calling" : ""}`}>
          {showHidden(text)}
        </span>
      ))}
    </li>
  );
}
