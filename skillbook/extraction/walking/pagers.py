"""The link to the next page: by a selector, a hint, what the markup says (`rel`, numbers, addresses), words or icons.

What leads on stands outside of the rows, in no part of the page that is of something else. A pager of which nothing
shows where it leads is a doubt, and never the last page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from skillbook import lexicon
from skillbook.errors import AmbiguousMatch
from skillbook.extraction.frames.completeness import claims_of, is_last_page
from skillbook.extraction.walking.page_numbers import (
    CONTROLS,
    LISTS,
    Numbers,
    has_cursor,
    has_page,
    is_disabled,
    names_page,
    nearness,
    outside_of,
    page_in,
    page_number,
    page_step,
    pager_by_class,
    pager_of,
    up_from,
)
from skillbook.perception.collections import Row
from skillbook.perception.collections.belonging import is_aside
from skillbook.perception.collections.row_kinds import more_phrases, says_next
from skillbook.perception.escape import MOST_NAMED, clean, quote
from skillbook.perception.nodes import Node, remembered
from skillbook.perception.selectors import parse_selector
from skillbook.perception.selectors.hinted_names import only_match
from skillbook.perception.snapshot import Snapshot
from skillbook.policy.labels import danger_of
from skillbook.policy.urls import origin_of

UNFOLLOWED = "the page has a way to the next one, which `sb.extract(page, next=True)` follows"
_TO_LAST = re.compile(r"\s*(?:»|≫|⏭|⇥|⟫|[›>→❯▶]{2}|[›>→❯▶]\s*[|❘¦])\s*\Z")
"""Arrows that lead to the last page, where another one leads to the next."""
_BACK_ARROWS = re.compile(r"\s*[|❘¦]?\s*[‹«←<❮◀⟨⇦≪⏮⇤⟪]+\s*\Z")
_FORWARD = re.compile(r"(?i)(?<![a-z])(next|forward|(?:chevron|angle|arrow|caret)[-_ ]?right)(?![a-z])")
_BACKWARD = re.compile(r"(?i)(?<![a-z])(prev(?:ious)?|back|first|last|double|end|(?:\w+[-_ ]?)left)(?![a-z])")
BY_CONTROL = "a script leads to the page before"


@dataclass(frozen=True)
class PagerLink:
    """What leads on from a page.

    control: what is pressed; None where nothing is.
    address: the next page's, where only the document's head names it.
    doubt: what shows that there may be a next page all the same; empty where nothing does.
    in_pager: whether it is part of a pager, and no single control.
    near: what tells to which rows it belongs; None for the whole page.
    """

    control: Node | None = None
    address: str = ""
    why: str = "no next page was found"
    doubt: str = ""
    in_pager: bool = False
    near: Node | None = None

    @property
    def leads_on(self) -> bool:
        """Whether there is a next page."""
        return self.control is not None or bool(self.address)

    @property
    def unread(self) -> str:
        """What says that a page that wasn't left is not the last one; empty where nothing does."""
        return UNFOLLOWED if self.leads_on and self.in_pager else "" if self.leads_on else self.doubt


def find_next(
    snapshot: Snapshot, following: str | bool, rows: Sequence[Row] = (), page: int = 1
) -> PagerLink:
    """What leads to the next page.

    rows: those of the page; what leads on isn't in them, and near to them.
    page: the number of the page that is open, as far as pages were counted.
    """
    if isinstance(following, str):
        return _by_selector(snapshot, following)
    if not following:
        return PagerLink()
    if (hinted := _by_hint(snapshot)) is not None:
        return hinted
    controls = _controls(snapshot, rows)
    forward = [node for node in controls if leads_forward(node)]
    best = max(forward, key=lambda node: _likelihood(node, rows), default=None)
    if best is not None:
        # An arrow may lead past the pages that the pager names: `1 2 3 4 5 >`, where ">" leads to 6.
        if (named := _named_before(best, snapshot, controls, rows)) is not None:
            return named
        in_pager = pager_of(best) is not None or (_says_page(best) and not _has_own_heading(best, rows))
        if not is_disabled(best):
            return PagerLink(best, in_pager=in_pager, near=best)
        if pager_of(best) is not None:
            return PagerLink(why="the way to the next page is disabled", in_pager=True, near=best)
    numbered = _by_number(snapshot, rows, page)
    if numbered.leads_on:
        return numbered
    for found in (_by_address(controls, rows), _by_place(controls, rows), _by_head(snapshot)):
        if found is not None and not (found.doubt and numbered.in_pager):
            return found
    return numbered if numbered.in_pager else _by_list_of_pages(snapshot, rows) or numbered


