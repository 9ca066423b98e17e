"""Controls and addresses that lead from one page of a series to another: numbers, "Load more", numbers in addresses."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from itertools import islice, pairwise
from operator import itemgetter
from urllib.parse import SplitResult, parse_qsl, urlsplit

from skillbook import lexicon
from skillbook.errors import SkillbookError
from skillbook.extraction.readable_page import PageReading
from skillbook.perception.collections import Row
from skillbook.perception.collections.belonging import is_aside
from skillbook.perception.collections.row_kinds import more_phrases, says_next, says_others
from skillbook.perception.escape import LONGEST_NAME, clean, quote
from skillbook.perception.nodes import Node, remembered
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.roles import CELLS, DIALOGS, LANDMARKS, RECORDS, TABLES, words
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.page_rest import is_loading_text

CURSORS = frozenset({"cursor", "after", "next", "_next", "next_token", "page_token", "pagetoken"})
PAGES = frozenset({"p", "pg", "page", "paged", "pagenum", "page_no", "pageno", "pagenumber", "currentpage"})
ROWS = frozenset({"offset", "start", "skip", "from"})
"""Names of parameters that lead to another part of a series: by a mark, a page's number, a row's."""
_NUMBERS = re.compile(r"\d+")
_LONGEST = 9  # digits; longer numbers name something


@cache
def _page_path() -> re.Pattern[str]:
    """The end of a path with a page's number, such as `/page/3`, `/seite-3` or `/3`."""
    names = sorted(
        {re.escape(word) for word in lexicon.words("page") if " " not in word}, key=len, reverse=True
    )
    return re.compile(rf"(?i)/(?:(?:{'|'.join(names)})[-/]?)?(\d{{1,6}})\Z")


def page_step(here: str, there: str) -> int | None:
    """By how much the number in an address is higher than in another that is the same otherwise.

    An address without the number is that of the first page. None where they differ by more, or by something else.
    """
    one, other = _parts(here), _parts(there)
    if (one.scheme, one.netloc) != (other.scheme, other.netloc):
        return None
    if one.query != other.query:
        return _step_of_query(one, other) if one.path == other.path else None
    return None if one.path == other.path else _step_of_path(one.path, other.path)


def names_page(here: str, there: str) -> bool:
    """Whether an address is another one with a page in it that stands there by its name: `page=2`, `/page/2`."""
    one, other = _parts(here), _parts(there)
    if (one.scheme, one.netloc) != (other.scheme, other.netloc):
        return False
    if one.path != other.path:
        return one.query == other.query and bool(
            _page_path().search(one.path) or _page_path().search(other.path)
        )
    return any(name in PAGES | ROWS | CURSORS for name in _changed(one, other))


def pages_left_out(here: str, there: str) -> int:
    """How many pages lie between two addresses that differ by a page's number, named so; 0 where they don't."""
    before, after = page_in(here), page_in(there)
    if after is None or page_step(here, there) is None:
        return 0
    return max(after - (1 if before is None else before) - 1, 0)


def page_in(address: str) -> int | None:
    """The number of a page that an address has by its name (`page=2`, `/page/2`); None where it has none."""
    parts = _parts(address)
    named = [value for name, value in parse_qsl(parts.query) if name.lower() in PAGES and _is_number(value)]
    found = _page_path().search(parts.path)
    if found and any(map(str.isalpha, found[0])):
        named.append(found[1])
    return int(named[0]) if len(named) == 1 else None


def has_page(address: str) -> bool:
    """Whether an address has a page's number or mark in its query."""
    names = {name.lower() for name, value in parse_qsl(_parts(address).query) if value}
    return not names.isdisjoint(PAGES | ROWS | CURSORS)


def has_cursor(here: str, there: str) -> bool:
    """Whether an address leads on from another one by a mark in the series, and no number."""
    one, other = _parts(here), _parts(there)
    same = (one.scheme, one.netloc, one.path) == (other.scheme, other.netloc, other.path)
    changed = _changed(one, other) if same else {}
    return any(name in CURSORS and changed[name][1] for name in changed)


def _parts(address: str) -> SplitResult:
    parts = urlsplit(address)
    return parts._replace(path=parts.path.rstrip("/"))


