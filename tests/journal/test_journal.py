from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from skillbook.journal import Journal, Outcome, read_journal

INTENT = {
    "actor": "person", "effect": "write", "verdict": "allow", "tab": 3, "url": "https://shop.test/",
    "params": {"ref": "e1"}, "target": {"role": "button", "name": "Go"},
}  # fmt: skip


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "journals" / "one.sqlite"


def test_intent_and_outcome_are_read_back(path: Path) -> None:
    journal = Journal(path, "s1")
    intent = journal.intend("click", **INTENT)
    journal.conclude(intent, Outcome.OK, elapsed_ms=4.5, result={"changed": True})
    (step,) = read_journal(path)
    assert (step.command, step.outcome, step.elapsed_ms) == ("click", Outcome.OK, 4.5)
    assert (step.params, step.target["name"], step.result) == ({"ref": "e1"}, "Go", {"changed": True})


def test_an_intent_without_outcome_is_unknown(path: Path) -> None:
    Journal(path, "s1").intend("click", **INTENT)
    assert read_journal(path)[0].outcome is Outcome.UNKNOWN


def test_it_is_append_only_and_private(path: Path) -> None:
    journal = Journal(path, "s1")
    journal.intend("click", **INTENT)
    assert path.stat().st_mode & 0o077 == 0
    with sqlite3.connect(path) as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
        db.execute("UPDATE intents SET command = 'other'")


def test_fault_27_a_killed_kernel_loses_no_record(path: Path) -> None:
    code = (
        "import sys\nfrom pathlib import Path\nfrom skillbook.journal import Journal, Outcome\n"
        f"journal = Journal(Path({str(path)!r}), 's1')\n"
        f"for n in range(200):\n    i = journal.intend('click', **{INTENT!r})\n"
        "    if n < 199: journal.conclude(i, Outcome.OK, elapsed_ms=1)\n"
        "print('ready', flush=True)\nsys.stdin.read()\n"
    )
    process = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert process.stdout is not None
    assert process.stdout.readline().strip() == b"ready"
    os.kill(process.pid, signal.SIGKILL)
    process.wait(10)
    steps = read_journal(path)
    assert [step.outcome for step in steps] == [Outcome.OK] * 199 + [Outcome.UNKNOWN]
