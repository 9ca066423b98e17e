"""Beam search over a site's pages in background tabs, and what it found."""

from __future__ import annotations

import asyncio
from collections import Counter
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import TYPE_CHECKING
from urllib.parse import unquote_plus, urljoin, urlsplit

from skillbook.errors import SkillbookError, Stopped
from skillbook.exploration.addresses import canonical, refusal, template
from skillbook.goals import Goal
from skillbook.goals.matching import likeness
from skillbook.perception.escape import clean
from skillbook.perception.summary import PageSummary, summarize
from skillbook.policy import Call
from skillbook.policy.rules import Actor
from skillbook.policy.urls import origin_of, screen_url
from skillbook.protocol.commands.tabs import Tab
from skillbook.session.action import PreparedAction
from skillbook.session.drivers import PageDriver
from skillbook.session.page.held_requests import HeldRequest, RequestDecision

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

TABS = 3
"""Tabs at once."""
PER_TEMPLATE = 8
"""Pages of one address template: a calendar has as many as there are days."""


@dataclass
class Exploration:
    """What an exploration found.

    Attributes
    ----------
    goal : the predicate that was looked for.
    found : whether a page has it; that page is open in the tab then.
    path : the addresses and link labels on the way there, or to the page that came nearest.
    graph : a networkx `DiGraph` of the pages; edges have the label of the link.
    why : why it ended.
    """

    goal: Goal
    graph: nx.DiGraph[str]
    found: bool = False
    why: str = ""
    path: list[tuple[str, str]] = field(default_factory=list)

    @property
    def frame(self) -> pd.DataFrame:
        """The pages, a row each: address, title, depth, score, status and why."""
        import pandas as pd

        columns = ["title", "depth", "score", "status", "why"]
        rows = [[url, *(data[name] for name in columns)] for url, data in self.graph.nodes(data=True)]
        return pd.DataFrame(rows, columns=["address", *columns])

    def __repr__(self) -> str:
        opened = sum(data["status"] == "seen" for _, data in self.graph.nodes(data=True))
        return f"<Exploration {'found' if self.found else 'not found'} {self.goal!r}: {opened} pages, {self.why}>"


@dataclass(frozen=True)
class _Link:
    url: str
    label: str
    source: str
    depth: int
    score: float


class _ReadOnly:
    """Lets no request through that may change something, while a page of the exploration is open."""

    key = "exploration"
    actor: Actor = "agent"
    contract = True
    card_seen = False

    async def decide(self, request: HeldRequest) -> RequestDecision:
        """Refuse it."""
        return RequestDecision(False, "exploration only reads")


