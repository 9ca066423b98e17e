"""Lists of records in JSON answers, and which of them the screen's rows are; or that none surely fits."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from typing import Any

from skillbook.perception.collections.measures import SEVERAL

Scalar = str | int | float | bool | None
Record = Mapping[str, Scalar]
"""The scalars of one record by their path in it, such as `price` or `owner.name`."""

_TOTALS = {
    *(
        "total",
        "totalcount",
        "totalelements",
        "totalitems",
        "totalrecords",
        "totalresults",
        "totalrows",
        "totalhits",
    ),
    *("recordstotal", "recordsfiltered", "numfound", "rowcount", "itemcount", "recordcount", "resultcount"),
}
_DEEPEST = 6
MOST_LISTS = 50
_REF = "$"


def key_of(name: str) -> str:
    """A name of a field as it is compared: `Total_Count` is `totalcount`."""
    return "".join(letter for letter in name.lower() if letter.isalnum())


@dataclass(frozen=True)
class RecordList:
    """A list of records in an answer.

    path: where it is, as JSONPath: `$.data.items`.
    around: the scalars of the answer that are in none of its lists, by path.
    """

    path: str
    items: Sequence[Mapping[str, Any]]
    around: Mapping[str, Scalar]

    @cached_property
    def records(self) -> list[Record]:
        """The records' scalars."""
        return [dict(_scalars(item)) for item in self.items]

    @property
    def totals(self) -> set[int]:
        """How many records there are, as far as a field says so by its name."""
        return {
            value
            for path, value in self.around.items()
            if isinstance(value, int)
            and not isinstance(value, bool)
            and value >= 0
            and (key_of(path.rpartition(".")[2]) in _TOTALS or _is_nested_total(path))
        }


def record_lists(answer: Any) -> list[RecordList]:
    """Every list of records in an answer, the longest first."""
    around = dict(_scalars(answer))
    found = [RecordList(path, items, around) for path, items in _lists(answer, _REF, 0)]
    return sorted(found, key=lambda each: -len(each.items))[:MOST_LISTS]


def list_at(answer: Any, path: str) -> RecordList | None:
    """The list of the same place in another answer; an empty one where there are no more records."""
    found = next((each for each in record_lists(answer) if each.path == path), None)
    if found is not None:
        return found
    place = answer
    for name in path.split(".")[1:]:
        place = place.get(name) if isinstance(place, dict) else None
    return RecordList(path, [], dict(_scalars(answer))) if place == [] else None


