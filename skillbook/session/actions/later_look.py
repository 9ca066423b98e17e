"""What an action changed, read when somebody looks."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from skillbook.errors import ThreadError
from skillbook.io_thread import io
from skillbook.perception.diff import SnapshotDiff
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.answers_awaited import await_answers
from skillbook.session.page.page_reader import PageReader


@dataclass
class LaterLook:
    """Reads a page once, for the result of an action that was done on it.

    Parameters
    ----------
    page, before : the page, and as it was read before the action.
    unseen : how many actions came after that reading, before this one.
    number : which of the page's actions it is.
    """

    page: PageReader
    before: Snapshot
    unseen: int
    number: int
    _diff: SnapshotDiff | None = None
    _later: int | None = field(default=None, init=False)

    @property
    def diff(self) -> SnapshotDiff | None:
        """What is different now, or was when this was first asked for; None where the page can't be read."""
        if self._later is None:
            if io.inside:
                raise ThreadError(
                    "what an action changed can't be read here: nobody else could be served meanwhile",
                    hint="set SKILLBOOK_LOOK_AT_ONCE: actions then read the page by themselves",
                )
            io.sync(self.read())
        return self._diff

    def answered(self) -> None:
        """Wait until what the last action requested is answered, where that can be waited for."""
        if not io.inside and not self.page.closed:
            io.sync(await_answers(self.page))

    async def read(self) -> None:
        """Read the page now, for good, once it shows what the last action requested."""
        later = self.page.actions - self.number
        if not self.page.closed:
            await await_answers(self.page)
        now = None if self.page.closed else await self.page.snapshot_if_readable()
        self._later = later
        self._diff = None if now is None else replace(now.diff(self.before), note=self.when)

    def is_its_own(self) -> bool:
        """Whether what differs can only be of this action, or of the page itself."""
        return not self.unseen and not (
            self.page.actions - self.number if self._later is None else self._later
        )

    @property
    def when(self) -> str:
        """Between which moments the differences lie."""
        parts = []
        if self.unseen:
            parts.append(f"with what {_actions(self.unseen)} before it changed")
        if self._later:
            parts.append(f"read after {_actions(self._later)} more")
        return ", ".join(parts)


def _actions(count: int) -> str:
    return "1 action" if count == 1 else f"{count} actions"
