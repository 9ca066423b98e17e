"""Which row that was read each row of a cell still is, by what it says and by what the cells' text writes. Pure.

A value has a source if the cells don't compute it, and if all that its row took over from one that was read says the
same as exactly one such row, with a text among it. Numbers alone don't show it: a mean may be somebody's price.
"""

from __future__ import annotations

import ast
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from skillbook.cells.parsed_code import parsed
from skillbook.extraction.frames.completeness import Completeness
from skillbook.extraction.frames.derived_frames import CellOrigin, compose_frame, same_source
from skillbook.extraction.frames.provenance import KEY, Origin, OriginKey

if TYPE_CHECKING:
    import pandas as pd


_LOOKUPS = frozenset({"get", "pop"})
_MERGES = frozenset({"update", "dict"})

Pairs = list[tuple[str, ast.expr | None]]
"""Keys with what is written under them; None for what can't be followed."""


@dataclass
class WrittenKey:
    """What a run's cells write under one key.

    apart: the dicts that it is copied from, if its row also has values of others.
    """

    olds: set[str] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    constants: list[object] = field(default_factory=list)
    computed: bool = False


def written_keys(codes: Iterable[str]) -> dict[str, WrittenKey]:
    """The keys that cells write, with the keys that each is a copy of.

    codes: the cells' texts; one that is no Python writes nothing.
    """
    found: dict[str, WrittenKey] = {}
    for number, code in enumerate(codes):
        try:
            tree = parsed(code)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            continue
        for at, (pairs, bases) in enumerate(_writes(tree)):
            _note(found, pairs, bases, f"{number}.{at}")
    return _followed(found)


def _writes(tree: ast.AST) -> Iterator[tuple[Pairs, set[str]]]:
    """What is written together, and the other dicts that the same row has values of."""
    merged = {
        id(part)
        for node in ast.walk(tree)
        for part in (
            [*node.args] if isinstance(node, ast.Call) and _called(node) in _MERGES
            else [node.left, node.right] if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
            else [node.value] if isinstance(node, ast.AugAssign)
            else []
        )
    }  # fmt: skip
    simple: set[int] = set()
    wishes = {
        id(each.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)
        for each in node.keywords
        if isinstance(node.func.value, ast.Name) and node.func.value.id == "sb"
    }
    looped = {name for node in ast.walk(tree) for name in _looped(node)}
    for node in ast.walk(tree):
        if id(node) in wishes:
            continue
        if isinstance(node, ast.Dict):
            pairs: Pairs = [
                (str(key.value), value)
                for key, value in zip(node.keys, node.values, strict=True)
                if isinstance(key, ast.Constant)
            ]
            spread = {
                ast.unparse(value) for key, value in zip(node.keys, node.values, strict=True) if key is None
            }
            yield pairs, spread | ({"?"} if id(node) in merged else set())
        elif isinstance(node, ast.DictComp):
            yield _each(looped, node.key, node.value), set()
        elif isinstance(node, ast.Call) and _called(node) in _MERGES:
            owner = [node.func.value] if isinstance(node.func, ast.Attribute) else []
            others = [*owner, *node.args, *(each.value for each in node.keywords if each.arg is None)]
            pairs = [(each.arg, each.value) for each in node.keywords if each.arg is not None]
            yield pairs, {ast.unparse(each) for each in others}
        elif isinstance(node, ast.Call) and _called(node) == "setdefault" and len(node.args) > 1:
            if isinstance(node.args[0], ast.Constant):
                yield [(str(node.args[0].value), None)], set()
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            for target in node.targets if isinstance(node, ast.Assign) else [node.target]:
                if isinstance(target, ast.Subscript) and node.value is not None:
                    simple.add(id(target))
                    where = {ast.unparse(target.value)}
                    if isinstance(target.slice, ast.Constant):
                        yield [(str(target.slice.value), node.value)], where
                    else:
                        yield _each(looped, target.slice, node.value), where
    for node in ast.walk(tree):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store) and id(node) not in simple:
            key = node.slice
            yield [(str(key.value), None)] if isinstance(key, ast.Constant) else [], set()


def _called(node: ast.Call) -> str:
    function = node.func
    return (
        function.attr
        if isinstance(function, ast.Attribute)
        else function.id
        if isinstance(function, ast.Name)
        else ""
    )


