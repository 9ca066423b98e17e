"""Stopping: work that is under way ends at once, and nothing of it happens later."""

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
    """Commands that are stopped as one: an action with its snapshots, a replay, an agent's run."""

    def __init__(self) -> None:
        self.stopped = False
        self.tasks: set[asyncio.Future[Any]] = set()

    def was_stopped(self) -> bool:
        """Whether somebody stopped it meanwhile."""
        return self.stopped

    def stop(self) -> int:
        """End what is under way; whatever of it would begin later is refused. Returns how many commands were cut."""
        self.stopped = True
        tasks = [task for task in self.tasks if not task.done()]
        for task in tasks:
            task.cancel()
        return len(tasks)


_current: ContextVar[Operation | None] = ContextVar("skillbook_operation", default=None)


class Stopping:
    """The operations of one browser."""

    def __init__(self) -> None:
        self._live: WeakSet[Operation] = WeakSet()
        self.listeners: list[Callable[[], object]] = []

    @contextmanager
    def operation(self) -> Iterator[Operation]:
        """What runs inside, in this task and those it starts, is one operation; inside another it is part of that."""
        operation = _current.get()
        if operation is not None:
            yield operation
            return
        operation = Operation()
        self._live.add(operation)
        token = _current.set(operation)
        try:
            yield operation
        finally:
            _current.reset(token)

    async def watch(self, work: Callable[[], Awaitable[T]]) -> T:
        """Await a command's answer, unless its operation is stopped.

        Raises
        ------
        Stopped : it was, before or meanwhile.
        """
        with self.operation() as operation:
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
