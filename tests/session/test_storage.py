"""What a machine refuses is one error, which names the file and the setting that chooses it."""

from __future__ import annotations

import base64
import errno
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from skillbook.errors import StorageError
from skillbook.extraction.frames.crops import Crop
from skillbook.journal import Journal, export_journal
from skillbook.policy.rules import Actor
from skillbook.protocol.events import RequestPaused
from skillbook.session.actions.page_file import write_page
from skillbook.session.page.act_requests import HeldRequest, RequestDecision
from skillbook.session.saved_state import SavedState, write_state
from skillbook.session.start import launch_driver
from skillbook.storage import caching, expanded, storing
from tests.session.rig import Rig, outcome


@pytest.fixture
def blocked(tmp_path: Path) -> Path:
    """A path whose folder is a file, so that nobody can write there, root neither."""
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    return tmp_path / "file" / "out"


def test_the_error_names_path_setting_and_reason() -> None:
    with pytest.raises(StorageError) as caught, storing("/data/x", "SKILLBOOK_HOME"):
        raise OSError(errno.ENOSPC, "No space left on device")
    assert caught.value.message == "/data/x (SKILLBOOK_HOME) can't be written: No space left on device"
    assert (
        caught.value.hint == "free some disk space, or set SKILLBOOK_HOME to a folder that you can write to"
    )
    assert caught.value.data == {"path": "/data/x", "setting": "SKILLBOOK_HOME"}
    assert isinstance(caught.value.__cause__, OSError)


def test_what_can_be_done_without_fails_nothing(caplog: pytest.LogCaptureFixture) -> None:
    with caching("/data/x"):
        raise OSError(errno.EROFS, "Read-only file system")
    assert "Read-only file system" in caplog.text


def csv(path: Path) -> None:
    pd.DataFrame({"a": [1]}).skillbook.to_csv(path)


WRITERS: dict[str, Callable[[Path], Any]] = {
    "to_csv": csv,
    "a crop": lambda path: Crop(b"png", None).save(path),  # type: ignore[arg-type]
    "a state": lambda path: write_state(path, SavedState(("https://a.test",)), encrypt=False),
}


@pytest.mark.parametrize("name", WRITERS)
def test_a_file_that_cannot_be_written_is_named(name: str, blocked: Path) -> None:
    with pytest.raises(StorageError, match="file/out can't be written") as caught:
        WRITERS[name](blocked)
    assert caught.value.data == {"path": str(blocked)}


def test_an_export_of_a_journal_too(tmp_path: Path, blocked: Path) -> None:
    journal = Journal(tmp_path / "one.sqlite", "s1")
    with pytest.raises(StorageError, match="file/out can't be written"):
        export_journal(journal.path, blocked)


async def test_a_pdf_too(rig: Rig, blocked: Path) -> None:
    rig.extension.handlers["save_page"] = lambda params, tab: {"data": base64.b64encode(b"%PDF").decode()}
    page = await rig.open()
    with pytest.raises(StorageError, match="file/out can't be written"):
        await write_page(page, blocked, "pdf")


@pytest.mark.parametrize("variable", ["SKILLBOOK_HOME", "HOME"])
async def test_a_home_that_cannot_be_written_is_reported_before_a_browser_starts(
    variable: str, blocked: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SKILLBOOK_HOME", raising=False)
    monkeypatch.setenv(variable, str(blocked))
    with pytest.raises(StorageError, match=r"file/out/.*journals/.*\(SKILLBOOK_HOME\) can't be written"):
        await launch_driver(executable="/nowhere")


def fill_up(journal: Journal) -> None:
    """Let SQLite find no room for another page, as on a full disk."""
    pages = journal._db.execute("PRAGMA page_count").fetchone()[0]
    journal._db.execute(f"PRAGMA max_page_count = {pages}")
    facts: dict[str, Any] = {"actor": "person", "verdict": "allow", "tab": None, "run": None}
    step = facts | {"effect": "read", "url": "", "params": {}, "target": {}}
    request = facts | {"cause": "", "fact": {}, "verdict_reason": ""}
    for write in (partial(journal.intend, "filler", **step), partial(journal.request, **request)):
        with suppress(StorageError):
            for _ in range(10_000):
                write()


class Allows:
    key = "run"
    send_allowlist = False
    announced_is_approved = False
    actor: Actor = "agent"

    async def judge(self, request: HeldRequest) -> RequestDecision:
        return RequestDecision(True, "yes")


async def test_a_full_disk_is_no_lie_about_a_click_and_holds_no_request_forever(rig: Rig) -> None:
    page = await rig.open()
    rig.extension.handlers["release_request"] = lambda params, tab: {"released": True}
    await page.requests.attach(Allows())

    def click(params: dict[str, Any], tab: Any) -> Any:
        fill_up(rig.driver.journal)
        return outcome()

    rig.extension.handlers["click"] = click
    result = await page.act("click", "button 'Save'", actor="agent")
    assert result.changed, "the click was done, and says so"
    page.requests.take(
        RequestPaused(
            id="r1", method="POST", url=f"{page.url}/orders", resource_type="Fetch", frame_origin=None,
            content_type="", body=None, size=0, navigation=False,
        )
    )  # fmt: skip
    await page.requests.decided()
    assert [params["verdict"] for params in rig.sent("release_request")] == ["block"]
    (ended,) = page.requests.take_outcomes()
    assert "can't be written: database or disk is full" in str(ended)
    with pytest.raises(StorageError, match="disk is full"):
        await page.act("click", "button 'Save'")
    assert len(rig.sent("click")) == 1, "nothing is done that can't be written down"
    rig.driver.journal._db.execute("PRAGMA max_page_count = 1000000")


def run(code: str, **env: str) -> subprocess.CompletedProcess[bytes]:
    known = {name: os.environ[name] for name in ("PATH", "PYTHONPATH") if name in os.environ}
    root = str(Path(__file__).parents[2])
    return subprocess.run(
        [sys.executable, "-c", code], env={"PYTHONPATH": root} | known | env, capture_output=True, check=False
    )


NOBODY = """
import pwd
def getpwuid(uid):
    raise KeyError(uid)
pwd.getpwuid = getpwuid  # as for a user id that a container was started with
import skillbook as sb
from skillbook.config import load_settings
from skillbook.errors import StorageError
try:
    print(load_settings().home)
except StorageError as error:
    print(error)
"""


def test_a_user_without_an_entry_needs_home_or_skillbook_home(tmp_path: Path) -> None:
    said = run(NOBODY).stdout.decode()
    assert "has no home folder, and SKILLBOOK_HOME isn't set [storage]" in said
    assert "Try: set HOME, or SKILLBOOK_HOME" in said
    assert run(NOBODY, SKILLBOOK_HOME=str(tmp_path)).stdout.decode().strip() == str(tmp_path)


def test_a_path_of_an_unknown_user_is_named() -> None:
    with pytest.raises(StorageError, match="~nobody-of-that-name/x"):
        expanded("~nobody-of-that-name/x")


def test_a_console_that_says_ascii_prints_every_character() -> None:
    code = (
        "import sys\nfrom skillbook.cli import main\ntry:\n    main(['--help'])\nexcept SystemExit:\n    pass\n"
        "print('Z\\xfcrich \\u2192 \\u6771\\u4eac')"
    )
    ascii_only = {"LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    done = run(code, HOME="/tmp", **ascii_only)
    assert done.returncode == 0, done.stderr.decode()
    assert "Zürich → 東京" in done.stdout.decode("utf-8")
