"""From what a caller names — a ref, a node, an element, a role selector — to a ref on the page."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, runtime_checkable

from skillbook.errors import InvalidParams, SkillbookError, StaleRef, UnknownRef
from skillbook.perception.nodes import Node
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.commands import COMMANDS
from skillbook.protocol.refs import is_ref


@runtime_checkable
class HasRef(Protocol):
    """Anything with a ref: a `Node` of a snapshot, or an `Element` of a page."""

    @property
    def ref(self) -> str | None: ...


Target: TypeAlias = str | HasRef


@dataclass(frozen=True)
class Resolved:
    """A target found: its ref, and the node in the last snapshot where it is known."""

    ref: str
    node: Node | None

    def describe(self) -> dict[str, Any]:
        """What the journal keeps of it."""
        if self.node is None:
            return {"ref": self.ref}
        return {"ref": self.ref, "role": self.node.role, "name": self.node.name}


def ref_of(target: Target, page: object, documents: Iterable[str]) -> str | None:
    """The ref that a target carries, or None where it is a role selector.

    Raises
    ------
    StaleRef : it is an element of another page.
    InvalidParams : it is no target at all.
    """
    if isinstance(target, str):
        return target if is_ref(target) else None
    owner = getattr(target, "driver", None)
    snapshot = getattr(target, "snapshot", None)
    if owner is not None and owner is not page:
        raise StaleRef("that element belongs to another page", hint="use the page it came from")
    if isinstance(snapshot, Snapshot) and not {doc.key for doc in snapshot.documents} & set(documents):
        raise StaleRef("that node belongs to another page or to a document that is gone")
    ref = getattr(target, "ref", None)
    if not isinstance(ref, str):
        raise InvalidParams(
            f"{target!r} can't be a target",
            hint="give a ref, an Element, a Node with a ref, or a role selector",
        )
    return ref


def node_of(snapshot: Snapshot | None, ref: str) -> Node | None:
    """The node of a ref in a snapshot, or None."""
    return snapshot[ref] if snapshot is not None and ref in snapshot else None


def known_node(snapshot: Snapshot | None, target: str) -> Node:
    """The node of a ref or role selector in a snapshot.

    Raises
    ------
    UnknownRef, StaleRef, NoMatch, AmbiguousMatch.
    """
    if snapshot is None:
        raise UnknownRef("there is no snapshot yet", hint="take one with page.snapshot()", ref=target)
    if not is_ref(target):
        return snapshot.find(target)
    if target not in snapshot:
        raise StaleRef(f"{target} isn't on the page any more", ref=target, url=snapshot.url)
    return snapshot[target]


def was_remounted(error: SkillbookError, command: str, target: Target | None) -> bool:
    """Whether a field was replaced before it got its text, and the target names the one that is there now.

    A ref names one element for good. Other commands could happen twice.
    """
    if not isinstance(target, str) or is_ref(target):
        return False
    spec = COMMANDS[command]
    lost = error.data.get("reason") == "focus_lost"
    if spec.sets_value:
        return spec.edits_text and (lost or isinstance(error, StaleRef))
    return spec.edits_text and lost and error.data.get("reached") == 0


def holds(snapshot: Snapshot, condition: str, value: str) -> bool:
    """Whether a snapshot shows what is waited for: a "selector", a "text", or the lack of one ("text_gone")."""
    if condition == "selector":
        return bool(snapshot.find_all(value))
    return snapshot.has_text(value) == (condition == "text")
