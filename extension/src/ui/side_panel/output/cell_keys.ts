// The keys that go from cell to cell.

import { ROW_HEIGHT } from "./row_window";

export type Cell = { row: number; column: number };

/** The cell that a key leads to. */
export function nextCell(key: string, at: Cell | null, rows: number, columns: number): Cell | null {
  const moves: Record<string, readonly [number, number]> = {
    ArrowDown: [1, 0],
    ArrowUp: [-1, 0],
    ArrowRight: [0, 1],
    ArrowLeft: [0, -1],
    PageDown: [10, 0],
    PageUp: [-10, 0],
    Home: [-rows, 0],
    End: [rows, 0],
  };
  const move = moves[key];
  if (!move || rows === 0 || columns === 0) return null;
  if (!at) return { row: 0, column: 0 };
  const clamp = (value: number, count: number): number => Math.min(Math.max(value, 0), count - 1);
  return { row: clamp(at.row + move[0], rows), column: clamp(at.column + move[1], columns) };
}

/** Scroll so that the cell is in view, below the head. */
export function reveal(box: HTMLElement | null, { row, column }: Cell, widths: readonly number[]): void {
  if (!box) return;
  const top = row * ROW_HEIGHT;
  const room = box.clientHeight - 2 * ROW_HEIGHT;
  if (top < box.scrollTop) box.scrollTop = top;
  else if (top > box.scrollTop + room) box.scrollTop = top - room;
  const left = widths.slice(0, column).reduce((sum, width) => sum + width, 0);
  const right = left + (widths[column] ?? 0);
  if (left < box.scrollLeft) box.scrollLeft = left;
  else if (right > box.scrollLeft + box.clientWidth) box.scrollLeft = right - box.clientWidth;
}
