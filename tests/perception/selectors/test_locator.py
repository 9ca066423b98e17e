from __future__ import annotations

import pytest

from skillbook.perception.selectors import build_locator
from tests.trees import snapshot

PAGE = """
generic
  navigation
    link "Next" + ref=e3
  main
    link "Next" + ref=e5
    button "Save" + test_id=save ref=e6
    textbox "Name" + placeholder="Full name" html_id=name ref=e7
    table "Open"
      row
        cell
          "Ann"
        cell
          button "Edit" + ref=e12
      row
        cell
          "Bob"
        cell
          button "Edit" + ref=e16
    generic + ref=e17
  dialog "Sure?"
    button "Save" + ref=e19
"""


@pytest.mark.parametrize(
    ("ref", "first", "others"),
    [
        ("e3", "link 'Next' in navigation", []),
        ("e5", "link 'Next' in main", []),
        ("e6", "button 'Save' in main", ["testid 'save'"]),
        ("e7", "textbox 'Name'", ["label 'Name'", "textbox [placeholder='Full name']"]),
        ("e12", "button 'Edit' in row 'Ann'", []),
        ("e16", "button 'Edit' in row 'Bob'", []),
        ("e19", "button 'Save' in dialog 'Sure?'", []),
        ("e17", "generic in main", []),
    ],
)
def test_the_primary_selector_and_others(ref: str, first: str, others: list[str]) -> None:
    page = snapshot(PAGE)
    selectors = [str(selector) for selector in build_locator(page[ref]).selectors]
    if ref == "e17":
        assert selectors[0].startswith(first)
    else:
        assert selectors[0] == first
    assert set(others) <= set(selectors)
    assert len(selectors) == len(set(selectors))


def test_in_a_frame() -> None:
    page = snapshot('button "Pay" +\niframe "Card" document=pay', {"pay": 'button "Pay" +'})
    assert str(build_locator(page["f1e1"])) == "button 'Pay' frame 'Card'"


def test_a_locator_on_a_long_page_is_its_element_s() -> None:
    cards = "".join(
        f'article ref=e{at}\n  heading "Lamp {at % 50}"\n  generic\n    "€{at}.50"\n'
        f'  checkbox "Compare" + ref=e{at + 9000}\n'
        for at in range(1, 3001)
    )
    page = snapshot(f"main\n{cards}")
    node = page["e10500"]
    locator = build_locator(node)
    assert page.find(str(locator)) == node


def test_a_row_is_named_by_a_cell_whose_text_is_its_name() -> None:
    """So a cell of nothing but text comes over the wire."""
    cells = '      cell "Name {0}"\n      cell\n        button "Edit" +\n      cell\n        link "More" +\n'
    row = "    row\n" + cells
    page = snapshot("main\n  table\n" + "".join(row.format(number) for number in range(5)))
    edit = [node for node in page.nodes if node.name == "Edit"][2]
    assert str(build_locator(edit)) == "button 'Edit' in row 'Name 2'"
