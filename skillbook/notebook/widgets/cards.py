"""What is small and has buttons: the skill that nobody has approved, and the browsers that are open."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from typing import Any, Literal
from weakref import ref

import traitlets

from skillbook.errors import SkillbookError
from skillbook.notebook.environment import STATIC
from skillbook.notebook.html.page_and_run import skill_html, text_html
from skillbook.notebook.page.past import close_open, number, pages_of, words_of
from skillbook.notebook.page.presence import end_of, follow_browser, silence_of
from skillbook.notebook.widgets.widget import PageWidget


class SkillCard(PageWidget):
    """Shows what a skill wants; its button approves the version that was shown, and no other."""

    kind = traitlets.Unicode("skill").tag(sync=True)
    _record_kind = STATIC

    def __init__(self, skill: Any) -> None:
        super().__init__()
        self._skill, self._digest, self._wants = skill, skill.digest, skill.wants
        self._status: Literal["asks", "approved", "changed"] = "asks"
        self._render()

    def _render(self) -> None:
        name, place, lines = self._wants.name, self._wants.place, list(self._wants.lines)
        self.state = {"name": name, "place": place, "wants": lines, "status": self._status}

    def _take(self, content: dict[str, Any]) -> None:
        if content.get("type") != "approve":
            return
        self._status = "approved" if self._skill.digest == self._digest else "changed"
        if self._status == "approved":
            self._skill.approve()
        self._render()

    def _record(self) -> tuple[str, str]:
        return skill_html(self._wants.name, self._wants.place, self._wants.lines), str(self._wants)

    def __repr__(self) -> str:
        return f"<Card of {self._wants.name}>"


def show_skill_card(skill: Any) -> None:
    """Show the card in the current cell."""
    SkillCard(skill).show()


class BrowsersWidget(PageWidget):
    """Lists browsers and their pages; each closes here, and says how it has ended."""

    kind = traitlets.Unicode("browsers").tag(sync=True)

    def __init__(self, drivers: Sequence[Any], words: str) -> None:
        super().__init__()
        # A line that is still shown keeps no browser open.
        self._lines = [(ref(driver), {"id": number(driver), "words": words_of(driver)}) for driver in drivers]
        self._words = words
        self._closing: asyncio.Task[None] | None = None
        self._problem = ""
        for driver in drivers:
            follow_browser(driver, self._changed)
        self._render()

    def _render(self) -> None:
        lines = [self._line(found(), line) for found, line in self._lines]
        self.state = {"browsers": lines, "problem": self._problem}

    @staticmethod
    def _line(driver: Any, line: dict[str, Any]) -> dict[str, Any]:
        gone = end_of(driver) if driver is not None else "The browser was closed."
        pages = [] if gone else pages_of(driver)
        return {**line, "pages": pages, "gone": gone, "silent": "" if gone else silence_of(driver)}

    def _take(self, content: dict[str, Any]) -> None:
        kind, id_ = content.get("kind"), content.get("id")
        if content.get("type") == "close_open" and kind in ("browser", "page") and isinstance(id_, str):
            self._closing = asyncio.ensure_future(self._close_open(kind, id_))

    async def _close_open(self, kind: str, id_: str) -> None:
        self._problem = ""
        try:
            await close_open(kind, id_, ())
        except SkillbookError as error:
            self._problem = error.message
        self._changed()

    def _record(self) -> tuple[str, str]:
        return text_html(self._words), self._words

    def __repr__(self) -> str:
        return self._words


def show_browsers(browsers: Any) -> None:
    """Show the list in the current cell."""
    BrowsersWidget([browser.driver for browser in browsers], repr(browsers)).show()
