"""How much of the expected rows was read: precision and recall of columns, rows and cells."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pandas as pd

_MOST_PAIRS = 4_000_000
"""Pairs of rows that are compared; beyond, only rows that are alike in every cell belong together."""


@dataclass(frozen=True)
class Agreement:
    """How many were expected, were there, and agree.

    Parameters
    ----------
    expected, found, right : how many.
    """

    expected: int
    found: int
    right: int

    @property
    def precision(self) -> float:
        """How much of what was read is right, 0 to 1."""
        return self.right / self.found if self.found else 0.0

    @property
    def recall(self) -> float:
        """How much of what was expected was read, 0 to 1."""
        return self.right / self.expected if self.expected else 1.0

    @property
    def f1(self) -> float:
        """The harmonic mean of both."""
        both = self.precision + self.recall
        return 2 * self.precision * self.recall / both if both else 0.0


def frame_agreement(frame: pd.DataFrame | None, rows: Sequence[Mapping[str, Any]]) -> dict[str, Agreement]:
    """Compare a frame with the rows that were expected, whatever their order.

    A column counts by its name without regard to case; more columns than expected lower the precision of columns, not
    of cells. Numbers count by value, texts without regard to white space.

    Parameters
    ----------
    frame : what was read; None for nothing.
    rows : what was expected.

    Returns
    -------
    `columns`, `rows` (alike in every expected cell) and `cells`.
    """
    wanted = list(dict.fromkeys(name for row in rows for name in row))
    there = {} if frame is None else {_name(column): at for at, column in enumerate(frame.columns)}
    shared = [name for name in wanted if _name(name) in there]
    read: list[tuple[Any, ...]] = []
    if frame is not None and shared:
        columns = [[_value(cell) for cell in frame.iloc[:, there[_name(name)]]] for name in shared]
        read = list(zip(*columns, strict=True))
    expected = [tuple(_value(row.get(name)) for name in shared) for row in rows]
    pairs = _pairs(expected, read)
    cells = sum(_alike(expected[left], read[right]) for left, right in pairs)
    whole = sum(_alike(expected[left], read[right]) == len(wanted) for left, right in pairs)
    count = 0 if frame is None else len(frame)
    return {
        "columns": Agreement(len(wanted), len(there), len(shared)),
        "rows": Agreement(len(rows), count, whole),
        "cells": Agreement(len(rows) * len(wanted), count * len(shared), cells),
    }


def same(left: Any, right: Any, within: float = 1e-9) -> bool:
    """Whether two values are the same: numbers by value, texts without regard to white space."""
    first, second = _value(left), _value(right)
    if isinstance(first, float) and isinstance(second, float):
        return math.isclose(first, second, rel_tol=0, abs_tol=within)
    return bool(first == second)


def numbers_in(text: str) -> list[float]:
    """The numbers of a text, as English writes them."""
    return [float(found.replace(",", "")) for found in re.findall(r"-?\d[\d,]*(?:\.\d+)?", text)]


def _pairs(expected: list[tuple[Any, ...]], read: list[tuple[Any, ...]]) -> list[tuple[int, int]]:
    """Which expected row belongs to which that was read: equal ones first, then the most alike."""
    places: dict[tuple[Any, ...], list[int]] = {}
    for at, row in enumerate(read):
        places.setdefault(row, []).append(at)
    pairs = [(at, places[row].pop(0)) for at, row in enumerate(expected) if places.get(row)]
    left = sorted(set(range(len(expected))) - {one for one, _ in pairs})
    right = sorted(set(range(len(read))) - {one for _, one in pairs})
    if len(left) * len(right) > _MOST_PAIRS:
        return pairs
    scored = [(_alike(expected[one], read[other]), one, other) for one in left for other in right]
    taken: tuple[set[int], set[int]] = (set(), set())
    for score, one, other in sorted(scored, key=lambda each: (-each[0], each[1], each[2])):
        if score and one not in taken[0] and other not in taken[1]:
            pairs.append((one, other))
            taken[0].add(one)
            taken[1].add(other)
    return pairs


def _alike(left: tuple[Any, ...], right: tuple[Any, ...]) -> int:
    return sum(one == other for one, other in zip(left, right, strict=True))


def _name(column: Any) -> str:
    return " ".join(str(column).split()).casefold()


def _value(cell: Any) -> Any:
    """A cell as it is compared."""
    if cell is None or (not isinstance(cell, str | list | dict) and pd.isna(cell)):
        return None
    if isinstance(cell, bool):
        return cell
    if hasattr(cell, "item"):
        cell = cell.item()
    if isinstance(cell, int | float):
        return round(float(cell), 9)
    text = " ".join(str(cell).split())
    try:
        number = float(text)
    except ValueError:
        return text or None
    return round(number, 9) if math.isfinite(number) else text
