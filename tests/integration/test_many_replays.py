"""A thousand replays of five skills on the demo shop and two applications: none fails, and none reads too early."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

import skillbook as sb
from benchmarks.apps import APPS, NotInstalled, serve_app
from benchmarks.measures.replay import shop_flows
from skillbook.session.sync import Browser, Page
from skillbook.skill import Skill
from skillbook.testing.site import serve_site

pytestmark = [pytest.mark.soak, pytest.mark.timeout(1800)]

EACH = int(os.environ.get("REPLAYS_EACH", "200"))
FLOWS = ["demo shop, search and two pages", "demo shop, a record's facts", "demo shop, a form in a dialog"]


@pytest.fixture
def page(browser: Browser) -> Iterator[Page]:
    page = browser.open("about:blank")
    yield page
    page.close()


@contextmanager
def application(name: str, folder: Path) -> Iterator[str]:
    """Serve one of the benchmarks' applications; gives its page's address."""
    try:
        with serve_app(next(app for app in APPS if app.name == name), folder) as url:
            yield url
    except NotInstalled as missing:
        pytest.skip(str(missing))


def replay_often(skill: Skill, page: Page, read: Any, expected: object, **inputs: str) -> None:
    """Replay a skill `EACH` times; no replay may fail or read other rows than those expected."""
    ends: Counter[str] = Counter()
    for number in range(EACH):
        result = skill.run(page, start="always", approve=skill.digest, **inputs)
        if not result.ok:
            ends[f"failed in replay {number}: {result.error}"] += 1
        elif (rows := read(result, page)) != expected:
            ends[f"read other rows in replay {number}: {rows}"] += 1
        else:
            ends["right"] += 1
        assert result.model_calls == 0
        print(f"\rreplay {number + 1} of {EACH}: {dict(ends)}", end="", flush=True)
    assert ends == {"right": EACH}


@pytest.mark.parametrize("name", FLOWS)
def test_flows_of_the_shop(name: str, page: Page, tmp_path: Path) -> None:
    with serve_site("shop") as site:
        flow = next(each for each in shop_flows(page, site.url, str(tmp_path)) if each.name == name)
        first = flow.skill.run(page, start="always", approve=flow.skill.digest, site=site.url, **flow.inputs)
        expected = flow.read(first, page)
        assert expected
        replay_often(flow.skill, page, flow.read, expected, site=site.url, **flow.inputs)


def test_a_search_whose_results_come_one_by_one(page: Page, tmp_path: Path) -> None:
    """Python's documentation shows each result when its text has arrived, and links as well."""
    with application("pydocs", tmp_path) as url:

        def rows(frame: pd.DataFrame) -> list[list[str]]:
            texts: list[list[str]] = frame.fillna("").to_numpy().tolist()
            return texts

        page.goto(url.replace("library/functions.html", "index.html"))
        with sb.recording(page, "Search the documentation") as rec:
            page.fill("textbox 'Quick search' nth 1", "telnet")
            page.press("Enter", "textbox 'Quick search' nth 1")
            page.wait_for(idle=True)
            expected = rows(sb.extract(page))
        assert len(expected) == 34
        skill = rec.save_skill("search-docs", str(tmp_path / "skills"), prove=False)
        replay_often(skill, page, lambda result, _: rows(result.frame), expected)


def test_a_dialog_that_adds_a_row_to_a_table(page: Page, tmp_path: Path) -> None:
    """jQuery UI's form moves the dialog away and appends a row."""
    with application("jqueryui", tmp_path) as url:
        page.goto(url)
        with sb.recording(page, "Create a user") as rec:
            page.click("button 'Create new user'")
            page.fill("textbox 'Name'", "Ann Lee")
            page.fill("textbox 'Email'", "ann@oak.test")
            page.click("button 'Create an account'")
            frame = sb.extract(page, within="Existing Users")
        assert frame["Name"].tolist() == ["John Doe", "Ann Lee"]
        skill = rec.save_skill("create-user", str(tmp_path / "skills"), prove=False)
        expected = frame.to_numpy().tolist()
        replay_often(skill, page, lambda result, _: result.frame.to_numpy().tolist(), expected)
