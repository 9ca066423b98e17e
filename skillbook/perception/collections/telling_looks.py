"""How parts of rows without words look, where this alone tells rows apart, and whether a text says the same."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence, Set
from functools import cached_property
from itertools import pairwise
from operator import itemgetter
from typing import NamedTuple

from skillbook.perception.collections.collection import Cell, Collection, Row
from skillbook.perception.collections.measures import HALF, NUMBER, SEVERAL
from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import FIELDS, INTERACTIVE

Amounts = Mapping[int, float]
"""By row, how much a look shows."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_WORDS = re.compile(r"\w+|^[+\-\u2212]")
_RATING = re.compile(r"\d\.\d\Z")
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
        return [[number_of(text) for text in column] for column in self._columns]


def number_of(text: str) -> float | None:
    """The number that a text begins with, or has a sign or a currency before."""
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
    is_rating = _RATING.match(text) is not None or found[1:2] == [5]
    return found[0] == amount or (is_rating and round(found[0] * 20, 6) == amount)


Looks = tuple[tuple[str, ...], tuple[str, ...]]
"""Shapes and images of the parts in one place of one row."""
_NOTHING: Looks = ((), ())
_WITHIN = " > "
_UNSEEN = "~"
_SIGN_ENDS = "\t"
_WORD = re.compile(r"\w")
_TIMES = re.compile(r"(\d+)×")
_AMOUNT = re.compile(
    r"(?P<name>(?:--[\w-]+|width|height|left|right|x2|offset|transform):(?:scaleX?\(|translateX?\()?)"
    r"(?P<number>-?\d*\.?\d+)(?:%|px|r?em)?\)?\Z"
)
"""A style or a line that shows how much something is."""
_NUMBERED = re.compile(r"(?P<name>[a-z-]+(?:=|-|_)?)(?P<number>\d{1,2}|100)\Z", re.I)
"""A class or attribute with a number, as "stars-4"; larger ones are numbers of things."""
_STRIPED = 6
_UNNAMED = re.compile(r"column \d+\Z|\Z")
_UNSIGNED = re.compile(r"[\d$€£¥₹.]")


class TellingLooks(NamedTuple):
    """Which parts without words tell rows apart, by column; "" for what is in no column.

    values: these are values that no text says: the column has no words of its own.
    """

    values: Mapping[str, Sequence[str]]
    others: Mapping[str, Sequence[str]]


def telling_looks(found: Collection, wanted: Set[int] | None = None) -> TellingLooks:
    """How parts without words look that tell rows apart and that no text says.

    wanted: places of the columns that count; all of them, and what is in none, where None.
    """
    values: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    colored: list[str] = []
    stated = SaidLooks(found.rows)
    for column, by_row in _looks_by_column(found, wanted).items():
        lines = _seen(_unsigned([by_row.get(row, _NOTHING) for row in range(len(found.rows))]))
        pieces = [_pieces(shapes) for shapes, _ in lines]
        name = found.fields[column] if column >= 0 else ""
        images = [" ".join(images) for _, images in lines]
        stated.stand_in(images)
        in_turn = _differ_in_turn(pieces)
        has_words = column >= 0 and not _is_constant(found.rows, column)
        has_words = has_words and not (in_turn and _are_unsigned_numbers(found.rows, column))
        is_value, shown = _told_by(pieces, stated, in_turn=in_turn)
        if not shown and (shown := _repeated_images(images, stated)):
            is_value = True
        if shown:
            (values if is_value and not has_words else others)[name] = shown
            colored += [name] * (_is_blank(found.rows, column) and any(":" in each for each in shown))
    # A map of colors, or what a header names; one column without a name may be adorned.
    colored = [name for name in colored if len(colored) >= SEVERAL or not _UNNAMED.match(name)]
    values |= {name: others.pop(name) for name in colored if name in others}
    if wanted is None and not values and (keys := _explained_by_a_key(found, stated)):
        values[""] = keys
    return TellingLooks(values, others)


def _explained_by_a_key(found: Collection, stated: SaidLooks) -> list[str]:
    """Classes of rows, or of their cells, that a drawn part beside a text outside of them has: a key of colors."""
    snapshot, first = found.node.snapshot, [row.node.index for row in found.rows]
    classes = {
        piece
        for at, facts in snapshot.columns.extra.items()
        if facts.get("looks") and not _is_in_any(snapshot, at, first) and snapshot.text_of(at)
        for piece in _pieces([shape for shape, _ in facts["looks"]])
    }
    if not classes:
        return []
    rows_of: dict[str, set[int]] = {}
    for place, row in enumerate(found.rows):
        nodes = {row.node.index, *(cell.index for cell in row.cells if cell and cell.snapshot is snapshot)}
        for name in classes & {each for at in nodes for each in snapshot.columns.tag[at].split(".")[1:]}:
            rows_of.setdefault(name, set()).add(place)
    every = len(first)
    return [
        name
        for name, rows in rows_of.items()
        if len(rows) < every and not is_stripe(rows, every) and not stated.says_rows(rows)
    ]


