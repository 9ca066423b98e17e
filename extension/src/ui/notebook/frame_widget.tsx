// A DataFrame: a click on a cell shows where it came from, below the table and in the page.

import { useRef, useState } from "react";
import { shorten, showHidden } from "../common/text";
import { Button } from "../panel/button";
import { targetOf, useKeydown } from "../panel/keys";
import { usePicture } from "../panel/shot";
import { type Model, useTraits } from "./model";
import { Root } from "./root";

const LONGEST = 160;
const SMALL = 10; // rows that need no tools
const MOVES: Record<string, [number, number]> = {
  ArrowUp: [-1, 0],
  ArrowDown: [1, 0],
  ArrowLeft: [0, -1],
  ArrowRight: [0, 1],
};

interface Summary {
  kind: string;
  blanks: number;
  distinct: number;
  says: string;
  bars: number[];
}

interface State {
  columns: string[];
  /** Each row's label, and its cells. */
  rows: string[][];
  first: number;
  size: number;
  count: number;
  total: number;
  sorted: number | null;
  descending: boolean;
  words: string;
  summaries: Summary[];
  checked: { complete: boolean; reason: string; laws: { holds: boolean; words: string }[] };
  picked: [number, number] | null;
  facts: [string, string][];
  problem: string;
  busy: boolean;
}

const format = (count: number): string => count.toLocaleString("en");

export function FrameWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state", "shot");
  const state = model.get("state") as State;
  return (
    <Root model={model} kind="sbp-frame" label="Extracted rows">
      {() => (
        <>
          {state.total > SMALL && <Tools state={state} model={model} />}
          <div className="sbp-rows">
            <Table state={state} model={model} />
          </div>
          <p className="sbp-note">{state.picked ? "" : "Click a cell to see where it came from."}</p>
          <Checked {...state.checked} />
          {state.picked && <Source state={state} bytes={model.get("shot") as DataView | null} />}
        </>
      )}
    </Root>
  );
}

function Tools({ state, model }: { state: State; model: Model }): React.ReactNode {
  const { first, size, count, total, words } = state;
  const last = Math.min(first + size, count);
  const of = words ? `${format(count)} found in ${format(total)}` : format(count);
  const turn = (sign: string, name: string, by: number, disabled: boolean): React.ReactNode => (
    <Button
      aria-label={name}
      disabled={disabled}
      onClick={() => model.send({ type: "page", first: first + by * size })}
    >
      {sign}
    </Button>
  );
  return (
    <div className="sbp-tools">
      <input
        className="sbp-input"
        type="search"
        aria-label="Filter rows"
        placeholder="Filter rows"
        onChange={(event) => model.send({ type: "filter", words: event.target.value })}
      />
      {turn("‹", "Rows before", -1, first <= 0)}
      <span className="sbp-dim" role="status">
        {count
          ? `rows ${format(first + 1)} to ${format(last)} of ${of}`
          : `no row of ${format(total)} has this`}
      </span>
      {turn("›", "Rows after", 1, last >= count)}
    </div>
  );
}

