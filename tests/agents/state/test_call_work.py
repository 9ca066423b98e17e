"""A call that is called off ends, and nothing else does."""

from __future__ import annotations

import asyncio

import pytest

from skillbook.agents.state.run_parts import CallWork
from skillbook.errors import Stopped


async def test_a_call_that_is_called_off_ends_and_the_next_is_carried_out() -> None:
    work = CallWork()
    waiting = asyncio.ensure_future(work.carry("a", asyncio.sleep(60)))
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    work.call_off("a")
    with pytest.raises(Stopped, match="called it off"):
        await waiting
    assert work.is_off("a")
    assert await work.carry("b", asyncio.sleep(0, "done")) == "done"


async def test_what_handles_its_cancellation_still_has_an_answer() -> None:
    work = CallWork()

    begun = asyncio.Event()

    async def tool() -> str:
        begun.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            if not work.caught("a"):
                raise
        await asyncio.sleep(0)
        return "part of it is done"

    waiting = asyncio.ensure_future(work.carry("a", tool()))
    await asyncio.wait_for(begun.wait(), 30)
    work.call_off("a")
    assert await waiting == "part of it is done"


async def test_the_calls_of_a_cell_end_with_it_and_a_stopped_run_is_no_call_off() -> None:
    work = CallWork()
    work.call_off("run-1-4-0")
    assert work.is_off("run-1-4-0.2L3")
    assert not work.is_off("run-1-4-01")
    waiting = asyncio.ensure_future(work.carry("other", asyncio.sleep(60)))
    await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
