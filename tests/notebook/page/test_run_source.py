"""A run as the panel sees it."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.agents.run.run_view import decision_of, question_of
from skillbook.agents.run.run_words import brief_args
from skillbook.agents.state.step_records import PendingCall, Review
from skillbook.notebook.page.page_rows import visited_line
from skillbook.notebook.page.panel_source import PanelState
from skillbook.notebook.page.run_source import RunSource
from skillbook.protocol.asks.run_asks import DecideParams, Question
from skillbook.testing.scripted_model import ToolCall
from tests.agents.conftest import Bench, bench

__all__ = ["bench"]

WRITE = ToolCall("write", {"value": "a"}, "I write now.")


def wait_for(source: RunSource, holds: Callable[[PanelState], object]) -> PanelState:
    deadline = time.monotonic() + 10
    while not holds(state := source.panel_state()):
        assert time.monotonic() < deadline, state
        time.sleep(0.01)
    return state


def wait_for_question(source: RunSource) -> Question:
    question = wait_for(source, lambda state: state.run.question).run.question
    assert question is not None
    return question


def given(question: str, decision: str, **more: Any) -> DecideParams:
    return DecideParams(run="r", question=question, decision=decision, **more)  # type: ignore[arg-type]


def asked(call: PendingCall) -> Question:
    return question_of(SimpleNamespace(help_noticed=False, last_refusal=None), call)  # type: ignore[arg-type]


def test_a_call_that_waits(bench: Bench) -> None:
    run = bench.run([WRITE, "done"], max_steps=9)
    source = RunSource(run)
    assert source.panel_state().run.status == "idle"
    run.start()
    state = wait_for(source, lambda state: state.run.question)
    view, question = state.run, state.run.question
    assert (view.title, view.status, view.state, view.max_steps) == (
        "the goal",
        "waiting",
        "awaiting_user",
        9,
    )
    assert view.tokens > 0
    assert view.since > 0
    assert question is not None
    assert question.call is not None
    assert (question.call.tool, question.call.args, question.risk) == ("write", {"value": "a"}, "write")
    assert question.said == "I write now."
    assert question.call.json_schema["required"] == ["value"]
    assert set(question.decisions) == {"approve", "edit", "reject", "respond", "skip"}
    assert state.waits == question.words


@pytest.mark.parametrize(
    ("decision", "written", "decided"),
    [
        ({"decision": "approve"}, ["a"], "approve"),
        ({"decision": "edit", "args": {"value": "b", "times": 2}}, ["bb"], "edit"),
        ({"decision": "reject", "text": "no"}, [], "reject"),
        ({"decision": "respond", "text": "I did"}, [], "respond"),
    ],
)
def test_an_answer_is_carried_out(
    bench: Bench, decision: dict[str, Any], written: list[str], decided: str
) -> None:
    run = bench.run([WRITE, "done"])
    source = RunSource(run)
    run.start()
    answer = given(wait_for_question(source).id, **decision)
    source.answer(answer)
    source.answer(answer)
    state = wait_for(source, lambda state: state.run.status == "succeeded").run
    assert bench.desk.written == written
    assert [step.decision for step in state.steps] == [decided]
    assert state.result == "done"
    assert state.question is None


def test_a_run_that_is_over_offers_to_be_saved_and_its_calls_as_a_cell(bench: Bench) -> None:
    run = bench.run([ToolCall("write", {"value": "a"}), "done"])
    source = RunSource(run)
    run.start()
    pending = wait_for_question(source)
    assert source.panel_state().offers == {}
    source.answer(given(pending.id, "approve"))
    state = wait_for(source, lambda state: state.run.status == "succeeded")
    offers = state.offers
    assert offers["Save as skill…"] == ("skill = run.save_skill('the-goal')\nskill",)
    assert offers["Run again"][0].endswith("run = run.fork(at=1)\nrun")
    assert offers["Export"][0].endswith(".to_playwright('the-goal.py')")


def test_an_edit_that_does_not_fit_is_refused_and_the_call_still_waits(bench: Bench) -> None:
    run = bench.run([WRITE, "done"])
    source = RunSource(run)
    run.start()
    pending = wait_for_question(source)
    source.answer(given(pending.id, "edit", args={"times": "many"}))
    first = wait_for(source, lambda state: state.refusals)
    assert first.run.question is not None
    assert first.run.question.id == pending.id
    assert "times" in first.run.question.refusal
    source.answer(given(pending.id, "edit", args={"times": "many"}))
    wait_for(source, lambda state: state.refusals > first.refusals)
    source.answer(given(pending.id, "approve"))
    wait_for(source, lambda state: state.run.status == "succeeded")
    assert bench.desk.written == ["a"]


def test_stop_and_listeners(bench: Bench) -> None:
    run = bench.run([WRITE, "done"])
    source = RunSource(run)
    reported: list[str] = []
    end = source.subscribe(lambda: reported.append(source.panel_state().run.status))
    run.start()
    wait_for(source, lambda state: state.run.question)
    source.stop()
    wait_for(source, lambda state: state.run.status == "stopped")
    assert reported[-1] == "stopped"
    end()
    count = len(reported)
    run.start()
    wait_for(source, lambda state: state.run.question)
    assert len(reported) == count


def test_a_failed_run_says_why(bench: Bench) -> None:
    run: Run = bench.run([RuntimeError("no network")])
    source = RunSource(run)
    run.start()
    state = wait_for(source, lambda state: state.run.status == "failed")
    assert "no network" in state.run.error


def test_a_request_for_assistance() -> None:
    review = Review(True, True, "read", strict=True, reason="Sign in, please.")
    args = {"type": "login", "message": "Sign in, please."}
    call = PendingCall(
        "i1", "c1", "request_assistance", args, "", review, {}, ("approve", "reject", "respond")
    )
    view = asked(call)
    assert (view.kind, view.obstacle, view.words) == ("assist", "login", "Sign in, please.")
    assert view.call is None
    assert view.decisions == ["done", "respond", "reject"]


def test_targets_are_named_as_calls_name_them() -> None:
    review = Review(True, True, "write", target='button "Save"', place='row "Ann"')
    call = PendingCall("i1", "c1", "drag", {"target": "e1", "to": "e2"}, "", review, {}, ("approve",))
    shown = asked(call).call
    assert shown is not None
    assert shown.targets == ["target", "to"]
    assert shown.target == 'the button "Save" in the row "Ann"'
    assert asked(call).place == 'row "Ann"'


def test_decisions_as_the_run_takes_them() -> None:
    assert decision_of(given("1", "approve", args={"a": 1}, text="x")) == {"type": "approve"}
    assert decision_of(given("1", "reject")) == {"type": "reject"}
    assert decision_of(given("1", "respond")) == {"type": "respond", "message": ""}
    assert decision_of(given("1", "choose", text="one")) == {"type": "respond", "message": "one"}
    assert decision_of(given("1", "done")) == {"type": "approve"}
    assert decision_of(given("1", "done", text="I did")) == {"type": "respond", "message": "I did"}


def test_brief_args_leave_out_what_is_empty() -> None:
    args = {"target": "e1", "modifiers": [], "delay": 0, "note": None, "value": "tea\n"}
    assert brief_args(args) == 'target="e1", delay=0, value="tea\\n"'


@pytest.mark.parametrize(
    ("addresses", "shown"),
    [
        ([], ""),
        (["http://a.test/"], ""),
        (["http://a.test/", "http://a.test/in?year=2026"], "/ › /in?year=2026"),
        (["http://b.test/x", "http://a.test/"], "http://b.test/x › /"),
        ([f"http://a.test/{n}" for n in range(6)], "… › /2 › /3 › /4 › /5"),
    ],
)
def test_the_pages_that_a_run_came_over_are_one_line(addresses: list[str], shown: str) -> None:
    assert visited_line([(url, "") for url in addresses]) == shown