def _changed(one: SplitResult, other: SplitResult) -> dict[str, tuple[str, str]]:
    before, after = (dict(parse_qsl(each.query, keep_blank_values=True)) for each in (one, other))
    names = [name for name in {**before, **after} if before.get(name) != after.get(name)]
    return {name.lower(): (before.get(name, ""), after.get(name, "")) for name in names}


def _step_of_query(one: SplitResult, other: SplitResult) -> int | None:
    changed = _changed(one, other)
    if len(changed) != 1:
        return None
    [(name, (before, after))] = changed.items()
    if not before and not after:  # `?all=`
        return None
    first = 0 if name in ROWS else 1
    values = [int(text) if _is_number(text) else first if not text else None for text in (before, after)]
    if values[0] is None or values[1] is None:
        return None
    # Where the first page has no number, the second is 2, or 1 where pages are counted from 0.
    return values[1] - values[0] or (1 if not before and values[1] == 1 else -1 if not after else 0) or None


def _step_of_path(before: str, after: str) -> int | None:
    added, gone = _page_path().search(after), _page_path().search(before)
    if added and before == after[: added.start()]:
        return int(added[1]) - 1 or None
    if gone and after == before[: gone.start()]:
        return 1 - int(gone[1]) or None
    if _NUMBERS.sub("#", before) != _NUMBERS.sub("#", after):
        return None
    pairs = zip(_NUMBERS.findall(before), _NUMBERS.findall(after), strict=True)
    differing = [(one, other) for one, other in pairs if one != other]
    if len(differing) != 1 or not all(map(_is_number, differing[0])):
        return None
    return int(differing[0][1]) - int(differing[0][0])


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and len(text) <= _LONGEST


CONTROLS = words("link button menuitem listitem generic tab")
LISTS = words("combobox listbox")
_PAGER_CLASS = re.compile(r"(?i)pag(?:er|ing|ination|inator)|page-numbers|pagenav")
_PAGER = re.compile(_PAGER_CLASS.pattern + r"|(?<![a-z])next(?![a-z])")
_IS_CURRENT = re.compile(
    r"(?:^|[-_])(?:(?i:active|current|selected)(?=[-_A-Z]|$)|(?i:on)(?=[-_]|$))"
    r"|(?<=[a-z])(?:Active|Current|Selected)(?=[-_A-Z]|$)"
)
_IS_DISABLED = re.compile(r"(?i)(?:^|[-_])disabled(?:[-_]|$)")
_COUNT = re.compile(r"\s*\(\d[\d.,’' ]*\)\s*\Z")
_CHOICES = words("checkbox radio switch option menuitemcheckbox menuitemradio")
_MOST_IN_PAGER = 80  # nodes
_MOST_NUMBERS = 15


@lru_cache(maxsize=8192)
def page_number(label: str) -> int | None:
    """The number of a page in a control's label, with or without the word for a page; None for anything else."""
    if len(label) > LONGEST_NAME:
        return None
    found = _page_pattern().match(lexicon.bare(clean(label)))
    return int(found[1]) if found else None


@cache
def _page_pattern() -> re.Pattern[str]:
    return re.compile(rf"(?:{lexicon.alternation('page')} ?)?(\d{{1,6}})\Z")


