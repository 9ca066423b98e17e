"""Values by their labels."""

from __future__ import annotations

import pytest

from skillbook.extraction.walking.details import values_labelled
from tests.trees import snapshot

PAGE = snapshot("""
main
  table
    row
      rowheader "UPC"
      cell "a897"
      cell "verified"
    row
      cell "Tax"
      cell "€0.30"
  generic
    "Weight:"
    definition "3 kg"
  paragraph
    "Pages: 300"
  generic
    generic
      "Cover"
    generic
      "hard"
  table "Prices"
    row
      columnheader "Shop"
      columnheader "Price"
    row
      cell "Ours"
      cell "€3"
      cell "€4"
  heading "Note"
  paragraph "Signed"
  text "Note"
  paragraph "First print"
""")


@pytest.mark.parametrize(
    ("label", "values"),
    [
        ("UPC", ["a897"]),
        ("tax", ["€0.30"]),
        ("Weight", ["3 kg"]),
        ("Pages", ["300"]),
        ("Cover:", ["hard"]),
        ("Shop", []),  # the header of a column
        ("Price", []),
        ("Ours", []),  # one of several cells
        ("Note", ["Signed", "First print"]),
        ("EAN", []),
    ],
)
def test_a_value_stands_after_its_label(label: str, values: list[str]) -> None:
    assert [cell.text for cell in values_labelled(PAGE, label)] == values
