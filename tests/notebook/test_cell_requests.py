"""When a cell was requested, whatever its client's clock says, and whether its client sends cells at once."""

from __future__ import annotations

from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from skillbook.notebook import cell_requests
from skillbook.notebook.cell_requests import RequestTimes, running_request

SKEW = st.floats(-86_400, 86_400)


@given(skew=SKEW, delays=st.lists(st.floats(0.001, 0.1), min_size=1, max_size=9))
def test_a_wrong_clock_does_no_harm(skew: float, delays: list[float]) -> None:
    """The date is by the client's clock; what comes out is the kernel's time, between sending and arrival."""
    times = RequestTimes()
    for number, delay in enumerate(delays):
        sent = 1_000_000.0 + number
        corrected = times.sent("lab", sent + skew, sent + delay)
        assert sent - 1e-6 <= corrected <= sent + delay + 1e-6


@given(skew=SKEW, waits=st.floats(0.2, 100.0))
def test_a_cell_that_waited_behind_another_was_sent_before_that_one_showed_anything(
    skew: float, waits: float
) -> None:
    times = RequestTimes()
    times.sent("lab", 1_000.0 + skew, 1_000.01)  # approve, which takes its time and shows the next question
    shown = 1_000.01 + waits
    queued = times.sent("lab", 1_000.15 + skew, shown + 0.01)
    assert queued < shown
    later = times.sent("lab", shown + 0.3 + skew, shown + 0.31)
    assert later > shown


def test_each_client_has_a_clock_of_its_own() -> None:
    times = RequestTimes()
    times.sent("slow", 0.0, 1_000.0)
    assert times.sent("right", 1_005.0, 1_005.25) == 1_005.25
    assert times.sent("slow", 5.0, 1_005.5) == 1_005.0


class Events:
    def __init__(self, *callbacks: Any) -> None:
        self.callbacks = {"pre_execute": list(callbacks)}

    def register(self, name: str, callback: Any) -> None:
        self.callbacks[name].append(callback)


def in_shell(monkeypatch: pytest.MonkeyPatch, message: dict[str, Any] | None) -> None:
    events = Events(cell_requests.note_cell)
    kernel = object() if message is not None else None
    running = SimpleNamespace(kernel=kernel, parent_header=message, events=events)
    monkeypatch.setattr(cell_requests, "shell", lambda: running)
    monkeypatch.setattr(cell_requests, "in_kernel", lambda: kernel is not None)


def execute_request(**metadata: Any) -> dict[str, Any]:
    header = {"msg_type": "execute_request", "session": "s", "date": datetime(2026, 1, 1, tzinfo=UTC)}
    return {"header": header, "metadata": metadata}


def test_there_is_no_request_outside_of_notebooks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cell_requests, "shell", lambda: None)
    assert running_request() is None


def test_jupyterlab_sends_cells_at_once_and_others_may_not(monkeypatch: pytest.MonkeyPatch) -> None:
    for metadata, at_once in [
        ({"cellId": "a", "deletedCells": [], "recordTiming": False}, True),  # JupyterLab 4.6, Notebook 7
        ({"cellId": "vscode-notebook-cell:/a.ipynb#W1"}, False),
        ({}, False),  # nbclient, papermill, nbval
    ]:
        in_shell(monkeypatch, execute_request(**metadata))
        request = running_request()
        assert request is not None
        assert request[1] is at_once


def test_a_click_on_a_widget_is_a_persons(monkeypatch: pytest.MonkeyPatch) -> None:
    message = execute_request()
    message["header"]["msg_type"] = "comm_msg"
    in_shell(monkeypatch, message)
    request = running_request()
    assert request is not None
    assert request[1]


def test_plain_ipython_counts_from_the_beginning_of_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    in_shell(monkeypatch, None)
    cell_requests.note_cell()
    first = running_request()
    assert running_request() == first
    cell_requests.note_cell()
    second = running_request()
    assert first is not None
    assert second is not None
    assert second[0] > first[0]


def test_a_shell_that_began_later_is_followed_from_then_on(monkeypatch: pytest.MonkeyPatch) -> None:
    events = Events()
    monkeypatch.setattr(cell_requests, "shell", lambda: SimpleNamespace(events=events))
    request = running_request()
    assert request is not None
    assert not request[1]
    assert events.callbacks["pre_execute"] == [cell_requests.note_cell]
