from __future__ import annotations

import copy
import csv
import io
import pickle
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from skillbook.errors import ExtractionError, IncompleteRead, StaleRef
from skillbook.extraction.page_tables import tables_from
from tests.trees import snapshot

PAGE = """
main
  table "Parts"
    row
      columnheader
        "Part"
      columnheader
        "Price"
    row
      cell ref=e10
        "Nut"
      cell ref=e11
        "€1.75"
    row
      cell ref=e12
        "Bolt"
      cell ref=e13
        "€1,002.50"
    row
      cell ref=e14
        "=cmd()"
      cell ref=e15
"""


@pytest.fixture
def frame() -> pd.DataFrame:
    return tables_from(snapshot(PAGE, url="http://site.test/parts"))[0]


def test_each_cell_knows_its_source(frame: pd.DataFrame) -> None:
    source = frame.skillbook.source(1, "Price")
    assert (source.text, source.ref, source.url, source.document) == (
        "€1,002.50",
        "e13",
        "http://site.test/parts",
        "main",
    )
    assert source.path == 'main > table "Parts" > row > cell'
    assert source.taken_at == 0.0
    assert repr(source) == '<Source "€1,002.50" [ref=e13] http://site.test/parts>'
    assert frame["Price"].tolist()[:2] == [1.75, 1002.5]


def test_it_survives_what_pandas_does(frame: pd.DataFrame) -> None:
    for same in (
        frame[frame["Part"] == "Bolt"],
        frame.sort_values("Part", ascending=False),
        frame.copy(),
        copy.deepcopy(frame),
        frame.rename(columns={"Part": "Name"}),
        frame.assign(Double=frame["Price"] * 2),
        frame.query("Price > 5"),
        frame.head(2).tail(1),
        frame[["Price"]],
    ):
        assert same.skillbook.source(1, "Price").ref == "e13"


def test_it_breaks_nothing_of_pandas(frame: pd.DataFrame, tmp_path: Path) -> None:
    other = tables_from(snapshot(PAGE))[0]
    both = pd.concat([frame, other], ignore_index=True)
    assert len(both) == 6
    assert len(pd.concat([frame, frame])) == 6
    frame.to_parquet(tmp_path / "parts.parquet")
    again = pd.read_parquet(tmp_path / "parts.parquet")
    pd.testing.assert_frame_equal(again, frame)
    assert len(frame.merge(other, on="Part")) == 3
    loaded = pickle.loads(pickle.dumps(frame))
    pd.testing.assert_frame_equal(loaded, frame)
    for lost in (again, loaded, both, pd.DataFrame({"a": [1]})):
        with pytest.raises(ExtractionError, match="doesn't know where it came from"):
            lost.skillbook.source(0, "Part")


