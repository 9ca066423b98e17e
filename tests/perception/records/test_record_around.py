"""Which text tells a control's record from its neighbours: that one is compared, and nothing that may change."""

from __future__ import annotations

import pytest

from skillbook.perception.records.record_around import record_around, record_outside
from tests.trees import snapshot


def rows(*cells: str) -> str:
    lines = ["table"]
    for row in cells:
        lines.append("  row")
        for cell in row.split("|"):
            lines += ["    cell", f'      "{cell.strip()}"']
        lines += ["    cell", '      button "Delete" +']
    return "\n".join(lines) + "\n"


def texts_of(page: str, at: int = 1) -> list[str]:
    found = record_around(snapshot(page).elements[at])
    return found.texts if found is not None else []


@pytest.mark.parametrize(
    ("page", "texts"),
    [
        (rows("Ann | $5.00", "Bob | $5.00"), ["Bob"]),
        (rows("1 | Ann", "2 | Bob", "3 | Cy"), ["Bob"]),
        (rows("online | Ann", "offline | Bob", "online | Cy", "offline | Eve"), ["Bob"]),
        (rows("12:30 | Ann", "12:31 | Bob"), ["Bob"]),
        (rows("1001 | open", "1002 | open"), ["1002"]),
        (rows("Ann | x", "Ann | x"), ["Ann", "x"]),
    ],
)
def test_the_text_that_names_a_row_is_its_record(page: str, texts: list[str]) -> None:
    assert texts_of(page) == texts


def test_titles_and_links_come_before_other_text() -> None:
    card = 'generic tag=div.card\n  "New"\n  heading "{0}"\n  button "Buy" +\n'
    assert texts_of(card.format("Lamp") + card.format("Chair")) == ["Chair"]
    item = '  listitem\n    "{1} points"\n    link "{0}" href=https://a.test/{0}\n    button "Hide" +\n'
    page = "list\n" + item.format("lamp", 3) + item.format("chair", 4)
    found = record_around(snapshot(page).elements[-1])
    assert found is not None
    assert (found.texts, found.links) == (["chair"], ["https://a.test/chair"])
    assert found.words == "listitem 'chair'"


def test_a_field_that_its_name_tells_apart_has_no_record_in_its_line_of_the_form() -> None:
    line = '  generic tag=div.line\n    textbox "{0}" +\n    "{1} of 100"\n'
    assert texts_of("form\n" + line.format("Name", 0) + line.format("City", 1)) == []


def test_counts_may_change_and_numbers_in_names_may_not() -> None:
    loose = {
        name: record_around(snapshot(f'list\n  listitem\n    "{name}"\n    button "Open" +\n').elements[0])
        for name in ("Bob (3)", "Order 1001", "Lamp 40W", "12:30")
    }
    assert {name: bool(found and found.loose) for name, found in loose.items()} == {
        "Bob (3)": True, "Order 1001": True, "Lamp 40W": True, "12:30": False,
    }  # fmt: skip


def test_a_control_that_stands_alone_has_no_record() -> None:
    assert texts_of('main\n  textbox "Search" +\n  button "Go" +\n') == []


def test_a_frame_is_no_text_of_the_record() -> None:
    for line in ('button "Fetch" +\n', 'generic tag=p\n  button "Fetch" +\n'):
        page = 'iframe "far" ref=90\n  button "Send" +\n' + line * 2
        found = record_around(snapshot(page).elements[-2])
        assert found is None or "far" not in found.texts


def test_a_record_whose_link_is_all_that_names_it_is_its_link() -> None:
    item = "  listitem\n    link href=/{0}\n      img +\n"
    for controls in (1, 2):
        page = "list\n" + "".join(
            item.format(at) + '    button "Edit" +\n' * (at <= controls) for at in (1, 2)
        )
        found = record_around(next(node for node in snapshot(page).elements if node.role == "button"))
        assert found is not None
        assert (found.texts, found.links) == ([], ["/1"])


def test_an_amount_within_a_name_is_a_fact_of_what_was_shown() -> None:
    item = '  listitem\n    link "{0} ${1}" href=/{0}\n    button "Hide" +\n'
    found = record_around(snapshot("list\n" + item.format("lamp", 3) + item.format("chair", 4)).elements[-1])
    assert found is not None
    assert (found.texts, found.facts, found.loose) == (["chair $4"], ["chair $4"], True)


def test_a_record_that_another_one_tells_apart_is_compared_with_that() -> None:
    group = '  treeitem\n    "{0}"\n    group\n      treeitem\n        "Apple"\n        button "Cut" +\n'
    page = snapshot("tree\n" + group.format("Fruit") + group.format("Tool"))
    found = record_outside(next(node for node in reversed(page.elements) if node.role == "button"))
    assert found is not None
    assert (found.text, found.words) == ("Tool", "treeitem 'Tool'")
