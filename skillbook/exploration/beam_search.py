"""Beam search over a site's states in background tabs: what is tried next, what is noted, and when it is decided."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Protocol
from urllib.parse import unquote_plus, urljoin, urlsplit

from skillbook.config import load_settings
from skillbook.errors import ConnectionLost, SkillbookError, Stopped
from skillbook.exploration.outcome import SEEN, Exploration, add_state, pages_of_goal
from skillbook.exploration.page_states import (
    Move,
    Press,
    best_of,
    canonical,
    controls,
    fingerprint,
    link,
    opens_menu,
    path_template,
    press,
    refusal,
    state_key,
    template,
    text_digest,
    turns_pages,
)
from skillbook.exploration.site_memory_store import SiteFile
from skillbook.exploration.visits import NotSeen, Visits, apart
from skillbook.goals import Goal
from skillbook.goals.goal_words import covers, exactness, likeness
from skillbook.perception.escape import clean
from skillbook.perception.selectors import build_locator
from skillbook.perception.summary import PageSummary
from skillbook.policy.urls import origin_of
from skillbook.session.page_driver import PageDriver

TABS = 3
"""Tabs at once."""
PER_TEMPLATE = 8
"""Pages of one address template: a calendar has as many as there are days."""
PER_PATH = 24
"""Pages of one path with whatever parameters: a list has as many as its filters combine to."""
LEAST = 0.3
"""How exactly a page must say the goal to be found; one that says much else only comes near."""
_LIKE = 0.5
_OFFERED = 40


class LinkChooser(Protocol):
    """Chooses among things that are said in words; see `skillbook.agents.control.scout`."""

    async def choose(self, question: str, options: Sequence[str], most: int) -> list[int]:
        """The places of the options that fit best, the best first; empty where it doesn't know."""


class Watcher(Protocol):
    """Shows an exploration while it goes on.

    thumbnails: whether it shows what the pages look like.
    """

    thumbnails: bool

    def __call__(self, opened: int, ended: bool, /) -> object:
        """Called on the I/O thread with pages opened, and whether the search has ended."""


