"""A picture of the pages that an exploration saw: a column for each step from the start, the path in bold."""

from __future__ import annotations

import base64
from base64 import b64encode
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import InvalidInput
from skillbook.exploration.page_states import Press, state_key
from skillbook.goals import Goal
from skillbook.journal.trace_file import Trace, Traced, TraceStep
from skillbook.policy.secrets import store
from skillbook.skill.authoring.skill_writer import save_recording
from skillbook.skill.recording.recorded_steps import RecordedStep, Recording

if TYPE_CHECKING:
    import networkx as nx
    import pandas as pd

    from skillbook.perception.nodes.base_snapshot import Node
    from skillbook.session.page.request_log import NetworkRequest
    from skillbook.skill.facade import Skill


_WIDTH, _COLUMN = 180, 230
_CAPTION, _THUMBNAIL = 26, 80
_GAP = 10
_MOST_ROWS, _MOST_ROWS_WITH_THUMBNAILS = 14, 7
_MOST_THUMBNAILS = 16
"""A saved notebook keeps them: each is some 3 kB."""
_MOST_LETTERS = 24
_MARGIN = 10

Pages = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True)
class _Box:
    """A page's place; its thumbnail is above its title."""

    x: int
    y: int
    thumbnail: bytes

    @property
    def height(self) -> int:
        return _CAPTION + (_THUMBNAIL if self.thumbnail else 0)


def draw(
    pages: Pages,
    edges: Collection[tuple[str, str]],
    path: Sequence[str],
    thumbnails: Mapping[str, bytes] | None = None,
) -> str:
    """The picture as SVG; titles are page text and escaped.

    pages: title, depth and status by address; only those that were seen are drawn.
    path: the addresses on the way that was found.
    thumbnails: JPEG screenshots by address; those of the path, and of the pages seen first, are shown.
    """
    known = thumbnails or {}
    with_thumbnail = [*(url for url in path if url in known), *(url for url in pages if url in known)]
    shown = {url: known[url] for url in list(dict.fromkeys(with_thumbnail))[:_MOST_THUMBNAILS]}
    columns: dict[int, list[str]] = {}
    for url, data in pages.items():
        columns.setdefault(data["depth"], []).append(url)
    boxes: dict[str, _Box] = {}
    more, bottom = [], 0
    for depth, urls in columns.items():
        placed, y = _place(depth, urls, path, shown)
        boxes |= placed
        if len(urls) > len(placed):
            more.append(_words(depth, y, f"and {len(urls) - len(placed)} more"))
            y += _CAPTION
        bottom = max(bottom, y)
    on_path = set(pairwise(path))
    lines = [_line(boxes[a], boxes[b], (a, b) in on_path) for a, b in _tree(edges, boxes, on_path)]
    drawn = [_draw_box(box, pages[url], url, url in path) for url, box in boxes.items()]
    width = _MARGIN + max(box.x for box in boxes.values()) + _WIDTH + _MARGIN
    look = f"max-width: {width}px; width: 100%"
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {bottom + _MARGIN}" style="{look}" role="img" '
        f'aria-label="The pages that were seen" font-family="system-ui, sans-serif" font-size="12" fill="none" '
        f'stroke="currentColor">{"".join([*lines, *drawn, *more])}</svg>'
    )


def _place(
    depth: int, urls: Sequence[str], path: Collection[str], shown: Mapping[str, bytes]
) -> tuple[dict[str, _Box], int]:
    """A column's boxes, the path's first, and where the column ends."""
    most = _MOST_ROWS_WITH_THUMBNAILS if shown else _MOST_ROWS
    first = sorted(urls, key=lambda url: (url not in path, url not in shown))
    boxes, y = {}, _MARGIN
    for url in first[:most]:
        boxes[url] = _Box(_MARGIN + depth * _COLUMN, y, shown.get(url, b""))
        y += boxes[url].height + _GAP
    return boxes, y


def _tree(
    edges: Collection[tuple[str, str]],
    boxes: Mapping[str, _Box],
    path: Collection[tuple[str, str]],
) -> list[tuple[str, str]]:
    """One edge into each page, from a column before it: that of the path, else the first."""
    into: dict[str, tuple[str, str]] = {}
    for a, b in sorted(edges, key=lambda edge: edge not in path):
        if a in boxes and b in boxes and boxes[a].x < boxes[b].x:
            into.setdefault(b, (a, b))
    return list(into.values())


def _line(a: _Box, b: _Box, bold: bool) -> str:
    x, y, to_x, to_y = a.x + _WIDTH, a.y + a.height // 2, b.x, b.y + b.height // 2
    middle = (x + to_x) // 2
    look = 'stroke-width="2.5"' if bold else 'stroke-opacity="0.35"'
    return f'<path d="M{x} {y} C{middle} {y} {middle} {to_y} {to_x} {to_y}" {look}/>'


