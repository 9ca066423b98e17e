"""A browser that ends by itself: every call says so at once, an agent's run stops, and it can be relaunched."""

from __future__ import annotations

import shutil
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.errors import BrowserEnded, ConnectionLost, LaunchFailed
from skillbook.launcher.chromium_search import find_chromium
from skillbook.launcher.doctor import check_launch
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ScriptedModel, ToolCall
from skillbook.testing.site import Site, serve_site
from tests.waiting import until

AT_ONCE = 10
"""Seconds: much less than the 30 for which a command may wait, also on a busy machine."""


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as shop:
        yield shop


@pytest.fixture(scope="module")
def own_browser() -> Iterator[Browser]:
    with sb.launch() as browser:
        yield browser


@pytest.fixture
def page(own_browser: Browser, shop: Site) -> Page:
    """A page in a browser that runs, whatever an earlier test did to it."""
    process = own_browser.driver.process
    if process is None or not process.alive:
        own_browser.relaunch()
    return own_browser.open(shop.url)


def kill(browser: Browser) -> None:
    process = browser.driver.process
    assert process is not None
    process._process.kill()
    until(lambda: not process.alive)


def test_every_call_fails_at_once_and_says_so(page: Page) -> None:
    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(page.wait_for, text="what never comes", timeout=120)
        page.snapshot()
        kill(page.browser)
        began = time.monotonic()
        with pytest.raises((BrowserEnded, ConnectionLost)):
            waiting.result(timeout=60)
    calls: list[Callable[[], object]] = [
        page.snapshot,
        lambda: page.click("link /./", timeout=2),
        lambda: page.goto("http://127.0.0.1:1/"),
        lambda: page.browser.open("http://127.0.0.1:1/"),
    ]
    for call in calls:
        with pytest.raises(
            BrowserEnded, match=r"the browser has ended \(it was killed by signal 9\)"
        ) as ended:
            call()
        assert "relaunch" in ended.value.hint
    assert time.monotonic() - began < AT_ONCE


def test_a_run_stops_without_another_request_to_its_model(page: Page) -> None:
    def end_it(messages: object) -> ToolCall:
        kill(page.browser)
        return ToolCall("snapshot", {})

    model = ScriptedModel([end_it, ToolCall("snapshot", {}), "done"])
    run = sb.agent(page, "look", model=model, autonomy="all")
    with pytest.raises(BrowserEnded):
        run.run()
    assert len(model.requests) == 1


def test_a_relaunched_browser_works_and_keeps_what_was_allowed(page: Page, shop: Site) -> None:
    browser = page.browser
    browser.allow("http://allowed.test")
    assert browser.relaunch() is browser
    assert page.closed
    assert browser.pages == []
    assert "lamp" in browser.open(f"{shop.url}/?q=lamp").snapshot().text().lower()
    assert "http://allowed.test" in browser.driver.gateway.policy.allowed


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux limits the paths of sockets so")
def test_a_folder_whose_path_is_too_long_for_its_socket_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / ("long" * 20)
    folder.mkdir()
    monkeypatch.setenv("TMPDIR", str(folder))
    with pytest.raises(LaunchFailed, match=f"too long for the system in {folder}") as failed:
        sb.launch()
    assert failed.value.hint == "set TMPDIR to a folder with a shorter path"


_WITHOUT_NAMESPACES = """#!{python}
import os, sys
if sys.argv[1] == "--version":
    os.execv({browser!r}, sys.argv)
limited = 'echo 0 > /proc/sys/user/max_user_namespaces; exec "$0" "$@"'
flags = [flag for flag in sys.argv[1:] if flag != "--no-sandbox"]
os.execvp("unshare", ["unshare", "--user", "--map-user=1000", "--keep-caps", "sh", "-c", limited, {browser!r}, *flags])
"""


@pytest.mark.skipif(sys.platform != "linux" or not shutil.which("unshare"), reason="Linux's user namespaces")
def test_a_user_who_may_make_no_user_namespaces_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As in a container with Docker's default seccomp profile."""
    limited = tmp_path / "chromium"
    limited.write_text(_WITHOUT_NAMESPACES.format(python=sys.executable, browser=str(find_chromium().path)))
    limited.chmod(0o755)
    monkeypatch.setenv("SKILLBOOK_CHROMIUM", str(limited))
    with pytest.raises(LaunchFailed, match="may make no user namespaces") as failed:
        sb.launch()
    assert "seccomp" in failed.value.hint
    assert "seccomp" in check_launch().hint


@pytest.mark.skipif(sys.platform != "linux", reason="displays of Linux")
def test_a_window_without_a_display_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("DISPLAY", "WAYLAND_DISPLAY"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(LaunchFailed, match="there is no display") as failed:
        sb.launch(headless=False)
    assert "--headless" in failed.value.hint