@dataclass(frozen=True)
class Numbers:
    """The pager nearest to some rows, and the page numbers in it; without a pager none.

    current: the number that is marked as the current page's, else the only one that leads nowhere; None for none.
    """

    pager: Node | None = None
    there: Sequence[tuple[Node, int]] = ()

    @classmethod
    def near(cls, snapshot: Snapshot, rows: Sequence[Row], *, aside: bool = True) -> Numbers:
        """Those nearest to rows; `aside`: also those in a part of the page that the rows aren't in."""
        numbered = [(node, page_number(node.label) or 0) for node in outside_of(_numbered(snapshot), rows)]
        pagers = [
            pager for node, _ in numbered if node.actionable and (pager := _pager_around(node, numbered))
        ]
        pager = max(pagers, key=lambda up: (nearness(up, rows), up.index), default=None)
        if pager is None or (not aside and rows and is_aside(snapshot, pager.index, rows[0].node.index)):
            return cls()
        span = range(pager.index, snapshot.ends[pager.index])
        return cls(pager, [(node, number) for node, number in numbered if node.index in span])

    @cached_property
    def current(self) -> int | None:
        """See the class."""
        if self.pager is None:
            return None
        marked = next((number for node, number in self.there if is_current(node, self.pager)), None)
        # A button that is called otherwise shows its number as a text.
        dead = self.all - {
            number
            for node, number in self.there
            if any(each.actionable for each in (node, *up_from(node, 2)))
        }
        return dead.pop() if marked is None and len(dead) == 1 else marked

    @property
    def all(self) -> set[int]:
        """The numbers."""
        return {number for _, number in self.there}

    def leading_to(self, wanted: int) -> Node | None:
        """The control that leads to the page with a number."""
        usable = (
            node
            for node, number in self.there
            if number == wanted and node.actionable and not is_disabled(node)
        )
        return next(usable, None)


@remembered
def _numbered(snapshot: Snapshot) -> list[Node]:
    roles = CONTROLS | {"text"}
    nodes = (snapshot.nodes[at] for at, role in enumerate(snapshot.columns.role) if role in roles)
    return [node for node in nodes if page_number(node.label) is not None]


def outside_of(nodes: Sequence[Node], rows: Sequence[Row]) -> list[Node]:
    """The nodes that are in none of the rows; a page may have very many of both."""
    spans: list[tuple[int, int]] = []
    for first in sorted(row.node.index for row in rows) if nodes else ():
        if not spans or first >= spans[-1][1]:
            spans.append((first, rows[0].node.snapshot.ends[first]))
    return [
        node
        for node in nodes
        if (place := bisect_right(spans, node.index, key=itemgetter(0))) == 0
        or node.index >= spans[place - 1][1]
    ]


def nearness(node: Node, rows: Sequence[Row]) -> int:
    """How deep in the page that is which holds both a control and the rows."""
    if not rows:
        return 0
    first, ends = rows[0].node.index, node.snapshot.ends
    ups = list(node.ancestors)
    return next((len(ups) - at for at, up in enumerate(ups) if up.index <= first < ends[up.index]), 0)


@remembered
def pager_of(node: Node) -> Node | None:
    """The outermost element that is called a pager and holds a control, or is it; None where nothing is."""
    return _outermost(
        node, lambda up: _PAGER.search(f"{'' if up is node else up.name} {' '.join(up.classes)}")
    )


@remembered
def pager_by_class(node: Node) -> Node | None:
    """The same by its class only, and not what is merely called "next"."""
    return _outermost(node, lambda up: _PAGER_CLASS.search(" ".join(up.classes)))


def _outermost(node: Node, is_it: Callable[[Node], object]) -> Node | None:
    return next(filter(is_it, reversed([node, *up_from(node, 6)])), None)


def up_from(node: Node, most: int | None = None) -> Iterator[Node]:
    """What is around a control, as far as it can be a pager and nothing bigger."""
    for up in islice(node.ancestors, most):
        if node.snapshot.ends[up.index] - up.index > _MOST_IN_PAGER:
            return
        yield up


@remembered
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
    for up in up_from(node):
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


_CONTROLS = words("link button")
_APART = TABLES | DIALOGS | LANDMARKS | (RECORDS - {"row"}) | words("heading separator")
SCROLL = "scroll=True reads all"
_NUMBER = re.compile(r"\d{1,3}(?:[.,'\u2019\u00a0 ]\d{3})+|\d+")


def more_beside(snapshot: Snapshot, rows: Sequence[Row]) -> str:
    """What says that a control which stands with the rows would bring more of them; "" where none does."""
    found = next((node for node, count in _beside(snapshot, rows) if _brings_more(node, count)), None)
    if found is None:
        return ""
    if found.role == "progressbar":
        return f"below the rows the page shows that it waits: {found.role} {quote(clean(found.label), 40)}"
    if found.role not in _CONTROLS:
        return f"the page says that there are more: {quote(snapshot.text_of(found.index), 40)}"
    return f"the page offers more: {found.role} {quote(clean(found.label), 40)}"


