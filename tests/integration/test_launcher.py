"""The launcher with a real Chromium."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import psutil
import pytest

from skillbook.errors import LaunchFailed
from skillbook.launcher import (
    EXTENSION_ID,
    Chromium,
    ChromiumProcess,
    find_chromium,
    launch_chromium,
    run_checks,
)
from skillbook.launcher import process as launcher
from skillbook.launcher.doctor import wait_for_request


def start(**options: object) -> ChromiumProcess:
    known = {"port": 9, "token": "not-shown-anywhere", "kernel_id": "k", "kernel_name": "test"}
    return launch_chromium(**{**known, **options})  # type: ignore[arg-type]


def group(pid: int) -> list[psutil.Process]:
    """The living processes of a process group."""
    found = []
    for process in psutil.process_iter():
        try:
            if os.getpgid(process.pid) == pid and process.status() != psutil.STATUS_ZOMBIE:
                found.append(process)
        except (psutil.Error, ProcessLookupError):
            continue
    return found


def wait_until(condition: Callable[[], bool], seconds: float = 15.0) -> bool:
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_no_process_of_it_has_a_secret_or_a_key_in_its_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    keys = ("SKILLBOOK_SECRET_BANK", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "AWS_SECRET_ACCESS_KEY")
    for name in keys:
        monkeypatch.setenv(name, "hunter2hunter2")
    with start() as browser:
        assert wait_until(lambda: len(group(browser.pid)) > 2)
        watchdogs = [
            child for child in psutil.Process().children() if "skillbook-watchdog" in child.cmdline()
        ]
        processes = [*group(browser.pid), *watchdogs]
        environments = [Path(f"/proc/{process.pid}/environ").read_bytes() for process in processes]
        assert len(environments) > 3
        assert b"PATH=" in environments[0]
        assert not any(b"hunter2" in text or name.encode() in text for text in environments for name in keys)


def test_it_runs_until_it_is_ended_and_leaves_nothing() -> None:
    browser = start()
    assert wait_until(lambda: len(group(browser.pid)) > 2)
    assert browser.alive
    assert browser.wait_exit(0.01) is None
    lines = [" ".join(process.cmdline()) for process in group(browser.pid)]
    assert not [line for line in lines if "not-shown-anywhere" in line]

    browser.terminate()
    browser.terminate()
    assert not browser.alive
    assert wait_until(lambda: group(browser.pid) == [])
    assert not browser.profile.root.exists()


def test_the_browser_ends_with_a_killed_owner(tmp_path: Path) -> None:
    code = (
        "import sys, time\n"
        "from skillbook.launcher import launch_chromium\n"
        "browser = launch_chromium(port=9, token='t', kernel_id='k', kernel_name='n')\n"
        "print(browser.pid, browser.profile.root, flush=True)\n"
        "sys.stdin.read()\n"
    )
    owner = subprocess.Popen(
        [sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=tmp_path
    )
    assert owner.stdout is not None
    pid, root = owner.stdout.readline().split()
    assert wait_until(lambda: len(group(int(pid))) > 2)
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    assert wait_until(lambda: group(int(pid)) == [])
    assert wait_until(lambda: not Path(root).exists())


def test_a_program_that_cannot_run_this_way(tmp_path: Path) -> None:
    program = tmp_path / "chromium"
    program.write_text("#!/bin/sh\necho Chromium 150.0.0.1\necho broken library >&2\nexit 3\n", "utf-8")
    program.chmod(0o755)
    with start(executable=program) as browser:
        assert browser.wait_exit(10) == 3
        failure = browser.failure("The extension never dialled")
    assert isinstance(failure, LaunchFailed)
    assert "code 3" in failure.message
    assert failure.data["stderr"] == "broken library"


@pytest.mark.parametrize("product", ["Chromium", "Google Chrome"])
def test_the_extension_dials_its_kernel(product: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """With `--load-extension`, and over the debugging pipe as a branded Chrome needs it."""
    found = find_chromium()
    browser = Chromium(found.path, product, found.version)
    assert browser.needs_pipe == (product == "Google Chrome")
    monkeypatch.setattr(launcher, "find_chromium", lambda executable: browser)
    with socket.create_server(("127.0.0.1", 0)) as kernel:
        with start(port=kernel.getsockname()[1]) as running:
            request = wait_for_request(kernel, timeout=30, alive=lambda: running.alive)
    assert f"Origin: chrome-extension://{EXTENSION_ID}\r\n" in request
    assert "not-shown-anywhere" not in request.split("\r\n")[0]


def test_a_browser_that_refuses_the_extension(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    found = find_chromium()
    branded = Chromium(found.path, "Google Chrome", found.version)
    empty = tmp_path / "extension"
    empty.mkdir()
    (empty / "manifest.json").write_text('{"permissions": []}')
    monkeypatch.setattr(launcher, "find_chromium", lambda executable: branded)
    monkeypatch.setattr(launcher, "extension_path", lambda: empty)
    monkeypatch.setattr(launcher, "_readable_by", lambda browser: tmp_path)
    with pytest.raises(LaunchFailed, match="refused to load the extension") as caught:
        start()
    assert "sb.connect()" in caught.value.hint
    assert [path.name for path in tmp_path.iterdir()] == ["extension"]


def test_doctor_finds_everything_well() -> None:
    checks = list(run_checks())
    assert [check for check in checks if not check.ok] == []
    assert [check.name for check in checks][-1] == "start"
    assert "dialled" in checks[-1].detail


def test_doctor_says_what_to_do(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("SKILLBOOK_CHROMIUM", str(tmp_path / "none"))
    checks = {check.name: check for check in run_checks()}
    assert not checks["browser"].ok
    assert checks["browser"].hint
    assert checks["python"].ok
    assert "start" not in checks
