// A cell that waits: its code with the line marked, what it is going to do, and the steps into it.

import { useLayoutEffect, useRef } from "react";
import type { Cell } from "../common/asks";
import { showHidden } from "../common/text";
import type { Answer } from "./answer";
import { Button } from "./button";
import { scrollWithin } from "./keys";

interface Props {
  cell: Cell;
  answer: Answer;
  editing: boolean;
  /** Shows its text to change, or its code again; null where it can't be changed. */
  edit: (() => void) | null;
}

export function CellCode({ cell, answer, editing, edit }: Props): React.ReactNode {
  const size = cell.lines.length;
  const where = cell.line ? `line ${cell.line}` : `${size} line${size > 1 ? "s" : ""}`;
  return (
    <div className="sbp-cell">
      <p className="sbp-note">{`Cell ${cell.number}, ${where}`}</p>
      {cell.forecast && (
        <p className="sbp-forecast" dir="auto">
          {showHidden(cell.forecast)}
        </p>
      )}
      {/* biome-ignore lint/a11y/useSemanticElements: a row of buttons */}
      <div className="sbp-steps-into" role="group" aria-label="Step through the cell">
        {edit && (
          <Button aria-expanded={editing} onClick={edit}>
            {editing ? "Show as code" : "Edit"}
          </Button>
        )}
        {!editing &&
          !answer.edit.dirty &&
          cell.steps.map(({ until, words }) => (
            <Button key={until} disabled={answer.busy} onClick={() => answer.decide("step", "", until)}>
              {words}
            </Button>
          ))}
      </div>
      {!editing && <Lines cell={cell} />}
    </div>
  );
}

function Lines({ cell: { number, line, lines } }: { cell: Cell }): React.ReactNode {
  const list = useRef<HTMLOListElement>(null);
  // The line that waits is in sight.
  useLayoutEffect(() => {
    const here = line ? list.current?.children[line - 1] : null;
    if (list.current && here) scrollWithin(list.current, here);
  }, [line]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls can be reached by keys
    <ol className="sbp-code" ref={list} tabIndex={0} aria-label={`Cell ${number}`}>
      {lines.map((pieces, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two lines may read alike
        <CodeLine key={place} pieces={pieces} isHere={place + 1 === line} />
      ))}
    </ol>
  );
}

function CodeLine({ pieces, isHere }: { pieces: Cell["lines"][number]; isHere: boolean }): React.ReactNode {
  return (
    <li className={isHere ? "sbp-code-here" : ""} aria-current={isHere ? "step" : undefined}>
      {pieces.map(({ kind, text, here }, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: two pieces may read alike
        <span key={at} className={`sbp-code-${kind || "plain"}${here ? " sbp-code-call" : ""}`}>
          {showHidden(text)}
        </span>
      ))}
    </li>
  );
}
