"""Checkpoints on a disk that takes nothing more: the run ends, and says which file and which setting."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from skillbook.agents.models.pricing import Cost
from skillbook.agents.state.checkpoints import KeptRun, forget_older, keep_run, open_checkpoints
from skillbook.errors import StorageError
from skillbook.io_thread import io
from skillbook.testing.scripted_model import ToolCall
from tests.agents.conftest import Bench

FULL = r"runs\.db \(SKILLBOOK_HOME\) can't be written: database or disk is full"


async def fill_up(path: Path) -> None:
    """Let SQLite find no room for another page, as on a full disk."""
    saver = await open_checkpoints(path)
    async with saver.lock, saver.conn.execute("PRAGMA page_count") as found:
        (pages,) = await found.fetchone() or (0,)
        await saver.conn.execute(f"PRAGMA max_page_count = {pages}")


def test_a_disk_that_fills_up_in_the_middle_ends_the_run_before_its_next_call(bench: Bench) -> None:
    async def during() -> None:
        await fill_up(bench.home / "runs.db")

    bench.desk.during = during
    calls = [ToolCall("write", {"value": "first"}), ToolCall("write", {"value": "x" * 30_000}), "done"]
    run = bench.run(calls, autonomy="all")
    with pytest.raises(StorageError, match=FULL) as caught:
        run.run()
    assert (run.status, bench.desk.written) == ("failed", ["first"])
    assert caught.value.data == {"path": str(bench.home / "runs.db"), "setting": "SKILLBOOK_HOME"}
    assert "free some disk space" in caught.value.hint


def test_what_is_kept_of_a_run_needs_room_and_what_is_forgotten_does_not_fail_it(
    bench: Bench, caplog: pytest.LogCaptureFixture
) -> None:
    path = bench.home / "runs.db"
    io.sync(fill_up(path))
    with pytest.raises(StorageError, match=FULL):
        io.sync(keep_run(path, "r1", KeptRun("x" * 30_000, Cost())))
    with caplog.at_level(logging.WARNING):
        io.sync(forget_older(bench.home / "runs.db" / "folder" / "runs.db", "r1"))
    assert "(SKILLBOOK_HOME) can't be written" in caplog.text


def test_a_home_that_is_no_folder_is_named(tmp_path: Path, bench: Bench) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    bench.home = tmp_path / "file"
    with pytest.raises(StorageError, match=r"file/runs\.db \(SKILLBOOK_HOME\) can't be written"):
        bench.run(["done"]).run()
