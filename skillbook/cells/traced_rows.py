"""Which row that was read each row of a cell still is, by what it says and by what the cells' text writes. Pure.

A value has a source if the cells don't compute it, and if all that its row took over from one that was read says the
same as exactly one such row, with a text among it. Numbers alone don't show it: a mean may be somebody's price.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from skillbook.cells.written_keys import WrittenKey

PlainRow = Mapping[str, Any]
_NOT_WRITTEN = WrittenKey()


@dataclass(frozen=True)
class RowPlace:
    """A value that was read: which reading, its row and its column there."""

    reading: int
    row: int
    column: str


@dataclass
class _Reading:
    """Rows that were read, found by what they say."""

    rows: Sequence[PlainRow]
    columns: frozenset[str]
    _found: dict[tuple[str, ...], dict[tuple[Hashable, ...], list[int]]] = field(default_factory=dict)

    def find(self, said: Mapping[str, Any]) -> list[int]:
        """The rows that say this."""
        names = tuple(sorted(said))
        if names not in self._found:
            index: dict[tuple[Hashable, ...], list[int]] = {}
            for at, row in enumerate(self.rows):
                index.setdefault(tuple(_key(row.get(name)) for name in names), []).append(at)
            self._found[names] = index
        return self._found[names].get(tuple(_key(said[name]) for name in names), [])


def trace_rows(
    rows: Sequence[PlainRow], readings: Sequence[Sequence[PlainRow]], written: Mapping[str, WrittenKey]
) -> list[dict[str, list[RowPlace]]]:
    """For each row, by column, the values that were read which it can be; a column that isn't there is none of them.

    Parameters
    ----------
    rows : what a cell ended with.
    readings : the rows of each `sb.extract` before that, as the code got them.
    written : what the cells' text writes.
    """
    known = [_Reading(each, frozenset(key for row in each for key in row)) for each in readings]
    return [_trace(row, known, written) for row in rows]


def _trace(
    row: PlainRow, readings: Sequence[_Reading], written: Mapping[str, WrittenKey]
) -> dict[str, list[RowPlace]]:
    places: dict[str, list[RowPlace]] = {}
    for at, reading in enumerate(readings):
        groups: dict[frozenset[str], dict[str, str]] = {}
        for column, value in row.items():
            write = written.get(column, _NOT_WRITTEN)
            olds = (write.olds | {column}) & reading.columns
            if len(olds) == 1 and not _is_made(value, write) and not _is_computed(olds, written):
                groups.setdefault(frozenset(write.apart), {})[column] = next(iter(olds))
        for names in groups.values():
            for place in _places(row, names, reading):
                for column, old in names.items():
                    places.setdefault(column, []).append(RowPlace(at, place, old))
    return places


def _places(row: PlainRow, names: Mapping[str, str], reading: _Reading) -> list[int]:
    """The rows of a reading that say what a row says in some columns; none where no text is among it."""
    said: dict[str, Any] = {}
    for column, old in names.items():
        if old in said and _key(said[old]) != _key(row[column]):
            return []
        said[old] = row[column]
    telling = any(isinstance(each, str) and any(map(str.isalpha, each)) for each in said.values())
    return reading.find(said) if telling else []


def _is_made(value: Any, write: WrittenKey) -> bool:
    return write.computed or any(_key(value) == _key(each) for each in write.constants)


def _is_computed(olds: frozenset[str] | set[str], written: Mapping[str, WrittenKey]) -> bool:
    return any(written.get(old, _NOT_WRITTEN).computed for old in olds)


def _key(value: Any) -> Hashable:
    """A value to compare by: `True` isn't 1, and what holds others is what it says."""
    if isinstance(value, bool):
        return "bool", value
    return value if value is None or isinstance(value, str | int | float) else repr(value)
