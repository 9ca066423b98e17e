"""A page notices nothing of the script that marks causes: programs give the same logs with it and without."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from skillbook.session.sync import Browser
from tests.integration.caused_pages import CausedSite

PROGRAMS = 10
PAGES = 50
"""Pages of so many programs each; a few of them in every run."""
_WRITTEN = "document.getElementById('out').textContent"


@pytest.fixture(scope="module")
def site() -> Iterator[CausedSite]:
    """The server of the programs."""
    with CausedSite() as site:
        yield site


def logs_of(browser: Browser, url: str) -> dict[str, list[str]]:
    """What the programs of a page have written down."""
    page = browser.open(url)
    try:
        page.wait_for(function=f"{_WRITTEN} !== 'start'", timeout=60)
        logs: dict[str, list[str]] = json.loads(page.evaluate(_WRITTEN))
        return logs
    finally:
        page.close()


@pytest.mark.parametrize(
    "seed",
    range(PAGES),
)
def test_programs_give_the_same_logs_with_and_without_the_script(
    seed: int, site: CausedSite, browser: Browser, synthetic_browser: Browser
) -> None:
    url = f"{site.url}/program/{seed}/{PROGRAMS}"
    without: dict[str, Any] = logs_of(synthetic_browser, url)
    assert logs_of(browser, url) == without
