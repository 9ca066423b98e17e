"""From nothing to a page that can be driven."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from statistics import median

import skillbook as sb
from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from skillbook.launcher import find_chromium


def measure(peers: Peers, _: Sites, rounds: int) -> Iterator[Figure]:
    """`sb.launch` beside Playwright's launch of the same Chromium; in turns, for others use the machine too."""

    @contextmanager
    def theirs() -> Iterator[None]:
        kind = peers.context.browser.browser_type  # type: ignore[union-attr]
        args = ["--no-sandbox", "--disable-gpu"]
        browser = kind.launch(executable_path=str(find_chromium().path), args=args)
        browser.new_page()
        yield
        browser.close()

    times = [(_ready(lambda: sb.launch(headless=True)), _ready(theirs)) for _ in range(rounds)]
    ours, peer = (1000 * median(column) for column in zip(*times, strict=True))
    note = "until the extension's worker has dialled; closing isn't counted"
    yield Figure("start of a browser", "an empty page", ours, peer, "ms", "share", 2, note)


def _ready(start: Callable[[], AbstractContextManager[object]]) -> float:
    began = time.perf_counter()
    with start():
        return time.perf_counter() - began