def _looped(node: ast.AST) -> Iterator[tuple[str, str]]:
    """Names that go over keys which are written out, each with each of these."""
    if isinstance(node, ast.For | ast.comprehension) and isinstance(node.target, ast.Name):
        listed = node.iter.elts if isinstance(node.iter, ast.Tuple | ast.List | ast.Set) else []
        for each in listed:
            if isinstance(each, ast.Constant):
                yield node.target.id, str(each.value)


def _each(looped: set[tuple[str, str]], key: ast.expr, value: ast.expr) -> Pairs:
    """What is written under a key that a loop gives, unless it is what another row has under the same."""
    same = isinstance(value, ast.Subscript) and ast.dump(value.slice) == ast.dump(key)
    if not isinstance(key, ast.Name) or same:
        return []
    return [(name, None) for variable, name in sorted(looped) if variable == key.id]


def _note(found: dict[str, WrittenKey], pairs: Pairs, bases: set[str], place: str) -> None:
    copied = {key: copy for key, value in pairs if (copy := _copied(value)) is not None}
    together = bases | {base for _, base in copied.values()}
    for key, value in pairs:
        known = found.setdefault(key, WrittenKey())
        if key in copied:
            old, base = copied[key]
            known.olds.add(old)
            if len(together) > 1:
                known.apart.add(f"{place} {base}")
        elif isinstance(value, ast.Constant):
            known.constants.append(value.value)
        else:
            known.computed = True


def _copied(value: ast.expr | None) -> tuple[str, str] | None:
    """The key that a value is looked up by, and in what; None for any other value."""
    if isinstance(value, ast.Subscript):
        base, key = value.value, value.slice
    elif (
        isinstance(value, ast.Call)
        and isinstance(value.func, ast.Attribute)
        and value.func.attr in _LOOKUPS
        and len(value.args) == 1
    ):
        base, key = value.func.value, value.args[0]
    else:
        return None
    if isinstance(key, ast.Constant) and isinstance(key.value, str):
        return key.value, ast.unparse(base)
    return None


def _followed(found: dict[str, WrittenKey]) -> dict[str, WrittenKey]:
    """Copies of copies: each key with all the keys that it can come from."""
    for known in found.values():
        todo = list(known.olds)
        while todo:
            behind = found.get(todo.pop())
            if behind is None:
                continue
            known.computed = known.computed or behind.computed
            known.constants += [each for each in behind.constants if each not in known.constants]
            new = behind.olds - known.olds
            known.olds |= new
            todo += sorted(new)
    return found


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

    def find(self, values: Mapping[str, Any]) -> list[int]:
        """The rows that say this."""
        names = tuple(sorted(values))
        if names not in self._found:
            index: dict[tuple[Hashable, ...], list[int]] = {}
            for at, row in enumerate(self.rows):
                index.setdefault(tuple(_key(row.get(name)) for name in names), []).append(at)
            self._found[names] = index
        return self._found[names].get(tuple(_key(values[name]) for name in names), [])


def trace_rows(
    rows: Sequence[PlainRow], readings: Sequence[Sequence[PlainRow]], written: Mapping[str, WrittenKey]
) -> list[dict[str, list[RowPlace]]]:
    """For each row, by column, the values that were read which it can be; a column that isn't there is none of them.

    rows: what a cell ended with.
    readings: the rows of each `sb.extract` before that, as the code got them.
    written: what the cells' text writes.
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
    known: dict[str, Any] = {}
    for column, old in names.items():
        if old in known and _key(known[old]) != _key(row[column]):
            return []
        known[old] = row[column]
    telling = any(isinstance(each, str) and any(map(str.isalpha, each)) for each in known.values())
    return reading.find(known) if telling else []


def _is_made(value: Any, write: WrittenKey) -> bool:
    return write.computed or any(_key(value) == _key(each) for each in write.constants)


def _is_computed(olds: frozenset[str] | set[str], written: Mapping[str, WrittenKey]) -> bool:
    return any(written.get(old, _NOT_WRITTEN).computed for old in olds)


def _key(value: Any) -> Hashable:
    """A value to compare by: `True` isn't 1, and what holds others is what it says."""
    if isinstance(value, bool):
        return "bool", value
    return value if value is None or isinstance(value, str | int | float) else repr(value)


_MOST_NAMED = 5

