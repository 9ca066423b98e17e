"""`skillbook nbtest` in a process of its own, on notebooks that pass, differ, fail and hang."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest


def write(path: Path, *cells: tuple[str, str]) -> Path:
    """A notebook of code cells, each with what it printed when it was saved."""
    made: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell-{place}",
            "execution_count": place,
            "metadata": {},
            "source": source,
            "outputs": [{"output_type": "stream", "name": "stdout", "text": said}] if said else [],
        }
        for place, (source, said) in enumerate(cells, 1)
    ]
    spec = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook = {"cells": made, "metadata": {"kernelspec": spec}, "nbformat": 4, "nbformat_minor": 5}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(notebook), encoding="utf-8")
    return path


def nbtest(folder: Path, *words: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "skillbook.cli", "nbtest", *words],
        cwd=folder, capture_output=True, text=True, timeout=90, check=False,
    )  # fmt: skip


def test_what_differs_each_time_does_not_count_and_nothing_live_is_shown(tmp_path: Path) -> None:
    write(
        tmp_path / "books" / "good.ipynb",
        ("print('http://127.0.0.1:4711/ in 12 ms, run-0123456789ab')",
         "http://127.0.0.1:8123/ in 9.5 ms, run-ba9876543210\n"),
        ("import os; print(os.environ['SKILLBOOK_QUIET'], os.environ['SKILLBOOK_CASSETTES'])", "1 replay\n"),
    )  # fmt: skip
    write(tmp_path / "books" / ".ipynb_checkpoints" / "old.ipynb", ("1 / 0", ""))
    done = nbtest(tmp_path, "books", "--cassettes", "replay")
    assert done.returncode == 0, done.stdout + done.stderr
    assert "2 cells passed, 0 failed" in done.stdout


def test_cells_that_differ_fail_or_hang_are_named_with_the_reason(tmp_path: Path) -> None:
    write(
        tmp_path / "bad.ipynb",
        ("print('now')", "then\n"),
        ("1 / 0", ""),
        ("import time; time.sleep(60)", ""),
    )
    done = nbtest(tmp_path, "bad.ipynb", "--cell-timeout", "1")
    assert done.returncode == 1
    assert "0 cells passed, 3 failed" in done.stdout
    for words in ("bad.ipynb", "cell 0:", "- now", "+ then", "ZeroDivisionError", "Timeout of 1 seconds"):
        assert words in done.stdout, done.stdout


@pytest.mark.parametrize("path", ["nowhere", "."])
def test_nothing_to_run_is_an_error(tmp_path: Path, path: str) -> None:
    done = nbtest(tmp_path, path)
    assert done.returncode == 1
    assert "config" in done.stderr
