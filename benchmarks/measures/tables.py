"""A large table to a DataFrame."""

from __future__ import annotations

import io
import time
import tracemalloc
from collections.abc import Callable, Iterator

import pandas as pd

import skillbook as sb
from benchmarks.figures import Figure, race
from benchmarks.pages import write_table
from benchmarks.peers import Peers
from benchmarks.sites import Sites

_ROWS = 10_000
_LOOPED = 200
_MANY_ROWS = 100_000


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """`sb.tables` beside a loop over locators and `pandas.read_html`."""
    label = f"table of {_ROWS:,} rows"
    with peers.open(sites.page(write_table(sites.folder, _ROWS)), label, "tbody tr:last-child") as tab:

        def loop() -> None:
            for row in tab.theirs.locator(f"tbody tr:nth-child(-n + {_LOOPED})").all():
                row.locator("td").all_inner_texts()

        def read_html() -> pd.DataFrame:
            return pd.read_html(io.StringIO(tab.theirs.content()))[0]

        frame, peer = sb.tables(tab.ours)[0], read_html()
        if frame.shape != peer.shape or frame.iloc[:, 1].tolist() != peer.iloc[:, 1].tolist():
            raise AssertionError(f"{frame.shape} is not {peer.shape}")
        ours, parsed = race(lambda: sb.tables(tab.ours), read_html, rounds)
        _, looped = race(lambda: None, loop, 3)
    note = f"timed on {_LOOPED} rows and scaled: every row costs the loop the same round trips"
    looped *= _ROWS / _LOOPED
    yield Figure(
        "table to DataFrame", label, ours, looped, "ms", "faster", 5, note, "Playwright's locator loop"
    )
    yield Figure(
        "table to DataFrame", label, ours, parsed, "ms", "faster", 1, "", "pandas.read_html(page.content())"
    )
    yield from _measure_many(peers, sites)


def _measure_many(peers: Peers, sites: Sites) -> Iterator[Figure]:
    """A table of very many rows: time and memory once each, `pandas.read_html` right after."""
    label = f"table of {_MANY_ROWS:,} rows"
    page = sites.page(write_table(sites.folder, _MANY_ROWS))
    with peers.open(page, label, "tbody tr:last-child") as tab:
        frame, ours, our_peak = _timed(lambda: sb.tables(tab.ours)[0])
        peer, theirs, their_peak = _timed(lambda: pd.read_html(io.StringIO(tab.theirs.content()))[0])
        if frame.shape != peer.shape or frame.iloc[:, 1].tolist() != peer.iloc[:, 1].tolist():
            raise AssertionError(f"{frame.shape} is not {peer.shape}")
    name = "pandas.read_html(page.content())"
    yield Figure("table to DataFrame", label, ours, theirs, "ms", "faster", 1, "", name)
    memory = "table to DataFrame: memory at the highest"
    yield Figure(
        memory,
        label,
        our_peak,
        their_peak,
        "MB",
        "share",
        2,
        "Python's allocations; every cell keeps where it came from",
        name,
    )


def _timed(read: Callable[[], pd.DataFrame]) -> tuple[pd.DataFrame, float, float]:
    """The frame, milliseconds without tracing, and megabytes at the highest in a second reading."""
    began = time.perf_counter()
    frame = read()
    took = 1000 * (time.perf_counter() - began)
    tracemalloc.start()
    try:
        read()
        return frame, took, tracemalloc.get_traced_memory()[1] / 1e6
    finally:
        tracemalloc.stop()
