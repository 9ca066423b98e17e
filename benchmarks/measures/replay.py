"""A saved skill beside the same flow, hand-written in Playwright."""

from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import Page as PlaywrightPage

import skillbook as sb
from benchmarks.figures import Figure, race
from benchmarks.peers import Peers
from benchmarks.sites import ROOT, Sites
from skillbook.testing.site import serve_site

_QUERY = "lamp"


def measure(peers: Peers, _: Sites, rounds: int) -> Iterator[Figure]:
    """Search the demo shop and read the results of every page."""
    skill = sb.load_skill(str(ROOT / "skills/search-products"), approve=True)
    calls: list[int] = []
    rows: list[list[tuple[str, ...]]] = []
    with serve_site("shop") as site, peers.open(site.url, "demo shop", "main") as tab:

        def replay() -> None:
            result = skill.run(tab.ours, query=_QUERY, site=site.url)
            if not result.ok:
                raise AssertionError(f"the replay failed: {result.error}")
            calls.append(result.model_calls)
            rows.append([tuple(map(str, row)) for row in result.frame.itertuples(index=False)])

        def by_hand() -> None:
            rows.append(search_by_hand(tab.theirs, site.url, _QUERY))

        ours, theirs = race(replay, by_hand, rounds)
    if len({len(each) for each in rows}) != 1 or len({each[0][0] for each in rows}) != 1:
        raise AssertionError(f"they read different rows: {rows[0][:2]} {rows[1][:2]}")
    note = f"{len(rows[0])} rows from two pages"
    yield Figure("replay of a saved skill", "demo shop", ours, theirs, "ms", "share", 1.2, note)
    yield Figure("model calls in a replay", "demo shop", float(max(calls)), None, "calls", "at most", 0)


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
