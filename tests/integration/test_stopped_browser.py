"""A browser whose processes are stopped for a while, as by a machine that sleeps: a read outlasts that."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager

import psutil
import pytest

import skillbook as sb
from skillbook.bridge import conversation, pending
from skillbook.errors import CommandTimeout
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site, serve_site
from tests.waiting import until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no signal that stops a process")


@pytest.fixture(scope="module")
def shop() -> Iterator[Site]:
    with serve_site() as shop:
        yield shop


@pytest.fixture(scope="module")
def own_browser() -> Iterator[Browser]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SKILLBOOK_HEARTBEAT_SECONDS", "0.5")
        patch.setenv("SKILLBOOK_COMMAND_TIMEOUT", "2")
        browser = sb.launch()
    with browser:
        yield browser


@pytest.fixture
def page(own_browser: Browser, shop: Site, monkeypatch: pytest.MonkeyPatch) -> Page:
    monkeypatch.setattr(conversation, "PEER_SECONDS", 0.3)
    monkeypatch.setattr(conversation, "MISSED", 1000)
    monkeypatch.setattr(pending, "PEER_SECONDS", 0.2)
    return own_browser.open(shop.url)


@contextmanager
def stopped(browser: Browser) -> Iterator[None]:
    process = browser.driver.process
    assert process is not None
    root = psutil.Process(process.pid)
    family = [root, *root.children(recursive=True)]
    for one in family:
        one.send_signal(signal.SIGSTOP)
    try:
        yield
    finally:
        for one in family:
            one.send_signal(signal.SIGCONT)


def test_a_read_outlasts_the_stop(page: Page) -> None:
    machine = page.browser.driver.server._machine
    with ThreadPoolExecutor(1) as pool:
        with stopped(page.browser):
            reading = pool.submit(page.snapshot)
            until(lambda: reading.done() or any(row.sent and not row.more for row in machine._pending))
        assert "Oak & Lumen" in reading.result(timeout=30).text()


def test_what_a_caller_limited_ends_in_time_and_a_write_is_not_tried_again(
    page: Page, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = page.browser.driver.server
    monkeypatch.setattr("skillbook.session.action.CAUSE_SECONDS", 1.0)
    monkeypatch.setattr(server, "_settings", server._settings.model_copy(update={"command_timeout": 60.0}))
    ref = page.snapshot().find("searchbox 'Search products'").ref
    calls = (
        lambda: page.snapshot(timeout=1),
        lambda: page.click("searchbox 'Search products'", timeout=1),
        lambda: page.fill(ref, "lamp", timeout=1),
    )
    began = time.monotonic()
    with stopped(page.browser):
        for call in calls:
            with pytest.raises(CommandTimeout, match="it has stood still for"):
                call()
    assert time.monotonic() - began < 30
    until(lambda: page.snapshot().find("searchbox").ref == ref)
