// A DataFrame: a click on a cell shows where it came from, below the table and in the page.

import { useId, useRef, useState } from "react";
import { shorten, showHidden } from "../common/text";
import { Button } from "../panel/button";
import { targetOf, useKeydown } from "../panel/keys";
import { usePicture } from "../panel/shot";
import { type Model, type Send, useTraits } from "./model";
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
  /** Of each bar from where to where it goes and how many rows it has, in words. */
  ranges: string[];
  values: [string, number][];
}

type Limit = [column: number, by: "bar" | "value" | "blank", value: number | string | boolean];

interface State {
  columns: string[];
  /** Which columns are numbers. */
  numeric: boolean[];
  limits: Limit[];
  /** The page that the rows are of, and the way on. */
  gone: string;
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

const CLICK = "Click a cell to see where it came from.";
const CLICK_GONE = "Click a cell to see where it came from; it can't be shown in the page any more.";

const format = (count: number): string => count.toLocaleString("en");

export function FrameWidget({ model }: { model: Model }): React.ReactNode {
  useTraits(model, "state", "shot");
  const state = model.get("state") as State;
  return (
    <Root model={model} kind="sbp-frame" label="Extracted rows" gone={state.gone}>
      {(send) => (
        <>
          {(state.total > SMALL || state.limits.length > 0) && <Tools state={state} send={send} />}
          <div className="sbp-cells">
            <Table state={state} send={send} />
          </div>
          <p className="sbp-note">{state.picked ? "" : state.gone ? CLICK_GONE : CLICK}</p>
          <Checked {...state.checked} />
          {state.picked && <Source state={state} bytes={model.get("shot") as DataView | null} />}
        </>
      )}
    </Root>
  );
}

function Tools({ state, send }: { state: State; send: Send }): React.ReactNode {
  const { first, size, count, total, words, limits } = state;
  const last = Math.min(first + size, count);
  const of = words || limits.length ? `${format(count)} found in ${format(total)}` : format(count);
  const turn = (sign: string, name: string, by: number, disabled: boolean): React.ReactNode => (
    <Button
      aria-label={name}
      disabled={disabled}
      onClick={() => send({ type: "page", first: first + by * size })}
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
        onChange={(event) => send({ type: "filter", words: event.target.value })}
      />
      {turn("‹", "Rows before", -1, first <= 0)}
      <span className="sbp-dim" role="status">
        {count
          ? `rows ${format(first + 1)} to ${format(last)} of ${of}`
          : `no row of ${format(total)} has this`}
      </span>
      {turn("›", "Rows after", 1, last >= count)}
      {limits.map(([column, by, value]) => (
        <Button
          key={column}
          title="Take this filter away"
          onClick={() => send({ type: "limit", column, by, value })}
        >
          {`${shorten(showHidden(state.columns[column] ?? ""), 40)}: ${wordsOf(state, [column, by, value])} ✕`}
        </Button>
      ))}
    </div>
  );
}

/** A filter in words. */
function wordsOf({ summaries }: State, [column, by, value]: Limit): string {
  if (by === "blank") return value ? "blank" : "not blank";
  if (by === "value") return shorten(showHidden(String(value)), 40) || "blank";
  return summaries[column]?.ranges[Number(value)]?.split(":")[0] ?? "";
}

function Table({ state, send }: { state: State; send: Send }): React.ReactNode {
  const table = useRef<HTMLTableElement | null>(null);
  const [focused, setFocused] = useState<[number, number]>([0, 0]);
  const { rows, columns, picked, numeric } = state;
  const pick = (row: number, column: number): void => send({ type: "source", row, column });
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
      <Head state={state} send={send} />
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
                className={numeric[column] ? "sbp-numeric" : undefined}
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

function Head({ state, send }: { state: State; send: Send }): React.ReactNode {
  const { columns, sorted, descending, numeric } = state;
  return (
    <thead>
      <tr>
        <th scope="col">
          <span className="sbp-hidden">Row</span>
        </th>
        {columns.map((name, column) => {
          const isSorted = sorted === column;
          const order = descending ? "descending" : "ascending";
          return (
            <th
              // biome-ignore lint/suspicious/noArrayIndexKey: names may be the same
              key={column}
              scope="col"
              aria-sort={isSorted ? order : "none"}
              className={numeric[column] ? "sbp-numeric" : undefined}
            >
              <button
                type="button"
                className="sbp-sort"
                title="Sort by this column"
                onClick={() => send({ type: "sort", column })}
              >
                <span dir="auto">{shorten(showHidden(name), LONGEST)}</span>
                <span aria-hidden="true">{isSorted ? (descending ? " ▼" : " ▲") : ""}</span>
              </button>
              <ColumnMenu state={state} column={column} send={send} />
            </th>
          );
        })}
      </tr>
    </thead>
  );
}

interface MenuProps {
  state: State;
  column: number;
  send: Send;
}

/** What a column holds in words and as a histogram; a press opens what can be done with it. */
function ColumnMenu({ state, column, send }: MenuProps): React.ReactNode {
  const id = `column${useId()}`;
  const menu = useRef<HTMLDivElement>(null);
  const name = shorten(showHidden(state.columns[column] ?? ""), LONGEST);
  const summary = state.summaries[column];
  const words = summary ? wordsOfColumn(summary) : [];
  const place = (event: React.MouseEvent<HTMLButtonElement>): void => {
    const { left, bottom } = event.currentTarget.getBoundingClientRect();
    const { style } = menu.current ?? event.currentTarget;
    style.left = `${Math.max(8, Math.min(left, innerWidth - MENU_PX - 8))}px`;
    style.top = `${bottom + 2}px`;
  };
  return (
    <>
      <button
        type="button"
        className="sbp-summary"
        aria-label={`Menu of ${name}`}
        title={showHidden(words.join("\n"))}
        popoverTarget={id}
        onClick={place}
      >
        {summary && summary.bars.length > 0 && (
          <span className="sbp-bars" aria-hidden="true">
            {summary.bars.map((height, bar) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names
              <i key={bar} style={{ height: `${height * 100}%` }} />
            ))}
          </span>
        )}
        {[words[0] ?? "", ...words.slice(1)].map((text, place) => (
          <span key={text} dir="auto">
            {shorten(showHidden(text), 60)}
            {place === 0 && " ▾"}
          </span>
        ))}
      </button>
      <div id={id} popover="auto" className="sbp-menu" role="group" aria-label={`Column ${name}`} ref={menu}>
        <Sorting state={state} column={column} send={send} />
        {summary && <Limits state={state} column={column} send={send} summary={summary} />}
      </div>
    </>
  );
}

const MENU_PX = 300;

function wordsOfColumn({ kind, blanks, distinct, says }: Summary): string[] {
  const counted = [kind, `${format(distinct)} different`, blanks ? `${format(blanks)} blank` : ""];
  return [counted.filter(Boolean).join(", "), says].filter(Boolean);
}

const WAYS = [
  ["▲ Sort ascending", false],
  ["▼ Sort descending", true],
] as const;

function Sorting({ state, column, send }: MenuProps): React.ReactNode {
  return (
    <>
      {WAYS.map(([words, descending]) => (
        <Button
          key={words}
          aria-pressed={state.sorted === column && state.descending === descending}
          onClick={() => send({ type: "sort", column, descending })}
        >
          {words}
        </Button>
      ))}
    </>
  );
}

/** The filters of a column: a bar of its histogram, one of its values, blank or not. */
function Limits({ state, column, send, summary }: MenuProps & { summary: Summary }): React.ReactNode {
  const now = state.limits.find(([limited]) => limited === column);
  const limit = (by: Limit[1], value: Limit[2]) => ({
    "aria-pressed": now?.[1] === by && now[2] === value,
    onClick: () => send({ type: "limit", column, by, value }),
  });
  return (
    <>
      {summary.bars.length > 0 && (
        <div className="sbp-bars sbp-histogram">
          {summary.bars.map((height, bar) => (
            <button
              // biome-ignore lint/suspicious/noArrayIndexKey: bars have no names
              key={bar}
              type="button"
              title={`Only ${summary.ranges[bar]}`}
              aria-label={`Only ${summary.ranges[bar]}`}
              {...limit("bar", bar)}
            >
              <i style={{ height: `${height * 100}%` }} />
            </button>
          ))}
        </div>
      )}
      {summary.bars.length > 0 && <p className="sbp-note">{`${summary.says}: a bar shows only its rows`}</p>}
      {summary.values.map(([text, count]) => (
        <Button key={text} {...limit("value", text)}>
          <span dir="auto">{shorten(showHidden(text), 60)}</span>
          <span className="sbp-dim">{format(count)}</span>
        </Button>
      ))}
      {summary.blanks > 0 && (
        <>
          <Button {...limit("blank", true)}>Only blank</Button>
          <Button {...limit("blank", false)}>Without blanks</Button>
        </>
      )}
    </>
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
