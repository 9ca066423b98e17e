"""The tasks of `agents` by a model that writes cells, against the same version with one call for each answer."""

from __future__ import annotations

import time
from collections.abc import Iterator
from statistics import median
from typing import Any

from benchmarks.agent_runs.playing import play_tasks
from benchmarks.agent_runs.usage import Usage, usage_of
from benchmarks.figures import Figure
from benchmarks.peers import Peers
from benchmarks.sites import Sites
from skillbook.cells.crossing import from_plain, value_for_code
from skillbook.cells.sandbox import CellEnd, Sandbox, tool_of
from skillbook.io_thread import io

_MOST_CALLS, _MOST_TOKENS, _MOST_MS = 0.45, 0.5, 3.0
_CALLS = 200
_PEER = "one call for each answer"


def measure(peers: Peers, sites: Sites, rounds: int) -> Iterator[Figure]:
    """Model calls and effective tokens of all tasks, and what the sandbox adds to a call.

    Raises
    ------
    AssertionError : a task was not solved, or a cell failed, so that the figures say nothing.
    """
    folder = sites.folder / "agent_cells"
    folder.mkdir()
    by_calls, by_cells = (_play(folder / name, cells=name == "cells") for name in ("calls", "cells"))
    tasks = f"{len(by_cells)} tasks"
    one, code = _usage(by_calls), _usage(by_cells)
    made = sum(each["made"] for each in by_cells.values())
    took = [sum(each["seconds"] for each in played.values()) for played in (by_cells, by_calls)]
    yield Figure(
        "model calls with cells", tasks, code.calls, one.calls, "calls", "share", _MOST_CALLS,
        f"the cells make {made} calls of the page; {took[0]:.0f} s against {took[1]:.0f} s with a model that "
        "answers at once",
        peer=_PEER,
    )  # fmt: skip
    yield Figure(
        "effective tokens with cells", tasks, code.effective, one.effective, "tokens", "share", _MOST_TOKENS,
        f"input {code.input:,} against {one.input:,} tokens, output {code.output:,} against {one.output:,}",
        peer=_PEER,
    )  # fmt: skip
    yield Figure(
        "what the sandbox adds to a call", f"{_CALLS} calls", io.sync(_overhead(rounds)), None, "ms", "at most",
        _MOST_MS, "from a call in the code to the run's tool and arguments, and its value back into the code",
    )  # fmt: skip


def _play(folder: Any, *, cells: bool) -> dict[str, Any]:
    folder.mkdir()
    played = play_tasks(folder, cells=cells)
    bad = [name for name, one in played.items() if not one["solved"] or (cells and one["failed"])]
    assert not bad, f"not solved: {', '.join(bad)}"
    return played


def _usage(played: dict[str, Any]) -> Usage:
    return sum((usage_of(one["requests"], one["output_tokens"]) for one in played.values()), Usage())


async def _overhead(rounds: int) -> float:
    """Milliseconds for one call of a cell that is answered at once."""
    sandbox = Sandbox(time.time())
    took = []
    try:
        for _ in range(rounds):
            step = await sandbox.start(f"for n in range({_CALLS}):\n    page.text(f'row {{n}}')\n")
            began = time.perf_counter()
            while not isinstance(step, CellEnd):
                tool_of(step)
                step = await sandbox.answer(from_plain(value_for_code("a row of a table, as text")))
            took.append((time.perf_counter() - began) * 1000 / _CALLS)
    finally:
        await sandbox.close()
    return median(took)
