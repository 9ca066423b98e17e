"""Saved skills beside the same flows, hand-written in Playwright."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Page as PlaywrightPage

import skillbook as sb
from benchmarks.figures import Figure, race
from benchmarks.peers import Peers
from benchmarks.sites import ROOT, Sites
from skillbook.skill import Skill
from skillbook.testing.site import serve_site

_QUERY = "lamp"
_MAIL = "ann@oak.test"


@dataclass(frozen=True)
class Flow:
    """A skill, its inputs, the same by hand, and what both must have come to.

    Parameters
    ----------
    read : what a replay came to.
    by_hand : does it with Playwright at a site and returns what it came to.
    """

    name: str
    skill: Skill
    inputs: dict[str, str]
    read: Callable[[Any, Any], object]
    by_hand: Callable[[PlaywrightPage, str], object]
    note: str


def measure(peers: Peers, _: Sites, rounds: int) -> Iterator[Figure]:
    """Search the demo shop and read every page; narrow a search down and read it; subscribe in a dialog."""
    calls: list[int] = []
    # By hand in a tab of its own: for a while after a replay, nothing that it doesn't list leaves its tab.
    with (
        serve_site("shop") as site,
        peers.open(site.url, "demo shop", "main") as tab,
        closing(peers.context.new_page()) as theirs_alone,
        tempfile.TemporaryDirectory() as folder,
    ):
        for flow in shop_flows(tab.ours, site.url, folder):
            came: list[object] = []
            replay, by_hand = _both(flow, tab.ours, theirs_alone, site.url, calls, came)
            ours, theirs = race(replay, by_hand, rounds)
            if any(each != came[0] for each in came):
                raise AssertionError(f"{flow.name}: they came to different ends: {came[0]} {came[1]}")
            yield Figure("replay of a saved skill", flow.name, ours, theirs, "ms", "share", 1.2, flow.note)
    yield Figure("model calls in a replay", "all flows", float(max(calls)), None, "calls", "at most", 0)


def _both(
    flow: Flow, page: Any, by_hand_page: PlaywrightPage, site: str, calls: list[int], came: list[object]
) -> tuple[Callable[[], None], Callable[[], None]]:
    def replay() -> None:
        result = flow.skill.run(page, start="always", approve=flow.skill.digest, site=site, **flow.inputs)
        if not result.ok:
            raise AssertionError(f"the replay of {flow.name} failed: {result.error}")
        calls.append(result.model_calls)
        came.append(flow.read(result, page))

    def by_hand() -> None:
        came.append(flow.by_hand(by_hand_page, site))

    return replay, by_hand


def shop_flows(page: Any, site: str, folder: str) -> Iterator[Flow]:
    """The flows, each recorded when it is its turn.

    Parameters
    ----------
    page : where they are recorded.
    site : the demo shop's address.
    folder : where the skills are kept.
    """
    search = sb.load_skill(str(ROOT / "skills/search-products"), approve=True)
    yield Flow(
        "demo shop, search and two pages",
        search,
        {"query": _QUERY},
        lambda result, _: result.frame["name"].to_list(),
        lambda theirs, at: [row[0] for row in search_by_hand(theirs, at, _QUERY)],
        "12 rows from two pages",
    )
    yield Flow(
        "demo shop, a record's facts",
        _record_facts(page, site, folder),
        {},
        lambda result, _: len(result.frame),
        facts_by_hand,
        "a product is opened from the results and its table of details read",
    )
    yield Flow(
        "demo shop, a form in a dialog",
        _subscribe(page, site, folder),
        {},
        lambda _, ours: ours.url.removeprefix(site),
        subscribe_by_hand,
        "sends one request, which the skill's file lists",
    )


def _record_facts(page: Any, site: str, folder: str) -> Skill:
    page.goto(f"{site}/search?q={_QUERY}")
    with sb.recording(page, "Read the details of a lamp") as rec:
        page.click("link in list 'Products' nth 1")
        sb.extract(page, {"label": "rowheader", "value": "cell"}, within="table nth 1")
    return rec.save_skill("read-details", folder, prove=False)


def _subscribe(page: Any, site: str, folder: str) -> Skill:
    page.goto(f"{site}/")
    with sb.recording(page, f'Subscribe "{_MAIL}" to the newsletter') as rec:
        page.click("button 'Newsletter'")
        page.fill("textbox 'E-mail'", _MAIL)
        page.click("button 'Subscribe'")
    return rec.save_skill("subscribe", folder, prove=False)


def search_by_hand(page: PlaywrightPage, site: str, query: str) -> list[tuple[str, ...]]:
    """The flow as one writes it in Playwright."""
    found: list[tuple[str, ...]] = []
    page.goto(f"{site}/")
    page.get_by_role("searchbox", name="Search products").fill(query)
    page.get_by_role("button", name="Search").click()
    page.get_by_role("heading", name=f"Results for “{query}”").wait_for()
    while True:
        for card in page.get_by_role("list", name="Products").get_by_role("listitem").all():
            link = card.get_by_role("heading").get_by_role("link")
            price = card.locator(".price").inner_text()
            found.append((link.inner_text(), price, str(link.get_attribute("href"))))
        following = page.get_by_role("link", name="Next")
        if not following.count():
            return found
        before = page.url
        following.click()
        page.wait_for_function("before => location.href !== before", arg=before)


def facts_by_hand(page: PlaywrightPage, site: str) -> object:
    """Open the first result and read its table of details."""
    page.goto(f"{site}/search?q={_QUERY}")
    page.get_by_role("list", name="Products").get_by_role("link").first.click()
    page.get_by_role("heading", name="Details").wait_for()
    rows = page.get_by_role("table").first.get_by_role("row").all()
    return len(
        [
            (row.get_by_role("rowheader").inner_text(), row.get_by_role("cell").first.inner_text())
            for row in rows
        ]
    )


def subscribe_by_hand(page: PlaywrightPage, site: str) -> object:
    """Fill the newsletter's dialog in and send it."""
    page.goto(f"{site}/")
    page.get_by_role("button", name="Newsletter").click()
    page.get_by_role("textbox", name="E-mail").fill(_MAIL)
    page.get_by_role("button", name="Subscribe").click()
    page.get_by_text(_MAIL).wait_for()
    return page.url.removeprefix(site)
