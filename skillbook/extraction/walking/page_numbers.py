"""The numbers of pages in the pager nearest to some rows, and which of them is the current one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import pairwise

from skillbook import lexicon
from skillbook.perception.collections import Row
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.nodes import Node
from skillbook.perception.roles import CELLS, words
from skillbook.perception.snapshot import Snapshot

CONTROLS = words("link button menuitem listitem generic tab")
LISTS = words("combobox listbox")
_PAGER_CLASS = re.compile(r"(?i)pag(?:er|ing|ination|inator)|page-numbers|pagenav")
_PAGER = re.compile(_PAGER_CLASS.pattern + r"|(?<![a-z])next(?![a-z])")
_IS_CURRENT = re.compile(r"(?i)(?:^|[-_])(?:active|current|selected|on)(?:[-_]|$)")
_IS_DISABLED = re.compile(r"(?i)(?:^|[-_])disabled(?:[-_]|$)")
_COUNT = re.compile(r"\s*\(\d[\d.,’' ]*\)\s*\Z")
_CHOICES = words("checkbox radio switch option menuitemcheckbox menuitemradio")
UP = 4  # how far around a control its pager is looked for
_MOST_IN_PAGER = 80  # nodes
_MOST_NUMBERS = 15


def page_number(label: str) -> int | None:
    """The number of a page in a control's label, with or without the word for a page; None for anything else."""
    found = _page_pattern().match(lexicon.bare(clean(label)))
    return int(found[1]) if found else None


@cache
def _page_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon.alternation('page')} ?)?(\d{{1,6}})\Z")


def current_page(snapshot: Snapshot, rows: Sequence[Row]) -> int | None:
    """The current page's number by the pager nearest to the rows; None where nothing shows which one that is."""
    return current_among(*numbers_near(snapshot, rows))


def current_among(pager: Node | None, there: Sequence[tuple[Node, int]]) -> int | None:
    """The number that a pager marks as the current page's, or else the only one in it that leads nowhere."""
    if pager is None:
        return None
    marked = next((number for node, number in there if is_current(node, pager)), None)
    dead = {number for _, number in there} - {number for node, number in there if node.actionable}
    return dead.pop() if marked is None and len(dead) == 1 else marked


def numbers_near(snapshot: Snapshot, rows: Sequence[Row]) -> tuple[Node | None, list[tuple[Node, int]]]:
    """The pager nearest to the rows, and the page numbers in it."""
    numbered = [
        (node, number)
        for node in outside_of(snapshot, rows, CONTROLS | {"text"})
        if (number := page_number(node.label)) is not None
    ]
    pagers = [pager for node, _ in numbered if node.actionable and (pager := _pager_around(node, numbered))]
    if not pagers:
        return None, []
    pager = max(pagers, key=lambda up: (nearness(up, rows), up.index))
    span = range(pager.index, snapshot.ends[pager.index])
    return pager, [(node, number) for node, number in numbered if node.index in span]


def outside_of(snapshot: Snapshot, rows: Sequence[Row], roles: frozenset[str]) -> list[Node]:
    """The nodes of some roles that are in none of the rows, in page order; a page may have very many of both."""
    ends_of = {row.node.index: snapshot.ends[row.node.index] for row in rows}
    of = snapshot.columns.role
    found, at = [], 0
    while at < len(of):
        if at in ends_of:
            at = ends_of[at]
            continue
        if of[at] in roles:
            found.append(snapshot.nodes[at])
        at += 1
    return found


def nearness(node: Node, rows: Sequence[Row]) -> int:
    """How deep in the page that is which holds both a control and the rows."""
    if not rows:
        return 0
    first, ends = rows[0].node.index, node.snapshot.ends
    ups = list(node.ancestors)
    return next((len(ups) - at for at, up in enumerate(ups) if up.index <= first < ends[up.index]), 0)


def pager_of(node: Node, *, by_class: bool = False) -> Node | None:
    """The outermost element that is called a pager and holds a control, or is it; None where nothing is.

    by_class: a pager by its class only, and not what is merely called "next".
    """
    found = None
    for up in (node, *up_from(node, 6)):
        name = "" if up is node or by_class else up.name
        if (_PAGER_CLASS if by_class else _PAGER).search(f"{name} {' '.join(up.classes)}"):
            found = up
    return found


def up_from(node: Node, most: int) -> Iterator[Node]:
    """What is around a control, as far as it can be a pager and nothing bigger."""
    for place, up in enumerate(node.ancestors):
        if place >= most or node.snapshot.ends[up.index] - up.index > _MOST_IN_PAGER:
            return
        yield up


def is_disabled(node: Node) -> bool:
    """Whether a control can't be used, also where only a class of it or of what is around it shows that."""
    around = [node, *up_from(node, 2)]
    return "disabled" in node.states or any(
        "disabled" in each.states or any(map(_IS_DISABLED.search, each.classes)) for each in around
    )


def is_current(node: Node, pager: Node) -> bool:
    """Whether a pager marks this as the current page's."""
    around = [node, *(up for up in up_from(node, 2) if up.index > pager.index)]
    return any(
        {"current", "selected", "pressed"} & each.states or any(map(_IS_CURRENT.search, each.classes))
        for each in around
    )


def _pager_around(node: Node, numbered: Sequence[tuple[Node, int]]) -> Node | None:
    """What holds a number and its neighbour, where that is a pager and nothing else with numbers."""
    for up in up_from(node, UP):
        span = range(up.index, up.snapshot.ends[up.index])
        numbers = sorted({number for other, number in numbered if other.index in span})
        if len(numbers) < 2:
            continue
        follow = any(after - before == 1 for before, after in pairwise(numbers))
        in_order = [number for other, number in numbered if other.index in span]
        return up if follow and (pager_of(up) is not None or _is_pager(up, span, in_order)) else None
    return None


def _is_pager(around: Node, span: range, numbers: Sequence[int]) -> bool:
    """Whether something holds page numbers, which rise, and next to nothing else.

    A calendar has more of them, in cells; filters (stars, sizes) have boxes to check or say how many rows each has.
    """
    snapshot = around.snapshot
    if _PAGER.search(around.name):
        return True
    if len(set(numbers)) > _MOST_NUMBERS or any(up.role in CELLS for up in [around, *around.ancestors]):
        return False
    if any(before > after for before, after in pairwise(numbers)):
        return False
    if not _CHOICES.isdisjoint(snapshot.columns.role[span.start : span.stop]):
        return False
    texts = [clean(snapshot.nodes[at].name) for at in span if snapshot.columns.role[at] == "text"]
    if any(map(_COUNT.match, texts)):
        return False
    return sum(len(text) for text in texts if page_number(text) is None) <= LONGEST_NAME
