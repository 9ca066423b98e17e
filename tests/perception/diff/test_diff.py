from __future__ import annotations

from itertools import islice

import pytest

from skillbook.perception.snapshot import Snapshot
from skillbook.perception.text import count_tokens
from tests.trees import snapshot

BEFORE = """
main ref=e1
  heading "Cart" ref=e2
    "Cart"
  button "Save" + ref=e3
  textbox "Name" + value=Ann ref=e4
  paragraph ref=e5
    "2 items"
  list ref=e6
    listitem ref=e7
      link "One" + ref=e8
    listitem ref=e9
      link "Two" + ref=e10
"""


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        (
            '"Save" + ref=e3',
            '"Save" + disabled ref=e3',
            '~ button "Save" [disabled] [ref=e3]: was without states',
        ),
        ('"Save" + ref=e3', '"Saved" + ref=e3', '~ button "Saved" [ref=e3]: was "Save"'),
        ("value=Ann", "value=Bob", '~ textbox "Name" [ref=e4] = "Bob": value was "Ann"'),
        ('"2 items"', '"3 items"', '~ text in paragraph "3 items" [ref=e5]: "2 items" → "3 items"'),
        ('    listitem ref=e9\n      link "Two" + ref=e10\n', "", '- listitem "Two" [ref=e9]'),
        ("main ref=e1\n", 'main ref=e1\n  button "New" + ref=e20\n', '+ button "New" [ref=e20]'),
        ("  button", '  alert ref=e20\n    "Saved!"\n  button', '+ alert: "Saved!"'),
    ],
)
def test_changes(old: str, new: str, expected: str) -> None:
    diff = snapshot(BEFORE.replace(old, new)).diff(snapshot(BEFORE))
    assert diff.text() == expected
    assert not diff.empty
    assert snapshot(BEFORE).diff(snapshot(BEFORE.replace(old, new))).text() != "no change"


def test_an_added_dialog_is_told_whole_and_once() -> None:
    dialog = BEFORE + '  dialog "Sure?" ref=e20\n    "Really?"\n    button "Yes" + ref=e21\n'
    diff = snapshot(dialog).diff(snapshot(BEFORE))
    assert [node.ref for node in diff.added] == ["e20"]
    assert diff.text().split("\n") == [
        '+ dialog "Sure?" [ref=e20]:',
        '+   "Really?"',
        '+   button "Yes" [ref=e21]',
    ]


def test_a_new_document_is_told_as_such() -> None:
    diff = snapshot(BEFORE, key="other", url="http://x.test/2", title="Two").diff(snapshot(BEFORE))
    assert diff.navigated
    assert diff.text() == '~ new document: "Two" http://x.test/2; all refs are new'


def test_address_and_title() -> None:
    diff = snapshot(BEFORE, url="http://site.test/#a").diff(snapshot(BEFORE))
    assert diff.moved
    assert diff.text() == '~ page: "" http://site.test/#a'


def test_scrolling_is_no_change() -> None:
    assert snapshot(BEFORE.replace("ref=e10", "ref=e10 offscreen")).diff(snapshot(BEFORE)).empty


def test_frames_are_compared_by_document() -> None:
    def page(label: str, key: str) -> Snapshot:
        return snapshot(f'{BEFORE}  iframe "Pay" document={key} ref=e30', {key: f'button "{label}" + ref=e1'})

    assert page("Paid", "pay").diff(page("Pay", "pay")).text() == '~ button "Paid" [ref=f1e1]: was "Pay"'
    assert len(page("Pay", "other").diff(page("Pay", "pay")).added) == 1


def test_one_change_on_a_big_page_is_small() -> None:
    row = '  row\n    cell\n      "Customer"\n    cell\n      button "Edit" +\n'
    before = "table\n" + row * 2000
    after = before.replace('"Edit" +', '"Edit" + pressed', 1)
    diff = snapshot(after).diff(snapshot(before))
    assert diff.text() == '~ button "Edit" [pressed] [ref=e5]: was without states'
    assert len(diff.text(None)) < 0.01 * len(snapshot(before).text(None))


