"""A grid that renders only the rows and columns in view, read whole."""

from __future__ import annotations

import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import skillbook as sb
from benchmarks.figures import Figure
from benchmarks.peers import Peers, Tab
from benchmarks.sites import ROOT, Sites

_ROWS, _COLUMNS = 10_000, 14
_GRID = """<!doctype html><meta charset=utf-8><title>Orders</title>
<script src="ag/ag-grid-community.min.js"></script><h1>Orders</h1>
<div id=grid style="height:900px;width:1100px"></div><script>
const columnDefs = Array.from({length: COLUMNS}, (_, c) => ({field: 'c' + c, headerName: 'Col ' + c, width: 150}));
const rowData = Array.from({length: ROWS}, (_, n) =>
  Object.fromEntries(columnDefs.map((column, c) => [column.field, `r${n}c${c}`])));
agGrid.createGrid(document.querySelector('#grid'), {rowData, columnDefs});
</script>"""
# What a person writes for this very grid: its attributes number rows and columns, and two frames are enough for it to
# render where it was scrolled to.
_READ = """async ([down, right]) => {
  const boxes = [];
  for (let up = document.querySelector('.ag-row').parentElement; up; up = up.parentElement) boxes.push(up);
  const scrolls = (box) => getComputedStyle(box).overflow !== 'visible';
  const body = boxes.find((box) => box.scrollHeight > box.clientHeight + 100 && scrolls(box));
  const wide = boxes.find((box) => box.scrollWidth > box.clientWidth + 100 && scrolls(box));
  body.scrollTop = down;
  wide.scrollLeft = right;
  for (let i = 0; i < 2; i++) await new Promise((done) => requestAnimationFrame(done));
  const cells = [...document.querySelectorAll('.ag-row .ag-cell')].map((cell) =>
    [cell.closest('.ag-row').getAttribute('row-index'), cell.getAttribute('aria-colindex'), cell.innerText]);
  return [cells, body.clientHeight, body.scrollHeight];
}"""
_NAMED, _NAMED_AT = ["Col 1", "Col 4"], (1, 4)
_RIGHT = (0, 700, 1400)  # pixels: all columns are in view at one of these


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """`sb.extract(scroll=True)` beside a loop written for this grid; both must come out exact."""
    source = ROOT / "tests/apps/node_modules/ag-grid-community/dist"
    _write(source, sites.folder)
    label = f"grid of {_ROWS:,} rows and {_COLUMNS} columns"
    with peers.open(sites.page("grid.html"), label, ".ag-cell") as tab:
        read, ours = _timed(lambda: sb.extract(tab.ours, scroll=True).to_numpy().tolist())
        _check(read)
        looped, theirs = _timed(lambda: _loop(tab))
        _check(looped)
        # The loop leaves the grid scrolled to its right.
        some, named = _timed(lambda: sb.extract(tab.ours, columns=_NAMED, scroll=True).to_numpy().tolist())
        _check(some, _NAMED_AT)
    note = "any grid, without a word about it; the loop knows this one's classes and when it has rendered"
    peer = "Playwright loop for this grid"
    yield Figure("virtual grid to DataFrame", label, ours, theirs, "ms", "faster", 2, note, peer)
    note = f"{' and '.join(_NAMED)}; the loop reads all columns"
    yield Figure("virtual grid: named columns", label, named, theirs, "ms", "faster", 5, note, peer)


def _write(source: Path, folder: Path) -> None:
    if not source.exists():
        raise FileNotFoundError("ag-grid-community isn't installed: `python tests/apps/install.py` does it")
    shutil.copytree(source, folder / "ag", dirs_exist_ok=True)
    page = _GRID.replace("ROWS", str(_ROWS)).replace("COLUMNS", str(_COLUMNS))
    (folder / "grid.html").write_text(page, encoding="utf-8")


def _loop(tab: Tab) -> list[list[str]]:
    found: dict[tuple[int, int], str] = {}
    for right in _RIGHT:
        down, height = 0, 1
        while down < height:
            cells, seen, height = tab.theirs.evaluate(_READ, [down, right])
            found.update({(int(row), int(column)): text for row, column, text in cells})
            down += int(0.8 * seen)
    return [[found.get((row, column), "") for column in range(1, _COLUMNS + 1)] for row in range(_ROWS)]


def _check(read: list[list[str]], columns: Sequence[int] = range(_COLUMNS)) -> None:
    wanted = [[f"r{row}c{column}" for column in columns] for row in range(_ROWS)]
    if read != wanted:
        wrong = sum(one != other for one, other in zip(read, wanted, strict=False))
        raise AssertionError(f"{wrong + abs(len(read) - len(wanted)):,} rows are wrong")


def _timed(read: Callable[[], list[list[str]]]) -> tuple[list[list[str]], float]:
    began = time.perf_counter()
    rows = read()
    return rows, 1000 * (time.perf_counter() - began)
