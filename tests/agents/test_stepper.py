from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from langchain_core.messages import AIMessage, ToolMessage
from pydantic import BaseModel

from skillbook.agents.run import Run
from skillbook.errors import (
    AgentError,
    ApprovalPending,
    BudgetExceeded,
    InvalidParams,
    ModelUnreachable,
    NothingPending,
)
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ScriptedModel, ToolCall


def settle(run: Run) -> Run:
    io.sync(run._stepper.settled(), timeout=10)
    return run


def write(value: str, **more: Any) -> ToolCall:
    return ToolCall("write", {"value": value, **more})


LOOK = ToolCall("look", {"where": "here"})


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
    first = run.approve()
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
    second = run.approve()
    assert second is not None
    assert second.effect == "write"
    assert (run.status, run.result) == ("succeeded", "all done")
    assert bench.desk.written == ["tea"]
    assert list(run.steps["tool"]) == ["look", "write"]
    assert run.cost.calls == 3
    assert run.steps["tokens"].sum() <= run.cost.tokens
    with pytest.raises(NothingPending):
        run.approve()
    with pytest.raises(AgentError, match="reached its end"):
        run.start()


def test_edit_changes_named_arguments_only_and_the_model_is_told(bench: Any) -> None:
    run = settle(bench.run([write("tea", times=2), "ok"]).start())
    step = run.edit(value="ink")
    assert step is not None
    assert bench.desk.written == ["inkink"]
    assert (step.decision, step.args, step.edited) == (
        "edit",
        {"value": "tea", "times": 2},
        {"value": "ink", "times": 2},
    )
    assert step.final_args == {"value": "ink", "times": 2}
    told = next(message for message in run.messages if isinstance(message, ToolMessage))
    assert "reviewer replaced" in told.text
    assert "ink" in told.text


def test_a_bad_edit_is_refused_and_the_call_still_waits(bench: Any) -> None:
    run = settle(bench.run([write("tea"), "ok"]).start())
    with pytest.raises(InvalidParams, match="times"):
        run.edit(times="often")
    assert run.status == "waiting"
    assert run.approve() is not None
    assert bench.desk.written == ["tea"]


def test_reject_tells_the_model_why_and_nothing_happens(bench: Any) -> None:
    run = settle(bench.run([write("tea"), lambda messages: messages[-1].text]).start())
    step = run.reject("too hot")
    assert step is not None
    assert (step.decision, step.ok, step.result) == ("reject", False, "too hot")
    assert bench.desk.written == []
    assert "too hot" in run.result


def test_respond_answers_in_the_tools_place(bench: Any) -> None:
    run = settle(bench.run([LOOK, lambda messages: f"heard {messages[-1].text}"]).start())
    step = run.respond("a blue door")
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
    run.approve()
    assert run.pending is not None
    assert run.pending.tool == "write"
    run.reject()
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
    run.edit(value="oil")
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
    run.approve()
    assert run.status == "succeeded"


def test_irreversible_calls_always_ask(bench: Any) -> None:
    run = bench.run([write("tea"), ToolCall("burn", {"value": "letters"}), "done"], autonomy="all").run()
    assert run.status == "waiting"
    assert bench.desk.written == ["tea"]
    run.auto(5)
    assert run.status == "waiting"
    run.approve()
    assert bench.desk.written == ["tea", "burnt letters"]
    assert run.status == "succeeded"


def test_auto_lets_so_many_calls_pass(bench: Any) -> None:
    run = bench.run([write("a"), write("b"), write("c"), "done"])
    run.auto(2)
    assert bench.desk.written == ["a", "b"]
    assert run.status == "waiting"
    assert list(run.steps["decision"]) == ["approve", "approve"]


def test_notes_never_ask_and_show_as_tasks(bench: Any) -> None:
    tasks = [{"title": "look", "status": "done"}, {"title": "write"}]
    run = bench.run([ToolCall("plan", {"tasks": tasks}), "done"]).run()
    assert run.status == "succeeded"
    assert [str(task) for task in run.tasks] == ["[x] look", "[ ] write"]


def test_unknown_tools_and_bad_arguments_go_back_to_the_model_unasked(bench: Any) -> None:
    calls = [
        ToolCall("fly", {"to": "moon"}),
        ToolCall("look", {"place": 3}),
        ToolCall("look", '{"where": '),
        "gave up",
    ]
    model = ScriptedModel(calls)
    run = bench.run(model).run()
    assert (run.status, run.result) == ("succeeded", "gave up")
    assert list(run.steps["error"]) == ["unknown_tool", "invalid_params", "invalid_params"]
    said = [message.text for message in run.messages if isinstance(message, ToolMessage)]
    assert "not a valid tool" in said[0]
    assert "where" in said[1]
    assert "JSON" in said[2]
    assert bench.desk.looked == []


