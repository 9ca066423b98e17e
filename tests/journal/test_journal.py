from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from skillbook.errors import ConfigError, StorageError
from skillbook.extraction.frames.journal_frames import records_frame
from skillbook.journal import (
    Journal,
    Outcome,
    export_journal,
    load_journal,
    read_journal,
    read_measures,
    read_requests,
    summarize,
)
from skillbook.journal.transfer import SCRUBBED

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


def test_what_becomes_known_later_is_added(path: Path) -> None:
    journal = Journal(path, "s1")
    intent = journal.intend("click", **INTENT)
    journal.note(intent, "reason", "rule abc")
    journal.note(intent, "locator", "button 'Go'")
    journal.note(intent, "observation", '{"changed": true}')
    journal.note(intent, "thumbnail", b"\xff\xd8")
    (step,) = read_journal(path)
    assert (step.reason, step.locator, step.observation, step.thumbnail) == (
        "rule abc",
        "button 'Go'",
        {"changed": True},
        b"\xff\xd8",
    )
    for statement in ("DELETE FROM intents", "UPDATE notes SET kind = 'x'", "DELETE FROM outcomes"):
        journal.conclude(intent, Outcome.OK, elapsed_ms=1) if "outcomes" in statement else None
        with sqlite3.connect(path) as db, pytest.raises(sqlite3.IntegrityError, match="append-only"):
            db.execute(statement)
    journal.close()
    journal.note(intent, "thumbnail", b"late")
    journal.measure("snapshot", 1, ok=True)


def test_a_journal_of_an_earlier_version_is_read(path: Path) -> None:
    journal = Journal(path, "s1")
    journal.intend("click", **INTENT)
    journal.close()
    with sqlite3.connect(path) as db:
        db.executescript("DROP TABLE notes; DROP TABLE measures")
    assert read_journal(path)[0].command == "click"
    assert read_measures(path) == []


def test_metrics_count_outcomes_retries_and_times(path: Path) -> None:
    journal = Journal(path, "s1")
    for outcome, ms in ((Outcome.ERROR, 10), (Outcome.OK, 20), (Outcome.REFUSED, 1), (None, 0)):
        intent = journal.intend("click", **INTENT)
        if outcome is not None:
            journal.conclude(intent, outcome, elapsed_ms=ms)
    for ms in (4, 6, 8):
        journal.measure("snapshot", ms, ok=ms != 8)
    click, snapshot = summarize(read_journal(path), read_measures(path))
    assert (click.command, click.count, click.ok, click.errors, click.refused, click.unknown) == (
        "click", 4, 1, 1, 1, 1,
    )  # fmt: skip
    assert (click.retries, click.median_ms, round(click.success, 2)) == (1, 10, 0.33)
    assert (snapshot.count, snapshot.ok, snapshot.errors, snapshot.median_ms) == (3, 2, 1, 6)
    frame = records_frame([click, snapshot])
    assert list(frame["command"]) == ["click", "snapshot"]
    assert "success" in frame


PRIVATE = {
    "actor": "agent", "effect": "write", "verdict": "approved", "tab": 3,
    "url": "https://shop.test/a?token=abc&q=mine#frag", "target": {"role": "textbox", "name": "ann@mail.test"},
}  # fmt: skip


def test_an_export_is_scrubbed_and_comes_back(path: Path, tmp_path: Path) -> None:
    journal = Journal(path, "s1")
    typed = journal.intend("fill", **PRIVATE, params={"ref": "e1", "value": "4111 1111 1111 1111"})
    journal.conclude(
        typed, Outcome.ERROR, elapsed_ms=3, error={"code": "timeout", "message": f"{Path.home()}/x"}
    )
    journal.note(typed, "thumbnail", b"\xff\xd8picture")
    journal.note(typed, "observation", '{"diff": "+ text call +44 20 7946 0958"}')
    journal.intend("fill", **PRIVATE, params={"ref": "e1", "value": "${secret:pw}"})
    file = export_journal(path, tmp_path / "out" / "session.json")
    text = file.read_text(encoding="utf-8")
    for private in ("4111", "abc", "mine", "ann@", "7946", str(Path.home()), "picture", "frag"):
        assert private not in text
    assert file.stat().st_mode & 0o077 == 0
    saved = load_journal(file)
    assert [step.command for step in saved.steps] == ["fill", "fill"]
    assert saved.steps[0].params["value"] == SCRUBBED
    assert saved.steps[1].params["value"] == "${secret:pw}"
    assert saved.steps[1].outcome is Outcome.UNKNOWN
    assert saved.metrics[0].count == 2
    assert repr(saved) == "<SavedJournal: 2 steps>"
    kept = load_journal(export_journal(path, tmp_path / "all.json", values=True, thumbnails=True))
    assert kept.steps[0].thumbnail == b"\xff\xd8picture"
    assert list(records_frame(kept.steps)["outcome"]) == ["error", "unknown"]


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{}", '{"format": "skillbook-journal", "version": 2}',
     '{"format": "skillbook-journal", "version": 1, "steps": [{"evil": 1}], "measures": []}',
     '{"format": "skillbook-journal", "version": 1, "steps": [{"params": 1, "outcome": "ok"}], "measures": []}',
     '{"format": "skillbook-journal", "version": 1, "steps": [], "measures": [[1]]}'],
)  # fmt: skip
def test_what_is_no_export_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "x.json").write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError):
        load_journal(tmp_path / "x.json")
    with pytest.raises(ConfigError):
        load_journal(tmp_path / "absent.json")