def same(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    """Whether two records say the same."""
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


def _lists(value: Any, path: str, depth: int) -> Iterator[tuple[str, list[Mapping[str, Any]]]]:
    if depth > _DEEPEST:
        return
    if isinstance(value, list):
        if value and all(isinstance(each, dict) for each in value):
            yield path, value
    elif isinstance(value, dict):
        for name, inside in value.items():
            yield from _lists(inside, f"{path}.{name}", depth + 1)


def _scalars(value: Any, path: str = "", depth: int = 0) -> Iterator[tuple[str, Scalar]]:
    if isinstance(value, dict) and depth <= _DEEPEST:
        for name, inside in value.items():
            yield from _scalars(inside, f"{path}.{name}" if path else str(name), depth + 1)
    elif path and not isinstance(value, list | dict):
        yield path, value


def _is_nested_total(path: str) -> bool:
    """`total.value`, as search servers write it."""
    parts = [key_of(part) for part in path.split(".")]
    return len(parts) > 1 and parts[-1] == "value" and parts[-2] in _TOTALS


_NUMBER = re.compile(r"[-\u2212]?\d[\d.,' \u00a0\u202f]*")
_DAYS = ("%Y-%m-%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%b %d, %Y", "%B %d, %Y", "%d %b %Y", "%d %B %Y")
_NOTHING = frozenset({"", "-", "–", "—"})
_NONE: frozenset[int] = frozenset()


@dataclass(frozen=True)
class ScreenMatch:
    """How the screen's rows stand in a list of records.

    first: the place of the first one; the others follow it.
    fields: the fields that a column can be, the surest first; a column that is missing isn't in the records.
    """

    first: int
    fields: Mapping[str, Sequence[str]]


class ShownText:
    """A text of the screen, and the values that it may be a way to write."""

    __slots__ = ("days", "numbers", "plain")

    def __init__(self, text: str | None) -> None:
        self.plain = _plain(text or "")
        self.numbers = _numbers(self.plain)
        self.days = _days(self.plain)

    def shows(self, value: Scalar) -> bool:
        """Whether it is a way to write a value."""
        if value is None or value == "":
            return self.plain in _NOTHING
        if isinstance(value, str):
            return _plain(value) == self.plain or value[:10] in self.days
        if isinstance(value, bool):
            return self.plain == str(value).casefold()
        return any(abs(number - value) <= 1e-9 * max(1.0, abs(value)) for number in self.numbers)


def match_screen(
    columns: Sequence[str], rows: Sequence[Sequence[str | None]], records: Sequence[Record]
) -> ScreenMatch | None:
    """Where the screen's rows stand in the records, one after the other; None if nowhere, or if that isn't sure."""
    telling = [at for at in range(len(columns)) if any(row[at] for row in rows)]
    needed = min(SEVERAL if len(rows) > 1 else SEVERAL + 1, len(telling))
    if not needed or len(records) < len(rows):
        return None
    shown = {columns[at]: [ShownText(row[at]) for row in rows] for at in telling}
    names = list(dict.fromkeys(name for record in records[:200] for name in record))
    found = []
    for first in _places_of([texts[0] for texts in shown.values()], records, needed):
        if first + len(rows) > len(records):
            continue
        fields = _fields_at(records[first : first + len(rows)], shown, names, needed)
        if fields:
            found.append(ScreenMatch(first, fields))
    most = max((len(each.fields) for each in found), default=0)
    best = [each for each in found if len(each.fields) == most]
    return best[0] if len(best) == 1 and _tells_apart([shown[name] for name in best[0].fields]) else None


def _places_of(texts: Sequence[ShownText], records: Sequence[Record], needed: int) -> list[int]:
    """The records that so many texts of the screen's first row can be of."""
    filled = [text for text in texts if text.plain not in _NOTHING]
    wanted: dict[object, set[int]] = {}
    for at, text in enumerate(filled):
        for way in (text.plain, *text.numbers, *text.days):
            wanted.setdefault(way, set()).add(at)
    found = []
    for place, record in enumerate(records):
        shown: set[int] = set()
        for value in record.values():
            if isinstance(value, str):
                shown |= wanted.get(_plain(value), _NONE) | wanted.get(value[:10], _NONE)
            elif isinstance(value, bool):
                shown |= wanted.get(str(value).casefold(), _NONE)
            elif value is not None:
                shown |= wanted.get(float(value), _NONE)
        if shown and len(shown) >= min(needed, len(filled)):
            found.append(place)
    return found


def _fields_at(
    records: Sequence[Record], shown: Mapping[str, Sequence[ShownText]], names: Sequence[str], needed: int
) -> dict[str, list[str]]:
    """The fields of the records that each column shows; none where too few columns show one."""
    fields: dict[str, list[str]] = {}
    left = len(shown)
    for column, texts in shown.items():
        if len(fields) + left < needed:
            return {}
        left -= 1
        fitting = [name for name in names if _all_shown(texts, records, name)]
        # A name that ends in a number isn't that number.
        written = [name for name in fitting if isinstance(records[0].get(name), str)]
        if fitting:
            fields[column] = sorted(written or fitting, key=lambda name: not _is_called(column, name))
    return fields if len(fields) >= needed else {}


def _all_shown(texts: Sequence[ShownText], records: Sequence[Record], name: str) -> bool:
    return all(text.shows(record.get(name)) for text, record in zip(texts, records, strict=True))


def _tells_apart(columns: Sequence[Sequence[ShownText]]) -> bool:
    """Whether the columns that were found differ from row to row: a match by others says nothing."""
    rows = list(zip(*([text.plain for text in texts] for texts in columns), strict=True))
    return len(set(rows)) == len(rows)


def sure_field(column: str, fields: Sequence[str], records: Sequence[Record]) -> str | None:
    """The field that a column shows; None if several would do that say different things elsewhere."""
    first = fields[0]
    differing = any(record.get(name) != record.get(first) for name in fields for record in records)
    named = [name for name in fields if _is_called(column, name)]
    return first if not differing or len(named) == 1 else None


def _is_called(column: str, field: str) -> bool:
    name = key_of(column)
    return bool(name) and name in {key_of(field.rpartition(".")[2]), key_of(field)}


def _plain(text: str) -> str:
    return " ".join(text.split()).casefold()


def _numbers(text: str) -> frozenset[float]:
    """What the one number in a text may be, with either sign for decimals; none where there are several."""
    found = _NUMBER.findall(text)
    if len(found) != 1:
        return frozenset()
    digits = re.sub(r"[' \u00a0\u202f]", "", found[0]).replace("\u2212", "-").rstrip(".,")
    values = set()
    for way in (digits.replace(",", ""), digits.replace(".", "").replace(",", ".")):
        with suppress(ValueError):
            values.add(float(way))
    return frozenset(values)


def _days(text: str) -> frozenset[str]:
    """The days that a text may be, in whichever order, as ISO dates."""
    found = set()
    for each in _DAYS:
        with suppress(ValueError):
            found.add(datetime.strptime(text, each).date().isoformat())
    return frozenset(found)
