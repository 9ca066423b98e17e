"""Rows of tables that came as texts and places: put among a document's nodes."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain
from typing import Any

from skillbook.protocol.snapshot import State

_COLUMNS = ("number", "depth", "role", "tag", "flags", "name", "box")
_OFFSCREEN, _OBSCURED = int(State.OFFSCREEN), int(State.OBSCURED)


def with_plain_rows(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document of the wire, whole, with its plain rows in the columns.

    Raises ValueError, KeyError, IndexError: rows and texts that don't fit together.
    """
    parts = document.get("plain")
    if not parts:
        return document
    columns: dict[str, list[Any]] = {column: [] for column in _COLUMNS}
    done = 0
    added: list[tuple[int, int]] = []  # from which node on the others stand further back, and by how much
    for part in parts:
        end = part["at"] + 1
        if not done < end <= len(document["role"]):
            raise ValueError("plain rows are where no node is")
        _copy(document, done, end, columns)
        before = len(columns["role"])
        for column, values in _columns_of(part, document).items():
            columns[column] += values
        added.append((end, len(columns["role"]) - before))
        done = end
    _copy(document, done, len(document["role"]), columns)
    extra = [
        (index + sum(count for first, count in added if first <= index), facts)
        for index, facts in document["extra"]
    ]
    return {**document, **columns, "extra": extra}


def _copy(document: Mapping[str, Any], first: int, end: int, columns: dict[str, list[Any]]) -> None:
    for column in _COLUMNS:
        scale = 4 if column == "box" else 1
        columns[column] += document[column][first * scale : end * scale]


def _columns_of(part: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The nodes of rows and their cells as columns."""
    texts, numbers, tops, heights = part["texts"], part["numbers"], part["y"], part["height"]
    count, size = len(tops), len(part["x"])  # rows, and the nodes of each
    width, depth = size - 1, document["depth"][part["at"]]
    total = count * size
    if not (width and len(texts) == count * width and len(numbers) in {1, total}):
        raise ValueError(f"{len(texts)} texts of {count} rows with {width} cells")
    name = [""] * total
    box = [0] * (4 * total)
    for place in range(size):
        if place:
            name[place::size] = texts[place - 1 :: width]
        sides = ([part["x"][place]] * count, tops, [part["width"][place]] * count, heights)
        for side, values in enumerate(sides):
            box[4 * place + side :: 4 * size] = values
    return {
        "number": numbers if len(numbers) == total else list(range(numbers[0], numbers[0] + total)),
        "depth": [depth + 1, *[depth + 2] * width] * count,
        "role": [part["roles"][0], *[part["roles"][1]] * width] * count,
        "tag": [part["tags"][0], *[part["tags"][1]] * width] * count,
        "flags": _flags(part, document),
        "name": name,
        "box": box,
    }


def _flags(part: Mapping[str, Any], document: Mapping[str, Any]) -> list[int]:
    """Whether rows and cells are outside of the viewport; what lies over all of them does over each."""
    wide, high = document["viewport"]
    common = document["flags"][part["at"]] & _OBSCURED
    away = [common | _OFFSCREEN] * len(part["x"])
    seen = [
        common | (_OFFSCREEN if x + width <= 0 or x >= wide else 0)
        for x, width in zip(part["x"], part["width"], strict=True)
    ]
    rows = zip(part["y"], part["height"], strict=True)
    return list(chain.from_iterable(away if y + height <= 0 or y >= high else seen for y, height in rows))
