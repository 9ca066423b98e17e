"""Which field of a collection is meant by another name for it."""

from __future__ import annotations

import pytest

from skillbook.extraction.reading.plans import best_field, known_collections
from tests.trees import snapshot


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


def test_links_side_by_side_are_named_where_nothing_is_a_list() -> None:
    page = snapshot("main\n" + "".join(f'  link "Product {n}" + href=/{n}\n' for n in range(5)))
    assert known_collections(page).endswith("but 5 links side by side: fields={'name': 'link'}")
    assert "css selectors" in known_collections(snapshot('main\n  link "Home" + href=/\n'))
    site = snapshot("navigation\n" + "".join(f'  link "Part {n}" + href=/{n}\n' for n in range(5)))
    assert "css selectors" in known_collections(site)
