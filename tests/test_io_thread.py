from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
import threading
from collections.abc import Coroutine
from concurrent.futures import Future
from typing import Any, TypeVar

import pytest

from skillbook.errors import ThreadError
from skillbook.io_thread import IOThread

T = TypeVar("T")


@pytest.fixture
def io() -> IOThread:
    return IOThread("test-io")


async def who() -> str:
    return threading.current_thread().name


def test_sync_runs_on_the_thread(io: IOThread) -> None:
    assert io.sync(who()) == "test-io"


async def test_sync_works_inside_a_running_loop(io: IOThread) -> None:
    assert io.sync(who()) == "test-io"


async def test_wait_runs_on_the_thread_from_another_loop(io: IOThread) -> None:
    assert await io.wait(who()) == "test-io"


def test_sync_on_the_thread_itself_is_refused(io: IOThread) -> None:
    async def inner() -> str:
        return io.sync(who())

    with pytest.raises(ThreadError):
        io.sync(inner())


def test_an_error_arrives_where_the_caller_waits(io: IOThread) -> None:
    async def fail() -> None:
        raise LookupError("no such thing")

    with pytest.raises(LookupError, match="no such thing"):
        io.sync(fail())


def test_an_interrupt_cancels_the_remote_task(io: IOThread) -> None:
    started, cancelled = threading.Event(), threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            cancelled.set()
            raise

    def interrupt() -> None:
        started.wait(5)
        signal.pthread_kill(main, signal.SIGINT)

    main = threading.main_thread().ident
    assert main is not None
    threading.Thread(target=interrupt).start()
    with pytest.raises(KeyboardInterrupt):
        io.sync(forever())
    assert cancelled.wait(5)


@pytest.mark.parametrize("door", ["sync", "wait"])
def test_an_interrupt_before_the_future_is_in_hand_cancels_the_remote_task(door: str) -> None:
    started, cancelled = threading.Event(), threading.Event()

    class Interrupted(IOThread):
        def submit(self, coro: Coroutine[Any, Any, T]) -> Future[T]:
            super().submit(coro)
            assert started.wait(5)
            raise KeyboardInterrupt

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    io = Interrupted("test-io")
    with pytest.raises(KeyboardInterrupt):
        io.sync(forever()) if door == "sync" else asyncio.run(io.wait(forever()))
    assert cancelled.wait(5)


def test_what_was_interrupted_before_it_began_never_begins() -> None:
    begun, free = threading.Event(), threading.Event()

    class Interrupted(IOThread):
        def submit(self, coro: Coroutine[Any, Any, T]) -> Future[T]:
            self.call_soon(free.wait, 5)
            super().submit(coro)
            raise KeyboardInterrupt

    async def begin() -> None:
        begun.set()

    io = Interrupted("test-io")
    with pytest.raises(KeyboardInterrupt):
        io.sync(begin())
    free.set()
    assert IOThread.submit(io, who()).result(5) == "test-io"
    assert not begun.is_set()


async def test_cancelling_a_wait_cancels_the_remote_task(io: IOThread) -> None:
    started, cancelled = threading.Event(), threading.Event()

    async def forever() -> None:
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            cancelled.set()

    task = asyncio.ensure_future(io.wait(forever()))
    await asyncio.to_thread(started.wait, 5)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await asyncio.to_thread(cancelled.wait, 5)


def test_what_the_end_of_the_interpreter_closes_starts_no_thread() -> None:
    """A question that waits is closed then, and reports that it changed."""
    code = """
import asyncio
from skillbook.io_thread import io

async def question(io=io):
    try:
        await asyncio.get_running_loop().create_future()
    finally:
        io.call_soon(print)

async def run():
    global task
    task = asyncio.ensure_future(question())
    await asyncio.sleep(0)

io.sync(run())
"""
    done = subprocess.run([sys.executable, "-c", code], timeout=20, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "was destroyed but it is pending" in done.stderr, "it was closed while the interpreter ended"


def test_a_caller_who_waits_looks_meanwhile_on_its_own_thread(io: IOThread) -> None:
    seen: list[threading.Thread] = []
    done = threading.Event()

    def look() -> None:
        seen.append(threading.current_thread())
        done.set()

    async def work() -> str:
        await asyncio.to_thread(done.wait)
        return "done"

    assert io.sync(work(), meanwhile=look) == "done"
    assert set(seen) == {threading.current_thread()}
    done.clear()
    assert asyncio.run(io.wait(work(), look)) == "done"
