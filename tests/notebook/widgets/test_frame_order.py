"""Sorting, filtering and summing up a frame that is shown."""

from __future__ import annotations

import numpy as np
import pandas as pd

from skillbook.notebook.widgets.frame_view import FrameOrder, summaries

FRAME = pd.DataFrame(
    {
        "name": ["Nut", "bolt", "Nail", None],
        "price": [1.75, np.nan, 3.0, 0.5],
        "since": pd.to_datetime(["2024-01-05", "2024-01-06", None, "2024-01-08"]),
        "mixed": [1, "two", None, 3.0],
        "here": [True, False, True, True],
    },
    index=[10, 11, 12, 13],
)


def test_a_column_is_sorted_up_then_down_then_not_with_blanks_last() -> None:
    order = FrameOrder(FRAME)
    shown = []
    for _ in range(3):
        order.sort(1)
        shown.append(list(order.places))
    assert shown == [[3, 0, 2, 1], [2, 0, 3, 1], [0, 1, 2, 3]]


def test_values_that_can_not_be_compared_are_sorted_by_their_texts() -> None:
    order = FrameOrder(FRAME)
    order.sort(3)
    assert list(order.places) == [0, 3, 1, 2]


def test_rows_with_all_words_are_left_in_the_order_that_was_chosen() -> None:
    order = FrameOrder(FRAME)
    order.sort(1)
    order.filter("NAIL")
    assert list(order.places) == [2]
    order.filter("2024-01 true")
    assert list(order.places) == [3, 0]
    order.filter("nothing has this")
    assert list(order.places) == []


def test_each_column_says_what_it_holds() -> None:
    name, price, since, mixed, here = summaries(FRAME)
    assert (name.kind, name.blanks, name.distinct, name.says) == ("text", 1, 3, "")
    assert (price.kind, price.blanks, price.says) == ("number", 1, "0.5 to 3")
    assert len(price.bars) == 12
    assert max(price.bars) == 1
    assert (since.kind, since.says) == ("date", "2024-01-05 to 2024-01-08")
    assert (mixed.kind, mixed.distinct) == ("text", 3)
    assert (here.kind, here.says) == ("yes/no", "True (3), False (1)")


def test_a_hundred_thousand_rows_are_ordered_without_being_sent() -> None:
    many = pd.DataFrame({"n": np.arange(100_000)[::-1], "text": ["row"] * 100_000})
    order = FrameOrder(many)
    order.sort(0)
    order.filter("99999")
    assert list(order.places) == [0]
    assert summaries(many)[1].says == "row (100,000)"
