"""Windows that can script one another are one thing to hold: nothing leaves any of them unasked."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import skillbook as sb
from skillbook.limits import READ_SECONDS as LINGER_SECONDS
from skillbook.session.sync import Browser, Page
from skillbook.testing.site import Site
from tests.faults.attack.acting import close_others
from tests.faults.attack.related import RELATIONS, WAYS, related
from tests.faults.attack.site import serve_attack
from tests.integration.test_held_requests import Start, click, go_on, refuse_requests, server, start
from tests.shown import after_reading

__all__ = ["server", "start"]


ASKED = [way for way in WAYS if way != "its window"]
"""The browser itself keeps a window from opening others unless it was pressed in."""


@pytest.fixture(scope="module")
def site() -> Iterator[Site]:
    with serve_attack() as site:
        yield site


@pytest.fixture(autouse=True)
def closed(browser: Browser, site: Site) -> Iterator[None]:
    kept = {page.driver.tab.id for page in browser.pages}
    yield
    close_others(browser, kept)
    site.app.arrived.clear()


def arrives(site: Site, seconds: float = 5.0) -> list[str]:
    """What the server got, once something came."""
    deadline = time.monotonic() + seconds
    while not site.app.arrived and time.monotonic() < deadline:
        time.sleep(0.01)
    return site.app.arrived


@pytest.mark.parametrize("relation", RELATIONS)
def test_fault_66_nothing_is_sent_unasked_by_a_window_that_was_open_before(
    relation: str, site: Site, browser: Browser, start: Start
) -> None:
    page = related(browser, site, relation)
    run = start(page, *(click(way) for way in WAYS), "done", autonomy="all")
    asked = go_on(run, refuse_requests)
    assert site.app.arrived == []
    for way in ASKED:
        assert [words for words in asked if f"button '{way}'" in words], (way, asked)
    assert "".join(run.steps["result"]).count("was not allowed") >= len(ASKED)


@pytest.mark.parametrize("way", ASKED)
def test_fault_66_what_the_person_approves_goes_out_through_the_other_window(
    way: str, site: Site, browser: Browser, start: Start
) -> None:
    page = related(browser, site, "popup")
    assert go_on(start(page, click(way), "done", autonomy="all"), lambda run: after_reading(run).approve())
    assert arrives(site)


def skill_of(way: str, page: Page, start: Start, site: Site, folder: Path) -> sb.Skill:
    """A skill that presses one control, and says that it sends nothing."""
    run = start(page, click(way), "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    assert arrives(site)
    site.app.arrived.clear()
    return sb.Skill(run.save_skill("pressed", folder=str(folder)).spec.model_copy(update={"sends": []}))


@pytest.mark.parametrize(
    ("relation", "way"),
    [("popup", way) for way in ASKED]
    + [(relation, "fetch") for relation in RELATIONS if relation != "popup"],
)
def test_fault_66_a_skill_that_sends_nothing_sends_nothing_through_another_window(
    relation: str, way: str, site: Site, browser: Browser, start: Start, tmp_path: Path
) -> None:
    kept = {page.driver.tab.id for page in browser.pages}
    skill = skill_of(way, related(browser, site, relation), start, site, tmp_path)
    close_others(browser, kept)  # what was sent has left the other window elsewhere
    result = skill.run(related(browser, site, relation), start="here")
    deadline = time.monotonic() + LINGER_SECONDS
    while result.ok and time.monotonic() < deadline:  # what is blocked after the end is in the result as well
        time.sleep(0.01)
    assert not result.ok
    assert result.error is not None
    assert "wants to send" in result.error.message
    assert site.app.arrived == []


def test_a_persons_calls_in_related_windows_are_never_held(site: Site, browser: Browser) -> None:
    page = related(browser, site, "popup")
    page.click("button 'fetch'")
    assert arrives(site) == ["POST /write/fetch"]
    tabs = {each.driver.tab.id for each in browser.pages}
    assert not browser.journal.requests["tab"].isin(tabs - {page.driver.tab.id}).any()
