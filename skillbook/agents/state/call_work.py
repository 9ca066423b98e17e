"""The call that is being carried out, which whoever made it may call off without an end of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import Any, TypeVar

from skillbook.errors import Stopped

T = TypeVar("T")


class CallWork:
    """One run's calls. Touched on the I/O thread only."""

    def __init__(self) -> None:
        self._off: set[str] = set()
        self._task: asyncio.Future[Any] | None = None

    def call_off(self, call_id: str) -> None:
        """End a call, and each call of its cell: what is under way now, and what would begin later."""
        self._off.add(call_id)
        if self._task is not None:
            self._task.cancel()

    def is_off(self, call_id: str) -> bool:
        """Whether a call, or the cell that makes it, was called off."""
        return any(call_id == each or call_id.startswith(f"{each}.") for each in self._off)

    async def carry(self, call_id: str, work: Awaitable[T]) -> T:
        """Await a call's work.

        Raises
        ------
        Stopped : it was called off before it began to act.
        """
        task: asyncio.Future[T] = asyncio.ensure_future(work)
        self._task = task
        try:
            return await task
        except asyncio.CancelledError:
            this = asyncio.current_task()
            if self.is_off(call_id) and task.cancelled() and not (this is not None and this.cancelling()):
                raise self.stopped() from None
            raise
        finally:
            self._task = None

    def caught(self, call_id: str) -> bool:
        """Whether the cancellation that just came is of a call that was called off; then it is taken as handled."""
        this = asyncio.current_task()
        if not self.is_off(call_id) or this is None:
            return False
        this.uncancel()
        return True

    def stopped(self) -> Stopped:
        """What a call that was called off ends with."""
        return Stopped(
            "whoever made this call called it off",
            hint="what it had done until then is done: read the page with `snapshot`",
        )
