"""Nobody decides on a question that wasn't shown to them before (fault 65)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.question_queue import NOTEBOOK_PANEL, OUTPUTS
from skillbook.agents.state.step_records import PendingCall, StepRecord
from skillbook.errors import ApprovalPending, NothingPending
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ToolCall
from tests.agents.steps import LOOK, settle, write
from tests.shown import after_reading

Ways = dict[str, Callable[[Run], object]]
DECIDING: Ways = {
    "approve": lambda run: run.approve(),
    "edit": lambda run: run.edit(value="ink"),
    "reject": lambda run: run.reject("no"),
    "respond": lambda run: run.respond("done already"),
    "skip": lambda run: run.skip(),
    "point": lambda run: run.point("e1"),
}
EXPECTING: Ways = {
    "approve": lambda run: run.approve(expect="write"),
    "edit": lambda run: run.edit(value="tea", expect="write"),
    "reject": lambda run: run.reject("no", expect="write"),
    "respond": lambda run: run.respond("done already", expect="write"),
    "skip": lambda run: run.skip(expect="write"),
}
SHOWING: dict[str, Callable[[Run], object]] = {
    "the question": lambda run: repr(run.pending),
    "the question as text": lambda run: str(run.pending),
    "the run": repr,
    "the run as HTML": lambda run: run._repr_mimebundle_(),
}


def burn(value: str) -> ToolCall:
    return ToolCall("burn", {"value": value})


@pytest.fixture
def waiting(bench: Any) -> Run:
    run: Run = settle(bench.run([write("tea"), write("gin"), burn("all"), "done"]).start())
    return run


def requested(monkeypatch: pytest.MonkeyPatch, when: float, *, at_once: bool = True) -> None:
    """The running cell was requested then."""
    monkeypatch.setattr(hooks, "running_request", lambda: (when, at_once))


@pytest.mark.parametrize("way", DECIDING)
def test_an_unseen_question_is_refused_and_quoted(bench: Any, waiting: Run, way: str) -> None:
    assert waiting.pending is not None, "touching it is no reading"
    with pytest.raises(ApprovalPending) as refused:
        DECIDING[way](waiting)
    assert waiting.status == "waiting"
    assert bench.desk.written == []
    assert "write(value='tea')" in str(refused.value)


@pytest.mark.parametrize("way", SHOWING)
def test_a_question_whose_text_was_rendered_can_be_decided(bench: Any, waiting: Run, way: str) -> None:
    assert "write" in str(SHOWING[way](waiting))
    waiting.approve()
    assert bench.desk.written == ["tea"]


def test_the_run_shows_command_and_values_of_what_waits(waiting: Run) -> None:
    for text in waiting._repr_mimebundle_().values():
        assert "value=" in text
        assert "tea" in text


def test_a_second_approve_in_a_row_decides_nothing(bench: Any, waiting: Run) -> None:
    after_reading(waiting).approve()
    with pytest.raises(ApprovalPending, match="gin"):
        waiting.approve()
    assert bench.desk.written == ["tea"]
    waiting.approve()  # the error showed it
    assert bench.desk.written == ["tea", "gin"]


def test_an_error_that_nobody_saw_shows_nothing(bench: Any, waiting: Run) -> None:
    for _ in range(3):
        try:
            waiting.approve()
        except ApprovalPending:
            pass
    assert bench.desk.written == []


def test_what_was_decided_shows_the_next_question(bench: Any, waiting: Run) -> None:
    step = after_reading(waiting).approve()
    assert isinstance(step, StepRecord)
    assert step == waiting.records[-1]
    assert step.next is waiting.pending
    assert "value='gin'" in repr(step)
    step = waiting.approve()  # its repr showed it
    assert isinstance(step, StepRecord)
    repr(step)
    last = waiting.approve()
    assert isinstance(last, StepRecord)
    assert last.next is None
    assert bench.desk.written == ["tea", "gin", "burnt all"]


def test_a_record_that_nobody_shows_shows_nothing(bench: Any, waiting: Run) -> None:
    step = after_reading(waiting).approve()
    assert isinstance(step, StepRecord)
    assert step.next is not None
    with pytest.raises(ApprovalPending):
        waiting.approve()
    assert bench.desk.written == ["tea"]


def test_a_step_shows_the_next_question_too(bench: Any) -> None:
    run = bench.run([LOOK, write("tea"), "done"], autonomy="reads")
    step = run.step()
    assert isinstance(step, StepRecord)
    assert isinstance(step.next, PendingCall)
    assert "value='tea'" in repr(step)
    run.approve()
    assert bench.desk.written == ["tea"]


def test_four_threads_decide_once(bench: Any, waiting: Run) -> None:
    repr(waiting.pending)
    begin, errors = threading.Barrier(4), list[Exception]()

    def approve() -> None:
        begin.wait()
        try:
            waiting.approve()
        except (ApprovalPending, NothingPending) as error:
            errors.append(error)

    threads = [threading.Thread(target=approve) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(errors) == 3
    assert bench.desk.written == ["tea"]


def test_a_cell_that_was_queued_before_the_question_was_shown_decides_nothing(
    bench: Any, waiting: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = time.time()
    repr(waiting.pending)
    requested(monkeypatch, before)
    with pytest.raises(ApprovalPending, match="before the question was shown"):
        waiting.approve()
    with pytest.raises(ApprovalPending, match="before the question was shown"):
        waiting.approve(id=waiting.pending.id)  # type: ignore[union-attr]
    assert bench.desk.written == []
    requested(monkeypatch, time.time())
    waiting.approve()
    assert bench.desk.written == ["tea"]


def test_where_cells_come_one_by_one_what_cant_be_undone_needs_a_name(
    bench: Any, waiting: Run, monkeypatch: pytest.MonkeyPatch
) -> None:
    after_reading(waiting).approve()
    after_reading(waiting)
    requested(monkeypatch, time.time() + 1, at_once=False)
    waiting.approve()
    assert bench.desk.written == ["tea", "gin"], "it can be undone"
    after_reading(waiting)
    requested(monkeypatch, time.time() + 1, at_once=False)
    with pytest.raises(ApprovalPending) as refused:
        waiting.approve()
    assert waiting.pending is not None
    assert f"run.approve(id='{waiting.pending.id}')" in str(refused.value)
    assert f"expect={waiting.pending.expectation.words!r}" in str(refused.value)
    requested(monkeypatch, time.time() + 1, at_once=False)
    waiting.approve(id=waiting.pending.id)
    assert bench.desk.written[-1] == "burnt all"


@pytest.mark.parametrize("way", EXPECTING)
def test_code_that_cant_look_decides_on_what_it_expects(waiting: Run, way: str) -> None:
    first = waiting.pending
    EXPECTING[way](waiting)
    assert waiting.pending is not first
    EXPECTING[way](waiting)
    with pytest.raises(ApprovalPending, match=r"expected 'write'.*burn\(value='all'\)"):
        EXPECTING[way](waiting)


def test_expecting_waits_for_the_model(bench: Any) -> None:
    run = bench.run([write("tea"), "done"]).start()
    run.approve(expect='write (value="tea")')
    assert bench.desk.written == ["tea"]


def test_what_cant_be_undone_is_expected_with_its_values(bench: Any) -> None:
    run = settle(bench.run([burn("all"), "done"]).start())
    for vague in ("burn", 'burn (value="none")'):
        with pytest.raises(ApprovalPending):
            run.approve(expect=vague)
    assert bench.desk.written == []
    run.approve(expect='burn (value="all")')
    assert bench.desk.written == ["burnt all"]


def test_the_text_prints_what_code_may_expect(waiting: Run) -> None:
    assert waiting.pending is not None
    assert f"expect={waiting.pending.expectation.words!r}" in repr(waiting.pending)


def test_a_question_that_was_answered_in_a_panel_is_not_answered_again(bench: Any, waiting: Run) -> None:
    read = waiting.pending
    assert "tea" in repr(read)
    waiting.decide(read.id, {"type": "reject"})  # type: ignore[union-attr]
    io.sync(waiting._stepper.settled())
    with pytest.raises(ApprovalPending, match="gin"):
        waiting.approve()
    assert bench.desk.written == []


def test_a_place_decides_only_on_what_it_showed(bench: Any, waiting: Run) -> None:
    repr(waiting.pending)  # shown in the outputs, not in the panel
    question = waiting.pending.id  # type: ignore[union-attr]

    async def decide() -> bool:
        return waiting.take_decision(question, {"type": "approve"}, NOTEBOOK_PANEL)

    with pytest.raises(ApprovalPending, match="wasn't shown in the notebook"):
        io.sync(decide())
    assert bench.desk.written == []
    waiting.note_shown(question, NOTEBOOK_PANEL)
    assert io.sync(decide())


def test_a_panel_on_the_screen_counts_for_cells_too(bench: Any, waiting: Run) -> None:
    waiting.note_shown(waiting.pending.id, OUTPUTS)  # type: ignore[union-attr]
    waiting.approve()
    assert bench.desk.written == ["tea"]


def test_the_same_call_is_another_question_after_a_stop(waiting: Run) -> None:
    repr(waiting.pending)
    before = waiting.pending
    waiting.stop()
    settle(waiting.start())
    assert waiting.pending is not None
    assert before is not None
    assert waiting.pending.id != before.id
    with pytest.raises(ApprovalPending):
        waiting.approve()


def test_a_refused_approval_changes_nothing(waiting: Run) -> None:
    with pytest.raises(ApprovalPending):
        waiting.approve(stepping=True)
    io.sync(waiting._stepper.settled())
    assert not waiting._context.pausing
