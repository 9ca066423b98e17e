"""The default text for the model: its size, its time, and that `find` reaches what it leaves out."""

from __future__ import annotations

import random
import re
import time
from collections.abc import Iterator

from benchmarks.figures import Figure, race, tokens
from benchmarks.peers import Tab
from skillbook.errors import NoMatch
from skillbook.perception.nodes import Node
from skillbook.perception.selectors import build_locator
from skillbook.perception.snapshot import Snapshot

_REF = re.compile(r"\[ref=(f?\w+)\]")
_TRIED = 60
_SECONDS = 10.0


def measure(tab: Tab) -> Iterator[Figure]:
    """Looks for a random sample of what the text leaves out by a role selector that names it alone."""
    snapshot = tab.ours.snapshot()
    text = snapshot.text()
    yield Figure("tokens of the default text", tab.label, tokens(text), None, "tokens", "at most", 4000)
    took, _ = race(snapshot.text, lambda: None, tab.rounds)
    yield Figure("time of the default text", tab.label, took, None, "ms", "at most", 15)
    shown = set(_REF.findall(text))
    omitted = [node for node in snapshot.elements if node.ref not in shown]
    tried = random.Random(7).sample(omitted, min(_TRIED, len(omitted)))
    lost, looked, began = [], 0, time.monotonic()
    for node in tried:
        looked += 1
        if not _is_found(snapshot, node):
            lost.append(node)
        if time.monotonic() - began > _SECONDS:
            break
    reached = 100 * (1 - len(lost) / looked) if looked else 100.0
    note = f"{len(omitted):,} left out, {looked} looked for" + (f"; not found: {lost[:3]}" if lost else "")
    yield Figure("left out, found by `find`", tab.label, reached, None, "%", "at least", 100, note)


def _is_found(snapshot: Snapshot, node: Node) -> bool:
    """Whether a role selector names the element alone."""
    try:
        return snapshot.find(str(build_locator(node))) == node
    except NoMatch:
        return False
