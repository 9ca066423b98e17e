from __future__ import annotations

import json
import socket
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path

import pandas as pd
import pytest
from distributed import LocalCluster

import skillbook
from skillbook import cli
from skillbook.cli import subcommands
from skillbook.errors import BrowserNotFound, InvalidInput
from skillbook.extraction.frames.make import make_frame
from skillbook.journal.records import Outcome
from skillbook.journal.writer import Journal
from skillbook.launcher import doctor
from skillbook.launcher.profile import extension_path
from skillbook.skill.replay.skill_result import SkillResult


def test_extension_prints_only_the_folder_to_a_pipe() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "skillbook.cli", "extension"], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == str(extension_path())


def test_doctor_succeeds_where_all_is_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["doctor", "--no-launch"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[1] for line in lines if line.startswith("ok")][:2] == ["python", "packages"]


def test_doctor_fails_and_says_what_to_try(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_CHROMIUM", "/nowhere/[bold]chromium")
    assert cli.main(["doctor", "--no-launch"]) == 1
    out = capsys.readouterr().out
    assert "/nowhere/[bold]chromium is not a program" in out
    assert "try:" in out


def test_doctor_writes_where_skillbook_writes(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path / "file" / "home"))
    assert cli.main(["doctor", "--no-launch"]) == 1
    out = capsys.readouterr().out
    assert "file/home (SKILLBOOK_HOME) can't be written: Not a directory" in out
    assert "try: set SKILLBOOK_HOME to a folder that you can write to" in out


def test_a_report_says_what_was_done_and_nothing_that_a_page_showed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    (tmp_path / "journals").mkdir()
    journal = Journal(tmp_path / "journals" / "one.sqlite", "session")
    for outcome, error in ((Outcome.OK, None), (Outcome.REFUSED, {"code": "blocked", "message": "Pay Ann"})):
        step = journal.intend(
            command="click",
            actor="agent",
            effect="write",
            verdict="ask",
            tab=1,
            url="https://bank.example/?id=7",
            params={"text": "Ann"},
            target={"role": "button", "name": "Pay Ann"},
        )
        journal.conclude(step, outcome, elapsed_ms=12.0, error=error)
    journal.close()
    assert cli.main(["doctor", "--no-launch", "--report"]) == 0
    out = capsys.readouterr().out
    assert f"skillbook {skillbook.__version__}" in out
    assert "click on button: agent, write, ask, ok, 12 ms" in out
    assert "click on button: agent, write, ask, refused (blocked), 12 ms" in out
    assert [secret for secret in ("Ann", "bank.example", str(Path.home())) if secret in out] == []


def test_doctor_names_a_full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "_LEAST_FREE", 2**70)
    check = doctor.check_folders()
    assert not check.ok
    assert "MB free" in check.detail
    assert "free some disk space, or set SKILLBOOK_HOME" in check.hint


def test_doctor_checks_the_workers_of_a_cluster(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    with LocalCluster(
        n_workers=1, threads_per_worker=1, processes=False, protocol="tcp://", dashboard_address=None
    ) as cluster:
        assert cli.main(["doctor", "--no-launch", "--client", cluster.scheduler_address]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert lines[0] == f"{next(iter(cluster.scheduler_info['workers']))} on {socket.gethostname()}"
        assert lines[1].startswith("ok  python")
        monkeypatch.setenv("SKILLBOOK_HOME", "/proc/skillbook")
        assert cli.main(["doctor", "--no-launch", "--client", cluster.scheduler_address]) == 1
        assert "/proc/skillbook (SKILLBOOK_HOME) can't be written" in capsys.readouterr().out


def test_an_expected_error_has_no_traceback(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(args: object, console: object) -> int:
        raise BrowserNotFound("There is none", hint="install one")

    entry = subcommands.Subcommand("doctor", "fails", fail)
    monkeypatch.setattr(subcommands, "SUBCOMMANDS", (entry,))
    assert cli.main(["doctor"]) == 1
    shown = capsys.readouterr()
    assert "There is none (browser_not_found)" in shown.err
    assert "try: install one" in shown.err
    assert shown.out == ""


def test_an_unknown_word_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["clik"]) == 2
    shown = capsys.readouterr().err
    assert "there is no command 'clik'" in shown
    assert "try: skillbook click" in shown
    assert shown.endswith("skillbook verbs\n")


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for entry in subcommands.SUBCOMMANDS:
        with pytest.raises(SystemExit) as caught:
            cli.main([entry.name, "--help"])
        assert caught.value.code == 0
        assert entry.help.lower() in capsys.readouterr().out.lower()


@pytest.mark.parametrize(
    ("words", "key"),
    [
        (["doctor", "--no-launch"], "checks"),
        (["skills"], "skills"),
        (["grants"], "grants"),
        (["watch"], "watches"),
        (["workflow"], "workflows"),
    ],
)
@pytest.mark.parametrize("first", [True, False])
def test_lists_are_json_for_programs(
    words: list[str], key: str, first: bool, capsys: pytest.CaptureFixture[str]
) -> None:
    code = cli.main(["--json", *words] if first else [*words, "--json"])
    said = json.loads(capsys.readouterr().out)
    assert said["ok"] is (code == 0)
    assert isinstance(said[key], list)


def test_an_error_is_json_in_the_words_of_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    assert cli.main(["watch", "--remove", "none", "--json"]) == 1
    said = json.loads(capsys.readouterr().out)
    assert said == {
        "ok": False,
        "error": {
            "code": "invalid_input",
            "message": "there is no watch 'none'",
            "hint": "`skillbook watch` lists them",
        },
    }


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_wrong_inputs_of_a_run_are_wrong_arguments(
    options: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Skill:
        name = "find"

        def run(self, page: object, **given: object) -> SkillResult:
            return SkillResult("find", error=InvalidInput("find has no input 'none'"))

    monkeypatch.setattr(subcommands, "_new_page", lambda args: nullcontext())
    monkeypatch.setattr(skillbook, "load_skill", lambda name: Skill())
    assert cli.main(["run", "find", "none=1", *options]) == 2


def test_a_file_for_rows_that_nothing_read_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    frames: list[pd.DataFrame] = []

    class Skill:
        name = "find"

        def run(self, page: object, **given: object) -> SkillResult:
            return SkillResult("find", ok=True, frames=frames)

    monkeypatch.setattr(subcommands, "_new_page", lambda args: nullcontext())
    monkeypatch.setattr(skillbook, "load_skill", lambda name: Skill())
    file = tmp_path / "out.csv"
    assert cli.main(["run", "find", "--csv", str(file)]) == 1
    assert "the skill find was run and gave no rows" in capsys.readouterr().err
    assert cli.main(["run", "find", "--csv", str(file), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["error"]["code"] == "extraction"
    assert not file.exists()
    frames.append(make_frame(["Name"], []))
    assert cli.main(["run", "find", "--csv", str(file)]) == 0
    assert file.read_text().split() == ["Name"], "a list without rows has its columns"
