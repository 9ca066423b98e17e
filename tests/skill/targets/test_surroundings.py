"""A skill never changes another record."""

from __future__ import annotations

import pytest

from skillbook.perception.nodes import Node
from skillbook.perception.records import record_of
from skillbook.skill.model.spec_steps import StepTarget
from skillbook.skill.targets.element_target import fingerprint_of, target_of
from skillbook.skill.targets.healing import Wanted, choose
from skillbook.skill.targets.surroundings import differences, varying
from tests.trees import snapshot


def stock(*records: str, heading: str = "Products", field: str = "stock") -> str:
    rows = "".join(
        f'    row\n      cell\n        link "{record}" + href=/p/{number}\n      cell\n        "Kitchen"\n'
        f'      cell\n        spinbutton "form-{number}-{field}" + html_name=form-{number}-{field} value=1\n'
        for number, record in enumerate(records)
    )
    return f'main\n  heading "{heading}" level=1\n  table "Stock" tag=table\n{rows}  button "Save" +\n'


def target(page: str, name: str) -> StepTarget:
    return target_of(next(node for node in snapshot(page).elements if node.name == name))


def test_fault_42_a_record_is_addressed_by_what_it_says() -> None:
    recorded = target(stock("Glass", "Wood"), "form-0-stock")
    assert recorded.selectors[0] == "spinbutton in row 'Glass'"
    assert recorded.fingerprint["names"] == "Glass"
    assert recorded.fingerprint["facts"] == "Kitchen"
    found = snapshot(stock("New", "Glass", "Wood")).find_all(recorded.selectors[0])
    assert [node.name for node in found] == ["form-1-stock"]


def people(*records: tuple[str, str]) -> str:
    rows = "".join(
        f'    row\n      cell\n        "{name}"\n      cell\n        "{mail}"\n      cell\n'
        f'        button "Remove" +\n'
        for name, mail in records
    )
    return f'main\n  heading "People" level=1\n  table "People"\n{rows}'


def test_a_record_is_addressed_by_what_no_other_can_have() -> None:
    before = people(("Pia Costa", "pia@a.test"), ("Bo Low", "bo@a.test"), ("Ann Lee", "ann@a.test"))
    recorded = target_of(next(node for node in snapshot(before).elements if node.name == "Remove"))
    assert recorded.selectors[0] == "button 'Remove' in row 'pia@a.test'"
    after = people(("Pia Costa", "costa@b.test"), ("Bo Low", "bo@a.test"), ("Pia Costa", "pia@a.test"))
    page = snapshot(after)
    (found,) = page.find_all(recorded.selectors[0])
    assert differences(recorded.fingerprint, found) == []
    row = next(node for node in found.ancestors if node.role == "row")
    assert "pia@a.test" in row.text
    gone = people(("Pia Costa", "costa@b.test"), ("Bo Low", "bo@a.test"))
    for node in snapshot(gone).elements:
        if node.name == "Remove":
            assert differences(recorded.fingerprint, node)


def test_a_column_that_repeats_itself_is_no_key_and_a_measure_is_no_code() -> None:
    page = people(("Glass", "12kg"), ("Glass", "14kg"), ("Wood", "15kg"))
    recorded = target_of([node for node in snapshot(page).elements if node.name == "Remove"][-1])
    assert recorded.selectors[0] == "button 'Remove' in row 'Wood'"
    page = people(("Glass", "12kg"), ("Stone", "14kg"), ("Wood", "15kg"))
    recorded = target_of([node for node in snapshot(page).elements if node.name == "Remove"][-1])
    assert recorded.selectors[0] == "button 'Remove' in row 'Wood'"


def test_fault_42_one_more_row_and_the_recorded_record_is_taken_or_none() -> None:
    recorded = target(stock("Glass", "Wood"), "form-0-stock")
    by_place = StepTarget(
        selectors=["spinbutton 'form-0-stock'", "spinbutton nth 1"], fingerprint=recorded.fingerprint
    )
    for wanted in (recorded, by_place):
        found, _ = choose(snapshot(stock("New", "Glass", "Wood")), Wanted.of(wanted, {}))
        assert found is not None
        assert found.node.name == "form-1-stock"
        assert choose(snapshot(stock("New", "Wood")), Wanted.of(wanted, {}))[0] is None


def test_fault_42_of_records_that_say_the_same_none_is_guessed() -> None:
    recorded = target(stock("Glass", "Wood"), "form-0-stock")
    assert choose(snapshot(stock("Glass", "Glass", "Wood")), Wanted.of(recorded, {}))[0] is None
    second = target(stock("Glass", "Glass", "Wood"), "form-1-stock")
    assert second.fingerprint["record_place"] == "2 of 2"
    assert choose(snapshot(stock("Glass", "Glass", "Glass")), Wanted.of(second, {}))[0] is None


def test_fault_42_a_form_under_another_heading_is_another_record() -> None:
    form = 'main\n  heading "Change Glass" level=1\n  textbox "Stock" + html_id=stock\n'
    recorded = target(form, "Stock")
    now = snapshot(form.replace("Glass", "Wood"))
    found = differences(recorded.fingerprint, now.elements[0])
    assert found == ["the heading over it was 'Change Glass' and is 'Change Wood'"]
    assert choose(now, Wanted.of(recorded, {}))[0] is None


def test_what_the_file_does_not_say_is_not_compared() -> None:
    now = snapshot(stock("Glass")).elements[1]
    assert differences({}, now) == []
    assert differences({"record": "Glass | ${any}", "role": "spinbutton"}, now) == []
    assert differences({"record": "Wood | ${any}"}, now) != []