def test_many_changes_are_cut_with_a_count() -> None:
    row = '  button "Edit" +\n'
    before = "main\n" + row * 500
    text = snapshot(before.replace("+", "+ disabled")).diff(snapshot(before)).text(200)
    assert text.split("\n")[-1].endswith("more changes")
    assert len(text.split("\n")) < 30


def test_a_wrapper_around_what_was_there_is_not_new() -> None:
    older = snapshot('button "A" + ref=e1')
    newer = snapshot(
        'generic + ref=e3 why=cursor\n  button "A" + inline ref=e1\n  paragraph ref=e2\n    "More"'
    )
    assert newer.diff(older).text() == '+ "More"'
    assert older.diff(newer).text() == '- paragraph "More" [ref=e2]'


def test_a_modal_dialog_hides_the_page_in_one_line() -> None:
    page = "".join(f'button "B{at}" + ref=e{at}\n' for at in range(1, 6))
    dialog = 'dialog "Sure?" modal ref=e7\n  button "Yes" + ref=e8'
    opened, closed = snapshot(dialog), snapshot(page + 'status ref=e6\n  "ready"')
    assert opened.diff(closed).text().split("\n") == [
        '+ dialog "Sure?" [modal] [ref=e7]: button "Yes" [ref=e8]',
        '- 6 parts of the page, behind dialog "Sure?" [ref=e7]',
    ]
    assert closed.diff(opened).text().split("\n") == [
        '- dialog "Sure?" [ref=e7]',
        "+ 6 parts of the page that were behind the dialog are back",
    ]


def test_much_that_is_new_is_folded_and_dialogs_are_not() -> None:
    rows = "".join(
        f'  row ref=e{at + 1000}\n    cell "{at}:00"\n    cell "Meeting {at}"\n' for at in range(1, 91)
    )
    older, newer = (
        snapshot('heading "Plan" ref=e1'),
        snapshot(f'heading "Plan" ref=e1\ntable ref=e5000\n{rows}'),
    )
    diff = newer.diff(older)
    assert count_tokens(diff.text()) < 560
    assert " more" in diff.text()
    assert diff.text().count("Meeting") < 60
    assert diff.text(None).count("Meeting") == 90
    loose = snapshot('heading "Plan" ref=e1\n' + rows.replace("  ", "", 1).replace("\n  ", "\n")).diff(older)
    assert count_tokens(loose.text()) < 560
    assert "more new elements" in loose.text()
    dialog = 'dialog "Pick" ref=e5\n' + "".join(
        f'  button "Choice {at}" + ref=e{at + 9}\n' for at in range(30)
    )
    opened = snapshot(f'heading "Plan" ref=e1\n{dialog}').diff(older)
    assert opened.text().count("Choice") == 30


def test_a_month_that_opens_is_shown_whole() -> None:
    days = iter(range(1, 32))
    weeks = "".join(
        "    row\n"
        + "".join(f'      cell\n        link "{day}" + ref=e{day + 10}\n' for day in islice(days, 7))
        for _ in range(5)
    )
    older = snapshot('textbox "Date" + ref=e1')
    newer = snapshot(
        f'textbox "Date" + ref=e1\ngeneric ref=e2\n  link "Next" + ref=e3\n  table ref=e4\n{weeks}'
    )
    text = newer.diff(older).text()
    assert text.count("link ") == 32
    assert "…" not in text


def test_new_parts_are_shown_as_far_as_there_is_room_and_none_is_a_mere_mark() -> None:
    parts = "".join(
        f'generic "Part {at}" ref=e{100 * at}\n'
        + "".join(f'  button "Choice {at}.{n}" + ref=e{100 * at + n}\n' for n in range(1, 15))
        for at in range(1, 7)
    )
    lines = (
        snapshot('heading "Plan" ref=e1\n' + parts).diff(snapshot('heading "Plan" ref=e1')).text().split("\n")
    )
    assert sum("Choice 1." in line for line in lines) == 14
    assert lines[-1].startswith("+ … ")
    assert lines[-1].endswith(" more new elements")
    assert not any("#" in line for line in lines)
    assert not any(line.startswith("+ …") for line in lines[:-1])