def test_a_failing_tool_is_told_and_recorded(bench: Any) -> None:
    run = bench.run([ToolCall("look", {"where": "nowhere"}), "ok"], autonomy="all").run()
    step = run.records[0]
    assert (step.error, step.ok, run.status) == ("no_match", False, "succeeded")
    said = next(message for message in run.messages if isinstance(message, ToolMessage))
    assert said.status == "error"
    assert "no such place" in said.text
    assert "page-content" in said.text


def test_a_crashing_tool_is_told_and_recorded(bench: Any) -> None:
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


class Answer(BaseModel):
    count: int


def test_a_schema_gives_an_object(bench: Any) -> None:
    run = bench.run(
        [LOOK, ToolCall("Answer", {"count": "few"}), ToolCall("Answer", {"count": 3})],
        schema=Answer,
        autonomy="all",
    ).run()
    assert run.result == Answer(count=3)


def test_an_unreachable_model_fails_the_run_and_start_goes_on(bench: Any) -> None:
    run = bench.run([write("tea"), ConnectionError("no route"), write("ink"), "done"], autonomy="all")
    with pytest.raises(ModelUnreachable, match="no route"):
        run.run()
    assert run.status == "failed"
    assert isinstance(run.error, ModelUnreachable)
    assert settle(run.start()).status == "succeeded"
    assert bench.desk.written == ["tea", "ink"]
    assert [step.index for step in run.records] == [1, 2]
    assert run.error is None


def test_max_steps_ends_the_run_and_a_higher_limit_goes_on(bench: Any) -> None:
    run = bench.run([write("a"), write("b"), write("c"), "done"], autonomy="all", max_steps=2)
    with pytest.raises(BudgetExceeded, match="2 tool calls"):
        run.run()
    assert bench.desk.written == ["a", "b"]
    run.max_steps = 10
    assert run.run().status == "succeeded"
    assert bench.desk.written == ["a", "b", "c"]


def test_a_loop_of_failed_answers_is_ended_by_the_call_limit(bench: Any) -> None:
    model = ScriptedModel(lambda messages: ToolCall("Answer", {"count": "few"}))
    with pytest.raises(BudgetExceeded):
        bench.run(model, schema=Answer, max_steps=3).run()


def test_stop_while_waiting_then_start_waits_for_the_same_call(bench: Any) -> None:
    run = settle(bench.run([write("tea"), "done"]).start())
    run.stop()
    assert (run.status, run.pending) == ("stopped", None)
    assert settle(run.start()).status == "waiting"
    run.approve()
    assert bench.desk.written == ["tea"]
    assert run.status == "succeeded"


def test_stop_during_a_write_finishes_it_and_never_repeats_it(bench: Any) -> None:
    run = bench.run([write("tea"), write("ink"), "done"], autonomy="all")
    bench.desk.during = lambda: run.stop()
    settle(run.start())
    assert (run.status, bench.desk.written) == ("stopped", ["tea"])
    assert len(run.records) == 1
    bench.desk.during = None
    assert run.run().status == "succeeded"
    assert bench.desk.written == ["tea", "ink"]


def test_a_second_click_on_a_decision_does_nothing(bench: Any) -> None:
    run = settle(bench.run([write("a"), write("b"), "done"]).start())
    assert run.pending is not None
    first = run.pending.id
    run.decide(first, {"type": "approve"})
    run.decide(first, {"type": "approve"})
    run.decide("other", {"type": "reject"})
    settle_at(run, 1)
    assert bench.desk.written == ["a"]
    assert run.status == "waiting"
    assert run.pending.id != first


def test_a_bad_edit_by_decide_is_kept_for_the_front_end(bench: Any) -> None:
    run = settle(bench.run([write("a"), "done"]).start())
    assert run.pending is not None
    run.decide(run.pending.id, {"type": "edit", "args": {"times": "x"}})
    io.sync(run._stepper.settled())
    assert run.status == "waiting"
    assert isinstance(run.last_refusal, InvalidParams)
    run.decide(run.pending.id, {"type": "edit", "args": {"times": 2}})
    settle_at(run, 1)
    assert bench.desk.written == ["aa"]
    assert run.last_refusal is None