def test_counts_times_and_controls_are_no_part_of_a_record() -> None:
    page = 'main\n  list\n    listitem\n      "Glass"\n      "{ago}"\n      button "{toggle}" +\n'
    page += '      button "Edit" +\n'
    old = snapshot(page.format(ago="2 minutes ago", toggle="Pause")).elements[1]
    new = snapshot(page.format(ago="yesterday", toggle="Resume")).elements[1]
    found = record_of(old)
    assert found is not None
    assert (found.names, found.facts) == (("Glass",), ("2 minutes ago",))
    assert differences(target_of(old).fingerprint, new) == []


@pytest.mark.parametrize(
    ("was", "now", "same"),
    [
        ("Results (12)", "Results (13)", True),
        ("137 results", "1,204 results", True),
        ("vor 2 Stunden geändert", "vor einer Minute geändert", True),
        ("il y a 3 jours", "hier", True),
        ("3日前", "12分前", True),
        ("Trial for 30 days", "Trial for 14 days", False),
        ("Nachrichten 3", "Nachrichten 4", True),
        ("Produkt 3", "Produkt 4", False),
        ("Results: 12", "Results: 9", True),
        ("12 open issues", "9 open issues", True),
        ("Showing 1–20 of 83", "Showing 21–40 of 90", True),
        ("Order 1001", "Order 1002", False),
        ("Row 3", "Row 4", False),
        ("November 2026", "December 2026", False),
        ("Results 2025", "Results 2026", False),
        ("Windows 10", "Windows 11", False),
    ],
)
def test_a_heading_that_only_counts_otherwise_is_the_same(was: str, now: str, same: bool) -> None:
    recorded = target(stock("Glass", heading=was), "form-0-stock")
    node = next(node for node in snapshot(stock("Glass", heading=now)).elements if node.role == "spinbutton")
    assert (differences(recorded.fingerprint, node) == []) is same


def pager(pages: int) -> str:
    links = "".join(
        f'    listitem\n      link "{label}" + href=/orders?page={number}\n'
        for number, label in enumerate(["Previous", *map(str, range(1, pages + 1)), "Next"])
    )
    return f'main\n  heading "Orders" level=1\n  list\n{links}'


def test_a_pagers_link_that_its_number_tells_from_the_others_has_no_place() -> None:
    recorded = target(pager(4), "2")
    assert "record_place" not in recorded.fingerprint
    for pages in (2, 3, 5):
        found, _ = choose(snapshot(pager(pages)), Wanted.of(recorded, {}))
        assert found is not None
        assert found.node.name == "2"
    assert choose(snapshot(pager(1)), Wanted.of(recorded, {}))[0] is None


def test_another_place_among_those_that_say_the_same_is_named() -> None:
    def rows(count: int) -> str:
        return "main\n  list\n" + '    listitem\n      button "Remove" +\n' * count

    node = snapshot(rows(4)).elements[1]
    recorded = target_of(node).fingerprint
    assert recorded["record_place"] == "2 of 4"
    found = differences(recorded, snapshot(rows(3)).elements[1])
    assert found == ["its record is can't tell: its place among those alike was '2 of 4' and is '2 of 3'"]


@pytest.mark.parametrize(
    "recorded", [{"record": "Glass | Kitchen | 12 EUR"}, {"beside": "Glass | 12 EUR"}, {"names": "Glass"}]
)
def test_fingerprints_of_every_version_name_their_record(recorded: dict[str, str]) -> None:
    def rows(*goods: tuple[str, str]) -> str:
        row = '    row\n      cell\n        "{}"\n      cell\n        "Kitchen"\n      cell\n        "{}"\n'
        return "main\n  table\n" + "".join(
            f'{row.format(*one)}      cell\n        button "Buy" +\n' for one in goods
        )

    wood, glass, stone = snapshot(rows(("Wood", "12 EUR"), ("Glass", "15 EUR"), ("Stone", "9 EUR"))).elements
    assert differences(recorded, glass) == []
    for other in (wood, stone):
        assert len(differences(recorded, other)) == 1
    for twin in snapshot(rows(("Glass", "12 EUR"), ("Glass", "15 EUR"))).elements:
        assert "can't tell" in differences(recorded, twin)[0]


def test_what_a_dialog_hides_has_not_changed() -> None:
    row = 'row\n      cell "{0}"\n      cell\n        button "Edit" +\n'
    rows = snapshot("main\n  table\n    " + row.format("Ann") + "    " + row.format("Bob"))
    edit = [node for node in rows.elements if node.name == "Edit"][-1]
    hidden = snapshot('main\n  button "Edit" +\n  button "Edit" +\n', first=8)
    assert edit.ref in hidden
    assert varying("names", edit, [hidden]) == set()


def lines(*products: str) -> str:
    parts = "".join(
        f'  generic tag=div.line\n    heading "Line: {product}" level=3\n    textbox "Product" value={product}\n'
        for product in products
    )
    return f'main\n  heading "Lines" level=2\n{parts}  button "Add a line" +\n'


def test_a_button_below_sections_alike_stands_under_none_of_their_headings() -> None:
    def button(page: str) -> Node:
        return snapshot(page).find("button 'Add a line'")

    two = fingerprint_of(button(lines("lamp", "desk")))
    assert two["heading"] == "Lines"
    assert differences(two, button(lines("mat"))) == []
    one = button(lines("lamp"))
    assert fingerprint_of(one)["heading"] == "Line: lamp"
    assert differences(fingerprint_of(one), button(lines("mat", "desk")))
    shown_since = fingerprint_of(one, [snapshot(lines("lamp", "new"))])
    assert shown_since["heading"] == "Lines"
    assert differences(shown_since, button(lines("mat", "desk"))) == []
