"""Where two snapshots of one page can differ: what is equal before and after is skipped quickly."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from skillbook.perception.nodes.base_snapshot import BaseSnapshot

_CHUNK = 2048
_COMPARED = ("number", "depth", "role", "flags", "name")


def changed_range(older: BaseSnapshot, newer: BaseSnapshot) -> tuple[list[int], list[int]]:
    """Indexes of the nodes that can differ, in the older and in the newer snapshot."""
    a, b = older.columns, newer.columns
    sizes = len(a.role), len(b.role)
    first = min(_same(getattr(a, column), getattr(b, column)) for column in _COMPARED)
    tail = min(sizes) - first
    last = min(
        (_same_at_end(getattr(a, column), getattr(b, column), tail) for column in _COMPARED),
        default=0,
    )
    if not _same_documents(older, newer, first, last):
        return list(range(sizes[0])), list(range(sizes[1]))
    shift = sizes[1] - sizes[0]
    old, new = set(range(first, sizes[0] - last)), set(range(first, sizes[1] - last))
    for index, facts in b.extra.items():
        other = index if index < first else index - shift
        if index not in new and a.extra.get(other) != facts:
            new.add(index)
            old.add(other)
    for index in a.extra:
        other = index if index < first else index + shift
        if index not in old and other not in b.extra:
            old.add(index)
            new.add(other)
    return sorted(old), sorted(new)


def _same(a: Sequence[Any], b: Sequence[Any]) -> int:
    """How many values from the start are equal."""
    size = min(len(a), len(b))
    for start in range(0, size, _CHUNK):
        end = min(start + _CHUNK, size)
        if a[start:end] != b[start:end]:
            return next(at for at in range(start, end) if a[at] != b[at])
    return size


def _same_at_end(a: Sequence[Any], b: Sequence[Any], most: int) -> int:
    """How many values before the end are equal, up to a number."""
    for done in range(0, most, _CHUNK):
        step = min(_CHUNK, most - done)
        here, there = len(a) - done, len(b) - done
        if a[here - step : here] != b[there - step : there]:
            return done + next(at for at in range(step) if a[here - 1 - at] != b[there - 1 - at])
    return most


def _same_documents(older: BaseSnapshot, newer: BaseSnapshot, first: int, last: int) -> bool:
    """Whether nodes that are equal also belong to the same documents."""
    a, b = older.columns, newer.columns
    if [document.key for document in a.documents] != [document.key for document in b.documents]:
        return False
    if a.segments != b.segments:
        return False
    shift = len(b.role) - len(a.role)
    end = len(a.role) - last
    return all(
        there == (here if here <= first else here + shift) or first < here < end
        for here, there in zip(a.starts, b.starts, strict=True)
    )
