"""Where an element is, in words."""

from __future__ import annotations

import pytest

from skillbook.perception.selectors import place_of
from tests.trees import snapshot

PAGE = """
generic
  navigation
    link "Home" + ref=e3
  main
    link "Top" + ref=e5
    region "Results"
      list "Lamps"
        listitem
          heading "Dusk Bedside Lamp"
            link "Dusk Bedside Lamp" + ref=e10
          button "Add" + ref=e11
    table "Open"
      row
        cell
          "Ann"
        cell
          button "Edit" + ref=e16
    region "Results"
      link "More" + ref=e18
  dialog "Sure?"
    button "Yes" + ref=e20
  dialog
    button "No" + ref=e22
"""
PLACES = {
    "Home": "navigation",
    "Top": "",
    "Dusk Bedside Lamp": "list 'Lamps'",
    "Add": "listitem 'Dusk Bedside Lamp'",
    "Edit": "row 'Ann'",
    "More": "region 'Results'",
    "Yes": "dialog 'Sure?'",
    "No": "dialog",
}


@pytest.mark.parametrize(("name", "place"), PLACES.items())
def test_the_nearest_thing_that_sets_it_apart(name: str, place: str) -> None:
    page = snapshot(PAGE)
    node = next(each for each in page.nodes if each.name == name and each.role in {"link", "button"})
    assert place_of(node) == place
