"""What the repository promises about itself: short files, complete packaging, no registry in lock files."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
LONGEST = 400
SUFFIXES = {".py", ".ts", ".tsx", ".mjs", ".js", ".css"}
GENERATED = ("skillbook/session/sync/", "extension/src/protocol/generated.ts", "skillbook/_extension/")


def hand_written() -> list[Path]:
    """The files of the checkout that a person wrote, tracked or about to be."""
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    ).stdout.splitlines()
    return [
        ROOT / name
        for name in listed
        if Path(name).suffix in SUFFIXES and not name.startswith(GENERATED) and (ROOT / name).is_file()
    ]


def test_hand_written_files_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in hand_written()}
    assert len(lengths) > 20
    long = {str(path.relative_to(ROOT)): lines for path, lines in lengths.items() if lines > LONGEST}
    assert long == {}


def test_the_lock_file_names_no_host() -> None:
    lock = json.loads((ROOT / "extension" / "package-lock.json").read_text(encoding="utf-8"))
    assert len(lock["packages"]) > 20
    assert [name for name, entry in lock["packages"].items() if "resolved" in entry] == []


def test_no_private_key_is_committed() -> None:
    listed = subprocess.run(
        ["git", "grep", "-lI", "PRIVATE " + "KEY-----"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout
    assert listed == ""


@pytest.mark.parametrize("verb", ["demo", "test", "check", "fmt", "generate", "bench", "build", "lab"])
def test_make_knows_the_verb(verb: str) -> None:
    done = subprocess.run(
        ["make", "--dry-run", verb], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout


def test_ci_calls_make_test_and_nothing_else() -> None:
    script = ROOT / ".ci" / "run"
    lines = [line for line in script.read_text(encoding="utf-8").splitlines() if line and line[0] != "#"]
    assert lines == ["set -euo pipefail", 'cd "$(dirname "$0")/.."', "exec make test"]
    assert script.stat().st_mode & 0o111
