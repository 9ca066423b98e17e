"""Whether a text of rows goes with how their parts look: a word for each color, the number beside a bar."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from itertools import pairwise

from skillbook.perception.collections.collection import Row
from skillbook.perception.collections.measures import SEVERAL

Amounts = Mapping[int, float]
"""By row, how much a look shows."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORDS = re.compile(r"\w+|^[+\-\u2212]")
_RATING = re.compile(r"\d\.\d\Z")
_STARS = 5.0
_ORDERED = 4  # so many rows aren't in the order of another column by chance


class SaidLooks:
    """What the texts of rows say of looks."""

    def __init__(self, rows: Sequence[Row]) -> None:
        self._rows = rows
        self._images: set[int] = set()

    def stand_in(self, images: Sequence[str]) -> None:
        """Note which rows have an image: in its place others have a part that says just this."""
        self._images = {row for row, image in enumerate(images) if image}

    def says_rows(self, rows: Set[int]) -> bool:
        """Whether a word is in just these rows or in just the others, or a column has other texts in these rows."""
        others = frozenset(range(len(self._rows))) - rows
        sides = {frozenset(side) for side in (rows, others) if len(side) >= SEVERAL}
        if sides & {*self._rows_of_words, frozenset(self._images)}:
            return True
        for texts in self._columns:
            here, there = {texts[row] for row in rows}, {texts[row] for row in others}
            if not here & there and 2 * len(here | there) <= len(texts):
                return True
        return False

    def says_amount(self, amounts: Amounts) -> bool:
        """Whether each row has this number, or the numbers of a column rise with it."""
        if all(any(_says(text, amount) for text in self._texts[row]) for row, amount in amounts.items()):
            return True
        return any(self._rises(numbers, amounts) for numbers in self._numbers)

    def _rises(self, numbers: Sequence[float | None], amounts: Amounts) -> bool:
        pairs = sorted((number, amounts[row]) for row in amounts if (number := numbers[row]) is not None)
        if len(pairs) < max(_ORDERED, len(amounts)) or pairs[0][0] == pairs[-1][0]:
            return False
        return all(
            before <= after and (number < larger or before == after)
            for (number, before), (larger, after) in pairwise(pairs)
        )

    @cached_property
    def _texts(self) -> list[list[str]]:
        return [[cell.text if cell else "" for cell in row.cells] for row in self._rows]

    @cached_property
    def _columns(self) -> list[tuple[str, ...]]:
        return [column for column in zip(*self._texts, strict=False) if len(set(column)) > 1]

    @cached_property
    def _rows_of_words(self) -> set[frozenset[int]]:
        found: dict[str, set[int]] = {}
        for row, texts in enumerate(self._texts):
            for text in texts:
                for word in _WORDS.findall(text):
                    found.setdefault(word, set()).add(row)
        return {frozenset(rows) for rows in found.values()}

    @cached_property
    def _numbers(self) -> list[list[float | None]]:
        """The columns of numbers: a text that begins with one, or with a sign or currency before it."""
        return [[_number_of(text) for text in column] for column in self._columns]


def _number_of(text: str) -> float | None:
    match = _NUMBER.search(text)
    if match is None or re.search(r"[^\W\d]", text[: match.start()]):
        return None
    whole, point, decimals = match[0].rpartition(".")
    number = float(f"{re.sub('[.,]', '', whole)}{point}{decimals}".replace(",", ""))
    return -number if text[: match.start()].rstrip().endswith(("-", "\u2212")) else number


def _says(text: str, amount: float) -> bool:
    """Whether a text is a number that a look shows, or a number of five stars of which the look has the percentage."""
    found = [float(number.replace(",", ".")) for number in re.findall(r"\d+(?:[.,]\d+)?", text)]
    if not found or (len(found) == 1 and _NUMBER.sub("", text).strip(" %")):
        return False
    is_rating = _RATING.match(text) is not None or found[1:2] == [_STARS]
    return found[0] == amount or (is_rating and round(found[0] * 100 / _STARS, 6) == amount)
