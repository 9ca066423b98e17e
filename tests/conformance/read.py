"""Snapshots of pages by both engines, in one browser."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path

from skillbook.errors import CommandTimeout
from skillbook.perception import Snapshot
from skillbook.session.sync import Browser, Page
from tests.conformance.cases import ENGINES, Case, pages_of

Snapshots = Mapping[str, Snapshot]
_PATIENCE = 4.0
"""Seconds that a page may take to become quiet."""


def settle(page: Page) -> None:
    """Wait until the page is quiet; games never are."""
    with suppress(CommandTimeout):
        page.wait_for(idle=True, timeout=_PATIENCE)


@contextmanager
def opened(browser: Browser, url: str) -> Iterator[Page]:
    """A page that is closed afterwards."""
    page = browser.open(url)
    try:
        yield page
    finally:
        if not page.closed:
            page.close()


def both(page: Page) -> Snapshots:
    """The page by both engines, after it is quiet and the content scripts know what scripts listen on."""
    settle(page)
    listening = _listening(page.snapshot(engine="cdp"))
    end = time.monotonic() + _PATIENCE
    while not listening <= _listening(page.snapshot(engine="dom")) and time.monotonic() < end:
        pass
    return {engine: page.snapshot(engine=engine) for engine in ENGINES}


def _listening(snapshot: Snapshot) -> set[str | None]:
    return {node.ref for node in snapshot.elements if "listener" in node.extra.get("why", ())}


def problems_of(
    browser: Browser, folder: Path, url: str, cases: list[Case]
) -> dict[str, dict[str, list[str]]]:
    """By each case's place and each engine, what isn't as expected.

    Parameters
    ----------
    folder, url : where pages are written, and where that folder is served.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for count, (html, batch) in enumerate(pages_of(cases)):
        (folder / f"cases-{count}.html").write_text(html, encoding="utf-8")
        with opened(browser, f"{url}/cases-{count}.html") as page:
            snapshots = both(page)
        for case in batch:
            found[case.place] = {
                engine: case.problems(snapshot, engine) for engine, snapshot in snapshots.items()
            }
    return found
