"""Cookies, menus, pages, filters, downloads."""

from __future__ import annotations

from typing import Any

import pandas as pd
import pytest

from skillbook.errors import InvalidInput, MissingInput
from skillbook.skill.builtin import builtin_skill
from skillbook.skill.builtin.builtin_skill import Details, Refusal, Slots
from tests.skill.builtin.pages import bound, labels, page, refused, skill, steps, why

BANNER = """
main
  heading "News" level=1
  button "Accept" +
region "Privacy"
  paragraph
    "We use cookies to improve your visit."
  button "Accept all" +
  button "Only necessary" +
  link "Cookie policy" + href=/cookies
"""


def test_cookies_are_accepted_or_rejected_in_the_banner_alone() -> None:
    assert labels(bound("accept_cookies", BANNER)) == {"accept": "Accept all"}
    assert labels(bound("reject_cookies", BANNER)) == {"reject": "Only necessary"}
    assert "no consent banner" in refused("accept_cookies", 'main\n  button "Accept" +').reason
    only = 'region "Privacy"\n  paragraph\n    "We use cookies."\n  button "OK" +\n  button "Settings" +'
    refusal = refused("reject_cookies", only)
    assert "no way to reject" in refusal.reason
    assert [one.label for one in refusal.candidates] == ["button 'OK'", "button 'Settings'"]
    slots = bound("accept_cookies", BANNER)
    assert why("accept_cookies", BANNER, 'main\n  heading "News" level=1', slots, {}) == ""
    assert "still there" in why("accept_cookies", BANNER, BANNER, slots, {})


MENU = """
navigation "Main"
  link "Products (12)" + href=http://site.test/products
  button "Settings" + collapsed
  link "Log out" + href=/out
main
  heading "Welcome" level=1
  link "Products" + href=http://site.test/old
"""


def test_a_menus_entry_comes_before_a_link_in_the_text() -> None:
    slots = bound("navigate_by_menu", MENU, path="Products")
    assert labels(slots) == {"entry": "Products (12)"}
    products = 'main\n  heading "Products" level=1'
    assert why("navigate_by_menu", MENU, products, slots, {}, url="http://site.test/products") == ""
    assert "did not change" in why("navigate_by_menu", MENU, MENU, slots, {})


def test_a_menu_is_opened_level_by_level() -> None:
    slots = bound("navigate_by_menu", MENU, path="Settings > Users")
    assert (labels(slots), slots.last) == ({"entry": "Settings"}, False)
    opened = MENU.replace("collapsed", "expanded") + 'menu\n  menuitem "Users" +\n'
    assert why("navigate_by_menu", MENU, opened, slots, {}) == ""
    assert "no entry 'Users'" in why("navigate_by_menu", MENU, MENU, slots, {})
    second = bound("navigate_by_menu", opened, (slots.stage,), path=["Settings", "Users"])
    assert (labels(second), second.last) == ({"entry": "Users"}, True)
    assert refused("navigate_by_menu", MENU, path="Log out").slot == "entry", "it signs nobody out"
    assert refused("navigate_by_menu", MENU, path="Reports").candidates == ()


PAGER = """
main
  list "Orders"
    listitem
      "Order 1"
    listitem
      "Order 2"
    listitem
      "Order 3"
  navigation "Pagination"
    link "Previous" + href=http://site.test/?page=1
    link "1" + href=http://site.test/?page=1
    link "3" + href=http://site.test/?page=3
    link "Next" + href=http://site.test/?page=3
"""


@pytest.mark.parametrize(("to", "label"), [("next", "Next"), ("previous", "Previous"), ("3", "3"), (1, "1")])
def test_pages_are_turned(to: str | int, label: str) -> None:
    slots = bound("paginate", PAGER, to=to)
    assert labels(slots) == {"page": label}
    assert why("paginate", PAGER, PAGER.replace("Order", "Later order"), slots, {}) == ""
    assert "same rows" in why("paginate", PAGER, PAGER, slots, {})


def test_a_tables_ids_are_no_pages() -> None:
    rows = "".join(
        f'    row\n      cell\n        link "{n}" + href=/{n}\n      cell "Item"\n' for n in (3, 2, 1)
    )
    tree = (
        f'main\n  table "Models"\n    row\n      cell "a"\n    row\n      cell "b"\n  table "Items"\n{rows}'
    )
    assert "next page" in refused("paginate", tree).reason


def test_a_tab_and_the_link_in_it_are_one() -> None:
    tree = 'tablist\n  tab "Seats" +\n    link "Seats" + href=#seats\n  tab "Other" +\n    link "Other" + href=#other\n'
    assert labels(bound("navigate_by_menu", tree, path="Seats")) == {"entry": "Seats"}


def test_pages_that_are_not_there_are_refused() -> None:
    assert "page 9" in refused("paginate", PAGER, to=9).reason
    assert "no page" in refused("paginate", PAGER, to="newest").reason
    assert "next page" in refused("paginate", 'main\n  heading "Hello" level=1').reason


FILTER = """
main
  form "Filter"
    combobox "Category" + tag=select
      option "All" + selected
      option "Lamps" +
    button "Apply" + type=submit
  heading "By size" level=3
  list
    listitem
      link "Small (3)" + href=/?size=s
    listitem
      link "Large (8)" + href=/?size=l
  list "Results"
    listitem
      "A lamp"
    listitem
      "A chair"
"""


