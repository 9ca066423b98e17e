"""Which rows are begun and done, kept so that none is repeated."""

from __future__ import annotations

import pickle
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pandas as pd
import pytest

from skillbook.errors import InvalidInput
from skillbook.scale.rows import RowResult, RowStore, key_of


def test_a_row_is_begun_once_whoever_asks(tmp_path: Path) -> None:
    store = RowStore(tmp_path)
    with ThreadPoolExecutor(8) as pool:
        begun = list(pool.map(lambda _: store.begin("k", once=True), range(32)))
    assert sorted(begun) == [0] * 31 + [1]
    assert store.begun("k")
    assert not store.begun("other")


def test_other_rows_count_their_attempts(tmp_path: Path) -> None:
    store = RowStore(tmp_path)
    assert [store.begin("k", once=False) for _ in range(3)] == [1, 2, 3]


def test_a_result_reads_back_whole(tmp_path: Path) -> None:
    store = RowStore(tmp_path / "new")
    assert store.result("k") is None
    store.keep("k", RowResult("ok", frame=pd.DataFrame({"a": [1]}), values={"total": 3}))
    found = RowStore(tmp_path / "new").result("k")
    assert found is not None
    assert found.frame is not None
    assert (found.status, found.values, list(found.frame["a"])) == ("ok", {"total": 3}, [1])


def test_columns_keep_their_types(tmp_path: Path) -> None:
    store = RowStore(tmp_path)
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
        RowStore(tmp_path).result("k")
    assert not (tmp_path / "ran").exists()


def test_a_key_is_of_the_skills_version_the_place_and_the_inputs() -> None:
    keys = {key_of(digest, place, {"q": q}) for digest in "ab" for place in (0, 1) for q in "xy"}
    assert len(keys) == 8
    assert key_of("a", 0, {"q": "x", "r": 1}) == key_of("a", 0, {"r": 1, "q": "x"})