class Search:
    """One search.

    driver: the page where it begins, and which shows the page that was found.
    goal: what a page must have; `words` rank the links.
    beam, depth, pages, progress: as `sb.explore` has them.
    opens: whether the page shows what was found.
    remember: whether pages of earlier explorations are tried first, and this one's are kept for the next.
    chooser: chooses among links, and among pages that say the goal alike; words do where it is None.
    opened: how many pages were opened, the first one included.
    under_way: what is being looked at.
    listeners: called after each change, on the I/O thread.
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
        chooser: LinkChooser | None = None,
    ) -> None:
        import networkx as nx

        self.driver, self.words, self._chooser = driver, words, chooser
        self._beam, self.depth, self.pages = beam, depth, pages
        self._progress, self._opens = progress, opens
        self.result = Exploration(goal, nx.DiGraph(), words)
        origin = origin_of(driver.url)
        self._file = SiteFile(load_settings().home, origin) if remember and origin else None
        allowed = driver.browser.gateway.policy.allowed
        self._allowed = {origin} & allowed if origin else set()
        self._visits = Visits(driver, self._allowed)
        self._visits.requests = self.result.requests
        self._show_thumbnails(driver.browser.settings.thumbnails == "all")
        self._templates: Counter[str] = Counter()
        self.opened = 0
        self.under_way: list[Move] = []
        self.listeners: list[Callable[[], object]] = []
        self._watcher: Watcher | None = None

    def show_on(self, watcher: Watcher) -> None:
        """Have a watcher show the search, with thumbnails of the pages where it shows them."""
        self._watcher = watcher
        self._show_thumbnails(watcher.thumbnails or self.driver.browser.settings.thumbnails == "all")

    def _show_thumbnails(self, wanted: bool) -> None:
        self._visits.thumbnails = self.result.thumbnails if wanted else None

    async def run(self) -> Exploration:
        """Search, breadth by breadth, the best of each first; what was found is opened in the page itself."""
        browser = self.driver.browser
        before = set(browser.pages)
        try:
            with browser.gateway.stopping.operation(), browser.gateway.stopping.steps():
                with self.driver.measured("explore"):
                    await self._search()
        except BaseException:
            await asyncio.shield(apart(self._visits.close_blank(before)))
            raise
        finally:
            self._report(ended=True)
        return self.result

    def _report(self, *, ended: bool = False) -> None:
        if self._progress is not None and not ended:
            self._progress(self.opened, self.result.graph.number_of_nodes())
        if self._watcher is not None:
            self._watcher(self.opened, ended)
        self._changed()

    def _changed(self) -> None:
        for listener in list(self.listeners):
            listener()

    async def _search(self) -> None:
        summary = self.driver.summarize(await self.driver.snapshot())
        start = canonical(summary.url)
        self.opened = 1
        begun = f"{summary.login} {fingerprint(summary)}"
        moves = self._resume(start, begun)
        moves += self._take_in(start, (), summary, 0)
        await self._visits.take_thumbnail(self.driver, start)
        moves = self._known(start) + moves
        lost = ""
        try:
            while self._goes_on(moves):
                chosen = await self._choose(moves)
                rest = [one for one in moves if one not in chosen]
                moves = await self._visit(chosen[: self.pages - self.opened], rest, start, begun)
        except ConnectionLost as error:
            lost = error.message
        await self._end(start, lost)
        if self._file is not None and not lost and (self.result.found or not moves):
            self._file.drop_unfinished()

    def _goes_on(self, moves: Sequence[Move]) -> bool:
        return bool(moves) and self.opened < self.pages and not self._is_decided(moves)

    def _is_decided(self, moves: Sequence[Move]) -> bool:
        """Whether a page was seen that says the goal more exactly than any that is known by its label."""
        best = max((data.get("closeness", 0.0) for _, data in self.result.seen()), default=0.0)
        return best >= LEAST and not any(one.promise >= best for one in moves)

    async def _choose(self, moves: list[Move]) -> list[Move]:
        """What is tried next."""
        best = best_of(moves, self._beam)
        if self._chooser is None or len(moves) <= self._beam or best[0].promise == 1:
            return best
        offered = best_of(moves, _OFFERED)
        lines = [f"{one.label} ({unquote_plus(urlsplit(one.url).path)})" for one in offered]
        question = f"Which of these links or controls lead nearest to this goal: {self.words}?"
        chosen = await self._chooser.choose(question, lines, self._beam)
        return [offered[at] for at in chosen] or best

    async def _visit(self, moves: list[Move], rest: list[Move], start: str, begun: str) -> list[Move]:
        """Look at what moves lead to, a few at once; returns what is left to try."""
        while moves:
            await self.driver.browser.gateway.stopping.between_steps()
            part, moves = moves[:TABS], moves[TABS:]
            self.under_way = part
            self.opened += len(part)
            self._changed()
            # Every tab is closed before anything goes on, also where one of them fails.
            looks = (self._look(move) for move in part)
            seen = await asyncio.gather(*looks, return_exceptions=True)
            self.under_way = []
            for move, summary in zip(part, seen, strict=True):
                if isinstance(summary, NotSeen):
                    self.result.graph.nodes[move.key].update(status=summary.status, why=summary.why)
                elif isinstance(summary, BaseException):
                    raise summary
                else:
                    rest = rest + self._landed(move, summary)
            self._keep(start, begun)
            self._report()
            if self._is_decided([*moves, *rest]):
                break
        return [*moves, *rest]

    async def _look(self, move: Move) -> PageSummary:
        """Look at what a move leads to; the browser's metrics count it by depth, so that they show the breadth."""
        with self.driver.measured(f"explore depth {move.depth}"):
            return await self._visits.look(move)

    # --- what was seen --------------------------------------------------------------------------

    def _landed(self, move: Move, summary: PageSummary) -> list[Move]:
        """Note what a move led to; returns what may be tried there."""
        graph, landed = self.result.graph, canonical(summary.url)
        if landed == move.url:
            mark = fingerprint(summary)
            states = (data for _, data in self.result.seen() if data["url"] == landed)
            if move.presses and any(data["mark"] == mark for data in states):
                graph.nodes[move.key].update(status="nothing new", why="shows nothing that wasn't known")
                return []
            return self._take_in(move.url, move.presses, summary, move.depth)
        is_known = landed in graph and graph.nodes[landed]["status"] in SEEN
        graph.nodes[move.key].update(status="redirected", why=f"led to {landed}")
        add_state(graph, landed)
        graph.add_edge(move.source, landed, label=move.label)
        if (node := self.result.nodes.get((move.source, move.key))) is not None:
            self.result.nodes[move.source, landed] = node
        return [] if is_known else self._take_in(landed, (), summary, move.depth)

    def _take_in(self, url: str, presses: tuple[Press, ...], summary: PageSummary, depth: int) -> list[Move]:
        """Note a state that was seen; returns what may be tried on it and wasn't known."""
        goal = self.result.goal
        near = round(goal.nearness(summary), 3)
        exact = goal.closeness(summary) if goal.holds(summary) else 0.0
        # A page that has the goal, by a link that says just that, is as good as one whose title does.
        labels = self.result.graph.in_edges(state_key(url, presses), data="label") if exact else ()
        close = max([exact, *(exactness(label, self.words) for _, _, label in labels)])
        add_state(
            self.result.graph, url, presses, title=clean(summary.title), depth=depth, score=near, status="seen", why="",
            closeness=close, exact=exact, mark=fingerprint(summary), text=text_digest(summary) if close else "",
        )  # fmt: skip
        if depth >= self.depth:
            return []
        key = state_key(url, presses)
        return self._links(key, url, summary, depth, near) + self._controls(
            key, url, presses, summary, depth, near
        )

    def _links(self, key: str, url: str, summary: PageSummary, depth: int, near: float) -> list[Move]:
        graph, found = self.result.graph, []
        for node in summary.snapshot.elements:
            if node.role not in {"link", "menuitem", "treeitem", "tab"} or not node.href:
                continue
            target, label = canonical(urljoin(summary.url, node.href)), clean(node.label)[:80]
            if target != url:
                self.result.nodes.setdefault((key, target), node)
            if target in graph:
                if target not in {url, key} and not graph.has_edge(key, target):
                    graph.add_edge(key, target, label=label)
                continue
            # What says all of the goal's words is opened, however many there are of its kind.
            trap = "" if covers(label, self.words) else self._trap(target)
            why = trap or refusal(target, label, self._allowed)
            if why == "another origin":
                continue
            if why:
                add_state(graph, target, depth=depth + 1, status="left out", why=why)
            else:
                move = link(target, label, key, depth + 1, near, self.words)
                add_state(graph, target, depth=depth + 1, score=move.score)
                self._templates.update((template(target), path_template(target)))
                found.append(move)
            graph.add_edge(key, target, label=label)
        return found

    def _trap(self, url: str) -> str:
        """Why no more pages like this one are opened; empty where they are."""
        kind, path = template(url), path_template(url)
        if self._templates[kind] >= PER_TEMPLATE or (kind != path and self._templates[path] >= PER_PATH):
            return "too many pages of this kind"
        return ""

    def _controls(
        self, key: str, url: str, presses: tuple[Press, ...], summary: PageSummary, depth: int, near: float
    ) -> list[Move]:
        graph, found = self.result.graph, []
        kind = f"controls of {template(url)}"
        known = {
            data["presses"][-1]
            for _, data in graph.nodes(data=True)
            if data["url"] == url and data["presses"]
        }
        for node in controls(summary):
            control = Press(str(build_locator(node).selectors[0]), clean(node.label)[:80])
            way = (*presses, control)
            after = state_key(url, way)
            # What the page has without a press is tried there; only a pager is pressed again.
            if after in graph or (control in known and not turns_pages(control.label)):
                continue
            if self._templates[kind] >= PER_TEMPLATE:
                continue
            self._templates[kind] += 1
            move = press(url, way, key, depth + 1, near, self.words, menu=opens_menu(node))
            add_state(graph, url, way, depth=depth + 1, score=move.score)
            graph.add_edge(key, after, label=move.label)
            self.result.nodes[key, after] = node
            found.append(move)
        return found

    # --- what is known from before --------------------------------------------------------------

    def _keep(self, start: str, begun: str) -> None:
        """Keep what was seen for the next exploration, and where this one is, should it be cut short."""
        if self._file is None:
            return
        result = self.result
        seen = {
            key: (data["title"], result.label_to(key)) for key, data in result.seen() if not data["presses"]
        }
        gone = [
            key for key, data in result.graph.nodes(data=True) if data["status"] in {"failed", "redirected"}
        ]
        self._file.keep_pages(seen, gone)
        self._file.keep_unfinished(self.words, start, begun, result.graph)

    def _resume(self, start: str, begun: str) -> list[Move]:
        """Go on where an exploration for the same goal was cut short; what it saw isn't opened again."""
        graph = self.result.graph
        if self._file is None or not self._file.load_unfinished(self.words, start, begun, graph):
            return []
        moves = []
        for key, data in graph.nodes(data=True):
            source, _, label = next(iter(graph.in_edges(key, data="label")), ("", key, ""))
            if data["status"] == "waiting" and source and data["depth"] <= self.depth:
                promise = exactness(label, self.words)
                move = Move(
                    data["url"], label, source, data["depth"], data["score"], promise, data["presses"]
                )
                moves.append(move)
                self._templates.update((template(data["url"]), path_template(data["url"])))
        return moves

    def _known(self, start: str) -> list[Move]:
        """Pages that an earlier exploration saw and whose words fit: they may be gone, so they are looked at anew."""
        if self._file is None:
            return []
        graph, found = self.result.graph, []
        for url, (title, label) in self._file.pages().items():
            score = likeness(f"{label} {title} {unquote_plus(urlsplit(url).path)}", self.words)
            is_seen = url in graph and graph.nodes[url]["status"] in SEEN
            if is_seen or score < _LIKE or refusal(url, label, self._allowed):
                continue
            words = label or title
            if url not in graph:
                add_state(graph, url, title=title, depth=1, score=score, why="known from before")
            if not graph.has_edge(start, url):
                graph.add_edge(start, url, label=words)
            promise = max(exactness(one, self.words) for one in (label, title))
            found.append(Move(url, words, start, 1, round(score, 4), promise))
        return sorted(found, key=lambda one: (-one.score, one.url))[: self._beam]

    # --- the end --------------------------------------------------------------------------------

    async def _end(self, start: str, lost: str) -> None:
        import networkx as nx

        result, graph = self.result, self.result.graph
        fitting = await pages_of_goal(result, self.words, LEAST, self._chooser)
        best = fitting[0] if fitting else max(result.seen(), key=lambda one: one[1]["score"])[0]
        way = nx.shortest_path(graph, start, best)
        labels = ["", *(graph.edges[edge]["label"] for edge in pairwise(way))]
        result.path = list(zip(way, labels, strict=True))
        if len(fitting) > 1:
            result.candidates = fitting
            result.why = f"{len(fitting)} pages say it alike: {', '.join(fitting[:5])}"
        elif not fitting:
            is_spent = self.opened >= self.pages
            ended = f"the budget of {self.pages} pages is spent" if is_spent else "no link is left"
            result.why = f"{lost or ended}; nearest is {best}"
        else:
            result.why = f"at {best}"
            result.found = await self._shows(start, best)
        if result.found:
            graph.nodes[best]["status"] = "found"

    async def _shows(self, start: str, best: str) -> bool:
        """Whether the page that was found shows it in this tab as well."""
        if not self._opens or best == start:
            return True
        try:
            summary = await self._visits.show(self.result.address, self.result.presses)
        except (Stopped, ConnectionLost):
            raise
        except (SkillbookError, NotSeen) as error:
            reason = error.message if isinstance(error, SkillbookError) else error.why
            self.result.why += f", which did not open in this tab: {reason}"
            return False
        if not self.result.goal.holds(summary):
            self.result.why += ", which didn't show it any more in this tab"
            return False
        return True
