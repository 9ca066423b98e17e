"""Rows of several pages: walking to the next one, or scrolling to the end."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from skillbook.errors import AmbiguousMatch, CommandTimeout
from skillbook.extraction.plans import Plan
from skillbook.extraction.source import PageSource
from skillbook.perception.collections import Row
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import parse_selector
from skillbook.perception.snapshot import Snapshot

Progress = Callable[[int, int], object]

SETTLE_SECONDS = 5.0
IDLE_SECONDS = 10.0
_NEXT = re.compile(
    r"(?i)\s*(next(\s+page)?|go to next page|load more( results)?|show more( results)?|more results|older( posts)?|"
    r"weiter|nächste( seite)?|suivant(e|s)?|page suivante|siguiente|successivo|avanti|próxim[ao]|volgende|nästa|"
    r"następn[ay]|далее|следующая|下一页|次へ|다음)?\s*[›»→>❯▶⟩]*\s*\Z"
)
_PAGER = re.compile(r"(?i)pag(er|ination|inator)|next")


@dataclass
class Harvest:
    """Rows as they come in; what there is stays there when something fails.

    A page that shows the rows before it and more (a list that grows) adds only what is new; a page that was seen
    before adds nothing; otherwise rows are kept even if they say the same.
    """

    rows: list[Row] = field(default_factory=list)
    pages: int = 0
    columns: Sequence[str] = ()
    saw_again: bool = False
    _seen: set[tuple[object, ...]] = field(default_factory=set)
    _last: list[tuple[object, ...]] = field(default_factory=list)
    _elements: set[tuple[object, ...]] = field(default_factory=set)

    def add(self, rows: Sequence[Row]) -> int:
        """Take a page's rows; returns how many are new."""
        says = [_says(row) for row in rows]
        whole = tuple(says)
        self.saw_again = bool(rows) and whole in self._seen
        if not rows or self.saw_again:
            return 0
        self._seen.add(whole)
        fresh = list(zip(rows, says, strict=True))
        grown = len(self._last) <= len(says) and says[: len(self._last)] == self._last
        if self._last and grown:
            fresh = fresh[len(self._last) :]
        else:
            fresh = [(row, said) for row, said in fresh if (_element(row), said) not in self._elements]
        self._last = says
        self._elements.update((_element(row), said) for row, said in fresh)
        self.rows += [row for row, _ in fresh]
        self.pages += bool(fresh)
        return len(fresh)


def _says(row: Row) -> tuple[object, ...]:
    return tuple(cell and (cell.text, cell.href) for cell in row.cells)


def _element(row: Row) -> tuple[object, ...]:
    """Which element a row is: its document and ref."""
    document = row.node.snapshot.columns.document_at(row.node.index)
    return document.key, row.node.ref or row.node.index


async def walk_pages(
    source: PageSource,
    plan: Plan,
    harvest: Harvest,
    snapshot: Snapshot,
    following: str | bool,
    max_pages: int,
    progress: Progress | None,
) -> tuple[str, str]:
    """Go to the next page as long as there is one that says something new.

    Returns
    -------
    Why it stopped, and what shows that there is more, if anything does.

    Raises
    ------
    AmbiguousMatch : the selector of the way to the next page names several elements.
    """
    visited = 1
    while visited < max_pages:
        control = find_next(snapshot, following)
        if control is None or "disabled" in control.states or control.ref is None:
            return "no next page was found", ""
        await source.act("click", control.ref)
        new = await _after(source, plan, harvest, snapshot)
        if new is None:
            again = harvest.saw_again
            return (
                ("the next page was one that was read before", "")
                if again
                else (
                    "the next page showed no rows",
                    "a next page was opened and showed none",
                )
            )
        snapshot = new
        visited += 1
        if progress:
            progress(visited, len(harvest.rows))
    control = find_next(snapshot, following)
    there_is = control is not None and "disabled" not in control.states
    return f"max_pages={max_pages} was reached", "there is a next page" if there_is else ""


async def scroll_to_end(
    source: PageSource,
    plan: Plan,
    harvest: Harvest,
    snapshot: Snapshot,
    max_rounds: int,
    progress: Progress | None,
) -> tuple[str, str]:
    """Scroll down as long as that brings new rows; returns why it stopped, and what shows that there is more."""
    for turn in range(1, max_rounds):
        await source.act("scroll", None, to="bottom")
        new = await _after(source, plan, harvest, snapshot)
        if new is None:
            return "scrolling brought no more", ""
        snapshot = new
        if progress:
            progress(turn + 1, len(harvest.rows))
    return f"max_pages={max_rounds} was reached", "scrolling brought more until then"


async def _after(source: PageSource, plan: Plan, harvest: Harvest, before: Snapshot) -> Snapshot | None:
    """The page once it shows new rows; None where it came to rest without any."""
    deadline = time.monotonic() + SETTLE_SECONDS
    try:
        await source.wait_for(idle=True, timeout=IDLE_SECONDS)
    except CommandTimeout:
        pass  # some pages are never idle; whether new rows are there is looked at below
    snapshot = await source.snapshot()
    while not harvest.add(plan.read(snapshot)):
        if not await source.changed_since(snapshot, deadline - time.monotonic()):
            return None
        snapshot = await source.snapshot()
    return snapshot


def find_next(snapshot: Snapshot, following: str | bool) -> Node | None:
    """What leads to the next page: by selector, or (True) what is called so; None where there is nothing.

    Raises
    ------
    AmbiguousMatch, SelectorSyntaxError
    """
    if isinstance(following, str):
        found = snapshot.find_all(parse_selector(following))
        usable = [node for node in found if "disabled" not in node.states]
        if len(usable) > 1 and len({_leads_to(node) for node in usable}) > 1:
            raise AmbiguousMatch(f"{len(usable)} elements match next={following!r}", count=len(usable))
        return usable[0] if usable else None
    if not following:
        return None
    named = [
        node
        for node in snapshot.elements
        if node.role in {"link", "button", "menuitem", "generic"}
        and "disabled" not in node.states
        and (label := clean(node.label))
        and _NEXT.match(label)
    ]
    return max(named, key=_likelihood, default=None)


def has_next_page(snapshot: Snapshot) -> bool:
    """Whether a pager has a way to the next page: one that is called so, in something that is called a pager."""
    control = find_next(snapshot, True)
    return control is not None and _in_pager(control)


def _leads_to(node: Node) -> tuple[str, str | None]:
    """Two links above and below a list lead to the same page."""
    return clean(node.label), node.href


def _likelihood(node: Node) -> tuple[int, int]:
    in_words = bool(re.search(r"\w{3}", node.label))
    return 2 * _in_pager(node) + in_words, node.index


def _in_pager(node: Node) -> bool:
    around = [node, *list(node.ancestors)[:6]]
    return any(_PAGER.search(f"{up.name if up is not node else ''} {' '.join(up.classes)}") for up in around)
