"""Which of a browser's tabs one run may use, where several runs share the browser without mixing."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from skillbook.errors import PageClosed


@dataclass
class RunTabs:
    """The tabs of one run: those that it opened, what these opened, and the person's if they share them with it.

    Parameters
    ----------
    shared : whether it may use the tabs that the person shares with this kernel.
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

        Raises
        ------
        PageClosed : it may not use it.
        """
        if not self.has(page):
            raise PageClosed(f"there is no tab {page.tab.id} of yours", hint="`tabs` lists yours")
