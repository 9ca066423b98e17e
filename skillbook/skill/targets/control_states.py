"""What one control says of itself: states that a press switches, and the date of a calendar's day."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping

from skillbook import lexicon
from skillbook.perception.escape import clean
from skillbook.perception.nodes import Node
from skillbook.perception.roles import FIELDS
from skillbook.protocol.snapshot import State

TICKED = frozenset({"checkbox", "switch", "menuitemcheckbox"})
_HEADERS = {"columnheader", "rowheader"}


def states_of(node: Node) -> dict[str, str]:
    """What a press on an element may switch, as it is now: of a header's button, how its column is sorted."""
    flags, found = node.flags, {}
    header = next((one for one in (node, *node.ancestors) if one.role in _HEADERS), None)
    if header is not None:
        found["sort"] = str(header.extra.get("sort") or "none")
    if node.role == "button":
        found["pressed"] = _said(flags & State.PRESSED)
    if node.role in TICKED:
        found["checked"] = "mixed" if flags & State.MIXED else _said(flags & State.CHECKED)
    if flags & (State.EXPANDED | State.COLLAPSED) and node.role not in FIELDS:
        found["expanded"] = _said(flags & State.EXPANDED)
    return found


def _said(flag: int) -> str:
    return "true" if flag else "false"


def switched(before: Node, after: Node) -> dict[str, str]:
    """The state that a press switched, as it was afterwards; empty where it switched none."""
    was, now = states_of(before), states_of(after)
    changed = [key for key in was if key in now and was[key] != now[key]]
    return {changed[0]: now[changed[0]]} if changed else {}


def holds(wanted: Mapping[str, str], node: Node) -> bool:
    """Whether an element is in a state."""
    now = states_of(node)
    return all(now.get(key) == value for key, value in wanted.items())


_DAY = re.compile(r"[1-9]|[12]\d|3[01]")
_YEAR = re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)")
_LEAST_DAYS = 20
"""So many different numbers make a calendar of what is around one."""
_OUTSIDE = 2
"""How many levels around the days the name of their month may stand."""


def date_of(node: Node) -> str:
    """The date of a day in a calendar, such as 2026-07-09; "" for what is no such day, or says its month itself."""
    day = clean(node.label)
    days = next((up for up in node.ancestors if _shows_days(up)), None) if _DAY.fullmatch(day) else None
    if days is None:
        return ""
    for outer in [days, *list(days.ancestors)[:_OUTSIDE]]:
        before = _said_before(outer, node)
        months = [month for text in before if (month := _month_in(text))]
        years = [found for text in before for found in _YEAR.findall(text)]
        if months and years:
            return f"{years[-1]}-{months[-1]:02}-{int(day):02}"
    return ""


def _shows_days(node: Node) -> bool:
    inside = node.snapshot.nodes[node.index + 1 : node.snapshot.ends[node.index]]
    return len({text for one in inside if _DAY.fullmatch(text := clean(one.label))}) >= _LEAST_DAYS


def _said_before(outer: Node, node: Node) -> Iterable[str]:
    """The name of a part of the page and what it says before an element: texts, and what lists and fields show."""
    before = outer.snapshot.nodes[outer.index + 1 : node.index]
    shown = [clean(one.value or one.name) for one in before if one.role != "option"]
    return [clean(outer.name), *shown]


def _month_in(text: str) -> int:
    """The month that a text names, from 1; 0 for none."""
    months = {**lexicon.months(), **lexicon.months(short=True)}
    words = re.findall(r"[^\W\d_]+", lexicon.fold(text))
    return next((months[word] for word in words if word in months), 0)