def _is_in_any(snapshot: BaseSnapshot, index: int, rows: Sequence[int]) -> bool:
    before = bisect_right(rows, index) - 1
    return before >= 0 and index < snapshot.ends[rows[before]]


def _differ_in_turn(lines: Sequence[Counter[str]]) -> bool:
    """Whether each row has a piece that others lack: one stands in another's place, and nothing is added to a few."""
    common = set.intersection(*map(set, lines)) if lines else set()
    return all(lines) and all(pieces.keys() - common for pieces in lines)


def _are_unsigned_numbers(rows: Sequence[Row], column: int) -> bool:
    """Whether a column has numbers without a sign: what is drawn beside them may be it."""
    texts = [text for row in rows if (text := _text_of(row, column))]
    return all(NUMBER.match(text) and _UNSIGNED.match(text) for text in texts)


def _told_by(lines: Sequence[Counter[str]], stated: SaidLooks, *, in_turn: bool) -> tuple[bool, list[str]]:
    """Whether the pieces by which rows differ are values, and these as they are in each kind of row."""
    rows_of: dict[str, set[int]] = {}
    for row, pieces in enumerate(lines):
        for piece in pieces:
            rows_of.setdefault(piece, set()).add(row)
    rows_of = {piece: rows for piece, rows in rows_of.items() if not is_stripe(rows, len(lines))}
    amounts = _amounts(lines, rows_of)
    if any(stated.says_amount(amount) for amount in amounts.values()):
        return False, []
    inner = set(range(1, len(lines) - 1))
    several = {
        piece
        for piece, rows in rows_of.items()
        if SEVERAL <= len(rows) < len(lines) and (inner - rows or in_turn) and not stated.says_rows(rows)
    }
    alone = {piece for piece, rows in rows_of.items() if len(rows) == 1 and rows <= inner}
    chosen = several | amounts.keys()
    shown = [" ".join(piece for piece in pieces if piece in (chosen or alone)) for pieces in lines]
    return bool(chosen), [text.replace(_UNSEEN, "") for text in dict.fromkeys(shown) if text]


def _amounts(lines: Sequence[Counter[str]], rows_of: Mapping[str, Set[int]]) -> dict[str, Amounts]:
    """By piece, the amounts that it is one of: a size, a number in a class, how often it is there.

    A number that counts the rows is none.
    """
    by_name: dict[str, tuple[dict[int, float], list[str]]] = {}
    for piece, rows in rows_of.items():
        if match := _AMOUNT.match(piece) or _NUMBERED.match(piece):
            numbers, pieces = by_name.setdefault(match["name"], ({}, []))
            numbers.update(dict.fromkeys(rows, float(match["number"])))
            pieces.append(piece)
    found: dict[str, Amounts] = {
        piece: numbers
        for numbers, pieces in by_name.values()
        if len(set(numbers.values())) > 1 and not _counts_rows(numbers)
        for piece in pieces
    }
    for piece in rows_of:
        times = {row: float(pieces[piece]) for row, pieces in enumerate(lines)}
        if len(set(times.values()) - {0.0}) > 1:
            found.setdefault(piece, times)
    return found


def is_stripe(rows: Set[int], count: int) -> bool:
    """Whether these are each second row, of more than would be so by chance."""
    return count >= _STRIPED and rows == set(range(min(rows), count, 2))


def _counts_rows(numbers: Amounts) -> bool:
    return (
        len({number - row for row, number in numbers.items()}) == 1 and next(iter(numbers.values())) % 1 == 0
    )


def _pieces(shapes: Sequence[str]) -> Counter[str]:
    """The classes, styles and lines of parts, with how often each is there."""
    found: Counter[str] = Counter()
    for shape in shapes:
        for element in shape.split(_WITHIN):
            times = _TIMES.match(element)
            for piece in element[times.end() if times else 0 :].split():
                found[piece] += int(times[1]) if times else 1
    return found


def _repeated_images(images: Sequence[str], stated: SaidLooks) -> list[str]:
    """Images of which there are few; others are of things, and say nothing more."""
    counts = Counter(images)
    several = [image for image, count in counts.items() if count >= SEVERAL]
    is_few = len(several) >= SEVERAL and len(counts) * 2 <= len(images)
    if not is_few or all(
        stated.says_rows({at for at, each in enumerate(images) if each == i}) for i in several
    ):
        return []
    return [image for image in counts if image]