Rows = list[dict[str, Any]]
Reading = tuple[Rows, Origin | None]
"""Rows as the code got them, and where they came from, if that is known."""


def are_rows(value: Any) -> bool:
    """Whether a value is rows: a list of dicts that aren't empty."""
    return isinstance(value, list) and bool(value) and all(isinstance(row, dict) and row for row in value)


def origin_of_frame(frame: Any) -> Origin | None:
    """Where a frame's rows came from; None where it isn't known."""
    key = None if frame is None else frame.attrs.get(KEY)
    return key.origin if isinstance(key, OriginKey) else None


def frame_of_rows(value: Any, read: Sequence[Reading], codes: Iterable[str]) -> pd.DataFrame | None:
    """The rows that code ended with; None where it ended with something else, or none of them was read.

    read: the rows of each extraction before that.
    """
    if not are_rows(value):
        return None
    traced = trace_rows(value, [rows for rows, _ in read], written_keys(codes))
    if not any(traced):
        return None
    origins = [origin for _, origin in read]
    columns = list(dict.fromkeys(key for row in value for key in row))
    sources = {name: [_certain(row.get(name, []), origins) for row in traced] for name in columns}
    kept = {name: column for name, column in sources.items() if any(column)}
    return compose_frame(_values(value, sources), kept, _completeness(value, sources, read, traced))


def _certain(places: Sequence[RowPlace], origins: Sequence[Origin | None]) -> CellOrigin | None:
    """Where a value came from, if all that it can be are one element; else None."""
    found: list[CellOrigin] = []
    for place in places:
        origin = origins[place.reading]
        if origin is None or place.column not in origin.columns:
            return None
        found.append(CellOrigin(origin, place.row, place.column))
    if not found or not all(same_source(found[-1], each) for each in found[:-1]):
        return None
    return found[-1] if found[-1].origin.source(found[-1].row, found[-1].column) is not None else None


def _values(rows: Rows, sources: Mapping[str, Sequence[CellOrigin | None]]) -> pd.DataFrame:
    """The values; a column that is one that was extracted has its type, such as dates."""
    import pandas as pd

    series: dict[str, Any] = {}
    for name, column in sources.items():
        first = column[0]
        one = first is not None and all(
            each is not None and (each.origin is first.origin and each.column == first.column)
            for each in column
        )
        if one and first is not None:
            places = [each.row for each in column if each is not None]
            series[name] = first.origin.values[first.column].iloc[places].reset_index(drop=True)
        else:
            series[name] = pd.Series([row.get(name) for row in rows])
    return pd.DataFrame(series, index=pd.RangeIndex(len(rows)))


def _completeness(
    rows: Rows,
    sources: Mapping[str, Sequence[CellOrigin | None]],
    read: Sequence[Reading],
    traced: Sequence[Mapping[str, Sequence[RowPlace]]],
) -> Completeness:
    """What is to be said of the rows: of how many they are, and which have no source."""
    kept = {(id(each.origin), each.row) for column in sources.values() for each in column if each is not None}
    whose = {origin for origin, _ in kept}
    used = [at for at, (_, origin) in enumerate(read) if id(origin) in whose] or sorted(
        {place.reading for row in traced for places in row.values() for place in places}
    )
    count = sum(len(read[at][0]) for at in used)
    origins = [origin for at in used if (origin := read[at][1]) is not None]
    more = next((each.completeness.reason for each in origins if not each.completeness.complete), "")
    all_read = len(rows) == len(kept) == count
    if all_read:
        reason = f"the {count:,} rows that were read"
    elif len(used) > 1 or len(rows) >= count:
        reason = f"made by code of the {count:,} rows that were read"
    else:
        reason = f"a part: {len(rows):,} of the {count:,} rows that were read"
    unsure = [at for at in range(len(rows)) if not any(column[at] for column in sources.values())]
    without = [name for name, column in sources.items() if not any(column)]
    return Completeness(
        all_read and not more,
        "; ".join(filter(None, [reason, f"the page has more: {more}" if more else ""])),
        notes=[
            *([f"{len(unsure):,} rows have no certain source: {_named(unsure)}"] if unsure else []),
            *([f"columns without a source: {_named(without)}"] if without else []),
        ],
    )


def _named(names: Sequence[object]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(map(repr, names[:_MOST_NAMED])) + more
