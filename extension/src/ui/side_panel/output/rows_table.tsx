// A long table: only the rows in view are rendered. A column's name sorts; a cell shows where it came from.

import { useId, useMemo, useRef, useState } from "react";
import type { Output } from "../../common/asks";
import { showHidden } from "../../common/text";
import { useAction, usePanel } from "../context";
import { Problem } from "../problem";
import { type Cell, nextCell, reveal } from "./cell_keys";
import { columnWidths, ROW_HEIGHT, type RowWindow, rowsInView } from "./row_window";
import { Head, Row } from "./table_parts";
import { type LoadedRows, type Sorting, useRows } from "./use_rows";

const MAX_HEIGHT = 12 * ROW_HEIGHT;
const SAMPLE_ROWS = 50;

interface Props {
  run: string;
  output: Output;
}

export function RowsTable({ run, output }: Props): React.ReactNode {
  const { client, kernel } = usePanel();
  const [scrolled, setScrolled] = useState(0);
  const [sorting, setSorting] = useState<Sorting>({ column: null, descending: false });
  const height = Math.min(output.count * ROW_HEIGHT, MAX_HEIGHT);
  const view = useMemo(() => rowsInView(scrolled, height, output.count), [scrolled, height, output.count]);
  const rows = useRows(run, output.id, output.count, sorting, view);
  const columns = rows.first?.columns ?? output.columns;
  const source = useSource(async (place, column) => {
    const name = columns[column];
    const row = name === undefined ? null : await rows.numberOf(place);
    if (name === undefined || row === null) return "";
    const params = { run, output: output.id, row, column: name };
    return (await client.ask(kernel, "show_source", params)).words;
  });
  return (
    <>
      <Grid
        output={output}
        rows={rows}
        columns={columns}
        view={view}
        source={source}
        scrolled={setScrolled}
        sorting={sorting}
        sort={setSorting}
      />
      <p className="note" role="status" dir="auto">
        {source.words ? showHidden(source.words) : "Press a cell: the page shows where it came from."}
      </p>
      <Problem error={rows.error ?? source.error} />
    </>
  );
}

interface GridProps {
  output: Output;
  rows: LoadedRows;
  columns: string[];
  view: RowWindow;
  source: ReturnType<typeof useSource>;
  scrolled: (top: number) => void;
  sorting: Sorting;
  sort: (sorting: Sorting) => void;
}

function Grid({ output, rows, columns, view, source, scrolled, sorting, sort }: GridProps): React.ReactNode {
  const id = useId();
  const box = useRef<HTMLDivElement>(null);
  const { first, row } = rows;
  const { active } = source;
  const widths = useMemo(
    () => columnWidths(columns, first?.rows.slice(0, SAMPLE_ROWS) ?? []),
    [columns, first],
  );
  const move = (event: React.KeyboardEvent): void => {
    if (event.target !== event.currentTarget) return;
    if (event.key === "Enter" && active) source.show(active.row, active.column);
    const next = nextCell(event.key, active, output.count, columns.length);
    if (!next) return;
    event.preventDefault();
    source.activate(next);
    reveal(box.current, next, widths);
  };
  const isInView = active !== null && active.row >= view.from && active.row < view.to;
  const kinds = first?.kinds ?? [];
  const width = widths.reduce((sum, each) => sum + each, 0);
  // The last column takes what is left.
  const template = widths.map((each, at) =>
    at < widths.length - 1 ? `${each}px` : `minmax(${each}px, 1fr)`,
  );
  const sizes = { gridTemplateColumns: template.join(" "), minWidth: width };
  return (
    <div
      className="table"
      role="grid"
      aria-label={showHidden(output.title)}
      aria-rowcount={output.count + 1}
      aria-colcount={columns.length}
      aria-activedescendant={isInView ? `${id}-${active.row}-${active.column}` : undefined}
      tabIndex={0}
      ref={box}
      onScroll={({ currentTarget }) => scrolled(currentTarget.scrollTop)}
      onKeyDown={move}
    >
      <Head columns={columns} kinds={kinds} sizes={sizes} sorting={sorting} sort={sort} />
      <div
        role="rowgroup"
        style={{ height: output.count * ROW_HEIGHT, minWidth: width, position: "relative" }}
      >
        {Array.from({ length: view.to - view.from }, (_, at) => view.from + at).map((place) => (
          <Row
            key={place}
            id={`${id}-${place}`}
            place={place}
            cells={row(place)?.cells ?? null}
            kinds={kinds}
            count={columns.length}
            active={active?.row === place ? active.column : null}
            style={{ ...sizes, top: place * ROW_HEIGHT }}
            press={source.show}
          />
        ))}
      </div>
    </div>
  );
}

/** The cell that is looked at, and where it came from in words. */
function useSource(find: (row: number, column: number) => Promise<string>) {
  const [active, activate] = useState<Cell | null>(null);
  const [words, setWords] = useState("");
  const latest = useRef<Cell | null>(null);
  const { error, act } = useAction(async (row: number, column: number) => {
    const cell = { row, column };
    latest.current = cell;
    const found = await find(row, column);
    // An answer about a cell that was left since would stand for the one that is marked now.
    if (latest.current === cell) setWords(found);
  });
  const show = (row: number, column: number): void => {
    activate({ row, column });
    act(row, column);
  };
  return { active, activate, words, error, show };
}
