"""A run as a whole: its limits, its end, stopping and going on, and who watches it."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import traceback
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

from skillbook.agents.middleware.tool_calls import RecordingMiddleware
from skillbook.agents.models.pricing import FixedPrice
from skillbook.agents.run.agent_run import Run
from skillbook.agents.state import checkpoints
from skillbook.agents.state.checkpoints import close_checkpoints, keep_run, open_checkpoints
from skillbook.agents.state.run_context import RunHalted
from skillbook.agents.state.step_records import PendingCall
from skillbook.errors import (
    AgentError,
    ApprovalPending,
    BudgetExceeded,
    InvalidParams,
    ModelUnreachable,
    NoMatch,
)
from skillbook.hooks import hooks
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.agents.steps import LOOK, settle, settle_at, write
from tests.shown import after_reading


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
    after_reading(run).approve()
    assert bench.desk.written == ["tea"]
    assert run.status == "succeeded"


def test_stop_during_a_write_finishes_it_and_never_repeats_it(bench: Any) -> None:
    run = bench.run([write("tea"), write("ink"), "done"], autonomy="all")

    async def stop() -> None:
        run.stop()

    bench.desk.during = stop
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
    after_reading(second).approve()
    assert (second.status, second.result) == ("succeeded", "done now")
    assert bench.desk.written == ["tea"]


def test_the_first_step_of_a_resumed_run_is_none_of_the_earlier_ones(bench: Any) -> None:
    first = settle(bench.run([write("tea"), write("ink"), "done"], run_id="run-9").start())
    after_reading(first).approve()
    first.stop()
    second = bench.run(["done now"], run_id="run-9")
    pending = second.step()
    assert isinstance(pending, PendingCall)
    assert pending.args == {"value": "ink"}
    assert [step.final_args for step in second.records] == [{"value": "tea"}]


def test_fault_41_an_approval_dies_with_its_kernel(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    async def killed(*_: Any) -> Any:
        raise RunHalted

    with monkeypatch.context() as patch:
        patch.setattr(RecordingMiddleware, "awrap_tool_call", killed)
        first = settle(bench.run([write("tea"), "done"], run_id="run-7").start())
        after_reading(first).approve()
    assert (first.status, bench.desk.written) == ("stopped", [])
    model = [lambda messages: write("ink") if "approval_required" in messages[-1].text else "lost", "done"]
    second = settle(bench.run(model, run_id="run-7").start())
    assert bench.desk.written == []
    assert second.pending is not None
    assert second.pending.args == {"value": "ink"}
    after_reading(second).approve()
    assert bench.desk.written == ["ink"]


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


def test_a_diff_puts_equal_calls_beside_each_other(bench: Any) -> None:
    one = bench.run([LOOK, write("a"), write("c"), "done"], autonomy="all", run_id="one").run()
    two = bench.run([LOOK, write("b"), write("a"), write("c"), "done"], autonomy="all", run_id="two").run()
    table = one.diff(two)
    assert table[["our_step", "their_step"]].fillna(0).to_numpy().tolist() == [[1, 1], [0, 2], [2, 3], [3, 4]]
    assert list(table["same"]) == [True, False, True, True]
    assert table["ours"].isna().tolist() == [False, True, False, False]
    assert table.loc[2, "theirs"] == 'write(value="b")'
    assert list(table["same_result"]) == [True, False, True, True]
    assert list(one.diff(one)["same"]) == [True, True, True]


def test_a_diff_says_where_the_same_call_had_another_result(bench: Any) -> None:
    one = bench.run([LOOK, "done"], autonomy="all", run_id="one").run()
    bench.desk.fail = NoMatch("gone")
    two = bench.run([LOOK, "done"], autonomy="all", run_id="two").run()
    table = one.diff(two)
    assert (table.loc[1, "same"], table.loc[1, "same_result"]) == (True, False)
    assert table.loc[1, "their_result"] == "no_match"


def test_ctrl_c_stops_at_a_consistent_point(bench: Any) -> None:
    run = bench.run([write("tea"), write("ink"), "done"], autonomy="all")

    async def interrupt() -> None:
        os.kill(os.getpid(), signal.SIGINT)
        await run._context.halt.wait()

    bench.desk.during = interrupt
    with pytest.raises(KeyboardInterrupt):
        run.run()
    assert (run.status, bench.desk.written) == ("stopped", ["tea"])
    bench.desk.during = None
    assert run.run().status == "succeeded"
    assert bench.desk.written == ["tea", "ink"]


@pytest.mark.parametrize(("autonomy", "calls"), [("ask", 0), ("reads", 1)])
def test_a_cell_that_no_click_can_reach_does_not_wait_for_one(
    bench: Any, monkeypatch: pytest.MonkeyPatch, autonomy: str, calls: int
) -> None:
    monkeypatch.setattr(hooks, "clicks_blocked", lambda: "ipykernel 6.31 brings no clicks")
    run = bench.run([write("tea"), "done"], autonomy=autonomy)
    run.on_change.append(lambda _: None)
    with pytest.raises(ApprovalPending, match=r"ipykernel 6\.31") as caught:
        run.run()
    assert "run.start()" in caught.value.hint
    assert run.cost.calls == calls
    settle(run.start())
    after_reading(run).approve()
    assert run.status == "succeeded"


def test_a_budget_is_kept_by_an_estimate_before_each_answer(bench: Any) -> None:
    run = bench.run([LOOK, LOOK, LOOK, LOOK, "done"], autonomy="all", budget_usd=1.6)
    price = FixedPrice(input=1000, output=0)
    run._context.choice = replace(run._context.choice, price=price)
    with pytest.raises(BudgetExceeded, match="next answer would"):
        run.run()
    assert run.cost.calls >= 1
    assert run.cost.usd <= 1.6


def test_the_same_call_that_comes_to_nothing_is_made_three_times(bench: Any) -> None:
    nowhere = ToolCall("look", {"where": "nowhere"})
    run = bench.run([nowhere] * 5 + [lambda messages: messages[-1].text], autonomy="all").run()
    assert bench.desk.looked == ["nowhere"] * 3
    assert [step.error for step in run.records] == ["no_match"] * 3 + ["agent"] * 2
    assert "go another way" in run.result


def test_a_failed_run_has_a_short_traceback(bench: Any) -> None:
    run = bench.run([ConnectionError("no route")], autonomy="all")
    with pytest.raises(ModelUnreachable) as caught:
        run.run()
    shown = "".join(traceback.format_exception(caught.value))
    assert "langgraph" not in shown
    assert len(shown.splitlines()) < 20


def test_runs_keep_their_newest_checkpoints_only(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    run = bench.run([write(str(place)) for place in range(12)] + ["done"], autonomy="all")
    path = bench.home / "runs.db"

    async def keep(kept: Any) -> None:
        await keep_run(path, run.id, kept)

    run._context.keep = keep
    run.run()
    assert len(bench.desk.written) == 12
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0] <= 20
    monkeypatch.setattr(checkpoints, "_KEPT_RUNS", 0)
    io.sync(close_checkpoints(path))
    io.sync(open_checkpoints(path))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM checkpoints").fetchone()[0] == 0
    io.sync(close_checkpoints(path))
    assert path.stat().st_size < 100_000


def test_kept_runs_take_so_much_room_at_most(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beside how many runs are kept, how large they are together; the newest stays, however large."""
    path = bench.home / "runs.db"
    for name in ("one", "two", "three"):
        run = bench.run([write("x" * 50_000), "done"], autonomy="all", run_id=name)

        async def keep(kept: Any, name: str = name) -> None:
            await keep_run(path, name, kept)

        run._context.keep = keep
        run.run()

    def kept(most: int) -> list[str]:
        monkeypatch.setattr(checkpoints, "_KEPT_BYTES", most)
        io.sync(close_checkpoints(path))
        io.sync(open_checkpoints(path))
        with closing(sqlite3.connect(path)) as connection:
            rows = connection.execute("SELECT DISTINCT thread_id FROM checkpoints").fetchall()
        return sorted(name for (name,) in rows)

    assert kept(100_000_000) == ["one", "three", "two"]
    with closing(sqlite3.connect(path)) as connection:
        sizes = "SELECT SUM(LENGTH(checkpoint)) FROM checkpoints WHERE thread_id = 'three'"
        size = connection.execute(sizes).fetchone()[0]
    assert kept(int(size * 2.5)) == ["three", "two"]
    assert kept(1) == ["three"]
    io.sync(close_checkpoints(path))
    assert path.stat().st_size < 2 * size + 100_000


def test_a_panels_view_of_a_run_changes_with_it(bench: Any) -> None:
    run = bench.run([write("tea"), "done"])
    seen: list[tuple[str, bool]] = []
    run.on_change.append(lambda changed: seen.append((changed.status, changed.pending is not None)))
    settle(run.start())
    after_reading(run).approve()
    assert [entry for at, entry in enumerate(seen) if at == 0 or seen[at - 1] != entry] == [
        ("running", False),
        ("waiting", True),
        ("running", False),
        ("succeeded", False),
    ]


def test_every_start_is_reported(bench: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Run] = []
    monkeypatch.setattr(hooks, "run_started", shown.append)
    run = settle(bench.run(["done"]).start())
    assert shown == [run]


def test_autonomy_can_be_changed_between_calls(bench: Any) -> None:
    run = settle(bench.run([write("a"), write("b"), "done"]).start())
    with pytest.raises(AgentError, match="autonomy"):
        run.autonomy = "none"
    run.autonomy = "all"
    after_reading(run).approve()
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
    root = Path(__file__).resolve().parents[3]
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
