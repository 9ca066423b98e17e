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


def test_what_another_list_says_names_no_record() -> None:
    menu = "".join(f'  listitem\n    link "{word}" + href=/{word}\n' for word in ("Home", "News", "Help"))
    rows = "".join(
        f'  listitem\n    link "cur" + href=/{at}?cur\n    "{text}"\n    link "undo" + href=/{at}?undo\n'
        for at, text in ((31, "added alpha"), (42, "added beta"), (77, "added gamma"))
    )
    undo = snapshot(f"list\n{menu}list\n{rows}").elements[-3]
    found = record_of(undo)
    assert found is not None
    assert found.names == ("added beta",)


def test_a_heading_is_of_what_comes_after_it() -> None:
    block = 'heading "{0}"\ngeneric\n  button "Delete" +\n'
    page = '"All people"\n' + "".join(map(block.format, ("Ann", "Bob", "Cy"))) + '"3 people"\n'
    assert [record(page, place).names for place in range(3)] == [("Ann",), ("Bob",), ("Cy",)]


def test_a_form_beside_cards_that_holds_the_name_of_one_is_not_that_one() -> None:
    field = '  generic tag=div.card\n    "City"\n    textbox "City" value={} +\n    button "Delete" +\n'
    card = '  generic tag=div.card\n    "{}"\n    "20 degrees"\n    button "Delete" +\n'
    page = "main\n" + field.format("Oslo") + card.format("Oslo") + card.format("Rome")
    seen = Record(("Oslo",))
    delete = [node for node in snapshot(page).elements if node.label == "Delete"][1]
    assert is_in_record(seen, delete).is_same
    # where all say their names in fields, two of one name are two
    page = "main\n" + "".join(field.format(name) for name in ("Oslo", "Oslo", "Rome"))
    delete = [node for node in snapshot(page).elements if node.label == "Delete"][1]
    assert is_in_record(seen, delete).sameness is Sameness.UNKNOWN


def test_a_row_is_its_own_record() -> None:
    lines = "".join(
        f'  row +\n    cell\n      "{name}"\n    cell\n      "{price}"\n' for name, price, _ in PEOPLE
    )
    bob = record_of(snapshot("table\n" + lines).elements[1])
    assert bob is not None
    assert (bob.names, bob.facts, bob.place) == (("Bob",), ("12 EUR",), "")
    twins = record_of(
        snapshot("table\n" + lines.replace("Ann", "Bob").replace("10 EUR", "12 EUR")).elements[1]
    )
    assert twins is not None
    assert twins.place == "2 of 2"


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


def keyed(*known: tuple[str, str], attribute: str = "keys=data-id={0}", inner: str = "") -> str:
    lines = ["table"]
    for key, name in known:
        row = attribute.format(key)
        lines += [
            f"  row {row}",
            "    cell",
            f'      "{name}"',
            "    cell",
            f'      button "Delete" + {inner}',
        ]
    return "\n".join(lines) + "\n"


LATER = (("17", "Ann"), ("42", "Bob"), ("8", "Cy"))


@pytest.mark.parametrize(
    ("known", "attribute", "keys", "counted"),
    [
        (LATER, "keys=data-id={0}", ("data-id=42",), ()),
        (LATER, "html_id=user-{0}", ("id=user-42",), ()),
        ((("ann", "Ann"), ("bob", "Bob"), ("cy", "Cy")), "html_id={0}", ("id=bob",), ()),
        ((("1", "Ann"), ("2", "Bob"), ("3", "Cy")), "keys=data-id={0}", (), ("data-id=2",)),
        ((("41", "Ann"), ("42", "Bob"), ("43", "Cy")), "keys=data-id={0}", (), ("data-id=42",)),
        ((("6", "Ann"), ("4", "Bob"), ("5", "Cy")), "keys=row-id={0}", (), ("row-id=4",)),
        ((("3", "Ann"), ("7", "Bob"), ("9", "Cy")), "html_id=item-{0}", (), ("id=item-7",)),
        ((("3", "Ann"), ("7", "Bob"), ("9", "Cy")), "keys=data-id={0}", ("data-id=7",), ()),
        ((("17", "Ann"), ("42", "Bob"), ("17", "Cy")), "keys=data-id={0}", (), ()),
        (LATER, "html_id=:r{0}:", (), ()),
        ((("918273", "Ann"), ("52811", "Bob"), ("61723", "Cy")), "html_id=ext-{0}", (), ()),
        (LATER[1:2], "keys=data-id={0}", (), ("data-id=42",)),
    ],
)
def test_a_value_that_counts_repeats_or_is_made_is_no_key(
    known: tuple[tuple[str, str], ...], attribute: str, keys: tuple[str, ...], counted: tuple[str, ...]
) -> None:
    bob = record(keyed(*known, attribute=attribute), [name for _, name in known].index("Bob"))
    assert (bob.keys, bob.counted) == (keys, counted)