def _draw_box(box: _Box, data: Mapping[str, Any], url: str, bold: bool) -> str:
    title = data["title"] or url
    text = title if len(title) <= _MOST_LETTERS else f"{title[: _MOST_LETTERS - 1]}…"
    look = 'stroke-width="2.5"' if bold else 'stroke-opacity="0.5"'
    found = ' fill="#2a9d5c" fill-opacity="0.25"' if data["status"] == "found" else ""
    image = ""
    if box.thumbnail:
        data_url = f"data:image/jpeg;base64,{base64.b64encode(box.thumbnail).decode()}"
        image = (
            f'<image x="{box.x + 1}" y="{box.y + 1}" width="{_WIDTH - 2}" height="{_THUMBNAIL - 1}" '
            f'preserveAspectRatio="xMidYMin slice" href="{data_url}"/>'
        )
    x, y = box.x + 8, box.y + box.height - 9
    return (
        f"<g><title>{escape(f'{title} {url}')}</title>{image}"
        f'<rect x="{box.x}" y="{box.y}" width="{_WIDTH}" height="{box.height}" rx="5" {look}{found}/>'
        f'<text x="{x}" y="{y}" stroke="none" fill="currentColor">{escape(text)}</text></g>'
    )


def _words(depth: int, y: int, words: str) -> str:
    x = _MARGIN + depth * _COLUMN + 8
    return f'<text x="{x}" y="{y + 17}" stroke="none" fill="currentColor" fill-opacity="0.7">{words}</text>'


SEEN = frozenset({"seen", "found"})
_FEWEST = 2


