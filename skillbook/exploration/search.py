"""Beam search over a site's pages in background tabs, and what it found."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from contextlib import suppress
from contextvars import Context
from dataclasses import dataclass, field, replace
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import unquote_plus, urljoin, urlsplit

from skillbook.config import load_settings
from skillbook.errors import CommandTimeout, ConnectionLost, InvalidInput, SkillbookError, Stopped
from skillbook.exploration.addresses import canonical, refusal, template
from skillbook.exploration.known import keep_pages, known_pages
from skillbook.exploration.picture import draw
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
from skillbook.skill.recorder import save_recording
from skillbook.skill.recording import RecordedStep, Recording

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from skillbook.perception.nodes.base import Node
    from skillbook.skill.facade import Skill

T = TypeVar("T")
TABS = 3
"""Tabs at once."""
PER_TEMPLATE = 8
"""Pages of one address template: a calendar has as many as there are days."""
_SEEN = frozenset({"seen", "found"})
MOST_DELAY = 30.0
"""Seconds between two pages at most, whatever robots.txt asks for."""
_LIKE = 0.5
_FEWEST, _REFUSED = 2, 400
IDLE_SECONDS = 3.0
"""How long a page may go on loading before it is read as it is."""


@dataclass
class Exploration:
    """What an exploration found; in a notebook, its pages as a table.

    Attributes
    ----------
    goal, words : the predicate that was looked for, and the words that it was given in.
    found : whether a page has it; that page is open in the tab then.
    path : the addresses and link labels on the way there, or to the page that came nearest.
    graph : a networkx `DiGraph` of the pages; edges have the label of the link.
    why : why it ended.
    links : the links that were seen, by the addresses that they lead from and to.
    """

    goal: Goal
    graph: nx.DiGraph[str]
    words: str = ""
    found: bool = False
    why: str = ""
    path: list[tuple[str, str]] = field(default_factory=list)
    links: dict[tuple[str, str], Node] = field(default_factory=dict, repr=False)

    @property
    def frame(self) -> pd.DataFrame:
        """The pages, a row each: address, title, depth, score, status and why."""
        import pandas as pd

        columns = ["title", "depth", "score", "status", "why"]
        rows = [[url, *(data[name] for name in columns)] for url, data in self.graph.nodes(data=True)]
        return pd.DataFrame(rows, columns=["address", *columns])

    def _repr_html_(self) -> str:
        graph = self.graph
        seen = dict(_seen(graph))
        several = Counter(data["title"] for data in seen.values())
        named = {
            url: {
                **data,
                "title": data["title"] if several[data["title"]] == 1 else _label_of(graph, url) or url,
            }
            for url, data in seen.items()
        }
        picture = draw(named, list(graph.edges), [url for url, _ in self.path]) if seen else ""
        table = self.frame.to_html(notebook=True)
        return f"<p>{escape(repr(self))}</p>{picture}<details><summary>Every page</summary>{table}</details>"

    def save_skill(
        self,
        name: str,
        folder: Path | str = "skills",
        *,
        description: str | None = None,
        overwrite: bool = True,
    ) -> Skill:
        """Save the way to what was found as a skill that goes there by the same links.

        Parameters
        ----------
        name, description : the skill's; the goal describes it by default.
        folder : where skills are kept.
        overwrite : whether a skill of that name is replaced.

        Raises
        ------
        InvalidInput : nothing was found, or the start has it. InvalidSkillName, InvalidSkill : as for a run.
        """
        if not self.found or len(self.path) < _FEWEST:
            raise InvalidInput("there is no way to save", hint=f"this exploration ended: {self.why}")
        steps = tuple(self._step(before, after) for before, after in pairwise(url for url, _ in self.path))
        goal = self.words or repr(self.goal)
        recording = Recording(goal, steps, held=True, by_hand=True)
        return save_recording(recording, name, folder, description=description, overwrite=overwrite)

    def _step(self, before: str, after: str) -> RecordedStep:
        """The link that leads from one page to the next; a page known from before is gone to by its address."""
        node = self.links.get((before, after))
        if node is None:
            return RecordedStep("goto", {"url": after}, url_before=before, url_after=after)
        return RecordedStep("click", {}, node, url_before=before, url_after=after, before=node.snapshot)

    def __repr__(self) -> str:
        opened = sum(data["status"] in _SEEN for _, data in self.graph.nodes(data=True))
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
    beam, depth, pages, progress : as `sb.explore` has them.
    opens : whether the page shows what was found.
    remember : whether pages of earlier explorations are tried first, and this one's are kept for the next.
    """

    def __init__(
        self,
        driver: PageDriver,
        goal: Goal,
        words: str,
        *,
        beam: int,
        depth: int,
        pages: int,
        progress: Callable[[int, int], object] | None = None,
        opens: bool = True,
        remember: bool = True,
    ) -> None:
        import networkx as nx

        self._driver, self._words = driver, words
        self._beam, self._depth, self._pages = beam, depth, pages
        self._progress = progress
        self._opens, self._remember = opens, remember
        self._pace = asyncio.Lock()
        self._next_visit = 0.0
        self.result = Exploration(goal, nx.DiGraph(), words)
        origin = origin_of(driver.url)
        self._origin, self._home = origin or "", load_settings().home
        allowed = driver.browser.gateway.policy.allowed
        self._allowed = {origin} & allowed if origin else set()
        self._templates: Counter[str] = Counter()
        self._opened = 0
        self._review = _ReadOnly()

    async def run(self) -> Exploration:
        """Search, breadth by breadth, the best links of each first; the winner is opened in the page itself."""
        browser = self._driver.browser
        before = set(browser.pages)
        try:
            with browser.gateway.stopping.operation():
                await self._search()
        except BaseException:
            await asyncio.shield(self._apart(self._close_blank(before)))
            raise
        finally:
            self._keep()
        return self.result

    def _keep(self) -> None:
        """Keep the pages that were seen, with the labels of the links to them, for the next exploration."""
        if not self._remember or not self._origin:
            return
        graph = self.result.graph
        seen = {url: (data["title"], _label_of(graph, url)) for url, data in _seen(graph)}
        gone = [url for url, data in graph.nodes(data=True) if data["status"] in {"failed", "redirected"}]
        keep_pages(self._home, self._origin, seen, gone)

    def _known(self, start: str) -> list[_Link]:
        """Pages that an earlier exploration saw and whose words fit: they may be gone, so they are looked at anew."""
        if not self._remember or self.result.found:
            return []
        graph, found = self.result.graph, []
        for url, (title, label) in known_pages(self._home, self._origin).items():
            said = likeness(f"{label} {title} {unquote_plus(urlsplit(url).path)}", self._words)
            if url == start or said < _LIKE or refusal(url, label, self._allowed):
                continue
            words = label or title
            if url not in graph:
                graph.add_node(
                    url, title=title, depth=1, score=said, status="waiting", why="known from before"
                )
            if not graph.has_edge(start, url):
                graph.add_edge(start, url, label=words)
            found.append(_Link(url, words, start, 1, round(said, 4)))
        return sorted(found, key=lambda one: (-one.score, one.url))[: self._beam]

    def _best(self, links: list[_Link]) -> list[_Link]:
        """The links that are followed next."""
        return sorted(links, key=lambda one: (-one.score, one.url))[: self._beam]

    async def _search(self) -> None:
        summary = summarize(await self._driver.snapshot())
        start = canonical(summary.url)
        self._opened = 1
        links = self._take_in(start, summary, 0)
        known = self._known(start)
        links = [*known, *(one for one in links if one.url not in {each.url for each in known})]
        lost = ""
        try:
            while links and not self.result.found and self._opened < self._pages:
                best = self._best(links)
                rest = [one for one in links if one not in best]
                links = rest + await self._visit(best[: self._pages - self._opened])
        except ConnectionLost as error:
            lost = error.message
        await self._end(start, lost)

    async def _close_blank(self, before: set[int]) -> None:
        """Close the tabs that were being opened when the search was stopped: nobody was told which they are."""
        browser = self._driver.browser
        with suppress(SkillbookError):
            for page in await browser.refresh_tabs():
                if page.tab.id not in before and page.url == "about:blank":
                    await browser.close_page(page)

    async def _visit(self, links: list[_Link]) -> list[_Link]:
        found: list[_Link] = []
        for at in range(0, len(links), TABS):
            part = links[at : at + TABS]
            self._opened += len(part)
            # Every tab is closed before anything goes on, also where one of them fails.
            seen = await asyncio.gather(*(self._look(link) for link in part), return_exceptions=True)
            for link, summary in zip(part, seen, strict=True):
                if isinstance(summary, BaseException):
                    raise summary
                if summary is not None and (landed := self._landed(link, summary)):
                    found += self._take_in(landed, summary, link.depth)
            if self._progress is not None:
                self._progress(self._opened, self.result.graph.number_of_nodes())
            if self.result.found:
                break
        return found

    def _landed(self, link: _Link, summary: PageSummary) -> str:
        """The address that a link led to; empty where that page is known already."""
        graph, landed = self.result.graph, canonical(summary.url)
        if landed == link.url:
            return landed
        is_known = landed in graph and graph.nodes[landed]["status"] in _SEEN
        graph.nodes[link.url].update(status="redirected", why=f"led to {landed}")
        if landed not in graph:
            graph.add_node(landed)
        graph.add_edge(link.source, landed, label=link.label)
        if (node := self.result.links.get((link.source, link.url))) is not None:
            self.result.links[link.source, landed] = node
        return "" if is_known else landed

    async def _look(self, link: _Link) -> PageSummary | None:
        """A page's summary, read in a background tab that is closed in every case; None where it can't be had."""
        data = self.result.graph.nodes[link.url]
        # Closing is outside of the operation: one that is stopped sends no more commands.
        opening = self._apart(self._open(link.url))
        try:
            page = await asyncio.shield(opening)
            await page.requests.attach(self._review)
            await self._wait_turn(link.url)
            go = page.action("goto", {"url": link.url, "wait": "load"}, actor="agent", run=self._review.key)
            await page.do_judged(go)
            if origin_of(page.url) not in self._allowed:
                data.update(status="left out", why="led to another origin")
                return None
            if (status := await page.status()) >= _REFUSED:
                data.update(status="failed", why=f"answered with status {status}")
                return None
            with suppress(CommandTimeout):  # some pages are never idle
                await page.wait_for(idle=True, timeout=IDLE_SECONDS, actor="agent")
            return summarize(await page.snapshot())
        except (Stopped, ConnectionLost):
            raise
        except SkillbookError as error:
            data.update(status="failed", why=error.message)
            return None
        finally:
            await asyncio.shield(self._apart(self._close(opening)))

    async def _wait_turn(self, url: str) -> None:
        """Visit pages no faster than the site's robots.txt asks for."""
        robots = self._driver.browser.gateway.robots
        delay = await robots.crawl_delay(url) if robots is not None else 0.0
        if not delay:
            return
        loop = asyncio.get_running_loop()
        async with self._pace:
            waits = self._next_visit - loop.time()
            self._next_visit = max(self._next_visit, loop.time()) + min(delay, MOST_DELAY)
        if waits > 0:
            await asyncio.sleep(waits)

    @staticmethod
    def _apart(work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        return asyncio.get_running_loop().create_task(work, context=Context())

    async def _open(self, url: str) -> PageDriver:
        browser = self._driver.browser
        call = Call("tabs_open", actor="agent", destination=screen_url(url))
        opening = PreparedAction(call, {"url": "about:blank", "wait": "load", "active": False})
        opened = await browser.gateway.run(replace(opening, run=self._review.key))
        await browser.refresh_tabs()
        return browser.page(Tab.model_validate(opened["tab"]).id)

    async def _close(self, opening: asyncio.Task[PageDriver]) -> None:
        with suppress(SkillbookError):  # the browser or the tab is gone
            page = await opening
            if not page.closed:
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
            if target != url:
                self.result.links.setdefault((url, target), node)
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

    async def _end(self, start: str, lost: str) -> None:
        import networkx as nx

        result, graph = self.result, self.result.graph
        seen = [url for url, _ in _seen(graph)]
        best = max(seen, key=lambda url: (graph.nodes[url]["status"] == "found", graph.nodes[url]["score"]))
        way = nx.shortest_path(graph, start, best)
        labels = ["", *(graph.edges[edge]["label"] for edge in pairwise(way))]
        result.path = list(zip(way, labels, strict=True))
        if not result.found:
            is_spent = self._opened >= self._pages
            ended = f"the budget of {self._pages} pages is spent" if is_spent else "no link is left"
            result.why = f"{lost or ended}; nearest is {best}"
            return
        result.why = f"at {best}"
        if best == start or not self._opens:
            return
        try:
            await self._driver.act("goto", url=best, wait="load", actor="agent", run=self._review.key)
        except (Stopped, ConnectionLost):
            raise
        except SkillbookError as error:
            result.why += f", which did not open in this tab: {error.message}"


def _seen(graph: nx.DiGraph[str]) -> list[tuple[str, dict[str, Any]]]:
    return [(url, data) for url, data in graph.nodes(data=True) if data["status"] in _SEEN]


def _label_of(graph: nx.DiGraph[str], url: str) -> str:
    """What the first link to a page says."""
    return next((label for _, _, label in graph.in_edges(url, data="label") if label), "")
