"""A page's text for readers that write selectors: refs stand only where role and name don't do."""

from __future__ import annotations

import re

from hypothesis import given

from skillbook.perception.snapshot import Snapshot
from skillbook.perception.text import count_tokens
from skillbook.perception.text.omissions import named_refs, without_named_refs
from tests.strategies import snapshots
from tests.trees import snapshot

_REF = re.compile(r"\[ref=([ef0-9]+)\]")
PAGE = """\
navigation
  link "Home" + inline ref=e1
  link "Edit" + inline ref=e2
  link "Edit" + inline ref=e3
main
  button "Save" + disabled ref=e4
  button "It's" + ref=e5
  textbox "Name" + required ref=e6 value=Ann
  textbox "" + ref=e7
  button "" + ref=e8
    "Go on"
  button "go on" + ref=e9
  heading "Save" level=2
  generic "Card" + ref=e10
  table "Stock" ref=e11
    row
      cell "bolt"
"""


def test_only_what_a_selector_can_not_name_has_a_ref() -> None:
    assert snapshot(PAGE).text(refs="needed").split("\n")[1:] == [
        "- navigation:",
        '  - link "Home"',
        '  - link "Edit" [ref=e2]',
        '  - link "Edit" [ref=e3]',
        "- main:",
        '  - button "Save" [disabled]',
        '  - button "It\'s" [ref=e5]',
        '  - textbox "Name" [required] = "Ann"',
        "  - textbox [ref=e7]",
        '  - button "Go on"',
        '  - button "go on"',
        '  - heading "Save" [level=2]',
        '  - generic "Card" [ref=e10]',
        '  - table "Stock":',
        "    - row: bolt",
    ]


def test_elements_of_frames_keep_their_refs() -> None:
    page = snapshot('iframe "Pay" + ref=e1\n', {"Pay": 'button "Send" + ref=e1'})
    assert 'button "Send" [ref=f1e1]' in page.text(refs="needed")


def test_a_name_that_is_left_out_leaves_its_ref() -> None:
    """What a line doesn't say can't be written as a selector."""
    named = {"e7": 'button "Copy path to clipboard"'}
    line = 'row: button [ref=e7] | button "Copy path to clipboard" [pressed] [ref=e7]'
    assert without_named_refs(line, named) == (
        'row: button [ref=e7] | button "Copy path to clipboard" [pressed]'
    )
    assert without_named_refs('link "Copy path to clipboard" [ref=e7]', named).endswith("[ref=e7]")


def test_a_budget_is_of_what_is_said() -> None:
    page = snapshot("main\n" + "".join(f'  link "Link {each}" + ref=e{each}\n' for each in range(1, 400)))
    one, other = (page.text(800, refs=refs) for refs in ("all", "needed"))
    assert max(count_tokens(one), count_tokens(other)) <= 800
    assert other.count('link "') > 1.4 * one.count('link "')


@given(snapshots())
def test_each_ref_that_is_left_out_has_its_selector(page: Snapshot) -> None:
    named = named_refs(page)
    for ref, said in named.items():
        role, name = said.split(" ", 1)
        assert page.find(f"{role} '{name[1:-1]}'").ref == ref
    gone = set(_REF.findall(page.text(None))) - set(_REF.findall(page.text(None, refs="needed")))
    assert gone <= set(named)