function Table({ state, model }: { state: State; model: Model }): React.ReactNode {
  const table = useRef<HTMLTableElement | null>(null);
  const [focused, setFocused] = useState<[number, number]>([0, 0]);
  const { rows, columns, picked } = state;
  const pick = (row: number, column: number): void => model.send({ type: "source", row, column });
  const focusCell = (row: number, column: number): void => {
    setFocused([row, column]);
    const cell = table.current?.querySelector<HTMLElement>(`td[data-row="${row}"][data-column="${column}"]`);
    cell?.focus({ preventScroll: true });
  };
  const keys = useKeydown<HTMLTableElement>((event) => {
    const cell = targetOf(event).closest<HTMLElement>("td");
    if (!cell) return;
    const [row, column] = [Number(cell.dataset.row), Number(cell.dataset.column)];
    const way = MOVES[event.key];
    if (way && rows[row + way[0]] && columns[column + way[1]] !== undefined)
      focusCell(row + way[0], column + way[1]);
    else if (event.key === "Enter" || event.key === " ") pick(row, column);
    else return;
    event.preventDefault();
    event.stopPropagation();
  });
  const isAt = ([row, column]: [number, number], line: number, place: number): boolean =>
    row === line && column === place;
  return (
    <table
      role="grid"
      aria-label="DataFrame"
      ref={(node) => {
        table.current = node;
        keys(node);
      }}
    >
      <Head state={state} sort={(column) => model.send({ type: "sort", column })} />
      <tbody>
        {rows.map(([label = "", ...cells], row) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: labels may be the same
          <tr key={row}>
            <th scope="row">{showHidden(label)}</th>
            {cells.map((text, column) => (
              <td
                // biome-ignore lint/suspicious/noArrayIndexKey: names may be the same
                key={column}
                role="gridcell"
                tabIndex={isAt(focused, row, column) ? 0 : -1}
                dir="auto"
                title="Show where this came from"
                aria-selected={picked && isAt(picked, row, column) ? true : undefined}
                data-row={row}
                data-column={column}
                onClick={() => {
                  focusCell(row, column);
                  pick(row, column);
                }}
              >
                {shorten(showHidden(text), LONGEST)}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Head({ state, sort }: { state: State; sort: (column: number) => void }): React.ReactNode {
  const { columns, sorted, descending, summaries } = state;
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="sbp-hidden">Row</span>
        </th>
        {columns.map((name, column) => {
          const isSorted = sorted === column;
          const order = descending ? "descending" : "ascending";
          const summary = summaries[column];
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: names may be the same
            <th key={column} scope="col" aria-sort={isSorted ? order : "none"}>
              <button
                type="button"
                className="sbp-sort"
                title="Sort by this column"
                onClick={() => sort(column)}
              >
                <span dir="auto">{shorten(showHidden(name), LONGEST)}</span>
                <span aria-hidden="true">{isSorted ? (descending ? " ▼" : " ▲") : ""}</span>
              </button>
              {summary && <ColumnSummary {...summary} />}
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

/** What a column holds in words, and a histogram. */
function ColumnSummary({ kind, blanks, distinct, says, bars }: Summary): React.ReactNode {
  const counted = [kind, `${format(distinct)} different`, blanks ? `${format(blanks)} blank` : ""];
  const words = [counted.filter(Boolean).join(", "), says].filter(Boolean);
  return (
    <div className="sbp-summary" title={showHidden(words.join("\n"))}>
      {bars.length > 0 && (
        <span className="sbp-bars" aria-hidden="true">
          {bars.map((height, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names
            <i key={place} style={{ height: `${height * 100}%` }} />
          ))}
        </span>
      )}
      {words.map((text) => (
        <div key={text} dir="auto">
          {shorten(showHidden(text), 60)}
        </div>
      ))}
    </div>
  );
}

/** Whether all rows are there, and the laws that this was held to. */
function Checked({ complete, reason, laws }: State["checked"]): React.ReactNode {
  if (!laws.length) return null;
  return (
    <details className="sbp-checked">
      <summary className="sbp-note">
        {showHidden([complete ? "Complete" : "Not complete", reason].filter(Boolean).join(": "))}
      </summary>
      <ul className="sbp-laws">
        {laws.map(({ holds, words }) => (
          <li key={words} dir="auto">{`${holds ? "✓" : "✗"} ${showHidden(words)}`}</li>
        ))}
      </ul>
    </details>
  );
}

function Source({ state, bytes }: { state: State; bytes: DataView | null }): React.ReactNode {
  const { facts, problem, busy } = state;
  const picture = usePicture(bytes?.byteLength ? bytes : null, "png");
  return (
    <section className="sbp-source" aria-label="Source of the cell" aria-busy={busy}>
      <dl className="sbp-facts-of">
        {facts.map(([name, text]) => (
          <Fact key={name} name={name} text={text} />
        ))}
      </dl>
      <p className="sbp-problem" role="status">
        {busy ? "" : showHidden(problem)}
      </p>
      {picture && <img className="sbp-crop" src={picture} alt="Screenshot of where the cell came from" />}
    </section>
  );
}

function Fact({ name, text }: { name: string; text: string }): React.ReactNode {
  return (
    <>
      <dt>{name}</dt>
      <dd dir="auto">{showHidden(text)}</dd>
    </>
  );
}
