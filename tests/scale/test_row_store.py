"""Claims and results of rows: kept whole, claimed once, also by two maps at the same time."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from skillbook.errors import ConfigError, InvalidInput, StorageError
from skillbook.scale.row_store import (
    FolderStore,
    MemoryStore,
    RowResult,
    RowStore,
    SqlStore,
    key_of,
    open_store,
)


@pytest.fixture(params=["folder", "database"])
def place(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return str(tmp_path / "rows") if request.param == "folder" else f"sqlite:///{tmp_path / 'rows.db'}"


def test_a_row_is_claimed_once_whoever_claims_it(place: str) -> None:
    stores = [open_store(place) for _ in range(4)]
    with ThreadPoolExecutor(4) as pool:
        claimed = list(pool.map(lambda at: stores[at % 4].claim("k"), range(16)))
    assert sorted(claimed) == [False] * 15 + [True]
    assert open_store(place).is_claimed("k")
    assert not open_store(place).is_claimed("other")


def test_a_result_reads_back_whole(place: str) -> None:
    store = open_store(place)
    assert store.result("k") is None
    store.keep("k", RowResult("failed"))
    store.keep(
        "k",
        RowResult(
            "ok", frame=pd.DataFrame({"a": [1]}), values={"total": 3}, host="far", screenshot=b"\xff\xd8"
        ),
    )
    found = open_store(place).result("k")
    assert found is not None
    assert found.frame is not None
    assert (found.status, found.values, found.host, list(found.frame["a"])) == (
        "ok",
        {"total": 3},
        "far",
        [1],
    )


def test_without_a_place_nothing_is_kept() -> None:
    store: RowStore = open_store(None)
    assert isinstance(store, MemoryStore)
    assert [store.claim("k"), store.claim("k")] == [True, False]
    store.keep("k", RowResult("ok"))
    assert store.result("k") is None


def test_columns_keep_their_types(tmp_path: Path) -> None:
    store = FolderStore(tmp_path)
    frame = pd.DataFrame(
        {
            "n": pd.array([1, None], "Int64"), "f": [0.5, None], "t": pd.array(["a", None], "string"),
            "b": pd.array([True, None], "boolean"), "d": pd.to_datetime(["2026-01-02", None]), "o": [["x"], "y"],
            "z": pd.to_datetime(["2026-01-02T03:00Z", None]),
        }
    )  # fmt: skip
    frame.insert(0, "n", ["p", "q"], allow_duplicates=True)
    store.keep("k", RowResult("ok", frame=frame))
    found = store.result("k")
    assert found is not None
    assert found.frame is not None
    pd.testing.assert_frame_equal(found.frame, frame)


def test_fault_59_nothing_in_the_folder_is_unpickled(tmp_path: Path) -> None:
    class Evil:
        def __reduce__(self) -> tuple[object, ...]:
            return (Path.touch, (tmp_path / "ran",))

    for name in ("k.result", "k.json"):
        (tmp_path / name).write_bytes(pickle.dumps(Evil()))
    with pytest.raises(InvalidInput):
        FolderStore(tmp_path).result("k")
    assert not (tmp_path / "ran").exists()


def test_a_place_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match=r"file/rows \(folder\) can't be written: Not a directory"):
        open_store(tmp_path / "file" / "rows")
    with pytest.raises(ConfigError, match="the database for the rows can't be used"):
        SqlStore(f"sqlite:///{tmp_path}/file/rows.db")


def test_a_key_is_of_the_skills_version_the_place_and_the_inputs() -> None:
    keys = {key_of(digest, place, {"q": q}) for digest in "ab" for place in (0, 1) for q in "xy"}
    assert len(keys) == 8
    assert key_of("a", 0, {"q": "x", "r": 1}) == key_of("a", 0, {"r": 1, "q": "x"})
