"""What goes with a selector's number: all that was counted before, and what might be counted there."""

from __future__ import annotations

from skillbook.perception.selectors import parse_selector, seen_counts
from skillbook.protocol.envelopes import SeenCount
from tests.trees import snapshot

PAGE = """
main
  list "Bin"
    listitem
      button "Go" +
      button "Stay" +
    listitem
      button "Go" +
    listitem
      button "Go" +
"""


def count_of(selector: str) -> SeenCount:
    page, parsed = snapshot(PAGE), parse_selector(selector)
    (count,) = seen_counts(page.find(parsed), parsed)
    return count


def test_what_was_counted_before_goes_with_its_name() -> None:
    count = count_of("button 'Go' nth 2")
    assert [(part.ref, part.name) for part in count.before] == [("e4", "Go")]
    assert [part.ref for part in count.others] == ["e5"]
    assert count.ref == "e7"
    assert count.known == [4, 5, 7]


def test_what_all_are_in_goes_with_its_name() -> None:
    count = count_of("button 'Go' in list 'Bin' nth 3")
    assert [part.ref for part in count.before] == ["e4", "e7"]
    assert [(part.ref, part.name) for part in count.inside] == [("e2", "Bin")]


def test_a_container_is_counted_among_containers() -> None:
    count = count_of("button in (listitem nth 3)")
    assert count.ref == "e8"
    assert [part.ref for part in count.before] == ["e3", "e6"]


def test_without_a_number_nothing_is_counted() -> None:
    page, parsed = snapshot(PAGE), parse_selector("button 'Stay'")
    assert seen_counts(page.find(parsed), parsed) == []
