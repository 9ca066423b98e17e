"""What a caller saw of a control: its name and the record around it, which go with the call to the press."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.record_around import record_around
from skillbook.policy.secrets import MASK
from skillbook.protocol.envelopes import SeenTarget
from skillbook.session.action import Resolved
from skillbook.session.page.documents import node_of

Seen: TypeAlias = Callable[[str], "Node | None"]
"""Gives a ref's node as the caller saw it last."""


class ShownControls:
    """What a person saw of a page's controls: the snapshot that they were shown last.

    What their own action made of a control's name, its result said.
    """

    def __init__(self) -> None:
        self._shown: BaseSnapshot | None = None
        self._named: dict[str, Node] = {}

    def show(self, snapshot: BaseSnapshot) -> None:
        """The person sees the whole page."""
        self._shown = snapshot
        self._named.clear()

    def acted_on(self, node: Node | None) -> None:
        """The person acted on a control, which is this now."""
        if node is not None and node.ref:
            self._named[node.ref] = node

    def renamed(self, ref: str) -> str | None:
        """What the person's own action made of a control's name; None if it had none."""
        return self._named[ref].name if ref in self._named else None

    def frozen(self, latest: BaseSnapshot | None, seen: Seen | None = None) -> Seen:
        """What was seen so far, by a person or, as `seen` says, by an agent.

        `latest` has the controls of which they saw nothing.
        """
        shown = self._shown if seen is None else None

        def look_up(ref: str) -> Node | None:
            known = seen(ref) if seen is not None else node_of(shown, ref)
            return known or node_of(latest, ref)

        return look_up


def seen_of(target: object, found: Resolved, seen: Seen, renamed: str | None = None) -> SeenTarget | None:
    """What goes with a call on a control; None if nothing is known of it.

    Parameters
    ----------
    target : what the caller gave: a node or an element has what was seen of it; a ref is what was shown last; a
        selector is looked up on the page as it is.
    found : the control.
    seen : gives the node of a ref.
    renamed : what the caller's own action made of its name.
    """
    own = target if isinstance(target, Node) else getattr(target, "node", None)
    known = own or (seen(found.ref) if target == found.ref else None)
    node = known or found.node
    if node is None or node.snapshot.engine != "dom":
        return None
    # What a selector names was found on the page as it is.
    name = node.name if renamed is None or known is None else renamed
    record = record_around(node)
    if record is not None and any(MASK in text for text in (*record.texts, *record.links)):
        record = None
    return SeenTarget(name="" if MASK in name else name, record=record)