def pages_before(
    snapshot: Snapshot, rows: Sequence[Row] = (), claims: Mapping[str, int] | None = None
) -> PagerLink:
    """What says that a list has pages before this one, as the doubt, and the way back: to the first, else by one.

    claims: what the page claims to have of the rows, where that is known (`claims_of`).
    """
    numbers = Numbers.near(snapshot, rows, aside=False)
    back = _to_previous(snapshot, rows)
    least = min(numbers.all | {1})
    way = numbers.leading_to(least) or back
    number = numbers.current
    if number is None and claims is None:
        claims = claims_of(snapshot, rows)
    claims = claims or {}
    number = claims.get("page") if number is None else number
    if number is not None:
        doubt = f"it began with page {number}" if number > least else ""
    elif "first" in claims:
        doubt = f"it began with row {claims['first']:,}" if claims["first"] > 1 else ""
    elif back is not None:
        doubt = f"it began with a page before which there are others ({back.role} {quote(back.label, 40)})"
        return PagerLink(back, why="" if back.href else BY_CONTROL, doubt=doubt, in_pager=True, near=back)
    else:
        number = page_in(snapshot.url) if numbers.pager else None
        doubt = f"it began with page {number}, by its address" if number is not None and number > 1 else ""
    return PagerLink(way, doubt=doubt, in_pager=True, near=numbers.pager or back) if doubt else PagerLink()


def _to_previous(snapshot: Snapshot, rows: Sequence[Row]) -> Node | None:
    """The control of a pager that leads to the page before this one, the nearest; none that can't be used."""
    found = [
        node
        for node in _controls(snapshot, rows)
        if node.href != snapshot.url
        and _names_previous(node)
        and not is_disabled(node)
        and (pager_by_class(node) or _says_page(node))
    ]
    return max(found, key=lambda node: (nearness(node, rows), node.index), default=None)


@remembered
def _names_previous(node: Node) -> bool:
    label = clean(node.label)
    if node.extra.get("rel") == "prev" or _BACK_ARROWS.match(label):
        return True
    return lexicon.is_all("previous_page", label)


def _by_selector(snapshot: Snapshot, following: str) -> PagerLink:
    found = snapshot.find_all(parse_selector(following))
    usable = [node for node in found if node.ref and not is_disabled(node)]
    if len(usable) > 1 and len({(clean(node.label), node.href) for node in usable}) > 1:
        raise AmbiguousMatch(f"{len(usable)} elements match next={following!r}", count=len(usable))
    if usable:
        return PagerLink(usable[0], in_pager=True, near=usable[0])
    return PagerLink(why="the way to the next page is disabled") if found else PagerLink()


def _by_hint(snapshot: Snapshot) -> PagerLink | None:
    """The control that the site's hints name, if it is the only match; none that leads off or can't be undone."""
    node = only_match(snapshot, snapshot.hints.pager) if snapshot.hints and snapshot.hints.pager else None
    if node is None or not node.ref or danger_of(clean(node.label), anywhere=True):
        return None
    if node.href and origin_of(node.href) not in {None, origin_of(snapshot.url)}:
        return None
    if is_disabled(node):
        return PagerLink(why="the way to the next page is disabled", in_pager=True, near=node)
    return PagerLink(node, in_pager=True, near=node) if node.actionable else None


def owner_of_next(snapshot: Snapshot, collections: Sequence[Sequence[Row]]) -> tuple[int, str] | None:
    """Which of several collections a pager belongs to, and what says that it has more; None where nothing does.

    Of those that are equally near to the pager, the last one above it.
    """
    best: tuple[int, bool, int] | None = None
    owner = None
    for place, rows in enumerate(collections):
        link = find_next(snapshot, True, rows)
        unread = link.unread
        if not unread:
            link = pages_before(snapshot, rows)
            unread = link.doubt
        if not unread or not rows:
            continue
        first = rows[0].node.index
        near = link.near
        is_above = near is None or first < near.index
        score = (nearness(near, rows) if near else 0, is_above, first if is_above else -first)
        if best is None or score > best:
            best, owner = score, (place, unread)
    return owner


def _controls(snapshot: Snapshot, rows: Sequence[Row]) -> list[Node]:
    """What may lead to other pages, outside of the rows and of the parts of the page that the rows aren't in."""
    outside = outside_of(_leading(snapshot), rows)
    return [node for node in outside if not rows or not is_aside(snapshot, node.index, rows[0].node.index)]


@remembered
def _leading(snapshot: Snapshot) -> list[Node]:
    """The controls that lead on or back, or stand in a pager."""
    return [
        node
        for node in snapshot.elements
        if node.role in CONTROLS
        and (leads_forward(node) or _names_previous(node) or _step(node) or pager_by_class(node))
    ]


@remembered
def leads_forward(node: Node) -> bool:
    """Whether a control says by its name, its relation or its icon that it leads to the next page."""
    rel = node.extra.get("rel")
    if rel:
        return bool(rel == "next")
    label = clean(node.label)
    return says_next(label) if label else _looks_forward(node)


