"""One node of a snapshot."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from skillbook.perception.escape import quote
from skillbook.perception.roles import LANDMARKS
from skillbook.protocol.refs import make_ref
from skillbook.protocol.snapshot import State

if TYPE_CHECKING:
    from skillbook.perception.snapshot import Snapshot

_NO_STATES = State.ACTIONABLE | State.INLINE
_STATE_NAMES = [(int(state), str(state.name).lower()) for state in State if not state & _NO_STATES]
_NO_EXTRA: Mapping[str, Any] = {}


class Box(NamedTuple):
    """A rectangle in CSS pixels, in the main document's viewport."""

    x: int
    y: int
    width: int
    height: int


class Node:
    """One element or text run of a `Snapshot`; made on demand, equal while snapshot and place are the same.

    What few nodes have is an attribute too, `None` where the page doesn't say: `value`, `description`,
    `placeholder`, `href`, `src`, `type`, `level`, `test_id`, `html_id`, `html_name`.
    """

    __slots__ = ("index", "snapshot")

    def __init__(self, snapshot: Snapshot, index: int) -> None:
        self.snapshot = snapshot
        self.index = index

    @property
    def role(self) -> str:
        """The ARIA role; "text" for a text run, "generic" for an element without one."""
        return self.snapshot.columns.role[self.index]

    @property
    def name(self) -> str:
        """The accessible name; a text run's text."""
        return self.snapshot.columns.name[self.index]

    @property
    def ref(self) -> str | None:
        """The ref to act on it with; text runs have none."""
        number = self.snapshot.columns.number[self.index]
        return make_ref(self.frame, number) if number else None

    @property
    def frame(self) -> int:
        """0 in the main document, else the n of its refs' prefix fn."""
        return self.snapshot.columns.document_at(self.index).frame

    @property
    def flags(self) -> State:
        """Its true-or-false states as the wire carries them."""
        return State(self.snapshot.columns.flags[self.index])

    @property
    def states(self) -> frozenset[str]:
        """Names of the states that hold, such as "disabled", "checked", "offscreen"."""
        flags = self.snapshot.columns.flags[self.index]
        return frozenset(name for bit, name in _STATE_NAMES if flags & bit)

    @property
    def actionable(self) -> bool:
        """Whether one can act on it."""
        return bool(self.snapshot.columns.flags[self.index] & State.ACTIONABLE)

    @property
    def extra(self) -> Mapping[str, Any]:
        """Everything else that the page says of it (`protocol.snapshot.NodeExtra`)."""
        return self.snapshot.columns.extra.get(self.index, _NO_EXTRA)

    @property
    def value(self) -> str | None:
        """A field's value."""
        return self.extra.get("value")

    @property
    def description(self) -> str | None:
        """The accessible description."""
        return self.extra.get("description")

    @property
    def placeholder(self) -> str | None:
        """A field's placeholder."""
        return self.extra.get("placeholder")

    @property
    def href(self) -> str | None:
        """Where a link goes."""
        return self.extra.get("href")

    @property
    def src(self) -> str | None:
        """Where an image or frame comes from."""
        return self.extra.get("src")

    @property
    def type(self) -> str | None:
        """An input's type."""
        return self.extra.get("type")

    @property
    def level(self) -> int | None:
        """A heading's or tree item's level."""
        return self.extra.get("level")

    @property
    def test_id(self) -> str | None:
        """The test id that the page's authors gave it."""
        return self.extra.get("test_id")

    @property
    def html_id(self) -> str | None:
        """The id attribute."""
        return self.extra.get("html_id")

    @property
    def html_name(self) -> str | None:
        """The name attribute."""
        return self.extra.get("html_name")

    @property
    def tag(self) -> str:
        """The element's tag name; empty for text runs."""
        return self.snapshot.columns.tag[self.index].partition(".")[0]

    @property
    def classes(self) -> tuple[str, ...]:
        """The element's classes."""
        return tuple(self.snapshot.columns.tag[self.index].split(".")[1:])

    @property
    def box(self) -> Box:
        """Where it is, in the main document's viewport."""
        return self.snapshot.box_of(self.index)

    @property
    def parent(self) -> Node | None:
        """The node around it; a frame's document is inside the frame's node."""
        parent = self.snapshot.parents[self.index]
        return None if parent < 0 else self.snapshot.nodes[parent]

    @property
    def children(self) -> Sequence[Node]:
        """The nodes directly inside it."""
        nodes = self.snapshot.nodes
        return [nodes[index] for index in self.snapshot.child_indexes(self.index)]

    @property
    def ancestors(self) -> Iterator[Node]:
        """The nodes around it, nearest first."""
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

    @property
    def text(self) -> str:
        """The visible text inside it, on one line."""
        return self.snapshot.text_of(self.index)

    @property
    def label(self) -> str:
        """Its name, else its text."""
        return self.name or self.text

    @property
    def landmark(self) -> str | None:
        """The role of the nearest landmark around it."""
        return next((node.role for node in self.ancestors if node.role in LANDMARKS), None)

    @property
    def path(self) -> str:
        """The roles around it, outermost first, without the meaningless ones."""
        steps = [self, *(node for node in self.ancestors if node.role not in {"generic", "document", "none"})]
        return " > ".join(
            f"{node.role} {quote(node.name)}" if node.name else node.role for node in reversed(steps)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Node):
            return NotImplemented
        return self.snapshot is other.snapshot and self.index == other.index

    def __hash__(self) -> int:
        return hash((id(self.snapshot), self.index))

    def __repr__(self) -> str:
        name = f" {quote(self.name)}" if self.name else ""
        ref = f" [ref={self.ref}]" if self.ref else ""
        return f"<{self.role}{name}{ref}>"
