// The head and the rows of a long table. A table element can't leave rows out, so these have its roles.

import type { Rows } from "../../common/asks";
import { shorten, showHidden } from "../../common/text";
import type { Sorting } from "./use_rows";

interface HeadProps {
  columns: string[];
  kinds: Rows["kinds"];
  sizes: React.CSSProperties;
  sorting: Sorting;
  sort: (sorting: Sorting) => void;
}

export function Head({ columns, kinds, sizes, sorting, sort }: HeadProps): React.ReactNode {
  /** First upwards, then downwards, then as it was read. */
  const press = (column: string): void => {
    if (sorting.column !== column) sort({ column, descending: false });
    else if (!sorting.descending) sort({ column, descending: true });
    else sort({ column: null, descending: false });
  };
  return (
    <div role="rowgroup" className="table-head" style={{ minWidth: sizes.minWidth }}>
      <div role="row" aria-rowindex={1} style={sizes}>
        {columns.map((column, place) => {
          const isSorted = sorting.column === column;
          const order = !isSorted ? "none" : sorting.descending ? "descending" : "ascending";
          return (
            <div
              // biome-ignore lint/suspicious/noArrayIndexKey: two columns may have one name
              key={place}
              role="columnheader"
              aria-colindex={place + 1}
              aria-sort={order}
              className={kinds[place] === "number" ? "number" : ""}
            >
              <button type="button" title={showHidden(column)} onClick={() => press(column)}>
                <span className="clip" dir="auto">
                  {showHidden(column)}
                </span>
                {isSorted && <span aria-hidden="true">{sorting.descending ? "▾" : "▴"}</span>}
              </button>
            </div>
          );
        })}
      </div>
    </div>
  );
}

interface RowProps {
  id: string;
  place: number;
  cells: unknown[] | null;
  kinds: Rows["kinds"];
  count: number;
  active: number | null;
  style: React.CSSProperties;
  press: (row: number, column: number) => void;
}

export function Row({ id, place, cells, kinds, count, active, style, press }: RowProps): React.ReactNode {
  return (
    <div role="row" aria-rowindex={place + 2} aria-busy={cells === null} className="table-row" style={style}>
      {Array.from({ length: count }, (_, column) => {
        const text = cells === null ? "" : textOf(cells[column]);
        return (
          <div
            // biome-ignore lint/suspicious/noArrayIndexKey: a column is its place
            key={column}
            id={`${id}-${column}`}
            role="gridcell"
            aria-colindex={column + 1}
            aria-selected={active === column}
            className={kinds[column] === "number" ? "number" : ""}
            title={text.length > 24 ? shorten(text, 1_000) : undefined}
            dir="auto"
            onClick={() => press(place, column)}
          >
            {shorten(text, 200)}
          </div>
        );
      })}
    </div>
  );
}

const textOf = (value: unknown): string => (value === null || value === undefined ? "" : showHidden(value));