def test_a_filter_is_a_field_or_a_facet() -> None:
    slots = bound("filter", FILTER, field="Category", value="Lamps")
    assert (slots.stage, labels(slots)) == ("set", {"field": "Category"})
    facet = bound("filter", FILTER, field="size", value="Large")
    assert labels(facet) == {"facet": "Large (8)"}
    assert (
        why("filter", FILTER, FILTER.replace("A chair", "B"), facet, {"field": "size", "value": "Large"})
        == ""
    )
    assert "same as before" in why("filter", FILTER, FILTER, facet, {"field": "size", "value": "Large"})
    assert "no filter 'colour'" in refused("filter", FILTER, field="colour", value="red").reason


FILES = """
main
  heading "Invoices" level=1
  table "Invoices"
    row
      columnheader "Date"
      columnheader "File"
    row
      cell "2026-10-01"
      cell
        link "Download" + href=http://site.test/1.pdf
    row
      cell "2026-09-01"
      cell
        link "Download" + href=http://site.test/2.pdf
"""


def test_a_download_is_found_by_its_row() -> None:
    slots = bound("download", FILES, what="last month's invoice", today="2026-11-12")
    assert slots["file"].href == "http://site.test/1.pdf"
    assert steps("download", slots)[0][0] == "download"
    assert len(refused("download", FILES, what="invoice").candidates) == 2
    assert "no download" in refused("download", FILES, what="invoice of May 2020").reason
    assert "nothing on this page" in refused("download", "main\n  button 'Save' +".replace("'", '"')).reason


def test_a_menu_of_files_is_opened_first() -> None:
    closed = 'main\n  link "Export" + collapsed href=http://site.test/#\n  link "Ann" +\n'
    slots = bound("download", closed, what="CSV")
    assert (slots.stage, slots.last, labels(slots)) == ("open", False, {"open": "Export"})
    assert steps("download", slots) == [("click", "link 'Export'")]
    assert why("download", closed, closed, slots, {}) == "no menu opened"

    menu = closed.replace("collapsed", "expanded") + (
        '  link "CSV" + href=http://site.test/export/csv\n  link "JSON" + href=http://site.test/export/json\n'
    )
    assert why("download", closed, menu, slots, {}) == ""
    opened = Details(page(menu), done=("open",), first=page(closed))
    file = skill("download").bind(opened, {"what": "Export CSV"})
    assert isinstance(file, Slots)
    assert labels(file) == {"file": "CSV"}
    either = skill("download").bind(opened, {"what": ""})
    assert isinstance(either, Refusal)
    assert len(either.candidates) == 2


@pytest.mark.parametrize(
    ("name", "goal", "params"),
    [
        ("accept_cookies", "Accept all cookies", {}),
        ("reject_cookies", "reject the cookies", {}),
        ("paginate", "go to the next page", {"to": "next"}),
        ("paginate", "page 3", {"to": "3"}),
        ("navigate_by_menu", "Go to Settings > Users", {"path": "Settings > Users"}),
        ("filter", "filter by category: lamps", {"field": "category", "value": "lamps"}),
        ("filter", "filtere nach Kategorie gleich Lampen", {"field": "Kategorie", "value": "Lampen"}),
        ("filter", "filter status is open", {"field": "status", "value": "open"}),
        ("download", "Download last month's invoice", {"what": "last month's invoice"}),
        ("checkout", "check out", {}),
        ("paginate", "bitte nächste Seite", {"to": "next"}),
        ("paginate", "zeige die vorherige Seite", {"to": "previous"}),
        ("paginate", "página 12", {"to": "12"}),
        ("paginate", "次のページ", {"to": "next"}),
        ("navigate_by_menu", "bitte gehe zu Einstellungen > Nutzer", {"path": "Einstellungen > Nutzer"}),
        ("navigate_by_menu", "please navigate to the Users page", {"path": "Users"}),
        ("filter", "bitte filtere nach Art gleich Lampen", {"field": "Art", "value": "Lampen"}),
        ("paginate", "next", None),
        ("paginate", "next month", None),
        ("download", "log in", None),
        ("download", "Save the changes", None),
        ("download", "Save the report as PDF", {"what": "the report as PDF"}),
    ],
)
def test_goals_in_words(name: str, goal: str, params: dict[str, str] | None) -> None:
    assert skill(name).params_of(goal) == params


@pytest.mark.parametrize("blank", [None, float("nan"), pd.NA, float("inf")], ids=repr)
@pytest.mark.parametrize(
    ("name", "given"),
    [
        ("search", {"query": ...}),
        ("fill_form", {"values": {"Name": ...}}),
        ("filter", {"field": "a", "value": [...]}),
    ],
)
def test_a_blank_input_is_refused_by_its_name(name: str, given: dict[str, Any], blank: object) -> None:
    def put(part: Any) -> Any:
        if isinstance(part, dict):
            return {key: put(one) for key, one in part.items()}
        return [put(one) for one in part] if isinstance(part, list) else blank if part is ... else part

    found = builtin_skill(name)
    assert found is not None
    with pytest.raises(InvalidInput, match=f"{name}: the input '(query|values|value)"):
        found.check(put(given))


def test_an_input_without_its_name_is_a_type_error() -> None:
    found = builtin_skill("search")
    assert found is not None
    with pytest.raises(TypeError, match=r"run\(page, query='lamp'\)"):
        found.run(object(), "lamp")
    with pytest.raises(MissingInput, match="query"):
        found.check({"query": ""})