def settle_at(run: Run, steps: int) -> None:
    async def wait() -> None:
        changed = asyncio.Event()
        run.on_change.append(lambda _: changed.set())
        while len(run.records) < steps or run.status == "running":
            await changed.wait()
            changed.clear()

    io.sync(wait(), timeout=10)


async def test_arun_waits_for_decisions_given_elsewhere(bench: Any) -> None:
    run = bench.run([write("a"), write("b"), "done"])
    seen: list[str] = []

    def click(changed: Run) -> None:
        seen.append(changed.status)
        if changed.pending is not None:
            changed.decide(changed.pending.id, {"type": "approve"})

    run.on_change.append(click)
    await run.arun()
    assert (run.status, bench.desk.written) == ("succeeded", ["a", "b"])
    assert "waiting" in seen


def test_another_kernel_goes_on_at_the_pending_call(bench: Any) -> None:
    first = settle(bench.run([write("tea"), "done"], run_id="run-9").start())
    first.stop()
    second = settle(bench.run(["done now"], run_id="run-9").start())
    assert second.status == "waiting"
    assert second.pending is not None
    assert second.pending.args == {"value": "tea"}
    second.approve()
    assert (second.status, second.result) == ("succeeded", "done now")
    assert bench.desk.written == ["tea"]


def test_display_is_stable_and_escaped(bench: Any) -> None:
    run = bench.run([LOOK, "<script>alert(1)</script>"], autonomy="all").run()
    assert repr(run) == "<Run 'the goal': succeeded, 1 step>"
    bundle = run._repr_mimebundle_()
    assert bundle["text/plain"] == repr(run)
    assert "<script>" not in bundle["text/html"]
    assert "&lt;script&gt;" in bundle["text/html"]


def test_diff_of_two_runs(bench: Any) -> None:
    one = bench.run([LOOK, write("a"), "done"], autonomy="all", run_id="one").run()
    two = bench.run([LOOK, write("b"), "done"], autonomy="all", run_id="two").run()
    assert list(one.diff(two)["same"]) == [True, False]


def test_ctrl_c_stops_at_a_consistent_point(bench: Any) -> None:
    run = bench.run([write("tea"), write("ink"), "done"], autonomy="all")
    bench.desk.during = lambda: os.kill(os.getpid(), signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert (run.status, bench.desk.written) == ("stopped", ["tea"])
    bench.desk.during = None
    assert run.run().status == "succeeded"
    assert bench.desk.written == ["tea", "ink"]


def test_a_panels_view_of_a_run_changes_with_it(bench: Any) -> None:
    run = bench.run([write("tea"), "done"])
    seen: list[tuple[str, bool]] = []
    run.on_change.append(lambda changed: seen.append((changed.status, changed.pending is not None)))
    settle(run.start())
    run.approve()
    assert [entry for at, entry in enumerate(seen) if at == 0 or seen[at - 1] != entry] == [
        ("running", False),
        ("waiting", True),
        ("running", False),
        ("succeeded", False),
    ]


def test_on_start_is_told_of_every_start(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Run] = []
    monkeypatch.setattr(Run, "on_start", staticmethod(shown.append))
    run = settle(bench.run(["done"]).start())
    assert shown == [run]


def test_autonomy_can_be_changed_between_calls(bench: Any) -> None:
    run = settle(bench.run([write("a"), write("b"), "done"]).start())
    with pytest.raises(AgentError, match="autonomy"):
        run.autonomy = "none"
    run.autonomy = "all"
    run.approve()
    assert run.status == "succeeded"
    assert list(run.steps["decision"]) == ["approve", "auto"]


def test_a_waiting_run_does_not_hold_up_the_exit(tmp_path: Path) -> None:
    script = (
        "from pathlib import Path\n"
        "from tests.agents.conftest import Bench\n"
        "from skillbook.testing.scripted_model import ToolCall\n"
        f"bench = Bench(Path({str(tmp_path)!r}))\n"
        "run = bench.run([ToolCall('write', {'value': 'tea'}), 'done'])\n"
        "print(run.step().tool, run.status)\n"
    )
    root = Path(__file__).resolve().parents[2]
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=root, capture_output=True, text=True, timeout=30, check=False
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "write waiting\n", "")


def test_another_kernel_sees_the_end_of_a_finished_run(bench: Any) -> None:
    steps = [LOOK, ToolCall("Answer", {"count": 3})]
    bench.run(steps, schema=Answer, autonomy="all", run_id="run-8").run()
    again = bench.run([], schema=Answer, autonomy="all", run_id="run-8").run()
    assert (again.status, again.result) == ("succeeded", Answer(count=3))
    assert [step.tool for step in again.records] == ["look"]
