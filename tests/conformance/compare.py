"""How two descriptions of one page differ: the engines' snapshots, or a snapshot and what Chrome says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skillbook.perception import Node, Snapshot
from tests.conformance.chrome import AxNode, Listening


@dataclass(frozen=True)
class Difference:
    """One thing on which two descriptions differ.

    Attributes
    ----------
    category : what is compared, as the report names it.
    kind : "only first", "only second", "role", "name" or "not found".
    first, second : role and name on either side; empty where there is none.
    about : tag, reasons or HTML, for patterns and for readers.
    """

    category: str
    kind: str
    first: str
    second: str
    about: str
    page: str = ""

    def __str__(self) -> str:
        return f"[{self.page}] {self.category}, {self.kind}: {self.first} | {self.second} | {self.about}"


@dataclass
class Findings:
    """What was compared, by category, and how it differs; and the page as the dom engine saw it."""

    compared: Counter[str] = field(default_factory=Counter)
    differences: list[Difference] = field(default_factory=list)
    snapshot: Snapshot | None = None

    def add(self, other: Findings) -> None:
        """Take over another page's findings."""
        self.compared.update(other.compared)
        self.differences += other.differences


ELEMENTS = "engines: interactive elements"
ROLES = "engines: roles"
NAMES = "engines: names"
CHROME_ELEMENTS = "Chrome's tree: elements"
CHROME_ROLES = "Chrome's tree: roles"
CHROME_NAMES = "Chrome's tree: names"
LISTENERS = "listeners: cdp engine"
LISTENERS_DOM = "listeners: dom engine"


def _by_ref(snapshot: Snapshot) -> dict[str, Node]:
    return {node.ref: node for node in snapshot.nodes if node.ref}


def _told(node: Node | None) -> str:
    return f"{node.role} {node.name!r}" if node else ""


def _about(node: Node) -> str:
    why = node.extra.get("why")
    return f"<{node.tag}>" + (f" why {','.join(why)}" if why else "")


def compare_engines(dom: Snapshot, cdp: Snapshot) -> Findings:
    """Interactive elements, and every shared node's role and name."""
    found = Findings()
    firsts, seconds = _by_ref(dom), _by_ref(cdp)
    for ref in {**firsts, **seconds}:
        one, other = firsts.get(ref), seconds.get(ref)
        node = one or other
        assert node is not None
        acts, acts_too = bool(one and one.actionable), bool(other and other.actionable)
        if acts or acts_too:
            found.compared[ELEMENTS] += 1
            if acts != acts_too:
                side = other if acts_too else one
                assert side is not None
                kind = "only second" if acts_too else "only first"
                found.differences.append(Difference(ELEMENTS, kind, _told(one), _told(other), _about(side)))
        if one is None or other is None:
            continue
        found.compared[ROLES] += 1
        found.compared[NAMES] += 1
        if one.role != other.role:
            found.differences.append(Difference(ROLES, "role", _told(one), _told(other), _about(one)))
        if one.name != other.name:
            found.differences.append(Difference(NAMES, "name", _told(one), _told(other), _about(one)))
    return found


def compare_chrome(dom: Snapshot, chrome: Iterable[AxNode]) -> Findings:
    """Chrome's interactive nodes in the dom engine's snapshot: there, with the same roles and names."""
    found = Findings()
    nodes = _by_ref(dom)
    for theirs in chrome:
        ours = nodes.get(theirs.ref or "")
        told = f"{theirs.role} {theirs.name!r}"
        found.compared[CHROME_ELEMENTS] += 1
        if ours is None:
            found.differences.append(Difference(CHROME_ELEMENTS, "only second", "", told, theirs.html))
            continue
        found.compared[CHROME_ROLES] += 1
        found.compared[CHROME_NAMES] += 1
        if ours.role != theirs.role:
            found.differences.append(Difference(CHROME_ROLES, "role", _told(ours), told, theirs.html))
        if ours.name != theirs.name:
            found.differences.append(Difference(CHROME_NAMES, "name", _told(ours), told, theirs.html))
    return found


def compare_listeners(snapshots: Mapping[str, Snapshot], listening: Iterable[Listening]) -> Findings:
    """Whether each element that scripts listen on can be acted on: itself, or for it what is around it or in it."""
    found = Findings()
    acting = {
        LISTENERS: {node.ref for node in snapshots["cdp"].elements},
        LISTENERS_DOM: {node.ref for node in snapshots["dom"].elements},
    }
    for one in listening:
        for category, refs in acting.items():
            found.compared[category] += 1
            if one.ref in refs or refs.intersection(one.around) or refs.intersection(one.inside):
                continue
            reason = "delegated" if one.delegated else ",".join(one.kinds)
            found.differences.append(Difference(category, "not found", "", reason, one.html))
    return found