@remembered
def _says_page(node: Node) -> bool:
    """Whether a control's name, or its address, says that it leads to a page of rows, wherever it stands."""
    label = clean(node.label)
    # "Show more" may be the rest of a text, which nobody counts.
    counts = any(map(str.isdigit, label))
    phrases = [text for text in more_phrases(label) if counts or not lexicon.matches("show_more", text)]
    return bool(phrases) or bool(
        node.href and (has_page(node.href) or names_page(node.snapshot.url, node.href))
    )


def _has_own_heading(node: Node, rows: Sequence[Row]) -> bool:
    """Whether a heading stands between the rows and a control behind them: it is of what is under that heading."""
    last = max((node.snapshot.ends[row.node.index] for row in rows), default=node.index)
    return "heading" in node.snapshot.columns.role[last : node.index]


def _likelihood(node: Node, rows: Sequence[Row]) -> tuple[bool, int, bool, bool, bool, int]:
    in_words = bool(re.search(r"\w{3}", node.label))
    to_last = bool(_TO_LAST.match(clean(node.label)))
    is_rel = node.extra.get("rel") == "next"
    return pager_of(node) is not None, nearness(node, rows), is_rel, in_words, not to_last, node.index


def _looks_forward(node: Node) -> bool:
    """Whether a control without a name is the icon of a pager's way on, by its classes, id or place."""
    if pager_of(node) is None:
        return False
    marks = _marks(node)
    if _FORWARD.search(marks) or _BACKWARD.search(marks):
        return bool(_FORWARD.search(marks)) and not _BACKWARD.search(marks)
    return _is_after_numbers(node)


def _marks(node: Node) -> str:
    """What classes, ids and titles in a control say."""
    inside = node.snapshot.nodes[node.index : node.snapshot.ends[node.index]]
    parts = [
        text for each in inside for text in (*each.classes, each.html_id, each.test_id, each.description)
    ]
    return " ".join(part for part in parts if part)


def _is_after_numbers(node: Node) -> bool:
    """Whether it is the first control without a name after a pager's numbers, or the second of only two."""
    for up in up_from(node):
        controls, numbers = _parts(up)
        blank = [each for each in controls if not clean(each.label) and not each.text]
        if numbers:
            after = [each for each in blank if each.index > numbers[-1]]
            return bool(after) and after[0].index == node.index
        if len(blank) >= 2:
            return len(blank) == 2 and blank[1].index == node.index
    return False


def _parts(pager: Node) -> tuple[list[Node], list[int]]:
    """The controls of a pager, and where its numbers are."""
    inside = pager.snapshot.nodes[pager.index + 1 : pager.snapshot.ends[pager.index]]
    controls = [each for each in inside if each.role in CONTROLS and (each.actionable or is_disabled(each))]
    return controls, [each.index for each in inside if page_number(each.label) is not None]


def _by_number(snapshot: Snapshot, rows: Sequence[Row], page: int) -> PagerLink:
    """The control with the number after the current page's, in the pager nearest to the rows."""
    numbers = Numbers.near(snapshot, rows, aside=False)
    if numbers.pager is None:
        return PagerLink()
    found = PagerLink(in_pager=True, near=numbers.pager)
    if is_last_page(snapshot, rows):
        return replace(found, why="the page says that it is the last one")
    current = page if numbers.current is None else numbers.current
    if (following := numbers.leading_to(current + 1)) is not None:
        return replace(found, control=following)
    if current >= max(numbers.all):
        return replace(found, why=f"page {current} is the last one")
    doubt = f"there is a pager, but no way from its page {current} to the next one was found"
    return replace(found, why="the next page's number was not found", doubt=doubt)


def _named_before(
    arrow: Node, snapshot: Snapshot, controls: Sequence[Node], rows: Sequence[Row]
) -> PagerLink | None:
    """The number after the current page's, in the arrow's pager or nearer; else a number whose address comes first."""
    numbers = Numbers.near(snapshot, rows)
    if numbers.pager is None or nearness(numbers.pager, rows) < nearness(arrow, rows):
        return None
    if numbers.current is not None:
        following = numbers.leading_to(numbers.current + 1)
        return PagerLink(following, in_pager=True, near=numbers.pager) if following else None
    step = page_step(snapshot.url, arrow.href) if arrow.href else None
    nearer = _by_address(controls, rows) if step is not None and step > 1 else None
    if nearer is None or nearer.control is None or page_number(nearer.control.label) is None:
        return None
    first = page_step(snapshot.url, nearer.control.href or "")
    return nearer if first is not None and step is not None and first < step else None