async def more_in_view(source: PageReading, rows: Sequence[Row]) -> str:
    """What says that the page brings more rows as it is scrolled; "" where nothing does."""
    last = max(rows, key=lambda row: row.node.index).node
    if any(up.role == "feed" for up in last.ancestors):
        # https://www.w3.org/TR/wai-aria-1.2/#feed
        return f"it is a feed, which may load more as it is scrolled: {SCROLL}"
    named = next((up for up in (last, *last.ancestors) if up.ref is not None), None)
    if named is None:
        return ""
    try:
        found = await source.run("describe", {"ref": named.ref})
    except SkillbookError:
        return ""  # the page is another one by now, or can't be asked
    if not (found or {}).get("leads_on"):
        return ""
    return f"the page loads more as what is behind the rows comes into view: {SCROLL}"


def _beside(snapshot: Snapshot, rows: Sequence[Row]) -> Iterator[tuple[Node, int]]:
    """The controls behind rows and in front of them, as far as nothing else stands between, with how many rows."""
    roles, ends = snapshot.columns.role, snapshot.ends
    places = sorted(row.node.index for row in rows if row.node.snapshot is snapshot)
    if not places:
        return
    count = 0  # of the rows since the last heading: each group has controls of its own
    for place, following in zip(places, [*places[1:], len(roles)], strict=True):
        count += 1
        if ends[place] >= following:
            continue
        for control in _controls_until_other(snapshot, range(ends[place], following)):
            yield control, count
        count = 0 if "heading" in roles[ends[place] : following] else count
    first = places[0]
    heading = next((at for at in range(first - 1, -1, -1) if roles[at] == "heading"), None)
    if heading is not None and ends[heading] <= first:
        inside = (snapshot.nodes[at] for at in range(heading, ends[heading]) if _is_control(snapshot, at))
        for control in (*inside, *_controls_until_other(snapshot, range(ends[heading], first))):
            yield control, len(places)


def _controls_until_other(snapshot: Snapshot, places: range) -> Iterator[Node]:
    """Controls, and texts that say that there are more rows."""
    columns, at = snapshot.columns, places.start
    while at < places.stop:
        role = columns.role[at]
        if _is_control(snapshot, at):
            yield snapshot.nodes[at]
            at = snapshot.ends[at]
            continue
        if snapshot.ends[at] >= places.stop and at < places.stop <= snapshot.ends[at] - 1:
            at += 1  # it is around the rows
            continue
        is_text = role == "text" or speaks(columns, at)
        is_wait = role == "progressbar" and "value" not in columns.extra.get(at, {})
        if is_wait or ((is_text or role in _APART) and says_others(snapshot.text_of(at))):
            yield snapshot.nodes[at]
            return
        # What counts the rows, such as "4 of 12", or says that others failed, is of them.
        text = columns.name[at].strip() if is_text else ""
        is_of_rows = not text or _NUMBER.search(text) or lexicon.matches("error", text)
        if role in _APART or not is_of_rows:
            return
        at += 1


def _is_control(snapshot: Snapshot, index: int) -> bool:
    return snapshot.columns.role[index] in _CONTROLS


def _tries_again(control: Node, label: str) -> bool:
    """Whether a control tries once more what the text before it says to have failed."""
    names, index = control.snapshot.columns.name, control.index
    return bool(_again().search(lexicon.fold(label))) and lexicon.matches("error", names[index - 1])


@cache
def _again() -> re.Pattern[str]:
    return re.compile(lexicon.alternation("wait_for"))


def _brings_more(control: Node, count: int) -> bool:
    label = clean(control.label)
    if control.role not in _CONTROLS:
        return True
    if is_loading_text(label):
        return True
    if not label or is_disabled(control) or "expanded" in control.states or page_number(label) is not None:
        return False
    numbers = [int(re.sub(r"\D", "", number)) for number in _NUMBER.findall(label)]
    is_all = lexicon.matches("show_all", label)
    if numbers and (is_all or lexicon.matches("every", label)):
        return max(numbers) > count
    return (
        is_all
        or _tries_again(control, label)
        or bool(more_phrases(label))
        or (bool(numbers) and says_next(label))
    )
