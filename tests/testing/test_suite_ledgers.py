"""What the suite keeps about itself: first failures, and what passed."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import left_out, second_tries
from tests.left_out import Kind


def failed(test: str) -> Any:
    return SimpleNamespace(nodeid=test, longreprtext="E  assert 1 == 2")


def test_first_failures_are_written_down_and_a_test_that_stands_there_twice_is_named(tmp_path: Path) -> None:
    ledger = tmp_path / "cache" / "ledger.jsonl"
    assert second_tries.note([failed("a.py::test_one[1]"), failed("a.py::test_two")], ledger) == []
    twice = second_tries.note([failed("a.py::test_one[1]"), failed("a.py::test_one[2]")], ledger)
    assert twice == ["a.py::test_one[1]"]
    assert [entry["test"] for entry in second_tries.noted(ledger)] == [
        "a.py::test_one[1]", "a.py::test_two", "a.py::test_one[1]", "a.py::test_one[2]",
    ]  # fmt: skip
    second_tries.take_out({"a.py::test_one[1]", "a.py::test_two"}, ledger)
    assert [entry["test"] for entry in second_tries.noted(ledger)] == ["a.py::test_one[2]"]


def test_a_run_without_first_failures_leaves_no_ledger(tmp_path: Path) -> None:
    assert second_tries.note([], tmp_path / "ledger.jsonl") == []
    assert second_tries.noted(tmp_path / "ledger.jsonl") == []
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A repository with one commit, in which one folder is tested."""
    monkeypatch.setattr(left_out, "ROOT", tmp_path)
    monkeypatch.setattr(left_out, "KINDS", {"lab": Kind(("widgets",), ("test_core",), 2)})
    monkeypatch.delenv("TESTS_SINCE", raising=False)
    (tmp_path / "widgets").mkdir()
    (tmp_path / "widgets" / "a.py").write_text("1", "utf-8")
    for command in ("init -q -b main", "add .", "-c user.name=a -c user.email=a@b.c commit -qm first"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_without_a_ledger_git_knows_what_changed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = repository / "passed.json"
    assert not left_out.has_changed("lab", ledger)
    (repository / "other.py").write_text("1", "utf-8")
    assert not left_out.has_changed("lab", ledger)
    (repository / "widgets" / "b.py").write_text("1", "utf-8")
    assert left_out.has_changed("lab", ledger)
    for command in ("add .", "-c user.name=a -c user.email=a@b.c commit -qm second"):
        subprocess.run(["git", *command.split()], cwd=repository, check=True)
    assert not left_out.has_changed("lab", ledger)
    monkeypatch.setenv("TESTS_SINCE", "HEAD~1")
    assert left_out.has_changed("lab", ledger)


def test_what_passed_counts_more_than_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = repository / "passed.json"
    (repository / "widgets" / "a.py").write_text("2", "utf-8")
    assert left_out.has_changed("lab", ledger)
    left_out.note_passed("lab", left_out.digest(left_out.KINDS["lab"]), ledger)
    assert not left_out.has_changed("lab", ledger)
    (repository / "widgets" / "a.py").write_text("3", "utf-8")
    assert left_out.has_changed("lab", ledger)


class Item:
    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid
        self.marks: list[str] = []

    def add_marker(self, mark: Any) -> None:
        self.marks.append(mark.name)


def left(expression: str) -> list[str]:
    items: Any = [Item(f"tests/lab/test_{name}") for name in ("core", "a", "b", "c")]
    count = left_out.leave_out(items, "lab", expression)
    marked = [item.nodeid.rpartition("_")[2] for item in items if item.marks]
    assert count == len(marked)
    return marked


def test_a_part_runs_if_nothing_changed_and_everything_in_the_long_run(repository: Path) -> None:
    assert left(left_out.ALL_BUT_MORE) == ["b"]
    assert left(left_out.EVERYTHING) == ["core", "a", "b", "c"]
    assert left("browser") == []
    (repository / "widgets" / "a.py").write_text("2", "utf-8")
    assert left(left_out.ALL_BUT_MORE) == []


def test_both_verbs_ask_for_what_is_left_out_by() -> None:
    verbs = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    assert f'-m "{left_out.ALL_BUT_MORE}"' in verbs
    assert f"-m {left_out.EVERYTHING} " in verbs
