"""The way to the next page: by a selector, its name, an icon in a pager, or the number after the current one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

from skillbook.errors import AmbiguousMatch
from skillbook.extraction.frames.completeness import is_last_page
from skillbook.perception.collections import Row
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.roles import CELLS, words
from skillbook.perception.selectors import parse_selector
from skillbook.perception.snapshot import Snapshot

_ARROWS = r"[›»→>❯▶⟩⇨➔➜]"
_NEXT = re.compile(
    r"(?i)(?!\s*[›»→>❯▶]{3})"  # a prompt in a code sample, not an arrow
    r"\s*(?:(?:go |jump |move |navigate )?(?:to )?(?:the )?next(?: page)?(?: of [\w ]{1,30})?|"
    r"(?:load|show|view|see|fetch|get) (?:\d+ )?(?:more|next)(?: \d+)?(?: \w+){0,2}|"
    r"more(?: results| items| products| posts| entries| comments)?|older(?: posts| entries)?|"
    r"weiter|nächste(?: seite)?|zur nächsten seite|mehr (?:laden|anzeigen)|"
    r"(?:page )?suivante?s?|charger plus|(?:afficher|voir) plus|siguiente(?: página)?|página siguiente|"
    r"(?:cargar|mostrar|ver) más|successiv[oa]|avanti|carica altri|mostra altri|próxim[ao]|carregar mais|volgende|"
    r"nästa|następn[ay]|далее|следующая|下一页|次へ|다음)?\s*" + _ARROWS + r"*\s*\Z"
)
_TO_LAST = re.compile(r"\s*(?:»|≫|⏭|⇥|⟫|[›>→❯▶]{2}|[›>→❯▶]\s*[|❘¦])\s*\Z")
"""Arrows that lead to the last page, where another one leads to the next."""
_NEXT_PAGE = re.compile(
    r"(?i)\s*(?:(?:go |jump |move |navigate )?(?:to )?(?:the )?next page|(?:zur )?nächste[n]? seite|page suivante|"
    r"siguiente página|página siguiente|pagina successiva|próxima página|volgende pagina|"
    r"(?:load|fetch|get) (?:\d+ )?more(?: (?:results|items|rows|entries|products|posts|comments))?|mehr laden|"
    r"charger plus|cargar más|carica altri|carregar mais|下一页)\s*" + _ARROWS + r"*\s*\Z"
)
_PAGE_ADDRESS = re.compile(r"(?i)[?&;](?:p|pg|page|paged|_?next|offset|start|skip|cursor|after)=[^&]")
_FORWARD = re.compile(r"(?i)(?<![a-z])(next|forward|(?:chevron|angle|arrow|caret)[-_ ]?right)(?![a-z])")
_BACKWARD = re.compile(r"(?i)(?<![a-z])(prev(?:ious)?|back|first|last|double|end|(?:\w+[-_ ]?)left)(?![a-z])")
_PAGE_NUMBER = re.compile(
    r"(?i)\s*(?:(?:go |jump |zu |aller )?(?:to |à )?(?:la )?(?:page|seite|página|pagina)\s+)?(\d{1,6})\s*\Z"
)
_PAGER = re.compile(r"(?i)pag(?:er|ing|ination|inator)|(?<![a-z])next(?![a-z])|page-numbers|pagenav")
_IS_CURRENT = re.compile(r"(?i)(?:^|[-_])(?:active|current|selected|on)(?:[-_]|$)")
_IS_DISABLED = re.compile(r"(?i)(?:^|[-_])disabled(?:[-_]|$)")
_COUNT = re.compile(r"\s*\(\d[\d.,’' ]*\)\s*\Z")
_CONTROLS = words("link button menuitem listitem generic tab")
_CHOICES = words("checkbox radio switch option menuitemcheckbox menuitemradio")
_UP = 4  # how far around a control its pager is looked for
_MOST_IN_PAGER = 80  # nodes
_MOST_NUMBERS = 15
_MOST_OTHER_TEXT = 60  # characters


@dataclass(frozen=True)
class Way:
    """The way on from a page.

    Parameters
    ----------
    control : what leads to the next page; None where nothing does.
    why : why nothing does.
    doubt : what shows that there may be a next page all the same; empty where nothing does.
    in_pager : whether it is part of a pager, and no single control.
    """

    control: Node | None = None
    why: str = "no next page was found"
    doubt: str = ""
    in_pager: bool = False


def find_next(snapshot: Snapshot, following: str | bool, rows: Sequence[Row] = (), page: int = 1) -> Way:
    """What leads to the next page: by selector, or (True) what is called so, or looks so, or has the next number.

    Parameters
    ----------
    snapshot : the page.
    following : a selector; True to find it.
    rows : those of the page; what leads on isn't in them, and near to them.
    page : the number of the page that is open, as far as pages were counted.

    Raises
    ------
    AmbiguousMatch, SelectorSyntaxError
    """
    if isinstance(following, str):
        return _by_selector(snapshot, following)
    if not following:
        return Way()
    outside = {node.index for node in _outside(snapshot, rows, _CONTROLS)}
    controls = [node for node in snapshot.elements if node.index in outside]
    named = [node for node in controls if (label := clean(node.label)) and _NEXT.match(label)]
    named += [node for node in controls if not clean(node.label) and _looks_forward(node)]
    best = max(named, key=lambda node: _likelihood(node, rows), default=None)
    if best is not None and (_in_pager(best) or not is_disabled(best)):
        in_pager = _in_pager(best) or _says_page(best)
        if not is_disabled(best):
            return Way(best, in_pager=in_pager)
        return Way(None, "the way to the next page is disabled", in_pager=in_pager)
    return _by_number(snapshot, rows, page)


def _by_selector(snapshot: Snapshot, following: str) -> Way:
    found = snapshot.find_all(parse_selector(following))
    usable = [node for node in found if node.ref and not is_disabled(node)]
    if len(usable) > 1 and len({_leads_to(node) for node in usable}) > 1:
        raise AmbiguousMatch(f"{len(usable)} elements match next={following!r}", count=len(usable))
    if usable:
        return Way(usable[0], in_pager=True)
    return Way(None, "the way to the next page is disabled") if found else Way()


def has_next_page(snapshot: Snapshot, rows: Sequence[Row] = ()) -> bool:
    """Whether a pager has a way to the next page: one that is called so, in something that is called a pager."""
    way = find_next(snapshot, True, rows)
    return way.control is not None and way.in_pager


def owner_of_next(snapshot: Snapshot, collections: Sequence[Sequence[Row]]) -> int | None:
    """Which of several collections a pager's way to the next page belongs to; None where there is no such way.

    Of those that are equally near to the pager, the last one above it.
    """
    best: tuple[int, bool, int] | None = None
    owner = None
    for place, rows in enumerate(collections):
        way = find_next(snapshot, True, rows)
        if way.control is None or not way.in_pager or not rows:
            continue
        first = rows[0].node.index
        is_above = first < way.control.index
        nearness = (_nearness(way.control, rows), is_above, first if is_above else -first)
        if best is None or nearness > best:
            best, owner = nearness, place
    return owner


def is_disabled(node: Node) -> bool:
    """Whether a control can't be used, also where only a class of it or of what is around it shows that."""
    around = [node, *_up(node, 2)]
    return "disabled" in node.states or any(
        "disabled" in each.states or any(map(_IS_DISABLED.search, each.classes)) for each in around
    )


