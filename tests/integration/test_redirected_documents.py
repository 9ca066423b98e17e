"""A document that a redirect, or the page itself, brings from an origin that isn't allowed waits like its address."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

import skillbook as sb
from skillbook.agents.run.agent_run import Run
from skillbook.session.sync import Browser, Page
from skillbook.testing.scripted_model import ToolCall
from skillbook.testing.site import Site
from tests.faults.attack.acting import close_others
from tests.faults.attack.redirects import WAYS, page_of
from tests.faults.attack.site import serve_attack
from tests.integration.test_held_requests import Start, click, go_on, server, start
from tests.shown import after_reading

__all__ = ["server", "start"]
DIRECT = ToolCall("click", {"target": "link 'direct'"})


@pytest.fixture(scope="module")
def far() -> Iterator[Site]:
    with serve_attack() as site:
        yield site


@pytest.fixture
def site(browser: Browser, far: Site) -> Iterator[Site]:
    """An allowed site with an open redirect; `far` isn't allowed."""
    kept = {page.driver.tab.id for page in browser.pages}
    far.app.all.clear()
    with serve_attack() as site:
        site.app.pages |= page_of(site.url, far.url)
        yield site
    close_others(browser, kept)
    browser.driver.gateway.policy.allowed.discard(far.url)


def landed(far: Site) -> int:
    return far.app.all.count("GET /landed") + far.app.all.count("POST /landed")


def answer(allows: bool, far: Site) -> Callable[[Run], object]:
    """Decide on documents of the other site; what else is asked is approved."""

    def decide(run: Run) -> None:
        assert run.pending is not None
        if far.url in run.pending.review.reason and not allows:
            after_reading(run).reject()
        else:
            after_reading(run).approve()

    return decide


@pytest.mark.parametrize("way", WAYS)
def test_fault_69_nothing_reaches_the_other_site_before_the_person_allows_it(
    way: str, site: Site, far: Site, start: Start, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{site.url}/redirects")
    asked = go_on(start(page, WAYS[way](site.url, far.url), "done", autonomy="all"), answer(False, far))
    words = [reason for reason in asked if f"{far.url} isn't on the list of allowed origins" in reason]
    assert len(words) == 1, asked
    assert landed(far) == 0
    assert not [line for line in far.app.all if "favicon" not in line]


@pytest.mark.parametrize("way", WAYS)
def test_what_the_person_allows_arrives_after_one_question(
    way: str, site: Site, far: Site, start: Start, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{site.url}/redirects")
    again = WAYS[way](site.url, far.url)
    back = ToolCall("goto", {"url": f"{site.url}/redirects"})
    asked = go_on(start(page, again, back, again, "done", autonomy="all"), answer(True, far))
    assert len([reason for reason in asked if far.url in reason and "isn't on the list" in reason]) == 1
    assert landed(far) >= 1


def test_an_address_that_was_approved_is_not_asked_about_again(
    site: Site, far: Site, start: Start, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{site.url}/redirects")
    steps = [ToolCall("goto", {"url": f"{far.url}/landed"}), WAYS["goto"](site.url, far.url)]
    asked = go_on(start(page, *steps, "done", autonomy="all"), lambda run: after_reading(run).approve())
    assert len(asked) == 1


def test_a_link_that_leads_to_another_site_needs_no_question(
    site: Site, far: Site, start: Start, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{site.url}/redirects")
    assert go_on(start(page, DIRECT, "done", autonomy="all"), lambda run: after_reading(run).reject()) == []
    assert landed(far) == 1


def test_a_persons_own_navigation_is_redirected_as_ever(
    site: Site, far: Site, open_page: Callable[[str], Page]
) -> None:
    page = open_page(f"{site.url}/to?url={quote(far.url)}/landed")
    assert page.url == f"{far.url}/landed"
    page.goto(f"{site.url}/to?url={quote(far.url)}/landed")
    page.goto(f"{site.url}/redirects")
    page.click("link 'link'")
    page.wait_for(url=f"{far.url}/landed*")


def test_fault_69_a_skill_goes_only_to_its_own_origins(
    site: Site, far: Site, start: Start, open_page: Callable[[str], Page], tmp_path: Path
) -> None:
    page = open_page(f"{site.url}/redirects")
    run = start(page, click("harmless"), "done", autonomy="all")
    go_on(run, lambda run: after_reading(run).approve())
    skill = sb.Skill(run.save_skill("leads-on", folder=str(tmp_path)).spec.model_copy(update={"sends": []}))
    site.app.pages["/redirects"] = site.app.pages["/redirects"].replace(
        "document.title = 'x'", f"location = '/to?url={far.url}/landed'"
    )
    result = skill.run(open_page(f"{site.url}/redirects"), start="here")
    assert not result.ok
    assert landed(far) == 0
    trusts = sb.Skill(skill.spec.model_copy(update={"origins": [*skill.spec.origins, far.url]}))
    trusts.run(open_page(f"{site.url}/redirects"), start="here")
    assert landed(far) == 1
