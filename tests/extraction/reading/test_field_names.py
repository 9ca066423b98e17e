"""Which field of a collection is meant by another name for it."""

from __future__ import annotations

import pytest

from skillbook.extraction.reading.plans import best_field


@pytest.mark.parametrize(
    ("fields", "name", "place"),
    [
        (["Name", "Preis", "Bestand"], "price", 1),
        (["Название", "Цена"], "title", 0),
        (["名称", "価格"], "price", 1),
        (["Name", "Cost"], "price", 1),
        (["Tag", "Data"], "date", None),
        (["Note", "Ad"], "rating", None),
    ],
)
def test_another_name_for_a_column(fields: list[str], name: str, place: int | None) -> None:
    assert best_field(fields, name) == place
