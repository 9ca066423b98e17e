"""What is kept of a site: the pages that explorations saw, and where one was that was cut short."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

from skillbook.exploration.page_states import Press
from skillbook.limits import DAY_SECONDS
from skillbook.storage import caching, private_folder, write_private

if TYPE_CHECKING:
    import networkx as nx

Pages = Mapping[str, tuple[str, str]]
_MOST = 2000
_VERSION = 2
_BROKEN = (OSError, ValueError, AttributeError, TypeError, KeyError)


class SiteFile:
    """The two files of a site; what can't be read is nothing known, what can't be written isn't kept, with a warning.

    home: skillbook's folder.
    """

    def __init__(self, home: Path, origin: str) -> None:
        parts = urlsplit(origin)
        name = f"{parts.scheme}-{parts.hostname}-{parts.port or 'default'}"
        self._pages = home / "sites" / f"{name}.json"
        self._unfinished = home / "sites" / f"{name}.unfinished.json"

    def pages(self) -> dict[str, tuple[str, str]]:
        """Title and link label of each page by its address."""
        with suppress(*_BROKEN):
            kept = json.loads(self._pages.read_text(encoding="utf-8"))
            if kept.get("version") == _VERSION:
                return {str(url): (str(title), str(label)) for url, (title, label) in kept["pages"].items()}
        return {}

    def keep_pages(self, pages: Pages, gone: Iterable[str] = ()) -> None:
        """Add pages to what is known, the newest last, and take away those that are gone."""
        known = self.pages()
        for url in [*pages, *gone]:
            known.pop(url, None)
        known |= pages
        _write(self._pages, {"version": _VERSION, "pages": dict(list(known.items())[-_MOST:])})

    def keep_unfinished(self, words: str, start: str, begun: str, graph: nx.DiGraph[str]) -> None:
        """Keep an exploration that is under way, so that it can go on in another kernel.

        words, start: its goal, and where it began.
        begun: what the start looked like, signed in or not: another start is another exploration.
        """
        nodes = [dict(data) for _, data in graph.nodes(data=True)]
        edges = [[a, b, label] for a, b, label in graph.edges(data="label")]
        facts = {"words": words, "start": start, "begun": begun, "at": time.time()}
        _write(self._unfinished, {"version": _VERSION, **facts, "nodes": nodes, "edges": edges})

    def load_unfinished(self, words: str, start: str, begun: str, graph: nx.DiGraph[str]) -> bool:
        """Fill a graph with what an exploration knew that was cut short; whether there was one."""
        from skillbook.exploration.outcome import add_state

        with suppress(*_BROKEN):
            kept = json.loads(self._unfinished.read_text(encoding="utf-8"))
            same = (kept["version"], kept["words"], kept["start"], kept["begun"]) == (
                _VERSION,
                words,
                start,
                begun,
            )
            # For how long an exploration that was cut short can go on.
            if not same or not 0 <= time.time() - kept["at"] < DAY_SECONDS:
                return False
            nodes = [_node(data) for data in kept["nodes"]]
            edges = [(str(a), str(b), str(label)) for a, b, label in kept["edges"]]
            for url, presses, data in nodes:
                add_state(graph, url, presses, **data)
            graph.add_edges_from(
                (a, b, {"label": label}) for a, b, label in edges if a in graph and b in graph
            )
            return True
        return False

    def drop_unfinished(self) -> None:
        """Nothing is left to go on with."""
        with suppress(OSError):
            self._unfinished.unlink(missing_ok=True)


def _node(data: dict[str, Any]) -> tuple[str, tuple[Press, ...], dict[str, Any]]:
    facts: dict[str, Any] = {name: str(data[name]) for name in ("title", "status", "why")}
    facts |= {"depth": int(data["depth"]), "score": float(data["score"])}
    if data["status"] == "seen":
        facts |= {name: float(data[name]) for name in ("closeness", "exact")}
        facts |= {"mark": str(data["mark"]), "text": str(data["text"])}
    return str(data["url"]), tuple(Press(str(one), str(label)) for one, label in data["presses"]), facts


def _write(file: Path, data: Any) -> None:
    with caching(file):
        private_folder(file.parent)
        write_private(file, json.dumps(data, ensure_ascii=False))