class Search:
    """One search.

    Parameters
    ----------
    driver : the page where it begins, and which shows the page that was found.
    goal : what a page must have; `words` rank the links.
    """

    def __init__(self, driver: PageDriver, goal: Goal, words: str, beam: int, depth: int, pages: int) -> None:
        import networkx as nx

        self._driver, self._words = driver, words
        self._beam, self._depth, self._pages = beam, depth, pages
        self.result = Exploration(goal, nx.DiGraph())
        origin = origin_of(driver.url)
        allowed = driver.browser.gateway.policy.allowed
        self._allowed = {origin} & allowed if origin else set()
        self._templates: Counter[str] = Counter()
        self._opened = 0
        self._review = _ReadOnly()

    async def run(self) -> Exploration:
        """Search, breadth by breadth, the best links of each first; the winner is opened in the page itself."""
        with self._driver.browser.gateway.stopping.operation():
            summary = summarize(await self._driver.snapshot())
            start = canonical(summary.url)
            self._opened = 1
            links = self._take_in(start, summary, 0)
            while links and not self.result.found and self._opened < self._pages:
                best = sorted(links, key=lambda one: (-one.score, one.url))[: max(self._beam, 1)]
                rest = [one for one in links if one not in best]
                links = rest + await self._visit(best[: self._pages - self._opened])
            await self._end(start)
        return self.result

    async def _visit(self, links: list[_Link]) -> list[_Link]:
        found: list[_Link] = []
        for at in range(0, len(links), TABS):
            part = links[at : at + TABS]
            self._opened += len(part)
            summaries = await asyncio.gather(*(self._look(link) for link in part))
            for link, summary in zip(part, summaries, strict=True):
                if summary is not None:
                    found += self._take_in(link.url, summary, link.depth)
            if self.result.found:
                break
        return found

    async def _look(self, link: _Link) -> PageSummary | None:
        """A page's summary, read in a background tab that is closed in every case; None where it can't be had."""
        browser, data = self._driver.browser, self.result.graph.nodes[link.url]
        page: PageDriver | None = None
        try:
            call = Call("tabs_open", actor="agent", destination=screen_url(link.url))
            opening = PreparedAction(call, {"url": "about:blank", "wait": "load", "active": False})
            opened = await browser.gateway.run(replace(opening, run=self._review.key))
            await browser.refresh_tabs()
            page = browser.page(Tab.model_validate(opened["tab"]).id)
            await page.requests.attach(self._review)
            go = page.action("goto", {"url": link.url, "wait": "load"}, actor="agent", run=self._review.key)
            await page.do_judged(go)
            if origin_of(page.url) not in self._allowed:
                data.update(status="left out", why="led to another origin")
                return None
            return summarize(await page.snapshot())
        except Stopped:
            raise
        except SkillbookError as error:
            data.update(status="failed", why=error.message)
            return None
        finally:
            if page is not None and not page.closed:
                await asyncio.shield(self._close(page))

    async def _close(self, page: PageDriver) -> None:
        await page.requests.detach(self._review, at_once=True)
        await self._driver.browser.close_page(page)

    def _take_in(self, url: str, summary: PageSummary, depth: int) -> list[_Link]:
        """Note a page that was seen; returns its links that may be followed and weren't known."""
        graph, goal = self.result.graph, self.result.goal
        score = round(goal.nearness(summary), 3)
        graph.add_node(url, title=clean(summary.title), depth=depth, score=score, status="seen", why="")
        if goal.holds(summary):
            self.result.found = True
            graph.nodes[url]["status"] = "found"
        if depth >= self._depth:
            return []
        found = []
        for node in summary.snapshot.elements:
            if node.role != "link" or not node.href:
                continue
            target, label = canonical(urljoin(summary.url, node.href)), clean(node.label)[:80]
            if target in graph:
                if target != url and not graph.has_edge(url, target):
                    graph.add_edge(url, target, label=label)
                continue
            why = refusal(target, label, self._allowed)
            if not why and self._templates[template(target)] >= PER_TEMPLATE:
                why = "too many pages of this kind"
            if why == "another origin":
                continue
            status = "left out" if why else "waiting"
            said = likeness(f"{label} {unquote_plus(urlsplit(target).path)}", self._words)
            link = _Link(target, label, url, depth + 1, round(0.7 * said + 0.3 * score - 0.05 * depth, 4))
            graph.add_node(target, title="", depth=depth + 1, score=link.score, status=status, why=why)
            graph.add_edge(url, target, label=label)
            if not why:
                self._templates[template(target)] += 1
                found.append(link)
        return found

    async def _end(self, start: str) -> None:
        import networkx as nx

        result, graph = self.result, self.result.graph
        seen = [url for url, data in graph.nodes(data=True) if data["status"] in {"seen", "found"}]
        best = max(seen, key=lambda url: (graph.nodes[url]["status"] == "found", graph.nodes[url]["score"]))
        way = nx.shortest_path(graph, start, best)
        labels = ["", *(graph.edges[edge]["label"] for edge in pairwise(way))]
        result.path = list(zip(way, labels, strict=True))
        if result.found and best != start:
            await self._driver.act("goto", url=best, wait="load", actor="agent", run=self._review.key)
        budget = (
            f"the budget of {self._pages} pages is spent"
            if self._opened >= self._pages
            else "no link is left"
        )
        result.why = "" if result.found else f"{budget}; nearest is {best}"
        result.why = result.why or f"at {best}"
