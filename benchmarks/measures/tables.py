"""A large table to a DataFrame."""

from __future__ import annotations

import io
import tracemalloc
from collections.abc import Callable, Iterator

import pandas as pd

import skillbook as sb
from benchmarks.figures import Figure, race
from benchmarks.pages import write_table
from benchmarks.peers import Peers, Tab
from benchmarks.sites import Sites

_FEW_ROWS, _ROWS, _MANY_ROWS = 1_000, 10_000, 100_000
_LOOPED = 200
_PARSER = "pandas.read_html(page.content())"


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """`sb.tables` beside `pandas.read_html` by size, and beside a loop over locators."""
    for rows in (_FEW_ROWS, _ROWS, _MANY_ROWS):
        label = f"table of {rows:,} rows"
        with peers.open(sites.page(write_table(sites.folder, rows)), label, "tbody tr:last-child") as tab:
            yield from _measure_rows(tab, rows, rounds)


def _measure_rows(tab: Tab, rows: int, rounds: int) -> Iterator[Figure]:
    def loop() -> None:
        for row in tab.theirs.locator(f"tbody tr:nth-child(-n + {_LOOPED})").all():
            row.locator("td").all_inner_texts()

    def read() -> pd.DataFrame:
        return sb.tables(tab.ours)[0]

    def read_html() -> pd.DataFrame:
        return pd.read_html(io.StringIO(tab.theirs.content()))[0]

    frame, peer = read(), read_html()
    if frame.shape != peer.shape or frame.iloc[:, 1].tolist() != peer.iloc[:, 1].tolist():
        raise AssertionError(f"{frame.shape} is not {peer.shape}")
    ours, parsed = race(read, read_html, rounds)
    yield Figure("table to DataFrame", tab.label, ours, parsed, "ms", "faster", 1, "", _PARSER)
    if rows == _ROWS:
        _, looped = race(lambda: None, loop, 3)
        note = f"timed on {_LOOPED} rows and scaled: every row costs the loop the same round trips"
        looped *= _ROWS / _LOOPED
        loop_name = "Playwright's locator loop"
        yield Figure("table to DataFrame", tab.label, ours, looped, "ms", "faster", 5, note, loop_name)
    if rows == _MANY_ROWS:
        measure, note = "table to DataFrame: memory at the highest", "Python's allocations"
        most, theirs = _peak(read), _peak(read_html)
        yield Figure(measure, tab.label, most, theirs, "MB", "share", 2, note, _PARSER)


def _peak(read: Callable[[], pd.DataFrame]) -> float:
    """Megabytes at the highest."""
    tracemalloc.start()
    try:
        read()
        return tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
