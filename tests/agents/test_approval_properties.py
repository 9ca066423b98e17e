"""Whatever a person does in whatever order: no call goes without the approval that it needs, and none goes twice."""

from __future__ import annotations

from collections import Counter
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

from hypothesis import given, settings
from hypothesis import strategies as st

from skillbook.agents.run.agent_run import Run
from skillbook.agents.state.checkpoints import close_checkpoints
from skillbook.agents.state.run_context import Autonomy
from skillbook.agents.state.step_records import FINAL_STATUSES, PendingCall
from skillbook.errors import SkillbookError
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from tests.agents.conftest import Bench
from tests.agents.steps import settle
from tests.shown import after_reading

ACTS = (
    "approve",
    "edit",
    "reject",
    "respond",
    "auto",
    "step",
    "start",
    "stop",
    "click_twice",
    "click_late",
    "restart_kernel",
)
scripts = st.lists(st.sampled_from(["look", "write", "burn", "unknown"]), min_size=1, max_size=5)
acts = st.lists(st.sampled_from(ACTS), min_size=1, max_size=12)
autonomies = st.sampled_from(["ask", "reads", "all"])


class Person:
    """Somebody who presses buttons in any order, and remembers what they agreed to.

    Parameters
    ----------
    bench, model, autonomy : what each of the run's kernels has.
    """

    def __init__(self, bench: Bench, model: ScriptedModel, autonomy: Autonomy) -> None:
        self.bench, self.model, self.autonomy = bench, model, autonomy
        self.run = self._kernel()
        self.agreed: set[str] = set()
        self.refused: set[str] = set()
        self.spared = 0
        self.seen: list[PendingCall] = []

    def _kernel(self) -> Run:
        return self.bench.run(self.model, autonomy=self.autonomy)

    def do(self, act: str) -> None:
        """Press once, whether or not it makes sense now."""
        pending = self.run.pending
        with suppress(SkillbookError):
            if pending is None and act in {"approve", "edit", "reject", "respond", "click_twice"}:
                self.run.approve()
            else:
                getattr(self, act)(pending)
        if pending is not None:
            self.seen.append(pending)
        if self.run.status == "running":
            settle(self.run)

    def approve(self, pending: PendingCall) -> None:
        self.agreed.add(value_of(pending))
        after_reading(self.run).approve()

    def edit(self, pending: PendingCall) -> None:
        value = uuid4().hex
        self.agreed.add(value)
        after_reading(self.run).edit(value=value)

    def reject(self, pending: PendingCall) -> None:
        self.refused.add(value_of(pending))
        after_reading(self.run).reject("no")

    def respond(self, pending: PendingCall) -> None:
        self.refused.add(value_of(pending))
        after_reading(self.run).respond("I did it myself.")

    def auto(self, _: PendingCall | None) -> None:
        self.spared += 2
        self.run.auto(2)

    def step(self, _: PendingCall | None) -> None:
        self.run.step()

    def start(self, _: PendingCall | None) -> None:
        self.run.start()

    def stop(self, _: PendingCall | None) -> None:
        self.run.stop()

    def click_twice(self, pending: PendingCall) -> None:
        self.agreed.add(value_of(pending))
        for _ in range(2):
            self.run.decide(pending.id, {"type": "approve"})
        settle(self.run)

    def click_late(self, pending: PendingCall | None) -> None:
        """Click on the buttons of calls that don't wait any more."""
        for old in self.seen:
            if pending is None or old.id != pending.id:
                self.run.decide(old.id, {"type": "approve"})
        io.sync(settled_calls())

    def restart_kernel(self, _: PendingCall | None) -> None:
        self.run.stop()
        self.run = self._kernel()


async def settled_calls() -> None:
    """What was handed to the thread before is done when this is."""


def value_of(pending: PendingCall) -> str:
    return str(pending.args.get("value"))


def calls(script: list[str]) -> list[ToolCall | str]:
    """The model's answers; no two calls are the same."""
    made: list[ToolCall | str] = []
    for at, tool in enumerate(script):
        made.append(ToolCall(tool, {"where": f"place {at}"} if tool == "look" else {"value": f"value {at}"}))
    return [*made, "done"]


@settings(max_examples=max(40, settings().max_examples))
@given(script=scripts, pressed=acts, autonomy=autonomies)
def test_no_call_goes_without_its_approval_and_none_twice(
    script: list[str], pressed: list[str], autonomy: Autonomy
) -> None:
    with TemporaryDirectory() as folder:
        bench = Bench(Path(folder))
        person = Person(bench, ScriptedModel(calls(script)), autonomy)
        for act in pressed:
            person.do(act)
            assert person.run.status in FINAL_STATUSES | {"idle", "waiting", "paused"}
            assert (person.run.pending is not None) == (person.run.status in {"waiting", "paused"})
        for run in bench.runs:
            run.stop()
        io.sync(close_checkpoints(bench.home / "runs.db"))
        written = Counter(bench.desk.written)
        assert max(written.values(), default=1) == 1
        burnt = {text.removeprefix("burnt ") for text in written if text.startswith("burnt ")}
        assert burnt <= person.agreed
        assert not person.refused & (set(written) | burnt)
        unseen = set(written) - person.agreed - {f"burnt {value}" for value in burnt}
        assert autonomy == "all" or len(unseen) <= person.spared
