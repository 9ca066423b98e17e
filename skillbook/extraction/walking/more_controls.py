"""What stands with a list and offers more of it: "Show all 12 reviews" below four, "Load more", "and 12 more".

Where a control stands decides before what it is called: right behind the rows, or between their heading and them, with
no other text, list or part of the page between. Words decide what is left, and come from the lexicon.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache

from skillbook import lexicon
from skillbook.errors import SkillbookError
from skillbook.extraction.readable_page import PageReading
from skillbook.extraction.walking.page_numbers import is_disabled, page_number
from skillbook.perception.collections import Row
from skillbook.perception.collections.ways_on import more_phrases, says_next, says_others
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes import Node
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.roles import DIALOGS, LANDMARKS, RECORDS, TABLES, words
from skillbook.perception.snapshot import Snapshot
from skillbook.session.page.page_rest import is_loading_text

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


async def more_in_view(source: PageReading, snapshot: Snapshot, rows: Sequence[Row]) -> str:
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
