"""An exploration that a kernel's death cuts short goes on in the next one, without opening pages again."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import skillbook as sb
from skillbook.session.sync import Browser

pytestmark = pytest.mark.browser
Site = Callable[[Mapping[str, Any]], Any]
NAMES = ["amber", "birch", "cedar", "delta", "ember", "fjord", "grove", "heath", "inlet", "knoll"]
PAGES: dict[str, Any] = {
    "/": "<title>Start</title><h1>Start</h1>" + "".join(f"<a href='/{one}'>{one}</a> " for one in NAMES),
    **{f"/{one}": f"<title>{one}</title><h1>{one}</h1>" for one in NAMES},
    "/knoll": "<title>knoll</title><h1>knoll</h1><a href='/hours'>When</a>",
    "/hours": "<title>Hours</title><h1>Opening hours</h1>",
}
KERNEL = """
import sys
import skillbook as sb
page = sb.launch().open(sys.argv[1])
sb.explore(page, "opening hours", progress=lambda opened, known: print(opened, flush=True))
"""


def test_a_killed_exploration_goes_on_in_another_kernel(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    shop = site(PAGES)
    kernel = subprocess.Popen(
        [sys.executable, "-c", KERNEL, shop.url], stdout=subprocess.PIPE, text=True, start_new_session=True
    )
    assert kernel.stdout is not None
    assert int(kernel.stdout.readline()) == 4
    kernel.kill()
    kernel.wait()
    before = {path for _, path in shop.requests if path != "/"}
    shop.requests.clear()
    page = browser.open(shop.url)
    found = sb.explore(page, "opening hours")
    assert found.found, found.why
    assert [label for _, label in found.path] == ["", "knoll", "When"]
    again = {path for _, path in shop.requests} & {f"/{one}" for one in before - {"/knoll"}}
    assert not again
    page.goto(shop.url)
    assert sb.explore(page, "opening hours", remember=False).found
    page.close()


def test_a_spent_budget_goes_on_and_what_was_found_begins_anew(
    browser: Browser, site: Site, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("SKILLBOOK_HOME", str(tmp_path))
    shop = site(PAGES)
    page = browser.open(shop.url)
    first = sb.explore(page, "opening hours", max_pages=5)
    assert "the budget of 5 pages is spent" in first.why
    seen = {path for _, path in shop.requests}
    shop.requests.clear()
    began = time.monotonic()
    second = sb.explore(page, "opening hours", max_pages=10)
    assert second.found, second.why
    assert not {path for _, path in shop.requests} & (seen - {"/"})
    assert time.monotonic() - began < 60
    page.close()
