"""Every selector that docs/selectors.md shows names what the page says, on the page that it shows."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from skillbook.errors import SelectorSyntaxError
from skillbook.perception.selectors import PROPERTIES, STATES, parse_selector
from skillbook.perception.selectors.grammar import ROLE_ALIASES
from tests.trees import snapshot

DOC = (Path(__file__).parents[3] / "docs" / "selectors.md").read_text(encoding="utf-8")
ROWS = re.findall(r"^\| `([^`]+)` \| ((?:`f?\d*e\d+`(?:, )?)+|nothing|not a selector) \|", DOC, re.MULTILINE)
PAGE = snapshot(
    """
main "Shop"
  navigation "Main"
    link "Home" + current href=/ current=page
    link "Next" + href=/news
  heading "Orders" level=1
    "Orders"
  textbox "Search" + placeholder="Name or number" type=search
  table "Open orders"
    row
      columnheader
        "Customer"
      columnheader
        "Total"
      columnheader
    row
      cell
        "Ann Lee"
      cell
        "€30"
      cell
        button "Edit" +
    row
      cell
        "Bob"
      cell
        "€45"
      cell
        button "Edit" + disabled
  link "Next" + href=/orders?page=2
  checkbox "Gift wrap" + checked
  textbox "Customer *" + required value="Ann Lee"
  button "SAVE" +
  button "Save draft" + expanded test_id=draft
  generic tag=div.products
    generic tag=div.card
      generic tag=div.name
        "Desk lamp"
      button "Buy" +
      "€19"
    generic tag=div.card
      generic tag=div.name
        "Floor lamp"
      button "Buy" +
      "€79"
    generic tag=div.card
      generic tag=div.name
        "Candle"
      button "Buy" +
      "€4"
  iframe "Payment" document=pay
dialog "Delete order 17?" modal
  button "Delete" +
  button "Cancel" +
""",
    {"pay": 'form "Card"\n  textbox "Number" +\n  button "Pay" +'},
    title="Orders",
)
PAGE.css = {"div.card > button": ["e30", "e33", "e36"]}


@pytest.mark.parametrize(("selector", "named"), ROWS, ids=[row[0] for row in ROWS])
def test_every_documented_selector_names_what_the_page_says(selector: str, named: str) -> None:
    selector = selector.replace("\\|", "|")
    if named == "not a selector":
        with pytest.raises(SelectorSyntaxError):
            parse_selector(selector)
        return
    found = [f"`{(node if node.ref else node.parent).ref}`" for node in PAGE.find_all(selector)]
    assert ", ".join(found) == named.replace("nothing", "")


def test_the_page_that_the_examples_are_about_is_what_a_snapshot_of_it_reads() -> None:
    (shown,) = re.findall(r"```text\n(.*?)\n```", DOC, re.DOTALL)
    assert shown == PAGE.text(None)


def test_every_state_property_and_other_role_name_is_documented() -> None:
    assert len(ROWS) >= 39
    for word in STATES | PROPERTIES | (ROLE_ALIASES.keys() - {"*"}):
        assert f"`{word}`" in DOC, word
