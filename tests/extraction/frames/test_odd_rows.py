"""One row of another kind doesn't make text of columns of numbers and dates; it stays, and is named."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import pytest

from skillbook.extraction.page_tables import tables_from
from tests.trees import snapshot

HEADS = ["Name", "Born", "Price", "Qty"]
ROWS = [[f"P {n}", f"2024-0{n + 1}-11", f"${n}.50", str(3 * n)] for n in range(8)]


def table(rows: Sequence[Sequence[str]], heads: Sequence[str] = HEADS) -> pd.DataFrame:
    """A table; "Name*3" is a cell over three columns."""
    lines = ['main\n  table "Parts"\n    row', *(f'      columnheader\n        "{name}"' for name in heads)]
    for row in rows:
        lines.append("    row")
        for cell in row:
            text, _, span = cell.partition("*")
            lines.append(f"      cell colspan={span}" if span else "      cell")
            lines += [f'        "{text}"'] if text else []
    return tables_from(snapshot("\n".join(lines)))[0]


def kinds(frame: pd.DataFrame) -> str:
    """A letter for each column; pandas 2 keeps texts as objects."""
    return "".join("t" if dtype in ("str", object) else dtype.kind for dtype in frame.dtypes)


STRAYS = {
    "an advert": (["Ad", "Buy now", "Cheap nuts", "Click here"], "Born Price Qty"),
    "a line of units": (["", "(UTC)", "USD", "pcs"], "Born Price Qty"),
    "a remark": (["Note", "see below", "list prices", ""], "Born Price"),
    "a sum over two columns": (["Total*2", "$33.00", "85"], "Born"),
    "a sum over three columns": (["Subtotal*3", "85"], "Born Price"),
}


@pytest.mark.parametrize("case", STRAYS)
@pytest.mark.parametrize("at", [0, 4, 8])
def test_a_stray_row_stays_and_is_named(case: str, at: int) -> None:
    stray, columns = STRAYS[case]
    frame = table([*ROWS[:at], stray, *ROWS[at:]])
    assert len(frame) == 9
    assert kinds(frame)[1:3] == "Mf"
    assert frame["Qty"].dtype.kind == "i"
    assert frame.drop(index=at)["Price"].tolist() == [n + 0.5 for n in range(8)]
    assert frame.loc[at, columns.split()].isna().all()
    assert any(note.startswith(f"row {at} (") for note in frame.skillbook.notes), frame.skillbook.notes
    report = frame.skillbook.report
    assert report["row"].tolist() == [at] * len(columns.split())
    assert report["column"].tolist() == columns.split()
    said = [cell.partition("*")[0] for cell in stray]
    assert frame.skillbook.raw.loc[at].tolist()[-1] == said[-1]
    assert report["value"].tolist()[-1] in said


def test_a_row_of_the_same_kind_with_other_words_decides() -> None:
    frame = table([*ROWS, ["P 9", "unknown", "sold out", "3"]])
    assert frame.skillbook.rules == {
        "Born": "text: row 8 says 'unknown', which is no date",
        "Price": "text: row 8 says 'sold out', which is no number",
    }
    assert frame["Price"].tolist()[-1] == "sold out"
    assert frame.skillbook.report.empty


@pytest.mark.parametrize(
    "rows",
    [
        [["Ada", "tall", "blue", "x"], ["Ben", "1", "2", "3"], ["Cy", "4", "5", "6"], ["Di", "7", "8", "9"]],
        [*ROWS[:4], ["a", "b", "c", "d"], ["e", "f", "g", "h"], ["i", "j", "k", "l"]],
    ],
)
def test_where_many_rows_differ_none_is_a_stray(rows: list[list[str]]) -> None:
    frame = table(rows)
    assert frame["Qty"].tolist() == [row[3] for row in rows]
    assert frame.skillbook.report.empty


def test_rows_that_say_one_thing_only_are_named() -> None:
    frame = table([["A", "", "", ""], *ROWS[:4], ["B", "", "", ""], *ROWS[4:], ["Total", "", "$33.00", "85"]])
    assert len(frame) == 11
    assert frame.skillbook.notes == (
        'rows 0 ("A"), 5 ("B") say one thing only: they may be no data',
        'row 10 ("Total") says so: it may sum up the others',
    )


def test_headers_that_stand_again_as_plain_cells_are_noted() -> None:
    frame = table([*ROWS[:4], HEADS, *ROWS[4:]])
    assert len(frame) == 8
    assert frame.skillbook.notes == ("left out: 1 row says the headers again",)


def test_a_schema_and_plain_text_are_as_before() -> None:
    rows = [*ROWS, STRAYS["an advert"][0]]
    frame = table(rows)
    assert kinds(frame) == "tMfi"
    assert table([*ROWS[:2], ["a", "b", "c", "d"]])["Qty"].tolist() == ["0", "3", "d"]
