from __future__ import annotations

import subprocess
import sys

import pytest

from skillbook import cli
from skillbook.cli import subcommands
from skillbook.errors import BrowserNotFound
from skillbook.launcher.extension import extension_path


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
    with pytest.raises(SystemExit) as caught:
        cli.main(["fly"])
    assert caught.value.code == 2
    assert "invalid choice" in capsys.readouterr().err


def test_every_command_has_help(capsys: pytest.CaptureFixture[str]) -> None:
    for entry in subcommands.SUBCOMMANDS:
        with pytest.raises(SystemExit) as caught:
            cli.main([entry.name, "--help"])
        assert caught.value.code == 0
        assert entry.help.lower() in capsys.readouterr().out.lower()
