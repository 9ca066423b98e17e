"""How two descriptions of one page differ: the engines' snapshots, or a snapshot and what Chrome says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from skillbook.perception import Node, Snapshot
from skillbook.protocol.snapshot import State
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


def _said(node: Node | None) -> str:
    return f"{node.role} {node.name!r}" if node else ""


BEHIND = "behind a modal dialog"


def _about(one: Node | None, other: Node | None) -> str:
    """Tag and reasons, and whether the cdp engine has it behind a modal dialog."""
    node = one or other
    assert node is not None
    why = node.extra.get("why") or (other or node).extra.get("why")
    behind = State.OBSCURED in State((other or node).flags)
    return f"<{node.tag}>" + (f" why {','.join(why)}" if why else "") + (f" {BEHIND}" if behind else "")


def compare_engines(dom: Snapshot, cdp: Snapshot) -> Findings:
    """Interactive elements, and every shared node's role and name."""
    found = Findings()
    firsts, seconds = _by_ref(dom), _by_ref(cdp)
    for ref in {**firsts, **seconds}:
        one, other = firsts.get(ref), seconds.get(ref)
        sides = _said(one), _said(other), _about(one, other)
        acts, acts_too = bool(one and one.actionable), bool(other and other.actionable)
        if acts or acts_too:
            found.compared[ELEMENTS] += 1
            if acts != acts_too:
                kind = "only second" if acts_too else "only first"
                found.differences.append(Difference(ELEMENTS, kind, *sides))
        if one is None or other is None:
            continue
        found.compared[ROLES] += 1
        found.compared[NAMES] += 1
        if one.role != other.role:
            found.differences.append(Difference(ROLES, "role", *sides))
        if one.name != other.name:
            found.differences.append(Difference(NAMES, "name", *sides))
    return found


def compare_chrome(dom: Snapshot, chrome: Iterable[AxNode]) -> Findings:
    """Chrome's interactive nodes in the dom engine's snapshot: there, with the same roles and names."""
    found = Findings()
    nodes = _by_ref(dom)
    for theirs in chrome:
        ours = nodes.get(theirs.ref or "")
        said = f"{theirs.role} {theirs.name!r}"
        found.compared[CHROME_ELEMENTS] += 1
        if ours is None:
            found.differences.append(Difference(CHROME_ELEMENTS, "only second", "", said, theirs.html))
            continue
        found.compared[CHROME_ROLES] += 1
        found.compared[CHROME_NAMES] += 1
        if ours.role != theirs.role:
            found.differences.append(Difference(CHROME_ROLES, "role", _said(ours), said, theirs.html))
        if ours.name != theirs.name:
            found.differences.append(Difference(CHROME_NAMES, "name", _said(ours), said, theirs.html))
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