def test_a_file_names_the_extra_that_it_needs(
    frame: pd.DataFrame, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame.skillbook.to_parquet(tmp_path / "parts.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(tmp_path / "parts.parquet"), frame)
    monkeypatch.setattr("skillbook.extraction.frames.accessor.find_spec", lambda name: None)
    with pytest.raises(ExtractionError, match=r"skillbook\[parquet\]"):
        frame.skillbook.to_parquet(tmp_path / "again.parquet")
    assert not (tmp_path / "again.parquet").exists()
    with pytest.raises(ExtractionError, match=r"skillbook\[excel\]"):
        frame.skillbook.to_excel(tmp_path / "parts.xlsx")


def test_a_row_under_a_new_label_is_not_mistaken(frame: pd.DataFrame) -> None:
    moved = frame.iloc[[1, 0]].reset_index(drop=True)
    with pytest.raises(ExtractionError, match="isn't the one"):
        moved.skillbook.source(0, "Part")


@pytest.mark.parametrize(("row", "column"), [(99, "Part"), (-1, "Part"), (0, "Nothing"), ("x", "Part")])
def test_cells_that_were_not_extracted(frame: pd.DataFrame, row: Any, column: str) -> None:
    with pytest.raises(ExtractionError):
        frame.skillbook.source(row, column)


def test_provenance_and_raw(frame: pd.DataFrame) -> None:
    lines = frame.skillbook.provenance()
    assert len(lines) == 6
    assert lines.loc[3, ["row", "column", "text", "ref"]].tolist() == [1, "Price", "€1,002.50", "e13"]
    assert frame.skillbook.raw["Price"].tolist() == ["€1.75", "€1,002.50", ""]
    assert frame[frame["Price"] > 5].skillbook.raw.to_dict("list") == {
        "Part": ["Bolt"],
        "Price": ["€1,002.50"],
    }


def test_highlight_shows_the_element_or_says_that_it_is_gone() -> None:
    page = _Page(snapshot(PAGE))
    frame = tables_from(snapshot(PAGE), page=page)[0]
    frame.skillbook.highlight(1, "Part")
    assert page.shown == ["e12"]
    page.driver.latest = snapshot(PAGE, key="another")
    with pytest.raises(StaleRef):
        frame.skillbook.highlight(1, "Part")


class _Page:
    def __init__(self, latest: Any) -> None:
        self.driver = type("Driver", (), {"latest": latest})()
        self.shown: list[str] = []

    def highlight(self, *refs: str) -> None:
        self.shown += refs


def test_fault_25_formulas_are_neutralised_on_export_only(tmp_path: Path) -> None:
    frame = pd.DataFrame(
        {"=bad": ["=1+1", "+1", "-x", "@y", "\tz", "\rz", "  =2", "ok", None, "＝1"], "n": range(-5, 5)}
    )
    frame.skillbook.to_csv(tmp_path / "safe.csv", index=False)
    lines = pd.read_csv(tmp_path / "safe.csv", dtype=str, keep_default_na=False, lineterminator="\n")
    assert lines.columns.tolist() == ["'=bad", "n"]
    assert lines["'=bad"].tolist() == [
        "'=1+1", "'+1", "'-x", "'@y", "'\tz", "'\rz", "'  =2", "ok", "", "'＝1"
    ]  # fmt: skip
    assert lines["n"].tolist() == [str(n) for n in range(-5, 5)]
    assert frame["=bad"].tolist()[0] == "=1+1"
    text = pd.DataFrame({"a": ["=1"]}, index=["=i"]).skillbook.to_csv()
    assert text.splitlines() == [",a", "'=i,'=1"]


def test_fault_25_formulas_hide_in_no_kind_of_column() -> None:
    words = ["=1+1", "ok"]
    frame = pd.DataFrame({"kind": pd.Categorical(words, categories=["ok", "=1+1"], ordered=True)})
    assert frame.skillbook.to_csv(index=False).splitlines() == ["kind", "'=1+1", "ok"]
    assert frame["kind"].tolist() == words
    several = pd.MultiIndex.from_tuples([("=a", "b"), ("c", "@d")])
    text = pd.DataFrame([[1, 2], [3, 4]], index=several, columns=several).skillbook.to_csv()
    assert [line.split(",") for line in text.splitlines()] == [
        ["", "", "'=a", "c"], ["", "", "b", "'@d"], ["'=a", "b", "1", "2"], ["c", "'@d", "3", "4"]
    ]  # fmt: skip
    named = pd.DataFrame({"a": [1]}, index=pd.Index(["i"], name="=name")).skillbook.to_csv()
    assert named.splitlines() == ["'=name,a", "i,1"]


@pytest.mark.parametrize(
    ("text", "safe"),
    [
        ("a;=1+1|x!A0;b", "a;'=1+1|x!A0;b"),
        ("a\t@sum", "a\t'@sum"),
        ("a\n+1+cmd|' /C calc'!A0", "a\n'+1+cmd|' /C calc'!A0"),
        ("a; =1", "a; '=1"),
        ("c;-x", "c;'-x"),
        ("b; +1,5", "b; +1,5"),
        ("-5;-6", "'-5;-6"),
        ("a =1", "a =1"),
        ("\ufeff=1", "'\ufeff=1"),
        ("\u200b\u2060+1", "'\u200b\u2060+1"),
    ],
)
def test_fault_25_a_spreadsheet_that_splits_cells_elsewhere_finds_no_formula(text: str, safe: str) -> None:
    exported = pd.DataFrame({"t": [text]}).skillbook.to_csv(index=False)
    assert list(csv.reader(io.StringIO(exported, newline=""))) == [["t"], [safe]]


@pytest.fixture
def part() -> pd.DataFrame:
    return tables_from(snapshot(f'main\n  "1–3 of 40"{PAGE.removeprefix(chr(10) + "main")}'))[0]


@pytest.mark.parametrize("name", ["rows.csv", "my.rows.csv", "rows"])
def test_rows_that_are_not_all_are_written_under_a_name_that_says_so(
    part: pd.DataFrame, tmp_path: Path, name: str
) -> None:
    assert not part.skillbook.complete
    stem, dot, ending = name.rpartition(".") if "." in name else (name, "", "")
    partial = tmp_path / f"{stem}.partial{dot}{ending}"
    with pytest.raises(IncompleteRead, match=r"3 rows there are, not all: .*40") as caught:
        part.skillbook.to_csv(tmp_path / name, index=False)
    assert (caught.value.code, caught.value.data["path"]) == ("incomplete_read", str(partial))
    assert str(partial) in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == [partial.name]
    assert len(pd.read_csv(partial)) == 3
    part.skillbook.to_csv(tmp_path / name, index=False, partial=True)
    assert (tmp_path / name).read_text() == partial.read_text()


def test_what_the_caller_filtered_of_a_whole_read_is_written_as_it_is(
    frame: pd.DataFrame, part: pd.DataFrame, tmp_path: Path
) -> None:
    frame.head(2).skillbook.to_csv(tmp_path / "some.csv")
    assert [path.name for path in tmp_path.iterdir()] == ["some.csv"]
    with pytest.raises(IncompleteRead):
        part.rename(columns={"Price": "price"}).head(2).skillbook.to_csv(tmp_path / "other.csv")
    assert part.skillbook.to_csv() is not None