@dataclass
class Exploration(Traced):
    """What an exploration found; in a notebook, its pages as a table.

    Attributes
    ----------
    goal, words : the predicate that was looked for, and the words that it was given in.
    found : whether a page has it; that page is open in the tab then.
    path : the states and labels on the way there, or to the page that came nearest. A state is an address; where
        controls were pressed on the page, their labels follow it.
    graph : a networkx `DiGraph` of the states; edges have the label of the link or control.
    why : why it ended.
    candidates : addresses that may all be meant, where nothing says which one; then nothing is found.
    nodes : the links and controls that were seen, by the states that they lead from and to.
    thumbnails : small JPEG screenshots of the states that were looked at, where a notebook shows them, or if the
        setting `thumbnails` is "all".
    requests : what the pages sent while they were looked at.
    """

    goal: Goal
    graph: nx.DiGraph[str]
    words: str = ""
    found: bool = False
    why: str = ""
    path: list[tuple[str, str]] = field(default_factory=list)
    candidates: list[str] = field(default_factory=list)
    nodes: dict[tuple[str, str], Node] = field(default_factory=dict, repr=False)
    thumbnails: dict[str, bytes] = field(default_factory=dict, repr=False)
    requests: dict[str, tuple[NetworkRequest, ...]] = field(default_factory=dict, repr=False)

    @property
    def address(self) -> str:
        """The address of the page that was found or came nearest; empty before there is one."""
        return self.graph.nodes[self.path[-1][0]]["url"] if self.path else ""

    @property
    def presses(self) -> tuple[Press, ...]:
        """What is pressed on that page to come to the state that was found."""
        return self.graph.nodes[self.path[-1][0]]["presses"] if self.path else ()

    @property
    def opened(self) -> int:
        """How many states were looked at."""
        return sum(1 for _ in self.seen())

    def seen(self) -> Iterator[tuple[str, dict[str, Any]]]:
        """The states that were looked at, with what is known of them."""
        return ((key, data) for key, data in self.graph.nodes(data=True) if data["status"] in SEEN)

    def label_to(self, key: str) -> str:
        """What the first link to a state says."""
        return next((label for _, _, label in self.graph.in_edges(key, data="label") if label), "")

    @property
    def frame(self) -> pd.DataFrame:
        """The states, a row each: address, title, depth, score, status and why."""
        import pandas as pd

        columns = ["title", "depth", "score", "status", "why"]
        rows = [[url, *(data[name] for name in columns)] for url, data in self.graph.nodes(data=True)]
        return pd.DataFrame(rows, columns=["address", *columns])

    def picture(self) -> str:
        """The states that were seen as SVG, the way in bold if there is one; empty before any was."""
        seen = dict(self.seen())
        several = Counter(data["title"] for data in seen.values())
        named = {
            key: {
                **data,
                "title": data["title"] if several[data["title"]] == 1 else self.label_to(key) or key,
            }
            for key, data in seen.items()
        }
        if not seen:
            return ""
        way = [key for key, _ in self.path] if self.found else []
        return draw(named, list(self.graph.edges), way, self.thumbnails)

    def _repr_html_(self) -> str:
        table = self.frame.to_html(notebook=True)
        details = f"<details><summary>Every page</summary>{table}</details>"
        return f"<p>{escape(repr(self))}</p>{self.picture()}{details}"

    def save_skill(
        self,
        name: str,
        folder: Path | str = "skills",
        *,
        description: str | None = None,
        overwrite: bool = True,
    ) -> Skill:
        """Save the way to what was found as a skill that goes there by the same links and controls.

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
        steps = tuple(self._step(before, after) for before, after in pairwise(key for key, _ in self.path))
        goal = self.words or repr(self.goal)
        recording = Recording(goal, steps, held=True, by_hand=True)
        return save_recording(recording, name, folder, description=description, overwrite=overwrite)

    def _trace(self) -> Trace:
        way = [key for key, _ in self.path]
        steps = [self._traced(key, data, key in way) for key, data in self.seen()]
        facts = [
            ("Status", "found" if self.found else "not found"),
            ("Why it ended", self.why),
            ("Way", " → ".join(label or key for key, label in self.path)),
        ]
        return Trace(f"Exploration: {self.words or self.goal!r}", facts, steps, store.redact_kept)

    def _traced(self, key: str, data: Mapping[str, Any], is_on_the_way: bool) -> TraceStep:
        facts = [
            ("Address", str(data["url"])),
            ("Reached by", self.label_to(key)),
            ("Score", f"{data['score']:.2f}"),
            ("Depth", str(data["depth"])),
            ("Why", str(data["why"])),
        ]
        small = self.thumbnails.get(key)
        image = ("image/jpeg", b64encode(small).decode("ascii")) if small else None
        status: Literal["ok", "declined"] = "ok" if is_on_the_way else "declined"
        requests = [one.row for one in self.requests.get(key, ())]
        return TraceStep(str(data["title"] or key), status, facts, requests=requests, image=image)

    def _step(self, before: str, after: str) -> RecordedStep:
        """What leads from one state to the next; a page known from before is gone to by its address."""
        node, known = self.nodes.get((before, after)), self.graph.nodes
        was, now = known[before]["url"], known[after]["url"]
        if node is not None:
            return RecordedStep("click", {}, node, url_before=was, url_after=now, before=node.snapshot)
        if known[after]["presses"]:
            raise InvalidInput(f"how to come to {after} isn't known any more", hint="explore it anew")
        return RecordedStep("goto", {"url": now}, url_before=was, url_after=now)

    def __repr__(self) -> str:
        ended = "found" if self.found else "not found"
        return f"<Exploration {ended} {self.goal!r}: {self.opened} pages, {self.why}>"


def add_state(
    graph: nx.DiGraph[str], url: str, presses: tuple[Press, ...] = (), **facts: Any
) -> dict[str, Any]:
    """Put a state into the graph, or say more of one; returns what is known of it."""
    key = state_key(url, presses)
    if key not in graph:
        new = {"title": "", "depth": 0, "score": 0.0, "status": "waiting", "why": ""}
        graph.add_node(key, **new, url=url, presses=presses)
    data: dict[str, Any] = graph.nodes[key]
    data.update(facts)
    return data


async def pages_of_goal(result: Exploration, words: str, least: float, chooser: Any = None) -> list[str]:
    """The states that say a goal most exactly; several where nothing shows which of them it is.

    Of states with one text the first counts, of a page and a state of it, or the same with parameters, as when it is
    sorted, the page; and those whose title or main heading says just the goal before those that only a link calls so.
    Where that leaves several, the chooser may choose.
    """
    seen = dict(result.seen())
    most = max((data["closeness"] for data in seen.values()), default=0.0)
    if most < least:
        return []
    texts: dict[str, str] = {}
    for key, data in seen.items():
        if data["closeness"] == most:
            texts.setdefault(data["text"], key)
    fitting = [
        key for key in texts.values() if not seen[key]["presses"] or seen[key]["url"] not in texts.values()
    ]
    plain = {seen[key]["url"] for key in fitting}
    fitting = [key for key in fitting if key.partition("?")[0] == key or key.partition("?")[0] not in plain]
    fitting = [key for key in fitting if seen[key]["exact"] == 1] or fitting
    if len(fitting) > 1 and chooser is not None:
        lines = [f"{seen[key]['title']}, by the link {result.label_to(key)!r} ({key})" for key in fitting]
        chosen = await chooser.choose(f"Which of these pages is meant by this goal: {words}?", lines, 1)
        fitting = [fitting[at] for at in chosen[:1]] or fitting
    return fitting
