"""Clicks, fills, hovers and reads by ref beside those of Stagehand's driver, which needs no model for them."""

from __future__ import annotations

import json
import shutil
import time
import urllib.request
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from statistics import median

from benchmarks.figures import Figure
from benchmarks.pages import write_page
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from benchmarks.states import NotThere, cache_folder, run_quietly
from skillbook.session.sync import Page

STAGEHAND = "@browserbasehq/stagehand@3.7.3"
_SIZES = (100, 1_000, 10_000)
_SECONDS = 300
_GOAL = 1 / 1.2
_WORKER = Path(__file__).resolve().parents[1] / "foreign/stagehand_actions.mjs"


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Theirs in a Node process over CDP, by CSS; ours in between, on the same browser and page.

    Raises
    ------
    NotThere : it can't be installed here, or doesn't answer.
    """
    worker = _install()
    with urllib.request.urlopen(f"{peers.endpoint}/json/version") as answer:
        endpoint = str(json.load(answer)["webSocketDebuggerUrl"])
    for size in _SIZES:
        url, label = sites.page(write_page(sites.folder, size)), f"{size:,} elements"
        before = _theirs(worker, endpoint, rounds, url)
        with peers.open(url, label, "#probe") as tab:
            mine = {name: _timed(act, rounds) for name, act in _ours(tab.ours).items()}
        after = _theirs(worker, endpoint, rounds, url)
        for name, took in mine.items():
            yield Figure(
                f"{'get text' if name == 'text' else name} by ref, beside another driver",
                label,
                took,
                median([*before[name], *after[name]]),
                "ms",
                "faster",
                _GOAL,
                "a Node process over CDP, by CSS; before and after ours",
                STAGEHAND.rpartition("/")[2],
            )


def _ours(page: Page) -> dict[str, Callable[[], object]]:
    snapshot, numbers = page.snapshot(timeout=_SECONDS), count()
    field = str(snapshot.find("textbox 'Search'").ref)
    button = str(next(node.ref for node in snapshot.elements if node.role == "button"))
    return {
        "click": lambda: page.click(button),
        "fill": lambda: page.fill(field, f"ours {next(numbers)}"),
        "hover": lambda: page.hover(button),
        "text": lambda: page.text(button),
    }


def _timed(act: Callable[[], object], rounds: int) -> float:
    took = []
    for _ in range(rounds + 1):
        began = time.perf_counter()
        act()
        took.append((time.perf_counter() - began) * 1000)
    return median(took[1:])


def _install() -> Path:
    """The worker, in a folder that has the package."""
    npm, folder = shutil.which("npm"), cache_folder() / "stagehand"
    if npm is None:
        raise NotThere("npm isn't there")
    folder.mkdir(parents=True, exist_ok=True)
    if not (folder / "node_modules/@browserbasehq").exists():
        run_quietly([npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder), STAGEHAND])
    return Path(shutil.copy(_WORKER, folder))


def _theirs(worker: Path, endpoint: str, rounds: int, url: str) -> dict[str, list[float]]:
    said = run_quietly(["node", str(worker), endpoint, str(rounds), url])
    lines = [line for line in said.splitlines() if line.startswith('{"took"')]
    if not lines:
        raise NotThere(f"Stagehand measured nothing: {said[-200:]}")
    took: dict[str, list[float]] = json.loads(lines[-1])["took"]
    return took
