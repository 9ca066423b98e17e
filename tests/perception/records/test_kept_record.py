"""What the journal keeps of where an element is."""

from __future__ import annotations

from skillbook.perception.records import Record, Sameness, is_in_record
from skillbook.perception.records.same_record import headings_over, kept_record
from tests.trees import snapshot

PEOPLE = "list\n" + "".join(
    f'  listitem\n    "{name}"\n    "{price}"\n    button "Delete" +\n'
    for name, price in (("Ann", "10 EUR"), ("Bob", "12 EUR"))
)


def test_a_record_is_kept_with_its_names_and_facts() -> None:
    node = snapshot(PEOPLE).elements[1]
    assert kept_record(node) == {"names": ["Bob"], "keys": [], "facts": ["12 EUR"], "place": ""}


def test_which_of_several_it_is_needs_the_whole_page() -> None:
    twins = snapshot(PEOPLE.replace("Bob", "Ann").replace("12", "10")).elements[1]
    assert kept_record(twins)["place"] == "2 of 2"
    seen = Record(("Ann",), place=kept_record(twins, in_part=True)["place"])
    assert is_in_record(seen, twins).sameness is Sameness.UNKNOWN


def test_where_nothing_repeats_the_heading_over_it_is_kept() -> None:
    page = 'main\n  heading "Watchlist"\n  button "Save" +\n'
    assert kept_record(snapshot(page).elements[-1]) == {"heading": "Watchlist"}
    assert kept_record(snapshot('main\n  button "Save" +\n').elements[0]) == {}


def test_a_heading_of_another_part_is_over_nothing_in_this_one() -> None:
    page = 'heading "Site"\nnavigation\n  button "Menu" +\nmain\n  heading "Ann"\n  button "Save" +\n'
    menu, save = (node for node in snapshot(page).elements if node.role == "button")
    assert (headings_over(menu), headings_over(save)[0]) == ([], "Ann")
