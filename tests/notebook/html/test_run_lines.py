"""A run in the terminal: one line for each step."""

from __future__ import annotations

import io
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.errors import NoMatch
from skillbook.notebook.html.object_views import RunLines
from skillbook.testing.scripted_model import ToolCall
from tests.agents.conftest import bench
from tests.agents.steps import LOOK, write
from tests.shown import after_reading

__all__ = ["bench"]
ROOT = Path(__file__).parents[3]


def lines_of(run: Run, go: Callable[[], object]) -> list[str]:
    """What a terminal shows of a run meanwhile."""
    stream = io.StringIO()
    with RunLines(run, stream):
        go()
    return stream.getvalue().splitlines()


def test_each_step_is_one_line_and_the_end_is_one(bench: Any) -> None:
    run = bench.run([LOOK, write("tea"), "done"], autonomy="all", max_steps=9)
    first, look, wrote, end = lines_of(run, run.run)
    assert first == "planning · the goal"
    assert look == 'executing · step 1/9 · look (where="here")'
    assert wrote == 'executing · step 2/9 · write (value="tea")'
    assert end.startswith("succeeded · 2 steps · 3 model calls, ")


def test_the_call_is_there_while_it_is_under_way(bench: Any) -> None:
    run = bench.run([write("tea"), "done"], autonomy="all")
    seen: list[str] = []

    async def during() -> None:
        seen.append(run.under_way)

    bench.desk.during = during
    run.run()
    assert seen == ['write (value="tea")']
    assert run.under_way == ""


def test_what_waits_fails_or_was_refused_is_said(bench: Any) -> None:
    bench.desk.fail = NoMatch("gone")
    run = bench.run([LOOK, write("tea"), "done"], autonomy="reads", max_steps=9)
    looked, waits = lines_of(run, run.run)[1:]
    assert looked == 'executing · step 1/9 · look (where="here") failed: no_match'
    assert waits.startswith("awaiting user · step 2/9 · PendingCall(write(value='tea')")
    refused, end = lines_of(run, lambda: after_reading(run).reject("no"))
    assert refused.endswith('step 2/9 · write (value="tea") rejected')
    assert end.startswith("failed · 2 steps")


def test_tasks_count_what_is_planned(bench: Any) -> None:
    tasks = [{"title": "Look"}, {"title": "Write"}]
    model = [
        ToolCall("plan", {"tasks": tasks}),
        ToolCall("plan", {"tasks": [{"id": 1, "status": "completed"}]}),
        write("tea"),
        "done",
        "done",
    ]
    run = bench.run(model, autonomy="all", max_steps=9)
    shown = lines_of(run, run.run)
    assert 'executing · 1 of 2 tasks completed · step 3/9 · write (value="tea")' in shown
    assert shown[-1].startswith("succeeded · 1 of 2 tasks completed · 3 steps")


def test_page_text_moves_no_cursor(bench: Any) -> None:
    run = bench.run([LOOK, ToolCall("\x1b[2Jlook\r\n", {"where": "\x1b[2J"}), "done"], autonomy="all")
    shown = lines_of(run, run.run)
    assert len(shown) == 4
    assert not any(sign in line for line in shown for sign in "\x1b\r")


def test_a_terminal_that_takes_nothing_holds_up_no_run(bench: Any) -> None:
    """Ctrl-S stops a terminal for as long as a person likes."""
    goes_on = threading.Event()

    class Stopped(io.StringIO):
        def write(self, text: str) -> int:
            goes_on.wait(10)
            return super().write(text)

    stream = Stopped()
    run = bench.run([write("tea"), "done"], autonomy="all")
    with RunLines(run, stream):
        run.run()
        assert bench.desk.written == ["tea"]
        assert stream.getvalue() == ""
        goes_on.set()
    assert "succeeded" in stream.getvalue()


IN_A_TERMINAL = """
import skillbook as sb
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import serve_site

with serve_site("shop") as shop, sb.launch() as browser:
    page = browser.open(shop.url)
    print("opened", flush=True)
    model = ScriptedModel([
        ToolCall("fill", {"target": "searchbox 'Search products'", "value": "lamp"}),
        ToolCall("click", {"target": "button 'Search'"}),
        ToolCall("click", {"target": "link 'Stores'"}),
        "Done.",
    ])
    run = sb.agent(page, "Be at the stores", model=model, autonomy="all", max_steps=9).run()
    model = ScriptedModel([ToolCall("fill", {"target": "searchbox", "value": "tea"})])
    assert sb.agent(page, "Go on", model=model).run().status == "waiting"
"""


@pytest.mark.browser
@pytest.mark.parametrize("quiet", ["0", pytest.param("1", marks=pytest.mark.more)])
def test_in_a_real_terminal(quiet: str, tmp_path: Path) -> None:
    """Plain Python in a terminal: `run.run()` says where it is, unless it is to be quiet."""
    ours, theirs = pty.openpty()
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    env |= {"PYTHONPATH": str(ROOT), "SKILLBOOK_HOME": str(tmp_path), "SKILLBOOK_QUIET": quiet}
    with subprocess.Popen(
        [sys.executable, "-c", IN_A_TERMINAL], stdin=theirs, stdout=theirs, stderr=theirs, env=env
    ) as process:
        os.close(theirs)
        shown = read_all(ours)
    # A launch that lasts has a line of its own.
    shown = shown.partition("opened")[2].lstrip("\r\n")
    assert process.returncode == 0, shown
    if quiet == "1":
        assert shown == ""
        return
    assert len(shown.splitlines()) == 7, shown
    first, fill, click, stores, end, again, waits = shown.splitlines()
    assert first == "planning · Be at the stores"
    assert fill == "executing · step 1/9 · fill searchbox 'Search products' (value=\"lamp\")"
    assert click == "executing · step 2/9 · click button 'Search' → /search?q=lamp"
    assert stores == "executing · step 3/9 · click link 'Stores' → /stores"
    assert end.startswith("succeeded · 3 steps · 4 model calls, ")
    assert again == "planning · Go on"
    assert waits.startswith("awaiting user · step 1/50 · PendingCall(fill(")


def read_all(terminal: int) -> str:
    """What comes out of a pseudo-terminal until its other end is closed."""
    parts = []
    with suppress(OSError):  # Linux says so at the end
        while part := os.read(terminal, 65536):
            parts.append(part)
    os.close(terminal)
    return b"".join(parts).decode().replace("\r\n", "\n")


def test_looking_on_keeps_run_from_waiting_for_nobody(bench: Any) -> None:
    """Without a panel nobody could decide: `run()` comes back at the first call."""
    run = bench.run([write("tea"), "done"])
    lines_of(run, run.run)
    assert run.status == "waiting"
