"""An extracted DataFrame in the notebook."""

from __future__ import annotations

import asyncio

import pandas as pd
import pytest

from skillbook.extraction.page_tables import tables_from
from skillbook.io_thread import io
from skillbook.notebook.widgets.frame_view import FrameWidget, plain_text
from tests.notebook.test_escaping import HOSTILE, read
from tests.trees import snapshot

PAGE = """
main
  table "Parts"
    row
      columnheader "Part"
      columnheader "Price"
      columnheader "Since"
    row
      cell ref=e10
        "Nut"
      cell ref=e11
        "€1.75"
      cell ref=e12
        "2024-01-05"
    row
      cell ref=e13
        "Bolt"
      cell ref=e14
        ""
      cell ref=e15
        "2024-01-06"
    row
      cell ref=e16
        "Nail"
      cell ref=e17
        "€3.00"
      cell ref=e18
        "2024-01-07"
"""


@pytest.fixture
def frame() -> pd.DataFrame:
    return tables_from(snapshot(PAGE, url="http://site.test/parts"))[0]


def test_the_text_is_the_same_every_time(frame: pd.DataFrame) -> None:
    lines = plain_text(frame, 2).splitlines()
    assert lines[0].split() == ["Part", "Price", "Since"]
    assert lines[1].split() == ["0", "Nut", "1.75", "2024-01-05"]
    assert lines[2].split() == ["1", "Bolt", "2024-01-06"]
    assert lines[3] == "2 of 3 rows"
    assert repr(FrameWidget(frame, 2)) == plain_text(frame, 2)


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_page_says_is_literal(text: str) -> None:
    shown = pd.DataFrame({text: [text]}, index=[text])
    html, plain = FrameWidget(shown, 5)._record()
    assert read(html).tags <= {
        "div",
        "style",
        "header",
        "b",
        "span",
        "table",
        "thead",
        "tbody",
        "tr",
        "th",
        "td",
    }
    assert "\x1b" not in plain


async def shown_after(widget: FrameWidget, row: int, column: int) -> dict[str, object]:
    widget._take({"type": "source", "row": row, "column": column})
    assert widget._going is not None
    await widget._going
    widget._render()
    state: dict[str, object] = widget.state
    return state


async def test_a_click_says_where_a_cell_came_from(frame: pd.DataFrame) -> None:
    widget = FrameWidget(frame.sort_values("Price", ascending=False), 10)
    state = await shown_after(widget, 0, 1)
    assert state["picked"] == (0, 1)
    assert dict(state["facts"]) == {  # type: ignore[call-overload]
        "The page said": "€3.00",
        "Address": "http://site.test/parts",
        "Selector": "cell in row 'Nail' nth 2",
        "Read": "1970-01-01 00:00:00 UTC",
    }
    assert state["problem"] == "The page isn't known in this kernel."


async def test_a_changed_cell_has_no_source(frame: pd.DataFrame) -> None:
    frame.loc[0, "Price"] = 2.0
    state = await shown_after(FrameWidget(frame, 10), 0, 1)
    assert not state["facts"]
    assert "was changed" in str(state["problem"])


async def test_the_laws_that_a_frame_was_held_to_are_shown() -> None:
    lost = PAGE.rstrip() + '\n    row\n      "Reserved: 7"\n'
    (found,) = tables_from(snapshot(lost))
    checked = FrameWidget(found, 2).state["checked"]
    assert not checked["complete"]
    assert "in no cell" in checked["reason"]
    broken = {law["words"].split(":")[0]: law["holds"] for law in checked["laws"]}
    assert broken == {"count": True, "text": False, "rules": True}


async def test_what_is_no_cell_is_not_looked_for(frame: pd.DataFrame) -> None:
    widget = FrameWidget(frame, 2)
    for row, column in [(2, 0), (-1, 0), (0, 3), ("0", 0)]:
        widget._take({"type": "source", "row": row, "column": column})
    assert widget._going is None


async def test_a_page_of_rows_is_sorted_filtered_and_turned(frame: pd.DataFrame) -> None:
    widget = FrameWidget(frame, 2)

    async def take(message: dict[str, object]) -> None:
        widget._take(message)
        await asyncio.gather(*widget._tasks)
        widget._render()

    async def after(**message: object) -> list[str]:
        await io.wait(take(message))
        rows: list[list[str]] = widget.state["rows"]
        return [line[1] for line in rows]

    assert await after(type="page", first=2) == ["Nail"]
    assert await after(type="page", first=99) == ["Nail"]
    assert await after(type="sort", column=0) == ["Bolt", "Nail"]
    assert await after(type="sort", column=0) == ["Nut", "Nail"]
    assert await after(type="filter", words="2024 n") == ["Nut", "Nail"]
    assert (widget.state["count"], widget.state["total"]) == (2, 3)
    assert [one["kind"] for one in widget.state["summaries"]] in ([], ["text", "number", "date"])
    await after(type="source", row=1, column=1)
    assert dict(widget.state["facts"])["Selector"] == "cell in row 'Nail' nth 2"
    for wrong in (
        {"type": "sort", "column": 9},
        {"type": "filter", "words": 3},
        {"type": "page", "first": "x"},
    ):
        assert await after(**wrong) == ["Nut", "Nail"]


async def test_a_column_is_filtered_by_its_menu(frame: pd.DataFrame) -> None:
    many = pd.concat([frame] * 3, ignore_index=True)
    widget = FrameWidget(many, 20)

    async def take(message: dict[str, object]) -> None:
        if not widget._summaries:
            await widget._summarize()
        widget._take(message)
        await asyncio.gather(*widget._tasks)
        widget._render()

    async def after(column: int, by: str, value: object) -> list[str]:
        await io.wait(take({"type": "limit", "column": column, "by": by, "value": value}))
        return [line[1] for line in widget.state["rows"]]

    assert await after(0, "value", "Nail") == ["Nail"] * 3
    name, price, since = widget.state["summaries"]
    assert name["values"] == (("Nut", 3), ("Bolt", 3), ("Nail", 3))
    assert price["ranges"][0] == "1.75 to 1.854166667: 3 rows"
    assert since["ranges"][-1].endswith("to 2024-01-07: 3 rows")
    assert await after(1, "bar", 0) == []
    assert await after(0, "value", "Nail") == ["Nut"] * 3
    assert await after(1, "bar", 11) == ["Nail"] * 3
    assert await after(1, "blank", True) == ["Bolt"] * 3
    assert await after(1, "blank", True) == ["Nut", "Bolt", "Nail"] * 3
    assert await after(2, "bar", 11) == ["Nail"] * 3
    for wrong in (
        (9, "value", "x"),
        (0, "bar", 0),
        (1, "bar", 12),
        (1, "bar", "1"),
        (1, "blank", 1),
        (1, "is", 1),
    ):
        assert await after(*wrong) == ["Nail"] * 3


def test_numbers_have_the_decimals_of_the_page() -> None:
    page = PAGE.replace("€1.75", "€1.70").replace('"Nut"', '"1,234"').replace('"Nail"', '"5 of 70"')
    (frame,) = tables_from(snapshot(page))
    frame["Half"] = [0.5, 0.25, 3.0]
    state = FrameWidget(frame, 10).state
    assert [line[2] for line in state["rows"]] == ["1.70", "", "3.00"]
    assert [line[4] for line in state["rows"]] == ["0.5", "0.25", "3.0"]
    assert state["numeric"] == [False, True, False, True]
    html, plain = FrameWidget(frame, 10)._record()
    assert '<td class="r">1.70</td>' in html
    assert "1.7 " in plain
