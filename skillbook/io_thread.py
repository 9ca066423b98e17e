"""The one background thread on which all of skillbook's I/O runs.

A blocked notebook cell must starve neither the heartbeats nor a running agent, so sockets, agents and widget
updates live on a daemon thread with an event loop. `io.sync` and `io.wait` are the two ways to it.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from collections.abc import Callable, Coroutine
from concurrent import futures
from concurrent.futures import Future
from contextlib import nullcontext
from typing import Any, Generic, TypeVar

from skillbook.errors import ThreadError
from skillbook.hooks import hooks
from skillbook.limits import MOMENT_SECONDS

T = TypeVar("T")


def unshown() -> None:
    """Stand for `meanwhile` where a call that lasts is shown otherwise."""


class _Call(Generic[T]):
    """One coroutine on the thread, which its caller can end at any moment.

    An interrupt may come before the caller has the future in hand, while the coroutine already runs.
    """

    def __init__(self, coro: Coroutine[Any, Any, T]) -> None:
        self._coro = coro
        self._task: asyncio.Task[Any] | None = None
        self._cancelled = False

    async def run(self) -> T:
        self._task = asyncio.current_task()
        if self._cancelled:
            self._coro.close()
            raise asyncio.CancelledError
        return await self._coro

    def cancel(self) -> None:
        """End it, or keep it from beginning; to be called on the thread."""
        self._cancelled = True
        if self._task is not None:
            self._task.cancel()


class IOThread:
    """A daemon thread with an event loop, started at first use and again after a fork."""

    def __init__(self, name: str = "skillbook-io") -> None:
        self._name = name
        self._lock = threading.RLock()  # what garbage collection closes comes in on any line
        self._loop: asyncio.AbstractEventLoop | None = None
        self._thread: threading.Thread | None = None
        self._pid = 0

    @property
    def loop(self) -> asyncio.AbstractEventLoop:
        """The thread's event loop."""
        with self._lock:
            if (
                self._loop is None
                or self._pid != os.getpid()
                or not (self._thread and self._thread.is_alive())
            ):
                self._start()
            assert self._loop is not None
            return self._loop

    def _start(self) -> None:
        loop = asyncio.new_event_loop()
        ready = threading.Event()

        def run() -> None:
            asyncio.set_event_loop(loop)
            loop.call_soon(ready.set)
            loop.run_forever()

        self._thread = threading.Thread(target=run, name=self._name, daemon=True)
        self._loop, self._pid = loop, os.getpid()
        self._thread.start()
        ready.wait()

    @property
    def inside(self) -> bool:
        """Whether the caller runs on this thread."""
        return self._thread is not None and threading.get_ident() == self._thread.ident

    def submit(self, coro: Coroutine[Any, Any, T]) -> Future[T]:
        """Start a coroutine on the thread and return its future at once."""
        return asyncio.run_coroutine_threadsafe(coro, self.loop)

    def sync(
        self,
        coro: Coroutine[Any, Any, T],
        timeout: float | None = None,
        meanwhile: Callable[[], object] | None = None,
    ) -> T:
        """Run a coroutine on the thread and block until it is done.

        Works inside a running event loop too. Ctrl-C cancels the remote task before it is raised here. `meanwhile` is
        called on the caller's thread while it waits, every 0.2 s; where none is given, the call shows itself once it
        lasts.

        Raises ThreadError: called on the thread itself, where it would wait for itself.
        """
        if self.inside:
            coro.close()
            raise ThreadError("a blocking call was made on skillbook's I/O thread")
        call = _Call(coro)
        with nullcontext(meanwhile) if meanwhile or timeout is not None else hooks.awaited_call() as look:
            try:
                future = self.submit(call.run())
                while look is not None and not futures.wait([future], MOMENT_SECONDS).done:
                    look()
                return future.result(timeout)
            except BaseException:
                self.call_soon(call.cancel)
                raise

    async def wait(self, coro: Coroutine[Any, Any, T], meanwhile: Callable[[], object] | None = None) -> T:
        """Run a coroutine on the thread and await it from any loop.

        Wakes every 0.2 s, so that an interrupt reaches a top-level `await` in a notebook, and calls `meanwhile` then;
        where none is given, the call shows itself once it lasts.
        """
        if self.inside:
            return await coro
        call = _Call(coro)
        with nullcontext(meanwhile) if meanwhile else hooks.awaited_call() as look:
            try:
                wrapped = asyncio.wrap_future(self.submit(call.run()))
                while True:
                    done, _ = await asyncio.wait({wrapped}, timeout=MOMENT_SECONDS)
                    if done:
                        return wrapped.result()
                    if look is not None:
                        look()
            except BaseException:
                self.call_soon(call.cancel)
                raise

    def call_soon(self, callback: Callable[..., object], *args: Any) -> None:
        """Schedule a plain callback on the thread; returns at once, and does nothing while the interpreter ends."""
        # The thread is frozen by then, and a new one would never begin.
        if sys.is_finalizing():
            return
        self.loop.call_soon_threadsafe(callback, *args)


io = IOThread()