def _leads_to(node: Node) -> tuple[str, str | None]:
    """Two links above and below a list lead to the same page."""
    return clean(node.label), node.href


def _says_page(node: Node) -> bool:
    """Whether a control's name, or its address, says that it leads to a page of rows, wherever it stands."""
    return bool(_NEXT_PAGE.match(clean(node.label)) or _PAGE_ADDRESS.search(node.href or ""))


def _likelihood(node: Node, rows: Sequence[Row]) -> tuple[bool, int, bool, bool, int]:
    in_words = bool(re.search(r"\w{3}", node.label))
    to_last = bool(_TO_LAST.match(clean(node.label)))
    return _in_pager(node), _nearness(node, rows), in_words, not to_last, node.index


def _nearness(node: Node, rows: Sequence[Row]) -> int:
    """How deep in the page that is which holds both a control and the rows."""
    if not rows:
        return 0
    first, ends = rows[0].node.index, node.snapshot.ends
    ups = list(node.ancestors)
    return next((len(ups) - at for at, up in enumerate(ups) if up.index <= first < ends[up.index]), 0)


def _in_pager(node: Node) -> bool:
    around = [node, *_up(node, 6)]
    return any(_PAGER.search(f"{up.name if up is not node else ''} {' '.join(up.classes)}") for up in around)


def _up(node: Node, most: int) -> Iterator[Node]:
    for place, up in enumerate(node.ancestors):
        if place >= most or node.snapshot.ends[up.index] - up.index > _MOST_IN_PAGER:
            return
        yield up


