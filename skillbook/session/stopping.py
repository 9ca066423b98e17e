"""Stopping: work under way ends at once, and nothing of it happens later. Pausing: it waits between two steps."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from weakref import WeakSet

from skillbook.errors import Stopped

T = TypeVar("T")


class Operation:
    """Commands that are stopped as one: an action with its snapshots, a replay, an agent's run.

    whole: the operation that this is a part of: it is stopped, waits and goes on with that, and also by itself.
    """

    def __init__(self, whole: Operation | None = None) -> None:
        self.stopped: bool = whole is not None and whole.stopped
        self.tasks: set[asyncio.Future[Any]] = set()
        self.parts: set[Operation] = set()
        self._goes_on = asyncio.Event()
        if whole is None or not whole.paused:
            self._goes_on.set()

    @property
    def paused(self) -> bool:
        """Whether it waits before its next step."""
        return not self._goes_on.is_set()

    def pause(self) -> None:
        """Have it wait before its next step."""
        self._goes_on.clear()
        for part in self.parts:
            part.pause()

    def go_on(self) -> None:
        """End a pause."""
        self._goes_on.set()
        for part in self.parts:
            part.go_on()

    async def between_steps(self) -> None:
        """Wait here while it is paused."""
        await self._goes_on.wait()

    def was_stopped(self) -> bool:
        """Whether somebody stopped it meanwhile."""
        return self.stopped

    def stop(self) -> int:
        """End what is under way; whatever of it would begin later is refused. Returns how many commands were cut."""
        self.stopped = True
        self.go_on()
        tasks = [task for task in self.tasks if not task.done()]
        for task in tasks:
            task.cancel()
        return len(tasks) + sum(part.stop() for part in list(self.parts))


_current: ContextVar[Operation | None] = ContextVar("skillbook_operation", default=None)
_paces_itself: ContextVar[bool] = ContextVar("skillbook_paces_itself", default=False)
"""Whether what runs says by itself where it can be paused."""


async def next_step() -> None:
    """Wait here while the work that this is part of is paused.

    Raises Stopped: it was stopped.
    """
    operation = _current.get()
    if operation is None:
        return
    await operation.between_steps()
    if operation.stopped:
        raise Stopped("the work was stopped before its next step", hint="")


def is_part_of_work() -> bool:
    """Whether what runs here can be paused and stopped as a part of something."""
    return _current.get() is not None


class Stopping:
    """The operations of one browser."""

    def __init__(self) -> None:
        self._live: WeakSet[Operation] = WeakSet()
        self.listeners: list[Callable[[], object]] = []

    @contextmanager
    def operation(self, *, apart: bool = False) -> Iterator[Operation]:
        """What runs inside, in this task and those it starts, is one operation; inside another it is part of that.

        apart: inside another it can still be stopped and paused by itself; it ends with that.
        """
        outer = _current.get()
        if outer is not None and not apart:
            yield outer
            return
        operation = Operation(outer)
        if outer is None:
            self._live.add(operation)
        else:
            outer.parts.add(operation)
        token = _current.set(operation)
        try:
            yield operation
        finally:
            _current.reset(token)
            if outer is not None:
                outer.parts.discard(operation)

    @contextmanager
    def steps(self) -> Iterator[None]:
        """What runs inside is paused only where it awaits `between_steps`, never in the middle of a step."""
        token = _paces_itself.set(True)
        try:
            yield
        finally:
            _paces_itself.reset(token)

    async def between_steps(self) -> None:
        """Wait here while the operation is paused."""
        operation = _current.get()
        if operation is not None:
            await operation.between_steps()

    async def between_actions(self) -> None:
        """Wait here while the operation is paused, but for what pauses between its own steps only."""
        if not _paces_itself.get():
            await self.between_steps()

    async def watch(self, work: Callable[[], Awaitable[T]]) -> T:
        """Await a command's answer, unless its operation is stopped.

        Raises Stopped: it was, before or meanwhile.
        """
        with self.operation() as operation:
            await self.between_actions()
            if operation.stopped:
                raise Stopped("the work that this command is part of was stopped", hint="")
            task = asyncio.ensure_future(work())
            operation.tasks.add(task)
            try:
                return await task
            except asyncio.CancelledError:
                this = asyncio.current_task()
                cancelled = this is not None and this.cancelling() > 0
                if task.cancelled() and operation.was_stopped() and not cancelled:
                    raise Stopped("the command was stopped") from None
                raise
            finally:
                operation.tasks.discard(task)

    def stop(self) -> int:
        """Stop every operation and call the listeners; returns how many commands were cut short."""
        count = sum(operation.stop() for operation in list(self._live))
        for listener in list(self.listeners):
            listener()
        return count
