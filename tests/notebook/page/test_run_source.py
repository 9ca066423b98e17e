"""A run as the panel sees it."""

from __future__ import annotations

import time
from collections.abc import Callable

import pytest

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.step_records import PendingCall, Review
from skillbook.notebook.page.panel_source import Decision, PanelState
from skillbook.notebook.page.run_source import (
    RunSource,
    brief_args,
    pending_view,
    to_run_decision,
    visited_line,
)
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


def test_a_call_that_waits(bench: Bench) -> None:
    run = bench.run([WRITE, "done"], max_steps=9)
    source = RunSource(run)
    assert source.panel_state().status == "idle"
    run.start()
    state = wait_for(source, lambda state: state.pending)
    assert (state.goal, state.status, state.step, state.max_steps) == ("the goal", "waiting", 1, 9)
    assert state.tokens > 0
    assert state.pending is not None
    assert (state.pending.tool, state.pending.args, state.pending.effect) == (
        "write",
        {"value": "a"},
        "write",
    )
    assert state.pending.said == "I write now."
    assert state.pending.schema["required"] == ["value"]
    assert set(state.pending.decisions) == {"approve", "edit", "reject", "respond"}


@pytest.mark.parametrize(
    ("decision", "written", "decided"),
    [
        ({"kind": "approve"}, ["a"], "approve"),
        ({"kind": "edit", "args": {"value": "b", "times": 2}}, ["bb"], "edit"),
        ({"kind": "reject", "message": "no"}, [], "reject"),
        ({"kind": "respond", "message": "I did"}, [], "respond"),
    ],
)
def test_an_answer_is_carried_out(
    bench: Bench, decision: dict[str, object], written: list[str], decided: str
) -> None:
    run = bench.run([WRITE, "done"])
    source = RunSource(run)
    run.start()
    pending = wait_for(source, lambda state: state.pending).pending
    assert pending is not None
    answer = Decision(pending.id, **decision)  # type: ignore[arg-type]
    source.answer(answer)
    source.answer(answer)
    state = wait_for(source, lambda state: state.status == "succeeded")
    assert bench.desk.written == written
    assert [step.decision for step in state.steps] == [decided]
    assert state.result == "done"
    assert state.pending is None


def test_a_run_that_is_over_offers_to_be_saved_and_its_calls_as_a_cell(bench: Bench) -> None:
    run = bench.run([ToolCall("write", {"value": "a"}), "done"])
    source = RunSource(run)
    run.start()
    pending = wait_for(source, lambda state: state.pending).pending
    assert pending is not None
    assert source.panel_state().offers == ()
    source.answer(Decision(pending.id, "approve"))
    state = wait_for(source, lambda state: state.status == "succeeded")
    offers = dict(state.offers)
    assert offers["Save as skill…"] == ("skill = run.save_skill('the-goal')\nskill",)
    assert offers["Run again"][0].endswith("run = run.fork(at=1)\nrun")
    assert offers["Export"][0].endswith(".to_playwright('the-goal.py')")


def test_an_edit_that_does_not_fit_is_refused_and_the_call_still_waits(bench: Bench) -> None:
    run = bench.run([WRITE, "done"])
    source = RunSource(run)
    run.start()
    pending = wait_for(source, lambda state: state.pending).pending
    assert pending is not None
    source.answer(Decision(pending.id, "edit", {"times": "many"}))
    first = wait_for(source, lambda state: state.refusal).refusal
    assert first is not None
    assert first.id == pending.id
    assert "times" in first.text
    source.answer(Decision(pending.id, "edit", {"times": "many"}))
    second = wait_for(source, lambda state: state.refusal and state.refusal.serial > first.serial).refusal
    assert second is not None
    source.answer(Decision(pending.id, "approve"))
    assert wait_for(source, lambda state: state.status == "succeeded").refusal is None
    assert bench.desk.written == ["a"]


def test_stop_and_listeners(bench: Bench) -> None:
    run = bench.run([WRITE, "done"])
    source = RunSource(run)
    reported: list[str] = []
    end = source.subscribe(lambda: reported.append(source.panel_state().status))
    run.start()
    wait_for(source, lambda state: state.pending)
    source.stop()
    wait_for(source, lambda state: state.status == "stopped")
    assert reported[-1] == "stopped"
    end()
    count = len(reported)
    run.start()
    wait_for(source, lambda state: state.pending)
    assert len(reported) == count


def test_a_failed_run_says_why(bench: Bench) -> None:
    run: Run = bench.run([RuntimeError("no network")])
    source = RunSource(run)
    run.start()
    state = wait_for(source, lambda state: state.status == "failed")
    assert "no network" in state.error


def test_a_request_for_assistance() -> None:
    review = Review(True, True, "read", strict=True, reason="Sign in, please.")
    args = {"type": "login", "message": "Sign in, please."}
    call = PendingCall(
        "i1", "c1", "request_assistance", args, "", review, {}, ("approve", "reject", "respond")
    )
    view = pending_view(call)
    assert (view.assistance, view.reason) == ("login", "Sign in, please.")
    assert view.targets == ()


def test_targets_are_named_as_calls_name_them() -> None:
    review = Review(True, True, "write", target='button "Save"', place='row "Ann"')
    call = PendingCall("i1", "c1", "drag", {"target": "e1", "to": "e2"}, "", review, {}, ("approve",))
    assert pending_view(call).targets == ("target", "to")
    assert pending_view(call).target_text == 'button "Save"'
    assert pending_view(call).place == 'row "Ann"'


def test_decisions_as_the_run_takes_them() -> None:
    assert to_run_decision(Decision("1", "approve", {"a": 1}, "x")) == {"type": "approve"}
    assert to_run_decision(Decision("1", "reject")) == {"type": "reject"}
    assert to_run_decision(Decision("1", "respond")) == {"type": "respond", "message": ""}


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
