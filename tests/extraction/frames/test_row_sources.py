"""Where cells came from, after everything that is done with frames; never a wrong place."""

from __future__ import annotations

import sqlite3
from pathlib import Path

import duckdb
import pandas as pd
import pytest

from skillbook.errors import ExtractionError
from skillbook.extraction.frames import row_sources
from skillbook.extraction.page_tables import tables_from
from tests.trees import snapshot


def page(*rows: tuple[str, str, str], url: str = "http://site.test/parts") -> pd.DataFrame:
    """A table of parts: name, team, price."""
    lines = ['main\n  table "Parts"\n    row']
    lines += [f'      columnheader\n        "{name}"' for name in ("Part", "Team", "Price")]
    for row in rows:
        lines.append("    row")
        lines += [f'      cell\n        "{text}"' if text else "      cell" for text in row]
    return tables_from(snapshot("\n".join(lines), url=url, key=url))[0]


PARTS = [("Nut", "Red", "€1.75"), ("Bolt", "Blue", "€12.50"), ("Screw", "Red", "€3.20"), ("Nail", "Blue", "")]


@pytest.fixture
def frame() -> pd.DataFrame:
    return page(*PARTS).skillbook.with_sources()


def said(frame: pd.DataFrame, row: object, column: str) -> str:
    """What the page said where a cell came from."""
    source = frame.skillbook.source(row, column)
    assert source is not None
    return str(source.text)


def test_the_column_goes_through_pandas(frame: pd.DataFrame) -> None:
    teams = pd.DataFrame({"Team": ["Red", "Blue"], "Boss": ["Ann", "Bob"]})
    for done in (
        frame.sort_values("Price").reset_index(drop=True),
        frame[frame["Price"] > 2].reset_index(drop=True),
        frame.merge(teams, on="Team").sort_values("Part", ignore_index=True),
        pd.concat([frame.iloc[2:], frame.iloc[:2]], ignore_index=True),
        frame.groupby("Part", as_index=False).first(),
    ):
        for row in done.index:
            assert said(done, row, "Part") == done.loc[row, "Part"]
            if done.loc[row, "Part"] == "Bolt":
                assert said(done, row, "Price") == "€12.50"


def test_frames_of_two_pages(frame: pd.DataFrame) -> None:
    other = page(("Nut", "Green", "€9.00"), url="http://site.test/others").skillbook.with_sources()
    both = pd.concat([frame, other], ignore_index=True)
    assert both.skillbook.source(0, "Price").url == "http://site.test/parts"
    assert both.skillbook.source(4, "Price").url == "http://site.test/others"
    merged = frame.merge(other, on="Part")
    assert said(merged, 0, "Price_x") == "€1.75"
    assert said(merged, 0, "Price_y") == "€9.00"
    assert merged.skillbook.source(0, "Team_y").url == "http://site.test/others"


def test_a_group_takes_values_of_several_rows(frame: pd.DataFrame) -> None:
    turned = frame.iloc[[3, 1, 2, 0]]
    first = turned.groupby("Team").first()  # of Blue the nail, which has no price, and the bolt's price
    assert said(first, "Blue", "Part") == "Nail"
    with pytest.raises(ExtractionError, match="isn't known"):
        first.skillbook.source("Blue", "Price")
    assert said(first, "Red", "Price") == "€3.20"


def test_computed_and_changed_cells_have_no_source(frame: pd.DataFrame) -> None:
    changed = frame.assign(Price=frame["Price"] * 2, Twice=frame["Price"] * 2)
    for column in ("Price", "Twice"):
        with pytest.raises(ExtractionError, match="isn't known"):
            changed.skillbook.source(0, column)
    assert said(changed, 0, "Part") == "Nut"


def round_trip(frame: pd.DataFrame, way: str, folder: Path) -> pd.DataFrame:
    if way == "parquet":
        frame.to_parquet(folder / "parts.parquet")
        return pd.read_parquet(folder / "parts.parquet")
    if way == "csv":
        frame.to_csv(folder / "parts.csv", index=False)
        return pd.read_csv(folder / "parts.csv")
    if way == "sqlite":
        with sqlite3.connect(folder / "parts.db") as db:
            frame.to_sql("parts", db, index=False)
            return pd.read_sql("SELECT * FROM parts ORDER BY Price DESC", db)
    with duckdb.connect(str(folder / "parts.duckdb")) as db:
        db.register("given", frame)
        db.execute("CREATE TABLE parts AS SELECT * FROM given")
        found: pd.DataFrame = db.execute("SELECT * FROM parts ORDER BY Price DESC").df()
        return found


@pytest.mark.parametrize("way", ["parquet", "csv", "sqlite", "duckdb"])
def test_the_column_goes_through_files(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    read = round_trip(frame, way, tmp_path)
    monkeypatch.setattr(row_sources, "_known", {})
    row_sources._alive.clear()  # as in another kernel
    assert len(read) == len(PARTS)
    for row in read.index:
        assert said(read, row, "Part") == read.loc[row, "Part"]
    assert read.skillbook.source(0, "Team").url == "http://site.test/parts"


def test_sources_go_to_another_machine(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame.to_csv(tmp_path / "parts.csv", index=False)
    frame.skillbook.save_sources(tmp_path / "parts.sources.jsonl")
    monkeypatch.setattr(row_sources, "_known", {})
    row_sources._alive.clear()
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "other"))
    read = pd.read_csv(tmp_path / "parts.csv")
    with pytest.raises(ExtractionError, match="isn't known"):
        read.skillbook.source(1, "Price")
    read.skillbook.load_sources(tmp_path / "parts.sources.jsonl")
    assert said(read, 1, "Price") == "€12.50"
    with pytest.raises(ExtractionError, match="no rows of an extraction"):
        read.skillbook.load_sources(tmp_path / "parts.csv")


def test_labels_alone_are_not_trusted_after_reset_index() -> None:
    same = page(("Nut", "Red", "€1.75"), ("Nut", "Blue", "€1.75"), ("Bolt", "Red", "€1.75"))
    turned = same.iloc[::-1].reset_index(drop=True)
    for column in ("Part", "Price"):
        with pytest.raises(ExtractionError):
            turned.skillbook.source(0, column)
        assert same.skillbook.source(0, column) is not None
    with pytest.raises(ExtractionError):
        turned.skillbook.with_sources()
    assert said(same.sort_values("Team").skillbook.with_sources().reset_index(drop=True), 0, "Team") == "Blue"
