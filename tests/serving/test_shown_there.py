"""Side panel, terminal and other programs decide only on the question that they showed (fault 65)."""

from __future__ import annotations

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.question_queue import SIDE_PANEL, Place
from skillbook.errors import ApprovalPending
from skillbook.io_thread import io
from skillbook.mcp_server.client_limits import ClientLimits
from skillbook.mcp_server.client_work import ClientWork
from skillbook.protocol.asks.run_asks import Decided, DecideParams
from skillbook.serving.runs.agent_runs import AgentRun
from skillbook.serving.runs.served_run import ServedRun
from skillbook.serving.terminal import own_verbs
from skillbook.serving.terminal.terminal_run import Given, VerbAnswer
from tests.agents.conftest import Bench, bench
from tests.agents.steps import settle, write

__all__ = ["bench"]

OURS, THEIRS = Place("in a terminal", "ours"), Place("in a terminal", "theirs")


@pytest.fixture
def run(bench: Bench) -> Run:
    return settle(bench.run([write("tea"), write("gin"), "done"]).start())


def on_io(work: Callable[[], Any]) -> Any:
    """Do something on the I/O thread."""

    async def do() -> Any:
        return work()

    return io.sync(do())


def approve(served: ServedRun, question: str, place: Place = SIDE_PANEL) -> Decided:
    decided: Decided = on_io(
        lambda: served.decide(DecideParams(run=served.id, question=question, decision="approve"), place)
    )
    return decided


def test_a_place_that_showed_no_question_decides_none(bench: Bench, run: Run) -> None:
    served = AgentRun(run)
    question = run.pending.id  # type: ignore[union-attr]
    assert on_io(served.view).question.id == question
    with pytest.raises(ApprovalPending, match="wasn't shown in the side panel"):
        approve(served, question)
    on_io(lambda: served.shown_view(OURS))
    for place in (SIDE_PANEL, THEIRS):
        with pytest.raises(ApprovalPending):
            approve(served, question, place)
    assert bench.desk.written == []
    assert approve(served, question, OURS).taken
    io.sync(run._stepper.settled())
    assert bench.desk.written == ["tea"]


def test_a_shown_question_that_is_gone_decides_nothing(bench: Bench, run: Run) -> None:
    served = AgentRun(run)
    first = on_io(served.shown_view).question.id
    run.approve(expect="write")
    assert not approve(served, first).taken
    with pytest.raises(ApprovalPending):
        approve(served, run.pending.id)  # type: ignore[union-attr]
    assert bench.desk.written == ["tea"]


def test_a_program_decides_only_on_what_it_showed(bench: Bench, run: Run) -> None:
    work = ClientWork(cast(Any, None), "Tester", ClientLimits(), cells=False)
    work.run = run
    question = run.pending
    assert question is not None
    with pytest.raises(ApprovalPending, match="wasn't shown in Tester"):
        on_io(lambda: work.answer(question.id, "approve", ""))
    assert bench.desk.written == []
    on_io(lambda: work.note_shown(question))
    assert on_io(lambda: work.answer(question.id, "approve", ""))


def test_a_program_that_cant_ask_refuses_without_showing(bench: Bench, run: Run) -> None:
    work = ClientWork(cast(Any, None), "Tester", ClientLimits(), cells=False)
    work.run = run
    question = run.pending
    assert question is not None
    on_io(lambda: work.refuse(question, "nobody could be asked"))
    io.sync(run._stepper.settled())
    assert run.records[0].was_declined
    assert run.answer_to(question.id) == (
        {"type": "respond", "message": "nobody could be asked"},
        "without a person",
    )


def test_a_terminal_without_a_person_rejects_only_what_it_has_shown(
    run: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    served = AgentRun(run)

    async def waiting(given: Given) -> list[ServedRun]:
        return [served]

    monkeypatch.setattr(own_verbs, "_questions", waiting)
    given = cast(
        Given,
        SimpleNamespace(call=SimpleNamespace(has_person=False), run=SimpleNamespace(place=OURS), args={}),
    )

    def reject() -> VerbAnswer:
        return io.sync(own_verbs._decide(given, "reject"))

    first = run.pending
    answer = reject()
    assert answer.code == 4
    assert "wasn't shown here before" in answer.text
    assert run.pending is first
    assert reject().code == 0
    io.sync(run._stepper.settled())
    assert run.records[0].was_declined


def test_a_terminal_rejects_what_its_status_has_shown(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    served = AgentRun(run)

    async def waiting(given: Given) -> list[ServedRun]:
        return [served]

    monkeypatch.setattr(own_verbs, "_questions", waiting)
    browser = SimpleNamespace(server=SimpleNamespace(status=SimpleNamespace(state="connected")))
    terminal = SimpleNamespace(place=OURS, page=None, browser=browser)
    given = cast(Given, SimpleNamespace(call=SimpleNamespace(has_person=False), run=terminal, args={}))
    assert len(io.sync(own_verbs._status(given)).data["waiting"]) == 1
    assert io.sync(own_verbs._decide(given, "reject")).code == 0
    io.sync(run._stepper.settled())
    assert run.records[0].was_declined