def test_a_key_on_the_control_itself_is_one_and_on_what_stands_beside_it_none() -> None:
    lines = "\n".join(
        f'  row\n    cell\n      link "{name}" + keys=data-user-id={key}\n    cell\n'
        f'      button "Delete" + keys=data-order-id={key}'
        for key, name in LATER
    )
    assert record(f"table\n{lines}\n", 1).keys == ("data-order-id=42",)


def test_a_key_of_an_inner_record_is_none_of_the_outer_one() -> None:
    page = snapshot(
        'tree\n  treeitem keys=data-id=5\n    "All"\n    button "Delete" +\n'
        '    treeitem keys=data-id=9\n      "Bob"\n      button "Delete" +\n'
        '    treeitem keys=data-id=2\n      "Cy"\n      button "Delete" +\n'
    )
    found = [record_of(node) for node in page.elements if node.label == "Delete"]
    assert [known.keys for known in found if known is not None] == [
        ("data-id=5",),
        ("data-id=9",),
        ("data-id=2",),
    ]


@pytest.mark.parametrize(
    ("then", "now", "place", "sameness"),
    [
        (LATER, (("17", "Ann"), ("42", "Robert"), ("8", "Cy")), 1, Sameness.OTHER_FACTS),
        (LATER, (("17", "Ann"), ("99", "Bob"), ("8", "Cy")), 1, Sameness.UNKNOWN),
        (LATER, (("99", "Bob"), *LATER), 0, Sameness.UNKNOWN),
        (LATER, (("99", "Bob"), *LATER), 2, Sameness.SAME),
        (LATER, LATER[::-1], 1, Sameness.SAME),
        (LATER, (("42", "Bob"),), 0, Sameness.SAME),
        (LATER, (("99", "Bob"),), 0, Sameness.UNKNOWN),
        # What counts is no key: it goes with the place, and names decide.
        ((("1", "Ann"), ("2", "Bob")), (("1", "Bob"), ("2", "Cy")), 0, Sameness.SAME),
        ((("1", "Ann"), ("2", "Bob")), (("1", "Ann"), ("2", "Cy")), 1, Sameness.ANOTHER),
        # Here it didn't count after all, so that another value is another record's.
        (
            (("1", "Ann"), ("2", "Bob"), ("3", "Cy")),
            (("1", "Ann"), ("9", "Bob"), ("3", "Cy")),
            1,
            Sameness.UNKNOWN,
        ),
        (
            (("1", "Ann"), ("2", "Bob"), ("3", "Cy")),
            (("1", "Ann"), ("2", "Zoe"), ("9", "Cy")),
            1,
            Sameness.ANOTHER,
        ),
    ],
)
def test_a_key_decides_over_a_name_and_what_counts_does_not(
    then: tuple[tuple[str, str], ...], now: tuple[tuple[str, str], ...], place: int, sameness: Sameness
) -> None:
    bob = record(keyed(*then), [name for _, name in then].index("Bob"))
    deletes = [node for node in snapshot(keyed(*now)).elements if node.label == "Delete"]
    assert is_in_record(bob, deletes[place]).sameness is sameness


def test_a_link_to_the_same_and_another_key_is_not_the_same_record_under_another_name() -> None:
    def orders(*known: tuple[str, str]) -> str:
        lines = "".join(
            f'  row keys=data-order-id={order}\n    cell\n      link "{name}" + href=/u/{name[0]}\n'
            '    cell\n      button "Delete" +\n'
            for order, name in known
        )
        return "table\n" + lines

    bob = record(orders(("17", "Ann"), ("42", "Bob")), 1)
    now = snapshot(orders(("17", "Ann"), ("57", "Bert")))
    deletes = [node for node in now.elements if node.label == "Delete"]
    assert is_in_record(bob, deletes[1]).sameness is Sameness.ANOTHER


def test_what_has_the_key_is_the_record_whatever_else_says_its_words() -> None:
    keyed = '  listitem\n    link "Open" href=/{0}\n    button "Hide" +\n'
    page = (
        "list\n"
        + keyed.format(923)
        + keyed.format(778)
        + 'list\n  listitem\n    "Open"\n    button "Hide" +\n'
    )
    node = next(node for node in snapshot(page).elements if node.role == "button")
    seen = record_of(node)
    assert seen is not None
    assert seen.keys == ("/923",)
    assert is_in_record(seen, node).is_same


def test_a_board_s_card_is_the_record_and_not_its_column() -> None:
    task = '  generic tag=div.task\n    "{0}"\n    button "Move" +\n'
    column = 'generic tag=section.column\n  heading "{0}"\n'
    columns = {"Todo": ["Paint wall", "Fix roof"], "Doing": ["Buy wood", "Call Ann"], "Done": ["Eat", "Go"]}
    page = snapshot(
        "".join(column.format(name) + "".join(map(task.format, tasks)) for name, tasks in columns.items())
    )
    found = [record_of(node) for node in page.elements if node.role == "button"]
    assert [record.names[0] for record in found if record] == [
        task for tasks in columns.values() for task in tasks
    ]
