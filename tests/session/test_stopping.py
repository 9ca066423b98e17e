from __future__ import annotations

import asyncio
import time
from pathlib import Path
from typing import Any

import pytest

from skillbook.agents.state.checkpoints import close_checkpoints
from skillbook.errors import CommandTimeout, Stopped
from skillbook.journal import Outcome, read_journal
from skillbook.session.stopping import Stopping, next_step
from skillbook.testing.scripted_model import ToolCall
from tests.agents.test_tools import decide, start
from tests.session.rig import Rig, outcome

# Far below the deadlines of what is stopped; how fast a stop is depends on what else the machine does.
LONGEST = 3


def hang(rig: Rig, command: str) -> asyncio.Event:
    """The command never answers; the event is set when it came."""
    came = asyncio.Event()

    async def never(params: Any, tab: Any) -> Any:
        came.set()
        await asyncio.Event().wait()
        return outcome()

    rig.extension.handlers[command] = never
    return came


async def test_a_command_under_way_ends_and_its_outcome_is_unknown(rig: Rig) -> None:
    page = await rig.open()
    came = hang(rig, "click")
    task = asyncio.ensure_future(page.act("click", "button 'Save'"))
    await asyncio.wait_for(came.wait(), 5)
    began = time.perf_counter()
    assert await rig.driver.stop() == 1
    with pytest.raises(Stopped):
        await task
    assert time.perf_counter() - began < LONGEST
    assert read_journal(rig.driver.journal.path)[-1].outcome is Outcome.UNKNOWN


async def test_what_waits_for_its_turn_is_never_sent(rig: Rig) -> None:
    page = await rig.open()
    came = hang(rig, "click")
    tasks = [asyncio.ensure_future(page.act("click", "button 'Save'")) for _ in range(3)]
    await asyncio.wait_for(came.wait(), 5)
    await rig.driver.stop()
    ends = await asyncio.gather(*tasks, return_exceptions=True)
    assert [type(end) for end in ends] == [Stopped] * 3
    assert len(rig.sent("click")) == 1


async def test_work_that_begins_after_a_stop_goes_on(rig: Rig) -> None:
    page = await rig.open()
    assert await rig.driver.stop() == 0
    await page.act("click", "button 'Save'")
    assert len(rig.sent("click")) == 1


async def test_being_cancelled_is_not_being_stopped(rig: Rig) -> None:
    page = await rig.open()
    came = hang(rig, "click")
    task = asyncio.ensure_future(page.act("click", "button 'Save'"))
    await asyncio.wait_for(came.wait(), 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task


async def test_a_wait_is_stopped_too(rig: Rig) -> None:
    page = await rig.open()
    came = hang(rig, "wait_for")
    task = asyncio.ensure_future(page.wait_for(text="never", timeout=5))
    await asyncio.wait_for(came.wait(), 5)
    await rig.driver.stop()
    with pytest.raises(Stopped):
        await task


async def test_the_popups_stop_reaches_the_kernel(rig: Rig) -> None:
    page = await rig.open()
    came = hang(rig, "click")
    task = asyncio.ensure_future(page.act("click", "button 'Save'"))
    await asyncio.wait_for(came.wait(), 5)
    await rig.extension.send_event("stop", {"cancelled": 0})
    with pytest.raises((Stopped, CommandTimeout)) as ending:
        await asyncio.wait_for(task, 2)
    assert ending.type is Stopped


@pytest.mark.parametrize("by", ["run", "browser"])
async def test_a_runs_write_is_cut_short_and_the_run_can_go_on(rig: Rig, tmp_path: Path, by: str) -> None:
    save = ToolCall("click", {"target": "button 'Save'"})
    told: list[str] = []

    def look(messages: list[Any]) -> str:
        told.append(messages[-1].text)
        return "done"

    run = await start(rig, [save, look])
    came = hang(rig, "click")
    deciding = asyncio.ensure_future(decide(run, type="approve"))
    await asyncio.wait_for(came.wait(), 5)
    cut: list[float] = []
    run.on_change.append(lambda changed: cut.append(time.perf_counter()) if changed.records else None)
    began = time.perf_counter()
    if by == "run":
        await run.halt()
    else:
        await rig.driver.stop()
    await asyncio.wait_for(deciding, 5)
    assert cut[0] - began < LONGEST
    assert (run.status, told) == ("stopped", [])
    assert run.records[0].error == "stopped"
    assert read_journal(rig.driver.journal.path)[-1].outcome is Outcome.UNKNOWN
    await run.settle()
    assert run.status == "succeeded"
    assert "stopped" in told[0]
    assert len(rig.sent("click")) == 1
    await close_checkpoints(tmp_path / "runs.db")


async def test_a_part_is_stopped_and_paused_by_itself_and_ends_with_the_whole() -> None:
    stopping = Stopping()
    with stopping.operation() as whole:
        with stopping.operation(apart=True) as part:
            assert part is not whole
            part.pause()
            assert not whole.paused
            whole.pause()
            whole.go_on()
            assert not part.paused
            whole.pause()
            assert part.paused
            part.stop()
            with pytest.raises(Stopped):
                await next_step()
        whole.go_on()
        assert await stopping.watch(lambda: asyncio.sleep(0, "done")) == "done"
        with stopping.operation(apart=True) as part:
            running = asyncio.ensure_future(stopping.watch(lambda: asyncio.sleep(60)))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
            assert stopping.stop() == 1
            with pytest.raises(Stopped):
                await running
        with stopping.operation(apart=True) as late:
            assert late.stopped


async def test_the_next_step_waits_for_the_end_of_a_pause() -> None:
    await next_step()
    with Stopping().operation() as operation:
        operation.pause()
        step = asyncio.ensure_future(next_step())
        await asyncio.sleep(0.01)
        assert not step.done()
        operation.go_on()
        await step
