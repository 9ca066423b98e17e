"""A page without tables: the empty list says why."""

from __future__ import annotations

from collections import Counter

import pytest

from skillbook.extraction.page_tables import tables_from
from skillbook.perception.nodes import base_snapshot
from skillbook.perception.nodes.columns import Columns
from skillbook.perception.nodes.visible_text import visible_text
from tests.trees import snapshot

PAGE = 'heading "Numbers" level=1\n"Nothing repeats here"\n'


@pytest.mark.parametrize(
    ("page", "loading", "reason", "complete"),
    [
        (PAGE, "", "the page has no table, list or cards", True),
        (PAGE, "it is still loading", "the page had none when it was read; it is still loading", False),
        ("generic\n", "", "the page shows no text", False),
        ("group\n" + '  button "Ann" +\n' * 12, "", "12 buttons side by side", False),
    ],
    ids=["text", "loading", "blank", "buttons"],
)
def test_fault_98_an_empty_list_says_why(page: str, loading: str, reason: str, complete: bool) -> None:
    tables = tables_from(snapshot(page), loading=loading)
    assert tables == []
    assert reason in tables.reason
    assert reason in repr(tables)
    assert tables.complete is complete


def test_a_list_with_frames_is_complete_if_each_is() -> None:
    page = 'list "Teas"\n' + "".join(
        f'  listitem\n    strong\n      "{name}"\n    "{price}"\n'
        for name, price in (("Assam", "€4"), ("Sencha", "€7"), ("Oolong", "€9"))
    )
    assert tables_from(snapshot(page)).complete
    part = tables_from(snapshot(page), loading="it is still loading", all_loading=True)
    assert len(part) == 1
    assert not part.complete
    assert part.reason == ""


def test_a_manual_with_many_lists_joins_each_text_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """A manual of 100 lists took minutes: for each list all texts of the page were put together anew."""
    joined: Counter[int] = Counter()

    def counted(columns: Columns, index: int) -> str:
        joined[index] += 1
        return visible_text(columns, index)

    monkeypatch.setattr(base_snapshot, "visible_text", counted)
    chapters = "".join(
        f'  heading "Chapter {at}" level=2\n  generic\n    strong\n      "Part {at}"\n    "of it, in 3 steps"\n  list\n'
        + "".join(
            f'    listitem\n      strong\n        "{word} {at}"\n      "{at + 1} and more"\n'
            for word in ("one", "two", "three")
        )
        for at in range(12)
    )
    tables = tables_from(snapshot(f"main\n{chapters}"))
    assert len(tables) == 13  # the chapters, too
    several = {index: count for index, count in joined.items() if count > 1}
    page = snapshot(f"main\n{chapters}")
    assert not [index for index in several if page.ends[index] > index + 2]