def fill_up(journal: Journal) -> None:
    """Let SQLite find no room for another page, as on a full disk."""
    journal._db.execute(f"PRAGMA max_page_count = {journal._db.execute('PRAGMA page_count').fetchone()[0]}")


def make_room(journal: Journal) -> None:
    journal._db.execute("PRAGMA max_page_count = 1000000")


BIG = {"text": "x" * 3900} | {f"t{n}": "y" * 3900 for n in range(5)}


def test_on_a_full_disk_nothing_begins_and_what_was_done_stays_done(path: Path) -> None:
    journal = Journal(path, "s1")
    intent = journal.intend("click", **INTENT)
    fill_up(journal)
    journal.conclude(intent, Outcome.OK, elapsed_ms=4.5, result=BIG)
    journal.note(intent, "reason", "rule abc")
    with pytest.raises(
        StorageError, match=r"one\.sqlite \(SKILLBOOK_HOME\) can't be written: .*full"
    ) as caught:
        journal.intend("click", **INTENT | {"params": BIG})
    assert caught.value.data == {"path": str(path), "setting": "SKILLBOOK_HOME"}
    assert "free some disk space" in caught.value.hint
    assert [step.outcome for step in read_journal(path)] == [Outcome.UNKNOWN]
    make_room(journal)
    journal.intend("fill", **INTENT)
    assert [step.outcome for step in read_journal(path)] == [Outcome.OK, Outcome.UNKNOWN]
    journal.close()
    (first, _) = read_journal(path)
    assert first.reason == "rule abc"


def test_a_journal_that_is_closed_on_a_full_disk_reports_what_it_lacks(path: Path) -> None:
    journal = Journal(path, "s1")
    intent = journal.intend("click", **INTENT)
    fill_up(journal)
    journal.conclude(intent, Outcome.OK, elapsed_ms=4.5, result=BIG)
    with pytest.warns(UserWarning, match="lacks 1 records of what was done: .*full"):
        journal.close()


def test_a_folder_that_cannot_be_made_is_named_with_its_setting(tmp_path: Path) -> None:
    (tmp_path / "home").write_text("a file")
    with pytest.raises(StorageError, match=r"home/journals/one\.sqlite \(SKILLBOOK_HOME\) can't be written"):
        Journal(tmp_path / "home" / "journals" / "one.sqlite", "s1")


def test_a_past_request_and_its_ending_are_one_record(path: Path) -> None:
    journal, other = Journal(path, "s1"), Journal(path, "s2")
    other._db.execute("PRAGMA busy_timeout = 0")
    facts = {"tab": 1, "run": None, "actor": "agent", "cause": "", "verdict": "allow", "verdict_reason": ""}

    def write_between(statement: str) -> None:
        if "request_endings" in statement:
            with suppress(StorageError):
                other.request(fact={"url": "another"}, **facts)

    journal._db.set_trace_callback(write_between)
    journal.past_request("sent", fact={"url": "past"}, **facts)
    journal._db.set_trace_callback(None)
    journal.past_request("blocked", fact={"url": "later"}, **facts)
    endings = {request.fact["url"]: request.ending for request in read_requests(path)}
    assert endings.pop("another", "unknown") == "unknown"
    assert endings == {"past": "sent", "later": "blocked"}