def _looks_forward(node: Node) -> bool:
    """Whether a control without a name is the icon of a pager's way on, by its classes, id or place."""
    if not _in_pager(node):
        return False
    inside = node.snapshot.nodes[node.index : node.snapshot.ends[node.index]]
    parts = [
        text for each in inside for text in (*each.classes, each.html_id, each.test_id, each.description)
    ]
    said = " ".join(part for part in parts if part)
    if _FORWARD.search(said) or _BACKWARD.search(said):
        return bool(_FORWARD.search(said)) and not _BACKWARD.search(said)
    return _is_after_numbers(node)


def _is_after_numbers(node: Node) -> bool:
    """Whether it is the first control without a name after a pager's numbers, or the second of only two."""
    for up in _up(node, _UP):
        inside = up.snapshot.nodes[up.index + 1 : up.snapshot.ends[up.index]]
        controls = [
            each for each in inside if each.role in _CONTROLS and (each.actionable or is_disabled(each))
        ]
        numbers = [each.index for each in inside if _PAGE_NUMBER.match(clean(each.label))]
        blank = [each for each in controls if not clean(each.label) and not each.text]
        if numbers:
            after = [each for each in blank if each.index > numbers[-1]]
            return bool(after) and after[0].index == node.index
        if len(blank) >= 2:
            return len(blank) == 2 and blank[1].index == node.index
    return False


def current_page(snapshot: Snapshot, rows: Sequence[Row]) -> int | None:
    """The number that the pager nearest to the rows marks as the current page's; None where it marks none."""
    pager, there = _numbers(snapshot, rows)
    return None if pager is None else next((n for node, n in there if _is_current(node, pager)), None)


def _outside(snapshot: Snapshot, rows: Sequence[Row], roles: frozenset[str]) -> list[Node]:
    """The nodes of some roles that are in none of the rows, in page order; a page may have very many of both."""
    ends_of = {row.node.index: snapshot.ends[row.node.index] for row in rows}
    found, inside = [], 0
    for at, role in enumerate(snapshot.columns.role):
        inside = max(inside, ends_of.get(at, 0))
        if at >= inside and role in roles:
            found.append(snapshot.nodes[at])
    return found


def _numbers(snapshot: Snapshot, rows: Sequence[Row]) -> tuple[Node | None, list[tuple[Node, int]]]:
    """The pager nearest to the rows, and the page numbers in it."""
    numbered = [
        (node, int(match[1]))
        for node in _outside(snapshot, rows, _CONTROLS | {"text"})
        if (match := _PAGE_NUMBER.match(clean(node.label)))
    ]
    pagers = [pager for node, _ in numbered if node.actionable and (pager := _pager_around(node, numbered))]
    if not pagers:
        return None, []
    pager = max(pagers, key=lambda up: (_nearness(up, rows), up.index))
    span = range(pager.index, snapshot.ends[pager.index])
    return pager, [(node, number) for node, number in numbered if node.index in span]


def _by_number(snapshot: Snapshot, rows: Sequence[Row], page: int) -> Way:
    """The control with the number after the current page's, in the pager nearest to the rows."""
    pager, there = _numbers(snapshot, rows)
    if pager is None:
        return Way()
    if is_last_page(snapshot, rows):
        return Way(None, "the page says that it is the last one", in_pager=True)
    current = next((number for node, number in there if _is_current(node, pager)), None)
    if current is None:
        dead = {number for node, number in there} - {number for node, number in there if node.actionable}
        current = dead.pop() if len(dead) == 1 else page
    following = [node for node, number in there if number == current + 1 and node.actionable]
    usable = [node for node in following if not is_disabled(node)]
    if usable:
        return Way(usable[0], in_pager=True)
    if current >= max(number for _, number in there):
        return Way(None, f"page {current} is the last one", in_pager=True)
    doubt = f"there is a pager, but no way from its page {current} to the next one was found"
    return Way(None, "the next page's number was not found", doubt, True)


def _pager_around(node: Node, numbered: Sequence[tuple[Node, int]]) -> Node | None:
    """What holds a number and its neighbour, where that is a pager and nothing else with numbers."""
    for up in _up(node, _UP):
        span = range(up.index, up.snapshot.ends[up.index])
        numbers = sorted({number for other, number in numbered if other.index in span})
        if len(numbers) < 2:
            continue
        follow = any(after - before == 1 for before, after in pairwise(numbers))
        in_order = [number for other, number in numbered if other.index in span]
        return up if follow and (_in_pager(up) or _is_pager(up, span, in_order)) else None
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
    return sum(len(text) for text in texts if not _PAGE_NUMBER.match(text)) <= _MOST_OTHER_TEXT


def _is_current(node: Node, pager: Node) -> bool:
    around = [node, *(up for up in _up(node, 2) if up.index > pager.index)]
    return any(
        {"current", "selected", "pressed"} & each.states or any(map(_IS_CURRENT.search, each.classes))
        for each in around
    )
