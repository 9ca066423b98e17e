"""A page by both engines and by Chrome itself at one moment, compared."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import skillbook as sb
from skillbook.session.sync import Browser, Page
from tests.conformance.chrome import ChromePage
from tests.conformance.compare import Findings, compare_chrome, compare_engines, compare_listeners
from tests.conformance.devtools import DevTools
from tests.conformance.read import both

_TRIES = 3


@dataclass(frozen=True)
class Lab:
    """A browser with the extension, and Chrome's own word on its pages."""

    browser: Browser
    tools: DevTools


@contextmanager
def open_lab() -> Iterator[Lab]:
    """Start a browser that the extension and a DevTools connection share."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        browser = sb.launch(
            headless=True, allow_evaluate=True, user_data_dir=folder, args=["--remote-debugging-port=0"]
        )
        try:
            with DevTools(Path(folder)) as tools:
                yield Lab(browser, tools)
        finally:
            browser.close()


def observe(lab: Lab, page: Page, name: str, *, listeners: bool = True) -> Findings:
    """Compare what both engines and Chrome have of a page that stays as it is.

    A page that changes meanwhile (animations, clocks) is read again, for the engines read one after the other.
    """
    found = Findings()
    for _ in range(_TRIES):
        snapshots = both(page)
        found = compare_engines(snapshots["dom"], snapshots["cdp"])
        again = page.snapshot(engine="dom")
        if _facts(again) == _facts(snapshots["dom"]):
            break
    chrome = ChromePage(lab.tools, page.url, snapshots.values())
    try:
        found.add(compare_chrome(snapshots["dom"], chrome.interactive()))
        if listeners:
            found.add(compare_listeners(snapshots, chrome.listening()))
    finally:
        chrome.close()
    found.snapshot = snapshots["dom"]
    found.differences = [replace(one, page=name) for one in found.differences]
    return found


def _facts(snapshot: sb.Snapshot) -> list[tuple[str | None, str, str]]:
    return [(node.ref, node.role, node.name) for node in snapshot.nodes]