def _looks_by_column(found: Collection, wanted: Set[int] | None) -> dict[int, dict[int, Looks]]:
    """How the parts of each column and row look, -1 for no column; a sign's class is its look."""
    by_column: dict[int, dict[int, Looks]] = {}
    if len(found.rows) < SEVERAL:
        return by_column
    for row, column, looks in _placed_looks(found):
        # The line of a group may have more cells than there are columns.
        column = column if column < len(found.fields) else -1
        if wanted is None or column in wanted:
            shapes, images = by_column.setdefault(column, {}).get(row, _NOTHING)
            more, others = zip(*looks, strict=True)
            by_column[column][row] = (*shapes, *more), (*images, *others)
    for column in range(len(found.fields)):
        if (wanted is None or column in wanted) and _is_wordless(found.rows, column):
            for row, classes in enumerate(_classes_in(found.rows, column)):
                shapes, images = by_column.setdefault(column, {}).get(row, _NOTHING)
                by_column[column][row] = (*shapes, classes), images
    return by_column


def _placed_looks(found: Collection) -> Iterator[tuple[int, int, Sequence[tuple[str, str]]]]:
    """Parts without words with the row and the column that they are in; -1 for no column."""
    snapshot = found.node.snapshot
    ends = snapshot.ends
    every = {index: looks for index, facts in snapshot.columns.extra.items() if (looks := facts.get("looks"))}
    if not every:
        return
    cells = sorted(
        [(line.node.index, row, -1) for row, line in enumerate(found.rows)]
        + [
            (cell.index, row, column)
            for row, line in enumerate(found.rows)
            for column, cell in enumerate(line.cells)
            if cell is not None and cell.snapshot is snapshot and cell.index != line.node.index
        ]
    )
    texts = _made_as_texts(found)
    for index, looks in every.items():
        if not (looks := [look for look in looks if look[0] not in texts]):
            continue
        place = bisect_right(cells, index, key=itemgetter(0)) - 1
        while place >= 0 and ends[cells[place][0]] <= index and cells[place][2] >= 0:
            place -= 1
        if place >= 0 and index < ends[cells[place][0]]:
            yield cells[place][1], cells[place][2], looks


def _made_as_texts(found: Collection) -> frozenset[str]:
    """The classes of texts that most rows have: without one, what is made so is a blank."""
    columns, ends = found.node.snapshot.columns, found.node.snapshot.ends
    counts: Counter[str] = Counter()
    for row in found.rows:
        inside = range(row.node.index, ends[row.node.index])
        counts.update(
            {
                columns.tag[at].partition(".")[2].replace(".", " ")
                for at in inside
                if columns.role[at] == "text"
            }
        )
    return frozenset(kind for kind, count in counts.items() if kind and count > HALF * len(found.rows))


def _unsigned(lines: Sequence[Looks]) -> list[Looks]:
    """Looks of signs that each row has, without the signs; others are texts, which say what they are."""
    signs = [
        {shape.partition(_SIGN_ENDS)[0] for shape in shapes if _SIGN_ENDS in shape} for shapes, _ in lines
    ]
    common = set.intersection(*signs) if signs else set()
    return [
        (
            tuple(
                shape.rpartition(_SIGN_ENDS)[2]
                for shape in shapes
                if _SIGN_ENDS not in shape or shape.partition(_SIGN_ENDS)[0] in common
            ),
            images,
        )
        for shapes, images in lines
    ]


def _seen(lines: Sequence[Looks]) -> Sequence[Looks]:
    """Looks without those of which nobody sees anything, unless each row has them: a missing value leaves such."""
    unseen = {sum(shape.startswith(_UNSEEN) for shape in shapes) for shapes, _ in lines}
    if len(unseen) == 1:
        return lines
    return [
        (tuple(shape for shape in shapes if not shape.startswith(_UNSEEN)), images)
        for shapes, images in lines
    ]


def _is_constant(rows: Sequence[Row], column: int) -> bool:
    first = _text_of(rows[0], column)
    return all(_text_of(row, column) == first for row in rows)


def _is_blank(rows: Sequence[Row], column: int) -> bool:
    return column >= 0 and not any(_text_of(row, column) for row in rows)


def _is_wordless(rows: Sequence[Row], column: int) -> bool:
    return _is_constant(rows, column) and not _WORD.search(_text_of(rows[0], column))


def _text_of(row: Row, column: int) -> str:
    return cell.text if (cell := row.cells[column]) else ""


def _classes_in(rows: Sequence[Row], column: int) -> list[str]:
    """The classes of a column's cells, without those that all cells of the row have, as stripes are."""
    found = []
    for row in rows:
        classes = [_classes_of(cell) for cell in row.cells]
        of_row = set.intersection(*map(set, classes)) if len(classes) > 1 else set()
        found.append(" ".join(name for name in classes[column] if name not in of_row))
    return found


def _classes_of(cell: Cell | None) -> list[str]:
    if cell is None or cell.snapshot is None:
        return []
    columns = cell.snapshot.columns
    is_control = columns.role[cell.index] in INTERACTIVE | FIELDS
    return [] if is_control else columns.tag[cell.index].split(".")[1:]
