"""Two reads of the same rows, compared by key."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

import skillbook.extraction.frames.accessor  # noqa: F401  (gives every frame `df.skillbook`)
from skillbook.errors import ExtractionError
from skillbook.extraction.driver import extract_frame
from skillbook.extraction.frames.completeness import IncompleteFrame


def test_added_removed_and_changed() -> None:
    older = pd.DataFrame({"name": ["Nut", "Bolt", "Gear"], "price": [1.5, 2.5, None], "stock": [1, 2, 3]})
    newer = pd.DataFrame({"name": ["Gear", "Nut", "Cam"], "price": [None, 1.75, 9.0], "stock": [3, 1, 0]})
    found = newer.skillbook.changes(older)
    assert found.columns.tolist() == ["name", "change", "column", "before", "after"]
    assert found[["name", "change"]].to_numpy().tolist() == [
        ["Nut", "changed"],
        ["Cam", "added"],
        ["Bolt", "removed"],
    ]
    assert found.iloc[0].tolist() == ["Nut", "changed", "price", 1.5, 1.75]
    assert newer.skillbook.changes(newer).empty


def test_rows_that_the_key_does_not_tell_apart_are_refused() -> None:
    frame = pd.DataFrame({"a": [1, 1], "b": [1, 2], "c": ["x", "x"]})
    assert frame.skillbook.changes(frame).columns[0] == "b"
    with pytest.raises(ExtractionError, match="two rows of the newer read have a=1"):
        frame.skillbook.changes(frame, key="a")
    with pytest.raises(ExtractionError, match="no column has another value"):
        frame[["a", "c"]].skillbook.changes(frame[["a", "c"]])
    with pytest.raises(ExtractionError, match="'z' is no column"):
        frame.skillbook.changes(frame, key=["a", "z"])


async def test_fault_43_a_part_warns_that_rows_may_not_be_gone(
    pages: Any, shop_page: Callable[..., str]
) -> None:
    items = [("Nut", "€1.75"), ("Bolt", "€2.50"), ("Gear", "€3.00")]
    claim = '  generic tag=p\n    "137 results"\n'
    partly = await extract_frame(pages(shop_page(*items, extra=claim)))
    whole = await extract_frame(pages(shop_page(*items)))
    with pytest.warns(IncompleteFrame, match="the newer read isn't whole"):
        partly.skillbook.changes(whole)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert whole.skillbook.changes(whole.copy()).empty
