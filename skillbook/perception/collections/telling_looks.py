"""What rows differ by that no text says: the width of a bar, the class of an icon, which of five stars is filled.

It goes by structure alone: where the texts of a column are the same in each row, or there are none, the parts without
words are compared. How they look is no value, so that whoever reads the rows is warned, and nothing is guessed.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence, Set
from operator import itemgetter

from skillbook.perception.collections.collection import Cell, Collection, Row
from skillbook.perception.roles import FIELDS, INTERACTIVE

Looks = tuple[tuple[str, ...], tuple[str, ...]]
"""Shapes and images of the parts in one place of one row."""
_NOTHING: Looks = ((), ())
_WITHIN = " > "
_UNSEEN = "~"
_SIGN_ENDS = "\t"
_NUMBER = re.compile(r"\d+(?:[.,]\d+)?")
_RATING = re.compile(r"\d\.\d\Z")
_STARS = 5.0


def telling_looks(found: Collection, wanted: Set[int] | None = None) -> dict[str, list[str]]:
    """By column, "" for what is in none, how parts look that tell rows apart where no text does.

    Parameters
    ----------
    found : the rows.
    wanted : places of the columns that count; all of them, and what is in none, where None.
    """
    by_column: dict[int, dict[int, Looks]] = {}
    for row, column, looks in _placed_looks(found):
        if wanted is None or column in wanted:
            shapes, images = by_column.setdefault(column, {}).get(row, _NOTHING)
            more, others = zip(*looks, strict=True)
            by_column[column][row] = (*shapes, *more), (*images, *others)
    telling: dict[str, list[str]] = {}
    # A text that is the same in each row says nothing: its class may.
    for column in range(len(found.fields)) if len(found.rows) > 1 else ():
        if (wanted is None or column in wanted) and _is_constant(found.rows, column):
            for row, classes in enumerate(_classes_in(found.rows, column)):
                shapes, images = by_column.setdefault(column, {}).get(row, _NOTHING)
                by_column[column][row] = (*shapes, classes), images
    for column, by_row in by_column.items():
        lines = _seen(_unsigned([by_row.get(row, _NOTHING) for row in range(len(found.rows))]))
        if column >= 0 and not _is_constant(found.rows, column):
            continue
        if (shown := _different(lines)) and not _is_said(found.rows, lines):
            telling[found.fields[column] if column >= 0 else ""] = shown
    return telling


def _placed_looks(found: Collection) -> Iterator[tuple[int, int, Sequence[tuple[str, str]]]]:
    """Parts without words with the row and the column that they are in; -1 for no column."""
    snapshot = found.node.snapshot
    ends = snapshot.ends
    cells = sorted(
        [(line.node.index, row, -1) for row, line in enumerate(found.rows)]
        + [
            (cell.index, row, column)
            for row, line in enumerate(found.rows)
            for column, cell in enumerate(line.cells)
            if cell is not None and cell.snapshot is snapshot and cell.index != line.node.index
        ]
    )
    for index, facts in snapshot.columns.extra.items():
        if not (looks := facts.get("looks")):
            continue
        place = bisect_right(cells, index, key=itemgetter(0)) - 1
        while place >= 0 and ends[cells[place][0]] <= index and cells[place][2] >= 0:
            place -= 1
        if place >= 0 and index < ends[cells[place][0]]:
            yield cells[place][1], cells[place][2], looks


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
    texts = ((cell.text if (cell := row.cells[column]) else "") for row in rows)
    first = next(texts, "")
    return all(text == first for text in texts)


def _texts(rows: Sequence[Row], column: int) -> list[str]:
    return [cell.text if (cell := row.cells[column]) else "" for row in rows]


def _classes_in(rows: Sequence[Row], column: int) -> list[str]:
    """The classes of a column's cells, without those that others of the row have too, as stripes are."""
    found = []
    for row in rows:
        classes = [_classes_of(cell) for cell in row.cells]
        others = {name for place, names in enumerate(classes) if place != column for name in names}
        has_others = len(classes) > 1 or not re.search(
            r"\w", cell.text if (cell := row.cells[column]) else ""
        )
        found.append(".".join(name for name in classes[column] if name not in others) if has_others else "")
    return found


def _classes_of(cell: Cell | None) -> list[str]:
    if cell is None or cell.snapshot is None or not cell.text:
        return []
    columns = cell.snapshot.columns
    is_control = columns.role[cell.index] in INTERACTIVE | FIELDS
    return [] if is_control else columns.tag[cell.index].split(".")[1:]


def _different(lines: Sequence[Looks]) -> list[str]:
    """How the parts look by which rows differ; images that differ in each row are of things, and say nothing more."""
    shapes = [[piece for shape in shapes for piece in shape.split(_WITHIN)] for shapes, _ in lines]
    if len(set(map(tuple, shapes))) > 1:
        common = set.intersection(*map(set, shapes))
        shown = [
            " ".join(piece for piece in line if piece not in common) or " ".join(line) for line in shapes
        ]
        return [text.replace(_UNSEEN, "") for text in dict.fromkeys(shown) if text]
    images = [" ".join(images) for _, images in lines]
    return list(dict.fromkeys(filter(None, images))) if 1 < len(set(images)) < len(images) else []


def _is_said(rows: Sequence[Row], lines: Sequence[Looks]) -> bool:
    """Whether a text of each row says what its parts show: the number of a bar, or a word for each look."""
    numbers = [{float(n.replace(",", ".")) for n in _NUMBER.findall(" ".join(shapes))} for shapes, _ in lines]
    common = set.intersection(*numbers)
    if all(
        any(_says_number(cell.text, by_row - common) for cell in row.cells if cell)
        for row, by_row in zip(rows, numbers, strict=True)
        if by_row
    ) and any(by_row - common for by_row in numbers):
        return True
    return any(
        _goes_with(_texts(rows, column), lines) for column in range(min(len(row.cells) for row in rows))
    )


def _says_number(text: str, numbers: Set[float]) -> bool:
    """Whether a text is a number that a look has, or a number of five stars of which the look has the percentage."""
    found = [float(number.replace(",", ".")) for number in _NUMBER.findall(text)]
    if not found or (len(found) == 1 and _NUMBER.sub("", text).strip(" %")):
        return False
    is_rating = _RATING.match(text) is not None or found[1:2] == [_STARS]
    return found[0] in numbers or (is_rating and round(found[0] * 100 / _STARS, 6) in numbers)


def _goes_with(texts: Sequence[str], lines: Sequence[Looks]) -> bool:
    """Whether rows of one text look alike and others don't, where texts come again: each text once shows nothing."""
    pairs: Mapping[str, set[Looks]] = {text: set() for text in texts}
    for text, look in zip(texts, lines, strict=True):
        pairs[text].add(look)
    looks = {look for seen in pairs.values() for look in seen}
    return (
        1 < len(pairs) < len(texts) and len(looks) == len(pairs) and all(len(s) == 1 for s in pairs.values())
    )
