"""Rows without numbers that come screen by screen."""

from __future__ import annotations

from collections.abc import Sequence

from skillbook.extraction.reading.plans import CollectionPlan, Place
from skillbook.extraction.walking.screens import JoinedRows, Screen
from skillbook.perception.collections import find_collections
from tests.trees import snapshot


def screen(above: int, texts: Sequence[str]) -> Screen:
    """Rows of a list of 900 pixels, scrolled so far that `above` of them are out of view."""
    items = "".join(
        f'  listitem box=0,{above + 30 * place},100,30\n    "{text}"\n' for place, text in enumerate(texts)
    )
    page = snapshot(f"list ref=e90 box=0,0,100,90 scroll=0,900,{above},90\n{items}")
    found = Screen.of(page, CollectionPlan.of(find_collections(page)[0], Place.of(page, None)))
    assert found is not None
    return found


def joined(*screens: tuple[int, Sequence[str]]) -> tuple[list[bool], list[str]]:
    rows, continues = JoinedRows(), []
    for above, texts in screens:
        shown = screen(above, texts)
        continues.append(rows.add(shown, shown.scopes[0]))
    return continues, [row.node.text for row in rows.rows]


def test_a_screen_goes_on_where_it_says_the_same() -> None:
    found = joined((0, ["Ann", "Bob", "Cy"]), (30, ["Bob", "Cy", "Dan"]))
    assert found == ([True, True], ["Ann", "Bob", "Cy", "Dan"])


def test_a_screen_that_only_begins_like_an_earlier_one_replaces_none_of_its_rows() -> None:
    found = joined((0, ["Open", "Bob", "Cy"]), (300, ["Open", "Eve", "Fay"]))
    assert found == ([True, False], ["Open", "Bob", "Cy", "Open", "Eve", "Fay"])
