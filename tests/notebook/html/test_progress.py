"""One line of progress."""

from __future__ import annotations

import asyncio
import io
import threading
from typing import Any

import pytest

from skillbook.extraction.walking.partial_result import PartialResult
from skillbook.hooks import hooks
from skillbook.io_thread import io as blocking
from skillbook.notebook.display_wiring import progress_line
from skillbook.notebook.html.progress import Progress, progress_html
from skillbook.session.awaited_call import AwaitedCall
from skillbook.skill.replay.skill_result import StepOutcome


class Handle:
    def __init__(self) -> None:
        self.updates: list[dict[str, str]] = []

    def update(self, bundle: dict[str, str], raw: bool = False, metadata: object = None) -> None:
        assert raw
        self.updates.append(bundle)


@pytest.fixture
def handle(monkeypatch: pytest.MonkeyPatch) -> Handle:
    handle = Handle()

    def display(bundle: dict[str, str], raw: bool, display_id: bool, metadata: object) -> Handle:
        assert raw
        assert display_id
        handle.updates.append(bundle)
        return handle

    monkeypatch.setattr("IPython.display.display", display)
    return handle


def test_the_notebook_has_one_line_with_few_updates(handle: Handle) -> None:
    with Progress("Reading pages", 1000, mode="notebook") as progress:
        for number in range(1000):
            progress.advance(note=f"page {number}")
    assert len(handle.updates) < 10
    assert handle.updates[-1]["text/plain"] == "Reading pages: 1000/1000 · page 999"
    assert 'value="1.000"' in handle.updates[-1]["text/html"]


def test_notes_from_pages_are_escaped() -> None:
    progress = Progress("Reading", mode="quiet")
    progress.advance(note="<script>$x$</script>\n")
    html = progress_html(progress)
    assert "<script" not in html
    assert "⏎" in html
    assert "$x$" not in html


def test_an_error_ends_the_line_and_goes_on(handle: Handle) -> None:
    def read() -> None:
        with Progress("Reading", 3, mode="notebook") as progress:
            progress.advance()
            raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        read()
    assert handle.updates[-1]["text/plain"] == "Reading: 1/3 failed"


def test_quiet_says_nothing(handle: Handle, capsys: Any) -> None:
    with Progress("Reading", 3, mode="quiet") as progress:
        progress.advance(3)
    assert handle.updates == []
    assert capsys.readouterr() == ("", "")


def test_the_terminal_gets_a_bar(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with Progress("Reading [pages]", 2, mode="terminal") as progress:
        progress.advance(2, note="[bold]last")
    assert "Reading [pages]" in stream.getvalue()
    assert "[bold]last" in stream.getvalue()
    assert "2/2" in stream.getvalue()


def test_it_follows_pages_and_steps() -> None:
    pages = Progress("Reading", mode="quiet")
    pages.on_page(1, 12)
    pages.on_page(2, 24)
    assert str(pages) == "Reading: 2 · 24 rows"
    steps = Progress("Skill", 4, mode="quiet")
    steps.on_step(StepOutcome(3, "click", "ok", target="button 'Next'"))
    assert str(steps) == "Skill: 3/4 · click button 'Next'"


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    seconds = [100.0]
    monkeypatch.setattr("skillbook.session.awaited_call.time.monotonic", lambda: seconds[0])
    monkeypatch.setattr("skillbook.notebook.html.progress.time.monotonic", lambda: seconds[0])
    monkeypatch.setattr(hooks, "progress_line", progress_line)
    monkeypatch.setattr("skillbook.notebook.display_wiring.display_mode", lambda: "notebook")
    return seconds


def test_a_read_says_where_it_is_and_what_it_waits_for_once_it_lasts(
    handle: Handle, clock: list[float]
) -> None:
    read = PartialResult()
    with AwaitedCall(read) as look:
        clock[0] += 1.9
        look()
        assert handle.updates == []
        clock[0] += 0.2
        look()
        assert handle.updates[-1]["text/plain"] == "Reading page: 1 · 0 rows so far, waiting for the page"
        clock[0] += 1
        read.count(3, 1200)
        read.awaits = "page 4"
        look()
        assert handle.updates[-1]["text/plain"] == "Reading page: 3 · 1,200 rows so far, waiting for page 4"
        read.awaits = ""
    assert handle.updates[-1]["text/plain"] == "Reading page: 3 · 1,200 rows"


def test_a_short_call_says_nothing(handle: Handle, clock: list[float]) -> None:
    for read in (PartialResult(), None):
        with AwaitedCall(read) as look:
            look()
    assert handle.updates == []


def test_a_skill_that_lasts_says_which_step_was_the_last(handle: Handle, clock: list[float]) -> None:
    with AwaitedCall() as look:
        look.on_step(StepOutcome(3, "click", "ok", target="button 'Next'"))
        clock[0] += 3
        shown = threading.Event()

        def show() -> None:
            look()
            shown.set()

        blocking.sync(asyncio.to_thread(shown.wait), meanwhile=show)
    assert "3 s · step 3: click button 'Next'" in handle.updates[-1]["text/plain"]


def test_a_long_read_has_a_line_in_the_terminal(monkeypatch: pytest.MonkeyPatch, clock: list[float]) -> None:
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr("skillbook.notebook.display_wiring.display_mode", lambda: "terminal")
    read = PartialResult()
    read.count(2, 20)
    read.awaits = "page 3"
    with AwaitedCall(read) as look:
        clock[0] += 3
        look()
    assert "Reading page" in stream.getvalue()
    assert "20 rows" in stream.getvalue()
