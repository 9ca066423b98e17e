"""What a cell can't use up: the run goes on after it, with the variables of the cells before."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from functools import partial

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state import run_cells
from skillbook.cells.sandbox import Sandbox
from skillbook.session.sync import Page
from tests.shown import after_reading

PAGE = "<h1>Lamps</h1><ul><li>one</li><li>two</li></ul>"


def test_a_cell_that_is_ended_ends_no_run(
    start_cells: Callable[..., Run], serve_html: Callable[[str], Page], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(run_cells, "MOST_CALLS", 3)
    monkeypatch.setattr(run_cells, "Sandbox", partial(Sandbox, seconds=0.5))
    run = start_cells(
        "kept = page.count('listitem')\nseen = [page.text('heading')]",
        "while True:\n    pass",
        "text = 'a' * 10**10",
        "for n in range(9):\n    page.count('listitem')",
        "print('x' * 10_000)",
        "import os\nos.getpid()",
        "page.count('heading')\nseen.append('x')",
        "[kept, seen]",
        page=serve_html(PAGE),
    )
    run.start()
    run._do(run._stepper.settled())
    for _ in range(5):
        after_reading(run).approve()
    assert run.pending is not None
    assert "seen.append('x')" in run.pending.args["code"]  # the sixth cell was refused before it ran
    after_reading(run).approve(stepping=True)
    assert run._context.cells is not None
    process = run._context.cells._sandbox.process  # type: ignore[union-attr]
    os.kill(process, signal.SIGKILL)
    run.step()
    after_reading(run).approve()
    assert run.status == "succeeded", run.error
    results = [step.result for step in run.records if step.tool == "run_cell"]
    assert "time limit" in results[1]
    assert "memory limit" in results[2]
    assert "a cell makes at most 3 calls" in results[3]
    assert "x" * 4000 in results[4]
    assert "… and 6,001 more characters" in results[4]
    assert "no member `getpid`" in results[5]
    assert "the sandbox ended" in results[6]
    for lost in (results[1], results[2], results[3], results[6]):
        assert "Its variables are lost; those of earlier cells are kept." in lost
    assert "[2, ['Lamps']]" in results[7]
    assert run._context.cells._sandbox is None  # nothing of it is left behind