def _by_address(controls: Iterable[Node], rows: Sequence[Row]) -> PagerLink | None:
    """The link whose address is this page's but for a higher number, or a mark in the series; the nearest one."""
    # Of the addresses `/?p=1` and `/?p=2`, each may be the one after `/`.
    steps = [
        (step, -nearness(node, rows), -(page_number(node.label) or 0), node)
        for node in controls
        if (step := _step(node)) > 0
    ]
    if not steps:
        return None
    best = min(steps, key=lambda found: found[:3])[3]
    return PagerLink(best, in_pager=True, near=best)


@remembered
def _step(node: Node) -> int:
    """By how many pages a link leads on, as its address says; 0 if it doesn't, or leads back."""
    here = node.snapshot.url
    if not node.href or is_disabled(node) or not (pager_of(node) or names_page(here, node.href)):
        return 0
    step = page_step(here, node.href)
    if step is None:
        step = int(pager_of(node) is not None and has_cursor(here, node.href))
    return step if step > 0 and not _leads_back(node) else 0


def _by_place(controls: Iterable[Node], rows: Sequence[Row]) -> PagerLink | None:
    """The control after a pager's numbers, or the second of two; else a doubt where some lead who knows where."""
    pagers = {found.index: found for node in controls if (found := pager_by_class(node))}
    for pager in sorted(pagers.values(), key=lambda found: -nearness(found, rows)):
        every, numbers = _parts(pager)
        others = [node for node in every if not (numbers and node.index <= numbers[-1])]
        paged = any(node.index in numbers and node.href and _is_page(node) for node in every)
        unknown = [
            node
            for node in others
            # Beside links to pages, the way on is one too, and no "Show all" or "Save".
            if not _is_understood(node) and (_is_page(node) or not paged)
        ]
        if not unknown:
            continue
        of_two = len(every) == len(others) == 2
        if of_two and is_disabled(others[1]):
            return PagerLink(why="the way to the next page is disabled", in_pager=True, near=pager)
        is_second = of_two and unknown[-1].index == others[1].index
        if (numbers and unknown[0].index == others[0].index) or is_second:
            return PagerLink(unknown[0] if numbers else unknown[-1], in_pager=True, near=pager)
        quoted = ", ".join(quote(node.label, 40) for node in unknown[:MOST_NAMED])
        doubt = f"there is a pager with {quoted}, and nothing shows where that leads"
        return PagerLink(doubt=doubt, in_pager=True, near=pager)
    return None


def _is_page(node: Node) -> bool:
    """Whether a link's address is that of a page of rows, or of this page: then a script follows it."""
    here, there = node.snapshot.url, node.href or ""
    if there.partition("?")[0] == here.partition("?")[0]:
        return there.partition("#")[0] == here.partition("#")[0] or has_page(there)
    return bool(there) and names_page(here, there)


def _is_understood(node: Node) -> bool:
    """Whether a pager's control leads nowhere, back, or to the last page; or chooses something with a number."""
    label = clean(node.label)
    is_other = bool(_TO_LAST.match(label)) or any(letter.isdigit() for letter in label)
    return not label or not node.actionable or is_disabled(node) or is_other or _leads_back(node)


@remembered
def _leads_back(node: Node) -> bool:
    label = clean(node.label)
    if node.extra.get("rel") == "prev" or _BACK_ARROWS.match(label):
        return True
    step = page_step(node.snapshot.url, node.href) if node.href else None
    if (step is not None and step < 0) or node.href == node.snapshot.url:
        return True
    meanings = lexicon.meanings(label)
    return bool(meanings & {"previous_page", "back"}) or bool(_BACKWARD.search(f"{label} {_marks(node)}"))


def _by_list_of_pages(snapshot: Snapshot, rows: Sequence[Row]) -> PagerLink | None:
    """The doubt that a list to choose a page from leaves: it has others than the one that is open."""
    lists = [snapshot.nodes[at] for at, role in enumerate(snapshot.columns.role) if role in LISTS]
    for node in outside_of(lists, rows):
        inside = range(node.index + 1, snapshot.ends[node.index])
        labels = [clean(snapshot.columns.name[at]) for at in inside if snapshot.columns.role[at] == "option"]
        says_so = lexicon.is_all("page", clean(node.label)) or not any(map(str.isdigit, labels))
        if says_so and len(labels) > 1 and list(map(page_number, labels)) == list(range(1, len(labels) + 1)):
            doubt = f"there is a list of {len(labels):,} pages, and nothing else leads to the next one"
            return PagerLink(doubt=doubt, in_pager=True, near=node)
    return None


def _by_head(snapshot: Snapshot) -> PagerLink | None:
    """The next page as the document's head names it, where its address is that of a page: others are chapters."""
    address = snapshot.main.next
    if not address or not names_page(snapshot.url, address):
        return None
    step = page_step(snapshot.url, address)
    return None if step is not None and step < 0 else PagerLink(address=address, in_pager=True)
