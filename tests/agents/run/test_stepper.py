"""A run call by call: what waits, what the person decides, what passes unasked."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from skillbook.agents.run.stepper import Stepper
from skillbook.errors import (
    AgentError,
    ApprovalPending,
    InvalidParams,
    NothingPending,
)
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.agents.steps import LOOK, settle, write
from tests.shown import after_reading


def test_start_comes_back_at_once_and_waits_at_the_first_call(bench: Any) -> None:
    run = bench.run([LOOK, "done"])
    assert run.status == "idle"
    assert settle(run.start()).status == "waiting"
    assert run.pending is not None
    assert (run.pending.tool, run.pending.args, run.pending.review.effect) == (
        "look",
        {"where": "here"},
        "read",
    )
    assert run.pending.schema["required"] == ["where"]
    assert bench.desk.looked == []


def test_approve_carries_out_and_comes_back_at_the_next(bench: Any) -> None:
    run = settle(bench.run([LOOK, write("tea"), "all done"]).start())
    first = after_reading(run).approve()
    assert first is not None
    assert (first.index, first.tool, first.decision, first.ok, first.result) == (
        1,
        "look",
        "approve",
        True,
        "you see here",
    )
    assert run.pending is not None
    assert run.pending.tool == "write"
    second = after_reading(run).approve()
    assert second is not None
    assert second.effect == "write"
    assert (run.status, run.result) == ("succeeded", "all done")
    assert bench.desk.written == ["tea"]
    assert list(run.steps["tool"]) == ["look", "write"]
    assert run.cost.calls == 3
    # Every token is some step's, but those of the last answer, which made none.
    last = run.cost.tokens - run.steps["tokens"].sum()
    assert 0 < last < run.cost.tokens
    assert (run.steps["tokens"] > 0).all()
    with pytest.raises(NothingPending):
        after_reading(run).approve()
    with pytest.raises(AgentError, match="reached its end"):
        run.start()


def test_edit_changes_named_arguments_only_and_the_model_learns_it(bench: Any) -> None:
    run = settle(bench.run([write("tea", times=2), "ok"]).start())
    step = after_reading(run).edit(value="ink")
    assert step is not None
    assert bench.desk.written == ["inkink"]
    assert (step.decision, step.args, step.edited) == (
        "edit",
        {"value": "tea", "times": 2},
        {"value": "ink", "times": 2},
    )
    assert step.final_args == {"value": "ink", "times": 2}
    reported = next(message for message in run.messages if isinstance(message, ToolMessage))
    assert "reviewer replaced" in reported.text
    assert "ink" in reported.text


def test_a_bad_edit_is_refused_and_the_call_still_waits(bench: Any) -> None:
    run = settle(bench.run([write("tea"), "ok"]).start())
    with pytest.raises(InvalidParams, match="times"):
        after_reading(run).edit(times="often")
    assert run.status == "waiting"
    assert after_reading(run).approve() is not None
    assert bench.desk.written == ["tea"]


def test_reject_gives_the_model_the_reason_and_nothing_happens(bench: Any) -> None:
    run = settle(bench.run([write("tea"), lambda messages: messages[-1].text]).start())
    step = after_reading(run).reject("too hot")
    assert step is not None
    assert (step.decision, step.ok, step.result) == ("reject", False, "too hot")
    assert bench.desk.written == []
    assert "too hot" in run.result


def test_respond_answers_in_the_tools_place(bench: Any) -> None:
    run = settle(bench.run([LOOK, lambda messages: f"heard {messages[-1].text}"]).start())
    step = after_reading(run).respond("a blue door")
    assert step is not None
    assert (step.decision, step.ok) == ("respond", False)
    assert run.result == "heard a blue door"
    assert bench.desk.looked == []


def test_step_in_ask_mode_brings_up_calls_and_refuses_to_approve(bench: Any) -> None:
    run = bench.run([LOOK, write("tea"), "done"])
    pending = run.step()
    assert pending is not None
    assert pending.tool == "look"
    with pytest.raises(ApprovalPending, match="look"):
        run.step()
    after_reading(run).approve()
    assert run.pending is not None
    assert run.pending.tool == "write"
    after_reading(run).reject()
    assert run.step() is None if run.status == "paused" else run.status == "succeeded"


def test_step_without_approvals_carries_out_one_call_at_a_time(bench: Any) -> None:
    run = bench.run([LOOK, write("tea"), write("ink"), "done"], autonomy="all")
    first = run.step()
    assert first is not None
    assert (first.tool, run.status, bench.desk.written) == ("look", "paused", [])
    assert run.pending is not None
    assert run.pending.tool == "write"
    second = run.step()
    assert second is not None
    assert (second.decision, bench.desk.written) == ("auto", ["tea"])
    after_reading(run).edit(value="oil")
    assert bench.desk.written == ["tea", "oil"]
    assert run.status == "succeeded"


def test_run_goes_on_from_a_pause(bench: Any) -> None:
    run = bench.run([LOOK, write("tea"), write("ink"), "done"], autonomy="all")
    run.step()
    assert run.run().status == "succeeded"
    assert bench.desk.written == ["tea", "ink"]


def test_reads_pass_and_writes_ask(bench: Any) -> None:
    run = bench.run([LOOK, LOOK, write("tea"), "done"], autonomy="reads").run()
    assert (run.status, len(run.steps)) == ("waiting", 2)
    assert list(run.steps["decision"]) == ["auto", "auto"]
    after_reading(run).approve()
    assert run.status == "succeeded"


def test_irreversible_calls_always_ask(bench: Any) -> None:
    run = bench.run([write("tea"), ToolCall("burn", {"value": "letters"}), "done"], autonomy="all").run()
    assert run.status == "waiting"
    assert bench.desk.written == ["tea"]
    run.auto(5)
    assert run.status == "waiting"
    after_reading(run).approve()
    assert bench.desk.written == ["tea", "burnt letters"]
    assert run.status == "succeeded"


def test_auto_lets_so_many_calls_pass(bench: Any) -> None:
    run = bench.run([write("a"), write("b"), write("c"), "done"])
    run.auto(2)
    assert bench.desk.written == ["a", "b"]
    assert run.status == "waiting"
    assert list(run.steps["decision"]) == ["approve", "approve"]


@pytest.mark.parametrize(
    ("until", "done"),
    [
        ("write", []),
        ("irreversible", ["a", "b"]),
        (lambda pending: pending.args.get("value") == "b", ["a"]),
    ],
)
def test_auto_goes_on_until(bench: Any, until: Any, done: list[str]) -> None:
    run = bench.run([LOOK, write("a"), write("b"), ToolCall("burn", {"value": "c"}), write("d"), "done"])
    run.auto(until=until)
    assert (bench.desk.looked, bench.desk.written, run.status) == (["here"], done, "waiting")
    after_reading(run).approve()
    assert len(run.records) == len(done) + 2
    assert run.status == "waiting", "what ended it doesn't pass calls later on"


def test_a_pause_waits_before_the_next_call_and_start_goes_on(bench: Any) -> None:
    run = bench.run([write("a"), write("b"), "done"], autonomy="all")

    async def pause() -> None:
        run.pause()

    bench.desk.during = pause
    settle(run.start())
    assert (run.status, bench.desk.written) == ("paused", ["a"])
    bench.desk.during = None
    assert run.run().status == "succeeded"
    assert bench.desk.written == ["a", "b"]


def test_a_skipped_call_isnt_carried_out_and_the_model_goes_on(bench: Any) -> None:
    run = settle(bench.run([write("a"), lambda messages: messages[-1].text]).start())
    step = after_reading(run).skip()
    assert (step.decided, step.was_declined) == ("skip", True)
    assert "skipped" in repr(step)
    assert list(run.steps["decision"])[:1] == ["skip"]
    assert step is not None
    assert (step.decision, bench.desk.written) == ("reject", [])
    assert "skipped" in run.result


def test_what_auto_cant_do_is_told(bench: Any) -> None:
    run = bench.run([LOOK, "done"])
    for wrong in ({"until": "lunch"}, {"n": -1}):
        with pytest.raises(AgentError):
            run.auto(**wrong)
    assert run.status == "idle"


def test_notes_never_ask_and_show_as_tasks(bench: Any) -> None:
    tasks = [{"title": "look", "status": "done"}, {"title": "write"}]
    run = bench.run([ToolCall("plan", {"tasks": tasks}), "done"]).run()
    assert run.status == "succeeded"
    assert [str(task) for task in run.tasks] == ["[x] 1 look", "[ ] 2 write"]


def test_unknown_tools_and_bad_arguments_go_back_to_the_model_unasked(bench: Any) -> None:
    calls = [
        ToolCall("fly", {"to": "moon"}),
        ToolCall("look", {"place": 3}),
        ToolCall("look", '{"where": '),
        "gave up",
    ]
    model = ScriptedModel(calls)
    run = bench.run(model).run()
    assert (run.status, run.result) == ("failed", "gave up")
    assert list(run.steps["error"]) == ["unknown_tool", "invalid_params", "invalid_params"]
    said = [message.text for message in run.messages if isinstance(message, ToolMessage)]
    assert "not a valid tool" in said[0]
    assert "where" in said[1]
    assert "JSON" in said[2]
    assert bench.desk.looked == []


def test_a_number_that_no_checkpoint_can_hold_ends_no_run(bench: Any) -> None:
    calls = [
        ToolCall("write", {"value": 10**30}),
        ToolCall("look", {"where": [-(10**30)]}),
        LOOK,
        "ok",
    ]
    run = bench.run(calls, autonomy="all").run()
    assert (run.status, run.result) == ("succeeded", "ok")
    assert list(run.steps["error"].fillna("")) == ["", "invalid_params", ""]
    assert bench.desk.written == [str(10**30)]


def test_a_failing_tool_is_reported_and_recorded(bench: Any) -> None:
    run = bench.run([LOOK, ToolCall("look", {"where": "nowhere"}), "ok"], autonomy="all").run()
    step = run.records[1]
    assert (step.error, step.ok, run.status) == ("no_match", False, "succeeded")
    said = [message for message in run.messages if isinstance(message, ToolMessage)][1]
    assert said.status == "error"
    assert "no such place" in said.text
    assert "page-content" in said.text


def test_a_crashing_tool_is_reported_and_recorded(bench: Any) -> None:
    bench.desk.fail = RuntimeError("bug")
    run = bench.run([LOOK, "ok"], autonomy="all").run()
    assert (run.records[0].error, run.status) == ("internal", "succeeded")


def test_one_call_at_a_time(bench: Any) -> None:
    two = AIMessage(
        "",
        tool_calls=[
            {"name": "write", "args": {"value": "a"}, "id": "1", "type": "tool_call"},
            {"name": "write", "args": {"value": "b"}, "id": "2", "type": "tool_call"},
        ],
    )
    model = ScriptedModel([two, "done"])
    run = bench.run(model, autonomy="all").run()
    assert bench.desk.written == ["a"]
    assert len(run.records) == 1
    assert [message.text for message in run.messages if isinstance(message, ToolMessage)][1].startswith(
        "Not run"
    )
    assert model.requests[0].settings["parallel_tool_calls"] is False


def test_a_stop_that_comes_before_a_call_would_wait_isnt_lost(
    bench: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Stepper._pending_call

    def stopped_meanwhile(stepper: Stepper, interrupt: Any) -> Any:
        stepper.halt()
        return made(stepper, interrupt)

    run = bench.run([write("tea"), "done"])
    with monkeypatch.context() as patch:
        patch.setattr(Stepper, "_pending_call", stopped_meanwhile)
        assert settle(run.start()).status == "stopped"
    assert run.pending is None
    assert settle(run.start()).status == "waiting"
    after_reading(run).approve()
    assert (run.status, bench.desk.written) == ("succeeded", ["tea"])


def test_a_decision_waits_for_a_model_that_is_still_answering(bench: Any) -> None:
    run = bench.run([LOOK, "done"])
    run.start()
    record = after_reading(run).approve()
    assert record is not None
    assert (record.tool, run.status) == ("look", "succeeded")


def test_a_decision_does_not_wait_for_ever(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("skillbook.agents.run.run_decisions.PRESENT_SECONDS", 0.0)
    run = bench.run([LOOK, "done"])
    run._stepper._set("running")
    with pytest.raises(NothingPending, match="running"):
        run.approve()


def test_a_run_that_nobody_helps_stops_and_asks_again(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SKILLBOOK_ASSISTANCE_TIMEOUT", "0.2")
    wanted = ToolCall("request_assistance", {"type": "custom", "message": "Press the doorbell."})
    run = bench.run([wanted, "done"], autonomy="all")
    settle(run.start())
    io.sync(run._stepper.settled(at_end=True), timeout=20)
    assert run.status == "stopped"
    assert "Nobody helped within 0.2 s" in str(run.error)
    monkeypatch.setenv("SKILLBOOK_ASSISTANCE_TIMEOUT", "60")
    settle(run.start())
    assert run.status == "waiting"
    after_reading(run).respond("It is pressed.")
    assert run.status == "succeeded"
