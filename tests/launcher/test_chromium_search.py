from __future__ import annotations

from pathlib import Path

import pytest

from skillbook.errors import BrowserNotFound
from skillbook.launcher import chromium_search as find
from skillbook.launcher.chromium_search import Chromium, candidates, find_chromium, identify
from tests.launcher.conftest import MakeProgram


@pytest.mark.parametrize(
    ("says", "product", "version"),
    [
        ("Chromium 156.0.8078.79 built on Debian GNU/Linux 12 (bookworm)", "Chromium", "156.0.8078.79"),
        ("Google Chrome for Testing 140.0.7339.16 ", "Google Chrome for Testing", "140.0.7339.16"),
        ("Google Chrome 136.0.7103.92", "Google Chrome", "136.0.7103.92"),
        ("Brave Browser 138.1.80.113", "Brave Browser", "138.1.80.113"),
        ("Microsoft Edge 139.0.3405.86 ", "Microsoft Edge", "139.0.3405.86"),
    ],
)
def test_versions_are_read(program: MakeProgram, says: str, product: str, version: str) -> None:
    path = program("chromium", says)
    assert identify(path) == Chromium(path, product, version)


def test_another_program_is_no_chromium(program: MakeProgram) -> None:
    assert identify(program("firefox", "Mozilla Firefox 140.0")) is None


def test_a_newer_branded_chrome_gets_the_extension_over_the_pipe(program: MakeProgram) -> None:
    program("google-chrome", "Google Chrome 137.0.7151.55")
    assert find_chromium().needs_pipe


def test_branded_chrome_has_no_pipe_on_windows(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(find.sys, "platform", "win32")
    chrome = Chromium(Path("chrome.exe"), "Google Chrome", "137.0.7151.55")
    assert "ignores --load-extension since version 137" in chrome.problem
    assert Chromium(Path("chrome.exe"), "Google Chrome", "136.0.1.1").problem == ""
    assert Chromium(Path("msedge.exe"), "Microsoft Edge", "140.0.1.1").problem == ""


def test_what_is_unfit_is_named(program: MakeProgram) -> None:
    program("chromium", "Chromium 90.0.4430.212")
    with pytest.raises(
        BrowserNotFound, match=r"not usable: Chromium 90\.0.*older than version 120"
    ) as caught:
        find_chromium()
    assert "sb.connect()" in caught.value.hint


def test_an_older_branded_chrome_is_taken(program: MakeProgram) -> None:
    path = program("google-chrome", "Google Chrome 136.0.7103.92")
    assert find_chromium() == Chromium(path, "Google Chrome", "136.0.7103.92")
    assert not find_chromium().needs_pipe


def test_a_chromium_goes_before_branded_chrome(program: MakeProgram) -> None:
    program("google-chrome", "Google Chrome 130.0.0.1")
    path = program("brave-browser", "Brave Browser 138.1.80.113")
    assert find_chromium().path == path


def test_the_newest_playwright_build_is_found(program: MakeProgram) -> None:
    program("playwright/chromium-999/chrome-linux/chrome", "Chromium 130.0.0.1")
    new = program("playwright/chromium-1224/chrome-linux64/chrome", "Google Chrome for Testing 148.0.0.1")
    program("playwright/chromium_headless_shell-1224/chrome-linux/headless_shell", "Chromium 148.0.0.1")
    assert find_chromium().path == new


def test_a_link_to_the_same_program_counts_once(program: MakeProgram) -> None:
    path = program("chromium", "Chromium 150.0.0.1")
    (path.parent / "chromium-browser").symlink_to(path)
    assert list(candidates()) == [path]


def test_the_setting_goes_before_what_is_installed(
    program: MakeProgram, monkeypatch: pytest.MonkeyPatch
) -> None:
    program("chromium", "Chromium 150.0.0.1")
    mine = program("mine", "Chromium 151.0.0.1")
    monkeypatch.setenv("SKILLBOOK_CHROMIUM", str(mine))
    assert find_chromium().path == mine


def test_nothing_installed(program: MakeProgram) -> None:
    with pytest.raises(BrowserNotFound, match="No Chromium") as caught:
        find_chromium()
    assert "SKILLBOOK_CHROMIUM" in caught.value.hint


@pytest.mark.parametrize(
    ("name", "says", "match"),
    [
        (None, "", "not a program"),
        ("other", "hello", "does not say that it is a Chromium"),
        ("old", "Chromium 90.0.4430.212", "older than version 120"),
    ],
)
def test_an_unfit_executable(program: MakeProgram, name: str | None, says: str, match: str) -> None:
    path = program(name, says) if name else Path("/nowhere/chromium")
    with pytest.raises(BrowserNotFound, match=match):
        find_chromium(path)


def test_a_snap_is_recognised(program: MakeProgram) -> None:
    path = program("chromium-browser", "exec /snap/bin/chromium")
    assert Chromium(path, "Chromium", "150.0").is_snap
    assert not Chromium(program("chromium", ""), "Chromium", "150.0").is_snap
