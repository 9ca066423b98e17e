"""What names a record, what are its facts, and when another one is it."""

from __future__ import annotations

import pytest

from skillbook.perception.records import Sameness, is_in_record, record_of
from skillbook.perception.records.nearest_record import Record
from tests.trees import snapshot

CARD = (
    '    listitem\n      heading "{0}"\n      "{1}"\n      link "More" + href={2}\n      button "Delete" +\n'
)


def cards(*known: tuple[str, str, str]) -> str:
    return "main\n  list\n" + "".join(CARD.format(*one) for one in known)


def rows(*known: tuple[str, ...]) -> str:
    lines = ["table"]
    for row in known:
        lines.append("  row")
        for cell in row:
            lines += ["    cell", f'      "{cell}"']
        lines += ["    cell", '      button "Delete" +']
    return "\n".join(lines) + "\n"


def record(page: str, place: int) -> Record:
    deletes = [node for node in snapshot(page).elements if node.label == "Delete"]
    found = record_of(deletes[place])
    assert found is not None
    return found


PEOPLE = (("Ann", "10 EUR", "/p/ann"), ("Bob", "12 EUR", "/p/bob"), ("Cy", "15 EUR", "/p/cy"))


def test_titles_name_a_record_and_prices_are_its_facts() -> None:
    bob = record(cards(*PEOPLE), 1)
    assert (bob.names, bob.keys, bob.facts) == (("Bob",), ("/p/bob",), ("12 EUR", "More"))


@pytest.mark.parametrize(
    ("page", "names"),
    [
        (rows(("in stock", "$5", "Ann"), ("sold out", "$6", "Bob"), ("in stock", "$7", "Cy")), ("Bob",)),
        (rows(("Ann", "a@x.org"), ("Bob", "b@x.org"), ("Cy", "c@x.org")), ("b@x.org", "Bob")),
        (rows(("1001", "open"), ("1002", "open"), ("1003", "open")), ("1002",)),
        (rows(("Part 7", "$5"), ("Part 8", "$5"), ("Part 9", "$5")), ("Part 8",)),
        (rows(("$5",), ("$6",), ("$7",)), ("$6",)),
        (rows(("sold out", "$5", "Ann"), ("sold out", "$6", "Bob")), ("Bob",)),
    ],
)
def test_a_column_in_which_texts_differ_names_records(page: str, names: tuple[str, ...]) -> None:
    assert record(page, 1).names == names


def test_of_records_that_say_the_same_the_place_is_kept() -> None:
    assert record(rows(("Ann",), ("Ann",), ("Ann",)), 1).place == "2 of 3"


def test_links_that_count_the_records_are_no_keys() -> None:
    counted = [(name, price, f"/p/{place}") for place, (name, price, _) in enumerate(PEOPLE)]
    assert record(cards(*counted), 1).keys == ()


@pytest.mark.parametrize(
    ("now", "place", "sameness"),
    [
        (PEOPLE, 1, Sameness.SAME),
        (PEOPLE, 0, Sameness.ANOTHER),
        ((PEOPLE[1], PEOPLE[0]), 0, Sameness.SAME),
        ((("Ann", "12 EUR", "/p/ann"), ("Bob", "15 EUR", "/p/bob")), 1, Sameness.OTHER_FACTS),
        ((("Ann", "12 EUR", "/p/ann"), ("Bob", "15 EUR", "/p/bob")), 0, Sameness.ANOTHER),
        ((PEOPLE[0], ("Robert", "12 EUR", "/p/bob")), 1, Sameness.OTHER_FACTS),
        ((PEOPLE[0], ("Bob", "12 EUR", "/p/bob-2")), 1, Sameness.UNKNOWN),
        ((*PEOPLE, ("Bob", "12 EUR", "/p/bob-2")), 1, Sameness.SAME),
        ((*PEOPLE, ("Bob", "12 EUR", "/p/bob-2")), 3, Sameness.UNKNOWN),
        ((PEOPLE[1],), 0, Sameness.SAME),
    ],
)
def test_names_and_keys_decide_and_facts_may_differ(
    now: tuple[tuple[str, str, str], ...], place: int, sameness: Sameness
) -> None:
    deletes = [node for node in snapshot(cards(*now)).elements if node.label == "Delete"]
    assert is_in_record(record(cards(*PEOPLE), 1), deletes[place]).sameness is sameness


def test_two_namesakes_without_a_key_cannot_be_told_apart() -> None:
    bob = record(rows(("Ann", "$5"), ("Bob", "$6"), ("Cy", "$7")), 1)
    now = snapshot(rows(("Bob", "$9"), ("Ann", "$5"), ("Bob", "$6"), ("Cy", "$7")))
    for node in now.elements:
        assert not is_in_record(bob, node).is_same


def test_changed_facts_are_named_with_both_values() -> None:
    bob = record(rows(("Ann", "$5"), ("Bob", "$6"), ("Cy", "$7")), 1)
    now = snapshot(rows(("Ann", "$6"), ("Bob", "$8"), ("Cy", "$9")))
    assert is_in_record(bob, now.elements[1]).changed == (("$6", "$8"),)
