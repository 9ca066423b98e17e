"""How long a command of a terminal takes, each a process of its own, with `skillbook serve` and without."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from tempfile import TemporaryDirectory

from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites

_FIRST_MS = _HELP_MS = 250.0
_SECONDS = 60.0
_LATER = 5
_SERVE = """
import sys, skillbook as sb
with sb.serve(launch=True, headless=True, wait=False) as service:
    service.browser.open(sys.argv[1])
    print("open", flush=True)
    sys.stdin.read()
"""
_COMMAND = [sys.executable, "-m", "skillbook.cli"]


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Read a page of a browser that is served, as the service's first command and later; and a verb's help."""
    (sites.folder / "orders.html").write_text(
        "<title>Orders</title><h1>Orders</h1><label>Name <input></label><button>Save</button>"
    )
    first, later, helped, empty = [], [], [], []
    for _ in range(rounds):
        with TemporaryDirectory() as name:
            home = Path(name)
            with _served(home, sites.page("orders.html")):
                first.append(_timed([*_COMMAND, "snapshot"], home))
                later += [_timed([*_COMMAND, "snapshot"], home) for _ in range(_LATER)]
            helped.append(_timed([*_COMMAND, "click", "--help"], home))
            empty.append(_timed([sys.executable, "-c", "pass"], home))
    floor = f"an empty Python process took {median(empty):.0f} ms here; the quickest of {{}} {{:.0f}} ms"
    for measured, times in (("first command after a start", first), ("snapshot", later)):
        yield Figure(
            f"terminal: {measured}", "a short page", median(times), None, "ms", "at most", _FIRST_MS,
            floor.format(len(times), min(times)),
        )  # fmt: skip
    yield Figure(
        "terminal: help without a service", "", median(helped), None, "ms", "at most", _HELP_MS,
        floor.format(len(helped), min(helped)),
    )  # fmt: skip


@contextmanager
def _served(home: Path, url: str) -> Iterator[None]:
    """A service of its own that shows a page, and has answered no terminal yet."""
    process = subprocess.Popen(
        [sys.executable, "-c", _SERVE, url], env=_env(home), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )  # fmt: skip
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        if process.stdout.readline() != "open\n":
            raise AssertionError("the service didn't start")
        yield
    finally:
        process.stdin.close()
        process.wait(_SECONDS)


def _timed(command: Sequence[str], home: Path) -> float:
    """The milliseconds of a process."""
    began = time.perf_counter()
    done = subprocess.run(
        command, env=_env(home), capture_output=True, text=True, timeout=_SECONDS, check=False
    )
    took = 1000 * (time.perf_counter() - began)
    assert done.returncode == 0, done.stderr
    return took


def _env(home: Path) -> dict[str, str]:
    return {**os.environ, "SKILLBOOK_HOME": str(home)}
