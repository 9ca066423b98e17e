"""Lists of records in a JSON answer, and what stands around them: how many there are, and where the next ones are."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

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
_MOST_LISTS = 50
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
            and _is_count(value)
            and (key_of(path.rpartition(".")[2]) in _TOTALS or _is_nested_total(path))
        }


def record_lists(answer: Any) -> list[RecordList]:
    """Every list of records in an answer, the longest first."""
    around = dict(_scalars(answer))
    found = [RecordList(path, items, around) for path, items in _lists(answer, _REF, 0)]
    return sorted(found, key=lambda each: -len(each.items))[:_MOST_LISTS]


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


def _is_count(value: Scalar) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_nested_total(path: str) -> bool:
    """`total.value`, as search servers write it."""
    parts = [key_of(part) for part in path.split(".")]
    return len(parts) > 1 and parts[-1] == "value" and parts[-2] in _TOTALS
