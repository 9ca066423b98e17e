"""Frames made of an extracted one don't claim to be what was read."""

from __future__ import annotations

from collections.abc import Callable

import pandas as pd
import pytest

from skillbook.errors import ExtractionError
from skillbook.extraction.page_tables import tables_from
from tests.trees import snapshot

ROWS = [("Nut", "Red", "1.75"), ("Bolt", "Blue", "12.50"), ("Screw", "Red", "3.20"), ("Nail", "Blue", "9.10")]
Made = Callable[[pd.DataFrame], pd.DataFrame]


@pytest.fixture
def frame() -> pd.DataFrame:
    lines = ['main\n  "4 results"\n  table "Parts"\n    row']
    lines += [f'      columnheader\n        "{name}"' for name in ("Part", "Team", "Price")]
    for row in ROWS:
        lines += ["    row", *(f'      cell\n        "{text}"' for text in row)]
    return tables_from(snapshot("\n".join(lines)))[0]


@pytest.mark.parametrize(
    "made",
    [
        lambda df: df[df["Price"] > 3],
        lambda df: df.head(3),
        lambda df: df.tail(3),
        lambda df: df.query("Team == 'Red'"),
        lambda df: df.sample(3, random_state=1),
        lambda df: df.drop_duplicates("Team"),
        lambda df: df.nlargest(2, "Price"),
        lambda df: df.iloc[::2],
        lambda df: df[0:0],
    ],
)
def test_fewer_rows_are_a_part(frame: pd.DataFrame, made: Made) -> None:
    part = made(frame)
    assert frame.skillbook.complete
    assert not part.skillbook.complete
    assert part.skillbook.reason == f"a part: {len(part)} of the 4 rows that were read"
    assert part.skillbook.expected == {}
    for label in part.index:
        assert part.skillbook.source(label, "Part").text == ROWS[label][0]


@pytest.mark.parametrize(
    "made",
    [
        lambda df: df.groupby("Team").sum(numeric_only=True),
        lambda df: df.groupby("Team").first(),
        lambda df: df.groupby("Team", as_index=False).first(),
        lambda df: df.pivot_table(index="Team", values="Price"),
        lambda df: df.melt(id_vars="Part"),
        lambda df: df.describe(),
        lambda df: df.T,
        lambda df: pd.concat([df, df]),
        lambda df: pd.concat([df.head(2), df.head(2)], ignore_index=True),
        lambda df: df[df["Price"] > 3].reset_index(drop=True),
        lambda df: df.where(df["Price"] > 3),
    ],
)
def test_other_rows_claim_nothing(frame: pd.DataFrame, made: Made) -> None:
    other = made(frame)
    assert not other.skillbook.complete
    assert other.skillbook.reason == "made of the 4 rows that were read, and not these rows any more"
    assert other.skillbook.expected == {}
    with pytest.raises(ExtractionError):
        _ = other.skillbook.raw


@pytest.mark.parametrize(
    "made",
    [
        lambda df: df,
        lambda df: df.copy(),
        lambda df: df.sort_values("Price", ascending=False),
        lambda df: df.sort_values("Price", ignore_index=True),
        lambda df: df.sample(frac=1, random_state=2),
        lambda df: df.iloc[::-1],
        lambda df: df.set_index("Part"),
        lambda df: df.assign(Price=df["Price"] * 2),
        lambda df: df.assign(Price=0, More=1),
        lambda df: df.rename(columns={"Part": "Name"}),
        lambda df: df[["Part"]],
        lambda df: df.astype({"Price": str}),
        lambda df: pd.concat([df.tail(2), df.head(2)]),
        lambda df: df.skillbook.with_sources(),
    ],
)
def test_all_rows_are_the_whole(frame: pd.DataFrame, made: Made) -> None:
    same = made(frame)
    assert same.skillbook.complete, same.skillbook.reason
    assert same.skillbook.reason == "read 1 page, 4 rows"
    assert same.skillbook.expected == {"rows": 4}


def test_a_part_of_what_was_not_whole_says_both(frame: pd.DataFrame) -> None:
    short = "\n".join(
        line for line in ['main\n  "9 results"\n  list', *('    listitem\n      link "a"\n      "b"',) * 4]
    )
    frame = next(each for each in tables_from(snapshot(short)) if len(each) == 4)
    assert frame.skillbook.reason == "read 1 page, 4 rows; the page says 9"
    assert frame.head(2).skillbook.reason == (
        "a part: 2 of the 4 rows that were read; the page has more: read 1 page, 4 rows; the page says 9"
    )


def test_merged_rows_keep_their_sources_only(frame: pd.DataFrame) -> None:
    teams = pd.DataFrame({"Team": ["Red", "Blue"], "Boss": ["Ann", "Bob"]})
    merged = frame.skillbook.with_sources().merge(teams, on="Team")
    assert not merged.skillbook.complete
    assert (
        merged.skillbook.reason == "put together from rows that were read; `_source` says where each is from"
    )
    assert merged.skillbook.expected == {}
    assert merged.skillbook.source(0, "Part").text == merged.loc[0, "Part"]
    with pytest.raises(ExtractionError, match="doesn't know where it came from"):
        _ = frame.merge(teams, on="Team").skillbook.complete


def test_raw_texts_are_of_the_rows_that_stand_there(frame: pd.DataFrame) -> None:
    assert frame.sort_values("Price", ascending=False).skillbook.raw["Part"].tolist() == [
        "Bolt", "Nail", "Screw", "Nut",
    ]  # fmt: skip
    assert frame.assign(Price=0).skillbook.raw["Price"].tolist() == [row[2] for row in ROWS]
    with pytest.raises(ExtractionError, match="may stand for other rows"):
        _ = frame.sort_values("Price", ascending=False, ignore_index=True).skillbook.raw


@pytest.mark.parametrize(
    "made",
    [
        lambda df: df.rename(columns={"Part": "part", "Price": "price"}),
        lambda df: df.rename(columns=str.lower),
        lambda df: df.set_axis(["part", "team", "price"], axis=1),
        lambda df: df.rename(columns={"Part": "part", "Price": "price"}).sort_values("price"),
        lambda df: df.rename(columns={"Part": "part", "Price": "price"})[["price", "part"]],
    ],
)
def test_renamed_columns_keep_sources_and_completeness(frame: pd.DataFrame, made: Made) -> None:
    renamed = made(frame)
    known = renamed.skillbook
    assert known.complete
    assert [known.source(row, "part").text for row in range(4)] == ["Nut", "Bolt", "Screw", "Nail"]
    assert known.source(1, "price").text == "12.50"
    assert known.raw.loc[1, "price"] == "12.50"
    assert {"part", "price"} <= set(known.provenance()["column"])
    assert known.rules == {}


def test_a_part_of_renamed_rows_is_a_part_and_knows_its_sources(frame: pd.DataFrame) -> None:
    some = frame.rename(columns={"Part": "part"})[lambda df: df["Price"] > 3]
    assert not some.skillbook.complete
    assert some.skillbook.source(3, "part").text == "Nail"


def test_a_new_column_is_no_renamed_one(frame: pd.DataFrame) -> None:
    more = frame.assign(twice=frame["Price"] * 2, copy=frame["Price"])
    for name in ("twice", "copy"):
        with pytest.raises(ExtractionError):
            more.skillbook.source(0, name)
    other = frame.drop(columns="Price").assign(cost=frame["Price"] * 2)
    with pytest.raises(ExtractionError):
        other.skillbook.source(0, "cost")
