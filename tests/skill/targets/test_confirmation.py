"""What is listed where something is confirmed is compared with the recording: related records, counts, other names."""

from __future__ import annotations

import pytest

from skillbook.skill.model.spec_steps import Check
from skillbook.skill.targets.confirmation import changes_of, listed_for
from tests.trees import snapshot

PAGE = """
banner
  link "Admin" + href=/
  "3 new messages"
navigation
  link "Authors" + href=/authors
main
  status
    "The author was saved"
  heading "Are you sure?" level=1
  "All of these will be deleted:"
  list
{items}
  form
    button "Yes, I'm sure" +
    link "No, take me back" + href=/authors/1
contentinfo
  "Version 4.2"
"""


def listed(text: str, name: str) -> list[str] | None:
    page = snapshot(text)
    return listed_for(next(node for node in page.elements if node.name == name))


def items(*names: str) -> str:
    return "\n".join(f'    listitem\n      "Book: "\n      link "{name}" + href=/b' for name in names)


def test_a_page_that_confirms_lists_what_goes_without_what_the_site_says_on_every_page() -> None:
    assert listed(PAGE.format(items=items("Emma")), "Yes, I'm sure") == [
        "Are you sure?",
        "All of these will be deleted:",
        "Book:",
        "Emma",
        "No, take me back",
    ]


def test_fault_95_related_records_that_came_are_named() -> None:
    then = listed(PAGE.format(items=items("Emma")), "Yes, I'm sure")
    now = listed(PAGE.format(items=items("Persuasion", "Emma")), "Yes, I'm sure")
    assert then is not None
    assert now is not None
    assert sorted(map(str, changes_of(then, now))) == ["'Book:' is new", "'Persuasion' is new"]
    assert changes_of(now, now) == []
    assert [str(change) for change in changes_of(["2 books"], ["3 books"])] == ["'2 books' is '3 books' now"]


@pytest.mark.parametrize(
    ("was", "now", "differs"),
    [
        ("Changed 3 minutes ago", "changed 2 hours ago", False),
        ("Order ${any} of Ann", "Order 1007 of Ann", False),
        ("Order ${any} of Ann", "Order 1007 of Bob", True),
        ("${any}", "whatever", False),
        ("Delete 4 notes?", "Delete 5 notes?", True),
    ],
)
def test_what_time_changes_and_what_was_freed_is_no_difference(was: str, now: str, differs: bool) -> None:
    assert bool(changes_of([was], [now])) is differs


DIALOG = """
main
  heading "Notes" level=1
  "Tip of the day: use the keyboard"
  dialog "Delete notebook"
    "It has 2 notes"
    checkbox "Also the files" + checked
    button "Delete" +
"""


def test_a_dialog_lists_what_is_in_it_and_which_boxes_are_ticked() -> None:
    assert listed(DIALOG, "Delete") == ["It has 2 notes", "Also the files ✓"]


TICKED = """
main
  "2 of 339 selected"
  table "Users"
    row
      cell
        checkbox "Select Ann" + checked
      cell
        "Ann"
    row
      cell
        checkbox "Select Bob" +
      cell
        "Bob"
  button "Delete selected" +
"""


def test_of_a_list_with_boxes_only_the_ticked_records_go() -> None:
    assert listed(TICKED, "Delete selected") == ["Select Ann ✓", "Ann"]


def test_of_a_ticked_record_that_an_input_names_another_one_has_other_facts() -> None:
    ticked = TICKED.replace('"Ann"\n    row', '"Ann"\n      cell\n        "9.00"\n    row')
    press = next(node for node in snapshot(ticked).elements if node.name == "Delete selected")
    assert listed_for(press, names_an_input=lambda text: "Ann" in text) == ["Select Ann ✓", "Ann", "${any}"]
    assert listed_for(press, names_an_input=lambda text: "Bob" in text) == ["Select Ann ✓", "Ann", "9.00"]


CHAT = """
main
  list
    listitem
      "Hello, 12:03"
    listitem
      "Bye, 12:04"
  form
    textbox "Message" + value="Hi"
    button "Send" +
"""


def test_what_is_sent_is_in_its_form_and_not_what_the_page_lists_before() -> None:
    assert listed(CHAT, "Send") == ["Message: Hi"]


def test_one_of_several_records_is_compared_as_a_record() -> None:
    row = '    row\n      cell\n        "{0}"\n      cell\n        button "Delete" +\n'
    page = snapshot('main\n  table "People"\n' + row.format("Ann") + row.format("Bob"))
    assert listed_for(next(node for node in page.elements if node.name == "Delete")) is None


ORDERS = """
main
  form
    textbox "Customer" + value="Zoe"
    button "Place order" +
  "Delivery: 4 EUR"
  table
    row
      cell
        "Kim"
"""


def test_records_beside_which_a_new_one_is_to_come_are_not_what_is_confirmed() -> None:
    page = snapshot(ORDERS)
    place = next(node for node in page.elements if node.name == "Place order")
    added = [Check(present="cell '${input:customer}' in row")]
    assert listed_for(place) == ["Customer: Zoe", "Delivery: 4 EUR", "Kim"]
    assert listed_for(place, added) == ["Customer: Zoe", "Delivery: 4 EUR"]
