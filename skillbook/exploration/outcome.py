"""What an exploration found: the states of a site, and the way to the goal."""

from __future__ import annotations

from base64 import b64encode
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from html import escape
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from skillbook.errors import InvalidInput
from skillbook.exploration.graph_drawing import draw
from skillbook.exploration.moves import Press, state_key
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
