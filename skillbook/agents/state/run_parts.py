"""The small parts of a run: its tabs, the work of its calls, the image it was shown, what a workflow gave."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from skillbook.errors import PageClosed, Stopped

if TYPE_CHECKING:
    import pandas as pd

    from skillbook.perception.nodes.base_snapshot import BaseSnapshot


@dataclass
class RunTabs:
    """The tabs of one run: those that it opened, what these opened, and the person's if they share them with it.

    shared: whether it may use the tabs that the person shares with this kernel.
    """

    shared: bool = False
    _own: set[int] = field(default_factory=set)

    def add(self, page: Any) -> None:
        """The run opened a tab."""
        page.shared_by = "kernel"
        self._own.add(page.tab.id)

    def has(self, page: Any) -> bool:
        """Whether the run may use a tab."""
        if page.tab.id not in self._own and page.opener in self._own:
            self._own.add(page.tab.id)
        return page.tab.id in self._own or (self.shared and page.shared_by == "user")

    def check(self, page: Any) -> None:
        """Refuse a tab that isn't the run's.

        Raises PageClosed: it may not use it.
        """
        if not self.has(page):
            raise PageClosed(f"there is no tab {page.tab.id} of yours", hint="`tabs` lists yours")


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

        Raises Stopped: it was called off before it began to act.
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


@dataclass(frozen=True)
class ShownImage:
    """An image of the page, as a model saw it.

    origin: where the image begins, in CSS pixels of the viewport.
    scale: pixels of the image in a CSS pixel.
    """

    seen: BaseSnapshot
    origin: tuple[float, float]
    scale: float


@dataclass(frozen=True)
class WorkflowGiven:
    """What a workflow gave."""

    text: str
    frame: pd.DataFrame | None = None


RunWorkflow = Callable[[str, dict[str, Any]], Awaitable[WorkflowGiven]]
