"""What a hand can't show in a recording: which rows to read, what to wait for, and what to make sure of."""

from __future__ import annotations

import threading
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from typing import Any, Literal

from skillbook.errors import InvalidInput, NoMatch, SkillbookError
from skillbook.io_thread import io
from skillbook.limits import PRESENT_SECONDS
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import build_locator, parse_selector
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page_driver import PageDriver
from skillbook.skill.model.spec_steps import EXTRACT
from skillbook.skill.recording.recorded_steps import RecordedStep

Mark = Literal["rows", "check"]
_WORDS = {
    "rows": "Click something in one of the rows, items or cards that are to be read. Esc: none.",
    "check": "Click what has to be here whenever the skill is run. Esc: none.",
}


class Marks(ABC):
    """The part of a recording that takes marks.

    Attributes
    ----------
    pointing : the mark for which a person is to press something in the page; empty while there is none.
    problem : why the last mark that was pointed at came to nothing.
    columns : of the rows that were read last.
    """

    driver: PageDriver
    pointing: str
    problem: str
    columns: list[str]

    @abstractmethod
    def add(self, step: RecordedStep) -> None:
        """Take a step."""

    @abstractmethod
    def unrecorded(self) -> AbstractContextManager[None]:
        """Do something that is no step of its own."""

    @abstractmethod
    def changed(self) -> None:
        """Those who show the recording show it anew."""

    def point(self, mark: Mark) -> None:
        """Have a person press something in the page, and mark that: rows like it, or that it has to be there.

        What they press isn't pressed for the page. It takes two minutes at most.

        Parameters
        ----------
        mark : Mark
            `rows` reads the table, list or cards that the element is in, of every page where there are several,
            or by scrolling where it scrolls in a box of its own;
            `check` makes a replay wait for the element there, and fail without it.

        Raises
        ------
        CommandTimeout
            Nothing was pressed.
        InvalidInput
            It is in no rows, or nothing names it.
        """
        self.pointing, self.problem = mark, ""
        self.changed()
        try:
            with self.unrecorded():
                node = io.sync(self.driver.pick(_WORDS[mark], timeout=PRESENT_SECONDS))
            if node is not None:
                self._mark(mark, node)
        finally:
            self.pointing = ""
            self.changed()

    def request_mark(self, mark: Mark) -> None:
        """Let a person point without waiting for them; what goes wrong is in `problem` then."""

        def wait() -> None:
            try:
                self.point(mark)
            except SkillbookError as error:
                self.problem = error.message
                self.changed()

        if not self.pointing:
            threading.Thread(target=wait, name=f"skillbook-mark-{mark}", daemon=True).start()

    def _mark(self, mark: Mark, node: Node) -> None:
        if mark == "check":
            self.check(str(build_locator(node)))
        else:
            snapshot = self.driver.latest
            assert snapshot is not None
            within, pages, scrolls = _rows_around(snapshot, node)
            self.extract(within=within, next=pages or None, scroll=scrolls)

    def extract(
        self,
        fields: Mapping[str, str] | Sequence[str] | None = None,
        *,
        within: str | None = None,
        **more: Any,
    ) -> Any:
        """Read rows of the page now, as `sb.extract` does, and do that in the skill, too.

        Parameters
        ----------
        fields, within, **more : dict or sequence of str, optional or object or str, optional
            As for `sb.extract`.

        Returns
        -------
        object
            The rows, to see whether they are the ones that are meant.
        """
        from skillbook.extraction.driver import extract_frame

        given = {"fields": fields, "within": within, **more}
        params = {name: value for name, value in given.items() if value}
        before = self.driver.latest
        with self.unrecorded():
            frame = io.sync(extract_frame(self.driver, fields, within=within, **more))
        self.columns = [str(column) for column in frame.columns]
        self.add(RecordedStep(EXTRACT, params, url_before=self.driver.url, before=before, frame=frame.copy()))
        return frame

    def wait_for(self, selector: str | None = None, **condition: Any) -> None:
        """Wait for this before the step that comes next: `text=`, `text_gone=`, `selector=` or `url=`.

        Parameters
        ----------
        selector, **condition : str, optional or object
            As for `page.wait_for`.

        Raises
        ------
        CommandTimeout
            It doesn't come.
        """
        if selector is not None:
            condition["selector"] = selector
        with self.unrecorded():
            io.sync(self.driver.wait_for(**condition))
        self.add(RecordedStep("wait_for", condition, url_before=self.driver.url))

    def check(self, selector: str = "", *, text: str = "") -> None:
        """Make sure of this after the last step: an element that a selector finds, or a text that the page shows.

        Parameters
        ----------
        selector : str
            A role selector that has to match.
        text : str
            A text that the page has to show.

        Raises
        ------
        InvalidInput
            The page doesn't show it now.
        SelectorSyntaxError
            No selector.
        """
        if selector:
            parse_selector(selector)
        snapshot = io.sync(self.driver.snapshot_for(selector or ""))
        if not (snapshot.find_all(selector) if selector else text and snapshot.has_text(text)):
            raise InvalidInput(
                f"the page doesn't show {selector or text!r} now",
                hint="check what is there after the last step",
            )
        condition = {"selector": selector} if selector else {"text": text}
        self.add(RecordedStep("wait_for", condition, url_before=self.driver.url, before=snapshot))


def _rows_around(snapshot: Snapshot, node: Node) -> tuple[str | None, bool, bool]:
    """What names the smallest table, list or set of cards that an element is in; how the rest of it is come to.

    That is whether it goes on on other pages, and whether it scrolls in a box of its own, which may hold a part of it.
    """
    from skillbook.extraction.reading.places import collections_in
    from skillbook.extraction.reading.plans import name_place
    from skillbook.extraction.walking.pagers import find_next
    from skillbook.perception.collections.cells import scroller_of

    ends = snapshot.ends
    around = [
        one
        for one in collections_in(snapshot, None)
        if any(row.node.index <= node.index < ends[row.node.index] for row in one.rows)
    ]
    hint = "read them by code: rec.extract(…)"
    if not around:
        raise InvalidInput(
            f"{node.role} {node.label[:60]!r} is in no rows of a table, list or cards", hint=hint
        )
    found = min(around, key=lambda one: ends[one.node.index] - one.node.index)
    try:
        within = name_place(snapshot, found)
    except NoMatch:
        raise InvalidInput(f"nothing names just the rows around {node.label[:60]!r}", hint=hint) from None
    link = find_next(snapshot, True, found.rows)
    has_pages = link.leads_on and link.in_pager
    return within, has_pages, not has_pages and scroller_of(snapshot, found.rows[0].node.index) is not None
