"""What the suite keeps about itself: first failures, and what passed."""

from __future__ import annotations

import subprocess
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from tests import left_out, second_tries
from tests.left_out import ALL_BUT_MORE, EVERYTHING, ROOT
from tests.parts import PARTS, Part


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
    """A repository with one commit and one part."""
    monkeypatch.setattr(left_out, "ROOT", tmp_path)
    part = Part(("tests/widgets/*",), ("widgets",), ("test_core",), 2)
    monkeypatch.setattr(left_out, "PARTS", {"widgets": part})
    monkeypatch.delenv("TESTS_SINCE", raising=False)
    (tmp_path / "widgets").mkdir()
    (tmp_path / "widgets" / "a.py").write_text("1", "utf-8")
    for command in ("init -q -b main", "add .", "-c user.name=a -c user.email=a@b.c commit -qm first"):
        subprocess.run(["git", *command.split()], cwd=tmp_path, check=True)
    return tmp_path


def test_without_a_ledger_git_knows_what_changed(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = repository / "passed.json"
    assert not left_out.has_changed("widgets", ledger)
    (repository / "other.py").write_text("1", "utf-8")
    assert not left_out.has_changed("widgets", ledger)
    (repository / "widgets" / "b.py").write_text("1", "utf-8")
    assert left_out.has_changed("widgets", ledger)
    for command in ("add .", "-c user.name=a -c user.email=a@b.c commit -qm second"):
        subprocess.run(["git", *command.split()], cwd=repository, check=True)
    assert not left_out.has_changed("widgets", ledger)
    monkeypatch.setenv("TESTS_SINCE", "HEAD~1")
    assert left_out.has_changed("widgets", ledger)


def test_what_passed_counts_more_than_git(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    ledger = repository / "passed.json"
    (repository / "widgets" / "a.py").write_text("2", "utf-8")
    assert left_out.has_changed("widgets", ledger)
    left_out.note_passed("widgets", left_out.digest(left_out.PARTS["widgets"]), ledger)
    assert not left_out.has_changed("widgets", ledger)
    (repository / "widgets" / "a.py").write_text("3", "utf-8")
    assert left_out.has_changed("widgets", ledger)


class Item:
    def __init__(self, nodeid: str) -> None:
        self.nodeid = nodeid
        self.marks: list[str] = []

    def add_marker(self, mark: Any) -> None:
        self.marks.append(mark.name)


def left(expression: str) -> list[str]:
    items: Any = [Item(f"tests/widgets/test_x.py::test_{name}") for name in ("core", "a", "b", "c")]
    items.append(Item("tests/test_y.py::test_of_no_part"))
    count = left_out.leave_out(items, expression)
    marked = [item.nodeid.rpartition("_")[2] for item in items if item.marks]
    assert count == {"widgets": len(marked) if expression == ALL_BUT_MORE else 0}
    return marked


def test_a_few_run_if_nothing_changed_and_everything_in_the_long_run(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert left(ALL_BUT_MORE) == ["b"]
    assert left(EVERYTHING) == ["core", "a", "b", "c"]
    assert left("browser") == []
    monkeypatch.setitem(left_out.PARTS, "widgets", left_out.PARTS["widgets"]._replace(nth=0))
    assert left(ALL_BUT_MORE) == ["a", "b", "c"]
    (repository / "widgets" / "a.py").write_text("2", "utf-8")
    assert left(ALL_BUT_MORE) == []


def test_a_test_that_changed_runs_its_part(repository: Path) -> None:
    assert not left_out.has_changed("widgets")
    before = left_out.digest(left_out.PARTS["widgets"])
    (repository / "tests" / "widgets").mkdir(parents=True)
    (repository / "tests" / "widgets" / "test_x.py").write_text("1", "utf-8")
    assert left_out.has_changed("widgets")
    assert left_out.digest(left_out.PARTS["widgets"]) != before


@pytest.mark.parametrize("name", PARTS)
def test_each_part_names_what_is_there(name: str) -> None:
    """A file that was renamed would leave its tests out for ever, or run them each time."""
    part = PARTS[name]
    assert [file for file in part.tests if not (ROOT / file).exists()] == []
    files = {pattern: list(ROOT.glob(pattern)) for pattern in part.files}
    assert [pattern for pattern, found in files.items() if not found] == []
    tests = "".join(
        f"{path.name} {path.read_text('utf-8')}"
        for found in files.values()
        for path in found
        if path.suffix == ".py"
    )
    assert [test for test in part.core if test.partition("[")[0] not in tests] == []


def test_both_verbs_ask_for_what_is_left_out_by() -> None:
    verbs = (Path(__file__).parents[2] / "Makefile").read_text("utf-8")
    assert f'-m "{ALL_BUT_MORE}"' in verbs
    assert f"-m {EVERYTHING} " in verbs