GRID = """
main ref=e1
  table "Open" ref=e2
    row ref=e3
      columnheader "Name" + ref=e4 sort=none
    row ref=e5
      cell "Zoe" ref=e6
    row ref=e7
      cell "Ann" ref=e8
    row ref=e9
      cell "Mia" ref=e10
  slider "Volume" + ref=e20 valuenow=3
  textbox "Mail" + ref=e21 description="Your address"
"""


def test_a_sort_that_moves_rows_is_a_change_of_their_order() -> None:
    lines = GRID.strip("\n").split("\n")
    rows = [lines[4:6], lines[6:8], lines[8:10]]
    sorted_rows = "\n".join([*lines[:4], *rows[1], *rows[2], *rows[0], *lines[10:]])
    diff = snapshot(sorted_rows).diff(snapshot(GRID))
    assert not diff.empty
    assert diff.text() == (
        '~ order in table "Open" [ref=e2] is now: row "Ann" [ref=e7], row "Mia" [ref=e9], row "Zoe" [ref=e5]'
    )
    marked = GRID.replace("sort=none", "sort=ascending")
    assert "[sort=ascending]" in snapshot(marked).diff(snapshot(GRID)).text()


def test_what_is_dragged_to_another_list_has_moved() -> None:
    board = """
list "To do" ref=e1
  listitem ref=e2
    button "Paint" + ref=e3
  listitem ref=e6
    button "Sand" + ref=e7
list "Done" ref=e4
"""
    after = """
list "To do" ref=e1
  listitem ref=e6
    button "Sand" + ref=e7
list "Done" ref=e4
  listitem ref=e2
    button "Paint" + ref=e3
"""
    text = snapshot(after).diff(snapshot(board)).text()
    assert 'moved from list "To do" [ref=e1] to list "Done" [ref=e4]' in text


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("valuenow=3", "valuenow=5", '~ slider "Volume" [ref=e20] = 5: was 3'),
        (
            'description="Your address"',
            'description="No such address"',
            '~ textbox "Mail" [ref=e21] ("No such address"): description was "Your address" and is "No such address"',
        ),
    ],
)
def test_values_and_descriptions_are_changes(old: str, new: str, expected: str) -> None:
    assert snapshot(GRID.replace(old, new)).diff(snapshot(GRID)).text() == expected


def test_the_focus_alone_is_no_change() -> None:
    focused = GRID.replace('"Mail" +', '"Mail" + focused')
    assert snapshot(focused).diff(snapshot(GRID)).empty


def test_what_opened_comes_first_and_whole() -> None:
    options = "".join(f'    option "Choice {n}" + ref=e{100 + n}\n' for n in range(60))
    rows = "".join(f'    listitem ref=e{300 + n}\n      "News {n}"\n' for n in range(60))
    opened = GRID.replace("valuenow=3", "valuenow=5") + '  list "News" ref=e200\n' + rows
    opened += '  generic ref=e98\n    listbox "Choices" ref=e99\n' + options.replace(
        "    option", "      option"
    )
    lines = snapshot(opened).diff(snapshot(GRID)).text().split("\n")
    assert lines[0].startswith('+ listbox "Choices"')
    assert [line.count("Choice ") for line in lines[1:61]] == [1] * 60
    assert lines[61].startswith('~ slider "Volume"')


def test_a_huge_new_grid_is_named_without_reading_it_to_its_end(monkeypatch: pytest.MonkeyPatch) -> None:
    grid = '  grid "All" ref=e50\n' + "".join(f'    row ref=e{100 + n}\n      "{n}"\n' for n in range(3000))

    def never(*_: object) -> list[str]:
        raise AssertionError("every row was rendered")

    monkeypatch.setattr("skillbook.perception.diff.snapshot_diff._whole", never)
    text = snapshot(GRID + grid).diff(snapshot(GRID)).text(400)
    assert text == '+ grid "All" [ref=e50] with 6,001 nodes'
