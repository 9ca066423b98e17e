"""The history on disk: runs and their rows come back, only their user can read them."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from skillbook.agents.state.session_context import Preferences
from skillbook.errors import InvalidInput, InvalidParams, StorageError
from skillbook.protocol.asks.run_asks import Question, RunView
from skillbook.serving.outputs import RowsOutput
from skillbook.serving.runs.run_list import PastRun, RunStore


def view(id: str, started: float, state: str = "succeeded", kind: str = "skill") -> RunView:
    return RunView.model_validate(
        {
            "id": id,
            "kind": kind,
            "title": id,
            "state": state,
            "words": state,
            "started": started,
            "status": "running",
        }
    )


def test_runs_and_rows_come_back_the_newest_first(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "shown_runs.db", "k1")
    assert store.summaries(None, 5) == []
    assert store.view("a") is None
    frame = pd.DataFrame([[1, None, pd.Timestamp("2026-01-02")]], columns=["n", "n", "day"], index=[7])
    store.keep(view("a", 1.0), [RowsOutput("rows", "Rows", frame)])
    store.keep(view("b", 2.0))
    store.keep(view("a", 1.0, "failed"))
    assert [(kernel, one.id, one.state) for kernel, one in store.summaries(None, 5)] == [
        ("k1", "b", "succeeded"),
        ("k1", "a", "failed"),
    ]
    assert [one.id for _, one in store.summaries(2.0, 5)] == ["a"]
    [rows] = store.rows("a")
    read = rows.read(0, 10, None, False)
    assert (read.columns, read.total) == (["n", "n", "day"], 1)
    assert read.rows[0][:2] == [1, None]
    assert str(read.rows[0][2]).startswith("2026-01-02")
    assert store.path.stat().st_mode & 0o777 == 0o600


def test_a_disk_that_takes_nothing_is_named_with_its_setting(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = RunStore(tmp_path / "shown_runs.db", "k1")
    store.keep(view("a", 1.0))
    connect = sqlite3.connect

    def connect_full(*given: Any, **options: Any) -> sqlite3.Connection:
        db = connect(*given, **options)
        db.execute(f"PRAGMA max_page_count = {db.execute('PRAGMA page_count').fetchone()[0]}")
        return db

    with monkeypatch.context() as full:
        full.setattr(sqlite3, "connect", connect_full)
        rows = RowsOutput("rows", "Rows", pd.DataFrame({"text": ["x" * 9000]}))
        with pytest.raises(StorageError, match=r"shown_runs\.db \(SKILLBOOK_HOME\) can't be written: .*full"):
            store.keep(view("b", 2.0), [rows])
    assert [one.id for _, one in store.summaries(None, 5)] == ["a"], "nothing of it is half there"
    blocked = RunStore(store.path / "folder" / "shown_runs.db", "k1")
    with pytest.raises(StorageError, match=r"\(SKILLBOOK_HOME\) can't be written"):
        blocked.keep(view("b", 2.0))


async def test_an_unfinished_run_of_another_kernel_cant_go_on(tmp_path: Path) -> None:
    past = PastRun(view("a", 1.0, "executing"), [], None)
    shown = past.view()
    assert (shown.state, shown.live, shown.can, shown.question) == ("cancelled", False, [], None)
    assert "kernel was restarted" in shown.error
    with pytest.raises(InvalidParams, match="can't go on"):
        await past.resume()


async def test_one_of_this_kernel_asks_whether_to_go_on() -> None:
    went: list[int] = []

    async def go_on() -> None:
        went.append(1)

    past = PastRun(view("a", 1.0, "executing", "goal"), [], go_on)
    question = past.view().question
    assert question is not None
    assert (past.state, question.kind) == ("awaiting_user", "confirm")
    await past.resume()
    assert went == [1]


def test_preferences_are_kept_by_site(tmp_path: Path) -> None:
    kept = Preferences(tmp_path / "home" / "preferences.json")
    assert repr(kept) == "<no preferences>"
    kept["*"] = "Answer in German."
    kept["https://Shop.test/cart"] = "Size 42."
    assert dict(kept) == {"*": "Answer in German.", "shop.test": "Size 42."}
    assert kept.for_page("https://www.shop.test/x") == "Answer in German.\nSize 42."
    assert kept.for_page("https://notshop.test/") == "Answer in German."
    assert kept.path.stat().st_mode & 0o777 == 0o600
    kept["*"] = " "
    assert list(kept) == ["shop.test"]
    del kept["shop.test"]
    assert len(kept) == 0
    with pytest.raises(InvalidInput, match="no site"):
        kept["a b"] = "x"
    with pytest.raises(InvalidInput, match="4000"):
        kept["*"] = "x" * 5000


def test_what_a_run_asks_is_not_written_down(tmp_path: Path) -> None:
    store = RunStore(tmp_path / "shown_runs.db", "k1")
    asks = Question(id="q", kind="held_request", words="Send DELETE shop.test/plot/41", decisions=["approve"])
    store.keep(view("a", 1.0, "awaiting_user").model_copy(update={"question": asks}))
    assert b"plot/41" not in store.path.read_bytes()
