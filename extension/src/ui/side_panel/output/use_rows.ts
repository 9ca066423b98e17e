// The rows of a long table, read page by page as they come into view.

import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { Rows } from "../../common/asks";
import { usePanel } from "../context";
import type { KernelError } from "../kernel_client";
import { PAGE_ROWS, pagesOf, type RowWindow } from "./row_window";

export interface Sorting {
  column: string | null;
  descending: boolean;
}

export interface LoadedRows {
  /** The first page, by which columns are laid out; null until it came. */
  first: Rows | null;
  total: number;
  /** A row, and its number as it was read; null while it isn't here yet. */
  row: (place: number) => { cells: unknown[]; number: number } | null;
  /** The number of a row as it was read, whether the row is here yet or not. */
  numberOf: (place: number) => Promise<number | null>;
  error: KernelError | null;
}

interface Pages {
  /** What they are pages of. */
  key: string;
  pages: ReadonlyMap<number, Rows>;
}

/** `count` grows while a run reads on: then the pages are read anew. */
export function useRows(
  run: string,
  output: string,
  count: number,
  sorting: Sorting,
  view: RowWindow,
): LoadedRows {
  const { client, kernel } = usePanel();
  const [{ pages }, setPages] = useState<Pages>({ key: "", pages: new Map() });
  const [first, setFirst] = useState<Rows | null>(null);
  const [error, setError] = useState<KernelError | null>(null);
  const asked = useRef(new Set<number>());
  const { column, descending } = sorting;
  const key = JSON.stringify([run, output, count, column, descending]);
  const latest = useRef(key);
  if (latest.current !== key) {
    latest.current = key;
    asked.current = new Set();
  }
  const wanted = useMemo(() => [...new Set([0, ...pagesOf(view)])].join(), [view]);
  useEffect(() => {
    for (const page of wanted.split(",").map(Number)) {
      if (asked.current.has(page)) continue;
      asked.current.add(page);
      const params = { run, output, start: page * PAGE_ROWS, count: PAGE_ROWS, sort: column, descending };
      client.ask(kernel, "read_rows", params).then(
        (rows) => {
          if (latest.current !== key) return;
          // Rows of another order never stand among these.
          setPages((before) => ({
            key,
            pages: new Map(before.key === key ? before.pages : []).set(page, rows),
          }));
          if (page === 0) setFirst(rows);
          setError(null);
        },
        (failure: KernelError) => latest.current === key && setError(failure),
      );
    }
  }, [client, kernel, run, output, column, descending, key, wanted]);
  const row = useCallback(
    (place: number) => {
      const page = pages.get(Math.floor(place / PAGE_ROWS));
      const at = place % PAGE_ROWS;
      const cells = page?.rows[at];
      return cells ? { cells, number: page?.places[at] ?? place } : null;
    },
    [pages],
  );
  const numberOf = async (place: number): Promise<number | null> => {
    const here = row(place);
    if (here) return here.number;
    const params = { run, output, start: place, count: 1, sort: column, descending };
    const found = await client.ask(kernel, "read_rows", params);
    return found.rows.length > 0 ? (found.places[0] ?? place) : null;
  };
  return { first, total: first?.total ?? count, row, numberOf, error };
}
