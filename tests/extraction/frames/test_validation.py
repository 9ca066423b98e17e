"""Every row is checked against a schema; rows that fail stay and are reported."""

from __future__ import annotations

import datetime
from decimal import Decimal
from typing import Any

import pandas as pd
import pandera.pandas as pa
from pydantic import BaseModel, Field, field_validator

from skillbook.extraction.driver import extract_frame


def table(heads: list[str], *rows: list[str]) -> str:
    lines = [("columnheader", heads), *(("cell", row) for row in rows)]
    return 'table "Orders"\n' + "".join(
        "  row\n" + "".join(f'    {kind}\n      "{each}"\n' for each in line) for kind, line in lines
    )


class Order(BaseModel):
    id: str
    total: float = Field(ge=0)
    placed: datetime.date | None = None


ORDERS = table(
    ["Id", "Total", "Placed"],
    ["007", "€1,200.50", "2026-01-31"],
    ["008", "n/a", "2026-02-01"],
    ["009", "(€3.00)", "soon"],
    ["010", "", ""],
)


async def test_rows_that_fail_stay_and_are_reported(pages: Any) -> None:
    frame = await extract_frame(pages(ORDERS), schema=Order)
    assert frame["id"].tolist() == ["007", "008", "009", "010"]
    assert frame["total"].dtype == "float64"
    assert frame["total"].iloc[[0, 2]].tolist() == [1200.5, -3.0]
    assert frame["placed"].dtype.kind == "M"
    assert frame["placed"].notna().tolist() == [True, True, False, False]
    report = frame.skillbook.report
    assert list(report.columns) == ["row", "column", "value", "problem", "url"]
    assert report[["row", "column", "value", "problem"]].to_numpy().tolist() == [
        [1, "total", "n/a", "is no number"],
        [2, "placed", "soon", "is no date"],
        [2, "total", "(€3.00)", "input should be greater than or equal to 0"],
        [3, "total", "", "is missing"],
    ]
    assert set(report["url"]) == {"http://site.test/0"}
    assert frame.skillbook.raw["total"].tolist()[1] == "n/a"
    assert frame.skillbook.notes == ("3 of 4 rows don't fit the schema: see `df.skillbook.report`",)
    assert frame[frame["id"] == "009"].skillbook.report["row"].tolist() == [2, 2]


async def test_rows_that_fit_are_not_reported(pages: Any) -> None:
    frame = await extract_frame(pages(table(["Id", "Total"], ["1", "2"], ["3", "4"])), schema=Order)
    assert frame.skillbook.report.empty
    assert frame.skillbook.notes == ("'placed' is blank: no field fits its name and type for sure",)
    assert frame["id"].tolist() == ["1", "3"]
    assert frame["total"].tolist() == [2, 4]


async def test_dates_that_can_be_two_days_are_reported_and_not_guessed(pages: Any) -> None:
    rows = [["1", "1", "03/04/2025"], ["2", "1", "05/06/2025"]]
    frame = await extract_frame(pages(table(["Id", "Total", "Placed"], *rows)), schema=Order)
    assert frame["placed"].tolist() == ["03/04/2025", "05/06/2025"]
    assert frame.skillbook.report["row"].tolist() == [0, 1]
    assert all("ambiguous" in problem for problem in frame.skillbook.report["problem"])
    shown = await extract_frame(
        pages(table(["Id", "Total", "Placed"], *rows, ["3", "1", "31/12/2025"])), schema=Order
    )
    assert shown["placed"].iloc[0] == pd.Timestamp(2025, 4, 3)
    assert shown.skillbook.rules["placed"] == "day first"
    assert shown.skillbook.report.empty
    mixed = await extract_frame(
        pages(table(["Id", "Total", "Placed"], *rows, ["3", "1", "tbd"], ["4", "1", "13/01/2025"])),
        schema=Order,
    )
    assert mixed["placed"].iloc[1] == pd.Timestamp(2025, 6, 5)
    assert mixed.skillbook.report[["row", "value"]].to_numpy().tolist() == [[2, "tbd"]]


async def test_exact_decimals_and_checks_of_ones_own(pages: Any) -> None:
    class Price(BaseModel):
        part: str
        price: Decimal

        @field_validator("part")
        @classmethod
        def known(cls, part: str) -> str:
            if part == "Gear":
                raise ValueError("gears are gone")
            return part

    frame = await extract_frame(
        pages(table(["Part", "Price"], ["Nut", "86.30"], ["Gear", "1.00"], ["Rod", "?"])), schema=Price
    )
    assert frame["price"].tolist()[:2] == [Decimal("86.30"), Decimal("1.00")]
    assert frame.skillbook.report[["row", "problem"]].to_numpy().tolist() == [
        [2, "is no number"],
        [1, "value error, gears are gone"],
    ]


async def test_a_pandera_schema(pages: Any) -> None:
    schema = pa.DataFrameSchema(
        {"Id": pa.Column(str, unique=True), "Total": pa.Column(float, pa.Check.ge(0))}
    )
    page = table(["Id", "Total"], ["1", "€2.50"], ["2", "free"], ["2", "€-1.00"])
    frame = await extract_frame(pages(page), schema=schema)
    assert frame["Id"].tolist() == ["1", "2", "2"]
    report = frame.skillbook.report
    assert set(zip(report["row"], report["column"], strict=True)) >= {(1, "Total"), (2, "Total"), (2, "Id")}
    assert "is no number" in report["problem"].tolist()
    assert any("greater_than_or_equal_to(0)" in problem for problem in report["problem"])


async def test_flags_in_words_are_flags(pages: Any) -> None:
    class Member(BaseModel):
        name: str
        active: bool

    said = ["yes", "No", "ja", "✗", "perhaps", "oui", "TRUE", "0", "N", "нет", "はい", "off", "2"]
    rows = [[f"P {at}", text] for at, text in enumerate(said)]
    frame = await extract_frame(pages(table(["Name", "Active"], *rows)), schema=Member)
    assert [None if pd.isna(value) else value for value in frame["active"][5:]] == [
        *(True, True, False, False, False, True, False, None)
    ]
    assert frame["active"].tolist()[:4] == [True, False, True, False]
    assert frame["active"].dtype == "boolean"
    assert [4, "active"] in frame.skillbook.report[["row", "column"]].to_numpy().tolist()


async def test_what_pandas_users_say_of_values(pages: Any) -> None:
    rows = [["1.234", "3 March 2021", "5"], ["5.678", "soon", "(none)"]]
    page = table(["Total", "Due", "Left"], *rows)
    frame = await extract_frame(pages(page), thousands=".", parse_dates=["Due"], na_values=["(none)"])
    assert frame["Total"].tolist() == [1234, 5678]
    assert frame["Due"].dt.year.tolist()[0] == 2021
    assert frame["Due"].isna().tolist() == [False, True]
    assert frame["Left"].tolist()[0] == 5
    assert frame.skillbook.raw["Left"].tolist() == ["5", "(none)"]
    assert frame.skillbook.report["problem"].tolist() == ["is no date"]
