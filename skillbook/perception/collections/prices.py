"""Prices that some items of a list have in an element of their own and others don't: one column."""

from __future__ import annotations

import re
from collections.abc import Sequence

from skillbook.perception.collections.collection import Row
from skillbook.perception.collections.leaves import MONEY

PRICE = "price"
_LETTER = re.compile(r"[^\W\d_]")
_PRICES = re.compile(rf"{PRICE}(?: \d+)?")


def with_prices_joined(fields: Sequence[str], rows: Sequence[Row]) -> tuple[list[str], list[Row]]:
    """Fields and rows in which two columns of prices are one if no item has both, and none has anything else in them.

    A third column of prices stays: which one an item lacks isn't sure then. So does one that says more, such as
    "$5 shipping".
    """
    places = [at for at, field in enumerate(fields) if _PRICES.fullmatch(field)]
    if len(places) != len(("first", "second")):
        return list(fields), list(rows)
    first, second = places
    for row in rows:
        texts = [cell.text for at in places if (cell := row.cells[at])]
        if len(texts) != 1 or not MONEY.search(texts[0]) or _LETTER.search(MONEY.sub("", texts[0])):
            return list(fields), list(rows)
    joined = [
        Row(row.node, [row.cells[at] or row.cells[second] if at == first else cell
                       for at, cell in enumerate(row.cells) if at != second])
        for row in rows
    ]  # fmt: skip
    names = [PRICE if at == first else field for at, field in enumerate(fields) if at != second]
    return names, joined
