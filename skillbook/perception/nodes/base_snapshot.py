"""The nodes of a page at one moment.

`BaseSnapshot` has the documents and nodes. What reads a page (its text, selectors, collections, differences) takes
one; `skillbook.perception.snapshot.Snapshot` offers all of that as methods.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, wraps
from typing import Any, Generic, NamedTuple, Self, TypeVar, cast, overload

from skillbook.errors import ProtocolError, UnknownRef
from skillbook.perception.escape import clean, clean_all, quote
from skillbook.perception.nodes.columns import (
    Columns,
    Document,
    SnapshotStats,
    count_tiers,
    find_cards,
    join_documents,
)
from skillbook.perception.nodes.document import DocumentSnapshot
from skillbook.perception.nodes.extents import Extents
from skillbook.perception.nodes.visible_text import visible_text
from skillbook.perception.roles import LANDMARKS
from skillbook.perception.site_hints import SiteHints
from skillbook.protocol.commands.page_tools import PageTool
from skillbook.protocol.refs import is_ref, make_ref, split_ref
from skillbook.protocol.snapshot import MissingFrame, SnapshotResult, State

_NO_STATES = State.ACTIONABLE | State.INLINE
_STATE_NAMES = [(int(state), str(state.name).lower()) for state in State if not state & _NO_STATES]
_NO_EXTRA: Mapping[str, Any] = {}
T = TypeVar("T")
S = TypeVar("S", bound="Node | BaseSnapshot")


class Box(NamedTuple):
    """A rectangle in CSS pixels, in the main document's viewport."""

    x: int
    y: int
    width: int
    height: int


class _Fact(Generic[T]):
    """What the page says of few nodes, as an attribute of all."""

    def __set_name__(self, _: type, name: str) -> None:
        self._name = name

    def __get__(self, node: Node | None, _: type) -> T | None:
        return None if node is None else node.extra.get(self._name)


class Node:
    """One element or text run of a `Snapshot`; made on demand, equal while snapshot and place are the same.

    What few nodes have is an attribute too, `None` where the page doesn't say: `value`, `description`,
    `placeholder`, `href`, `src`, `type`, `level`, `test_id`, `html_id`, `html_name`,
    `autocomplete`.

    Examples
    --------
    >>> node = page.snapshot().find("row 'Ann'")  # doctest: +SKIP
    >>> [cell.text for cell in node.children]  # doctest: +SKIP
    """

    __slots__ = ("index", "snapshot")
    value = _Fact[str]()
    description = _Fact[str]()
    placeholder = _Fact[str]()
    href = _Fact[str]()
    src = _Fact[str]()
    type = _Fact[str]()
    level = _Fact[int]()
    test_id = _Fact[str]()
    html_id = _Fact[str]()
    html_name = _Fact[str]()
    autocomplete = _Fact[str]()

    def __init__(self, snapshot: BaseSnapshot, index: int) -> None:
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
    def hint(self) -> str:
        """The name that a site hint gives it, if it has none; else empty."""
        return self.snapshot.hinted_names.get(self.index, "")

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
    def submits(self) -> bool:
        """Whether it is a button that sends its form, as one of HTML does unless its type says otherwise."""
        return self.type in {"submit", "image"} or (self.tag == "button" and self.type is None)

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
        """Its name, else its text; the options of a list aren't what the list is called."""
        return self.name or ("" if self.tag == "select" else self.text)

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
        hint = f" (hint {quote(self.hint)})" if self.hint else ""
        ref = f" [ref={self.ref}]" if self.ref else ""
        return f"<{self.role}{name}{hint}{ref}>"


class NodeList(Sequence[Node]):
    """Nodes that are made when they are read."""

    def __init__(self, snapshot: BaseSnapshot, indexes: Sequence[int]) -> None:
        self._snapshot = snapshot
        self._indexes = indexes

    @overload
    def __getitem__(self, place: int) -> Node: ...
    @overload
    def __getitem__(self, place: slice) -> NodeList: ...
    def __getitem__(self, place: int | slice) -> Node | NodeList:
        if isinstance(place, slice):
            return NodeList(self._snapshot, self._indexes[place])
        return Node(self._snapshot, self._indexes[place])

    def __len__(self) -> int:
        return len(self._indexes)

    def __iter__(self) -> Iterator[Node]:
        snapshot = self._snapshot
        return (Node(snapshot, index) for index in self._indexes)

    def __repr__(self) -> str:
        shown = ", ".join(map(repr, self[:5])) + (", …" if len(self) > 5 else "")
        return f"[{shown}] ({len(self)} nodes)"


class BaseSnapshot:
    """A page at one moment: its documents, nodes and refs.

    Parameters
    ----------
    columns : every node, joined over the documents.
    missing : frames whose content could not be read.
    took_ms : time spent in the browser.
    taken_at : seconds since 1970; now by default.
    document_snapshots : the documents by key, to which later changes can be applied.
    engine : "dom" where content scripts answered, "cdp" where the debugger did.
    instead : why the debugger answered though content scripts were to; `None` where that isn't so.
    hints : what a person knows of the site; `None` for nothing.
    css : what each CSS selector matches that was looked for as it was taken, as refs in document order.
    unkept : how many of the elements that were looked for then are no nodes of it.
    """

    def __init__(
        self,
        columns: Columns,
        missing: Sequence[MissingFrame] = (),
        took_ms: float = 0.0,
        taken_at: float | None = None,
        document_snapshots: Mapping[str, DocumentSnapshot] | None = None,
        engine: str = "dom",
        instead: str | None = None,
        hints: SiteHints | None = None,
        css: Mapping[str, Sequence[str]] | None = None,
        unkept: int = 0,
    ) -> None:
        self.columns = columns
        self.css: Mapping[str, Sequence[str]] = css or {}
        self.unkept = unkept
        self.document_snapshots: Mapping[str, DocumentSnapshot] = document_snapshots or {}
        self.missing = tuple(missing)
        self.took_ms = took_ms
        self.taken_at = time.time() if taken_at is None else taken_at
        self.memo: dict[Any, Any] = {}  # what was found out of it once
        self.engine = engine
        self.instead = instead
        self.page_tools: tuple[PageTool, ...] = ()
        self.silent_frames: tuple[str, ...] = ()
        self.hints = hints

    def with_hints(self, hints: SiteHints) -> Self:
        """Add what a person knows of the site; for a snapshot of which nothing was read yet.

        Parameters
        ----------
        hints : SiteHints
            The hints of its origin.

        Returns
        -------
        Snapshot
            The same page, with them.
        """
        other = copy(self)
        other.hints, other.memo = hints, {}
        return other

    @cached_property
    def hinted_names(self) -> Mapping[int, str]:
        """The names that hints give to controls without one, by index."""
        return {}

    @cached_property
    def ignored_parts(self) -> tuple[range, ...]:
        """The nodes of each part of the page that hints leave out."""
        return ()

    def with_page_tools(self, tools: tuple[PageTool, ...], silent: tuple[str, ...] = ()) -> Self:
        """The same with the tools that the page declares; every word of these is the page's.

        `silent` are the addresses of its frames that don't say which they have, an empty one for the page itself.
        """
        other = copy(self)
        other.page_tools, other.silent_frames, other.memo = tools, silent, {}
        return other

    @classmethod
    def from_wire(
        cls,
        result: Mapping[str, Any] | SnapshotResult,
        taken_at: float | None = None,
        earlier: Mapping[str, DocumentSnapshot] | None = None,
    ) -> Self:
        """Make a snapshot from the wire's result, parsed JSON or model.

        Parameters
        ----------
        result : documents, whole or as changes.
        taken_at : seconds since 1970; now by default.
        earlier : an earlier snapshot's `document_snapshots`, which changes are applied to.

        Raises
        ------
        ProtocolError : the columns don't fit together.
        """
        data = result.model_dump(exclude_none=True) if isinstance(result, SnapshotResult) else result
        documents, missing = data.get("documents"), data.get("missing", [])
        if not isinstance(documents, list):
            raise ProtocolError("a snapshot without documents")
        columns, document_snapshots = join_documents(documents, earlier)
        return cls(
            columns,
            [MissingFrame.model_validate(frame) for frame in missing],
            float(data.get("took_ms", 0.0)),
            taken_at,
            document_snapshots,
            str(data.get("engine", "dom")),
            data.get("instead"),
            css=css_of(documents),
            unkept=sum(document.get("unkept") or 0 for document in documents),
        )

    @property
    def main(self) -> Document:
        """The main document."""
        return self.columns.documents[0]

    @property
    def documents(self) -> Sequence[Document]:
        """Every document; the first is the main one."""
        return tuple(self.columns.documents)

    @property
    def url(self) -> str:
        """The main document's address."""
        return self.main.url

    @property
    def title(self) -> str:
        """The main document's title."""
        return self.main.title

    @property
    def ready_state(self) -> str:
        """How far the main document is loaded: "loading", "interactive" or "complete"."""
        return self.main.ready_state

    @cached_property
    def stats(self) -> SnapshotStats:
        """How many nodes of each tier there are."""
        return count_tiers(self.columns, self.took_ms)

    @property
    def version(self) -> int:
        """Sum of the documents' versions; it differs after every change."""
        return sum(document.version for document in self.columns.documents)

    @property
    def key(self) -> str:
        """What differs for every document and after every change in it."""
        return f"{self.main.key} {self.version}"

    @property
    def highest_ref(self) -> int:
        """The highest ref number in the main document."""
        number = self.columns.number
        return max(
            (max(number[first:last]) for first, last, of in self.columns.spans() if of == 0), default=0
        )

    @property
    def highest_frame(self) -> int:
        """The highest frame number; 0 without frames."""
        return max(document.frame for document in self.columns.documents)

    @cached_property
    def nodes(self) -> Sequence[Node]:
        """Every node in document order."""
        return NodeList(self, range(len(self.columns.role)))

    @cached_property
    def elements(self) -> Sequence[Node]:
        """The nodes one can act on."""
        bit = int(State.ACTIONABLE)
        return NodeList(self, [index for index, flags in enumerate(self.columns.flags) if flags & bit])

    @property
    def roots(self) -> list[int]:
        """Indexes of the nodes without a parent."""
        found, at, ends = [], 0, self.ends
        while at < len(ends):
            found.append(at)
            at = ends[at]
        return found

    @cached_property
    def parents(self) -> Sequence[int]:
        """Each node's parent by index, -1 for roots."""
        return self.columns.parents

    @cached_property
    def ends(self) -> Sequence[int]:
        """For each node, the index after its last descendant."""
        return self.columns.ends

    def child_indexes(self, index: int) -> Iterator[int]:
        """Indexes of the nodes directly inside a node."""
        return self.columns.child_indexes(index)

    @cached_property
    def modals(self) -> tuple[range, ...]:
        """The nodes of open modal dialogs: all others can't be used at the moment."""
        found: list[range] = []
        for index, flags in enumerate(self.columns.flags):
            if flags & State.MODAL and not (found and index in found[-1]):
                found.append(range(index, self.ends[index]))
        return tuple(found)

    @cached_property
    def cards(self) -> frozenset[int]:
        """Indexes of the blocks that repeat side by side."""
        return find_cards(self.columns)

    @cached_property
    def row_cells(self) -> dict[int, Sequence[int]]:
        """The cells of rows by the row's index, as far as they were asked for: each is asked for many times.

        A `range` where a row has nothing in it but cells, with nothing in them but their texts.
        """
        return {}

    @cached_property
    def has_places(self) -> bool:
        """Whether the page numbers anything among others, such as the rows and columns of a grid."""
        return any("posinset" in facts for facts in self.columns.extra.values())

    @cached_property
    def hidden(self) -> frozenset[int]:
        """Indexes of nodes that nobody sees, and that only CSS finds."""
        return frozenset(index for index, flags in enumerate(self.columns.flags) if flags & State.HIDDEN)

    def by_css(self, css: str) -> list[int] | None:
        """Indexes of what a CSS selector matches, in document order; None where it wasn't looked for.

        Parameters
        ----------
        css : str
            The selector, as the page was asked for it.

        Returns
        -------
        list of int or None
            Of elements in frames where the frame stands.
        """
        refs = self.css.get(css)
        if refs is None:
            return None
        found: list[int] = []
        by_document: dict[int | None, list[int]] = {}
        for index in map(self._index_of, refs):
            if index is not None:
                by_document.setdefault(self.columns.document_at(index).owner, []).append(index)
        for owner, indexes in by_document.items():
            # What is in a frame comes where the frame stands.
            behind = (place for place, index in enumerate(found) if owner is not None and index > owner)
            place = next(behind, len(found))
            found[place:place] = indexes
        return found

    @cached_property
    def link_places(self) -> Sequence[int]:
        """Indexes of the nodes that lead somewhere, in document order."""
        return sorted(index for index, facts in self.columns.extra.items() if facts.get("href"))

    @cached_property
    def extents(self) -> Extents:
        """What there is to scroll through."""
        return Extents(self.columns)

    @cached_property
    def clean_names(self) -> Sequence[str]:
        """Every node's name as it is compared, by index."""
        return clean_all(self.columns.name)

    @cached_property
    def folded_names(self) -> Sequence[str]:
        """Every node's name without regard to case, by index."""
        return [name.casefold() for name in self.clean_names]

    def box_of(self, index: int) -> Box:
        """A node's box, moved into the main document's viewport."""
        x, y, width, height = self.columns.box[4 * index : 4 * index + 4]
        owner = self.columns.document_at(index).owner
        while owner is not None:
            x += self.columns.box[4 * owner]
            y += self.columns.box[4 * owner + 1]
            owner = self.columns.document_at(owner).owner
        return Box(x, y, width, height)

    def text_of(self, index: int) -> str:
        """The visible text inside a node, on one line; blocks are kept apart by a space."""
        if self.ends[index] <= index + 2:
            return visible_text(self.columns, index)
        if (key := ("text", index)) not in self.memo:
            self.memo[key] = visible_text(self.columns, index)
        text: str = self.memo[key]
        return text

    def has_text(self, text: str) -> bool:
        """Query whether a text can be seen on the page, without regard to case and whitespace.

        Parameters
        ----------
        text : str
            The text, or a part of it.

        Returns
        -------
        bool
            Whether it is there.
        """
        return clean(text).casefold() in self._said

    @cached_property
    def _said(self) -> str:
        """All names and the visible text, casefolded."""
        names = [clean(name) for name in self.columns.name if name]
        return "\n".join([*names, *(self.text_of(root) for root in self.roots)]).casefold()

    @cached_property
    def _by_ref(self) -> dict[int, dict[int, int]]:
        """The indexes of nodes by frame and number."""
        columns = self.columns
        found: dict[int, dict[int, int]] = {}
        for first, last, of in columns.spans():
            numbers = found.setdefault(columns.documents[of].frame, {})
            numbers.update(zip(columns.number[first:last], range(first, last), strict=True))
            numbers.pop(0, None)
        return found

    def _index_of(self, ref: object) -> int | None:
        if not (isinstance(ref, str) and is_ref(ref)):
            return None
        frame, number = split_ref(ref)
        return self._by_ref.get(frame, {}).get(number)

    def __getitem__(self, ref: str) -> Node:
        index = self._index_of(ref)
        if index is not None:
            return Node(self, index)
        raise UnknownRef(
            f"no element {quote(str(ref))} in this snapshot", ref=str(ref), candidates=self._near(ref)
        )

    def __contains__(self, ref: object) -> bool:
        return self._index_of(ref) is not None

    def _near(self, ref: object) -> list[dict[str, str]]:
        """The elements whose numbers are nearest to a ref that isn't there."""
        if not (isinstance(ref, str) and is_ref(ref)):
            return []
        frame, number = split_ref(ref)
        near = sorted(
            (node for node in self.elements if node.frame == frame),
            key=lambda node: abs(self.columns.number[node.index] - number),
        )
        return [
            {"ref": str(node.ref), "role": node.role, "name": clean(node.label)[:80]} for node in near[:5]
        ]

    def _ipython_key_completions_(self) -> list[str]:
        return [str(node.ref) for node in self.elements]

    def __iter__(self) -> Iterator[Node]:
        return iter(self.nodes)

    def __len__(self) -> int:
        return len(self.columns.role)

    def __repr__(self) -> str:
        count = len(self.elements)
        by = ", by the debugger" if self.engine == "cdp" else ""
        size = f"{len(self)} nodes, {count} actionable{by}"
        return f"<Snapshot {quote(self.title, 60)} {clean(self.url)[:120]}: {size}>"


def css_of(documents: Sequence[Mapping[str, Any]]) -> dict[str, list[str]]:
    """What each CSS selector matches in all documents of the wire, as refs; without those that one refuses."""
    tables = [(document["frame"], document.get("css") or {}) for document in documents]
    return {
        css: [make_ref(frame, number) for frame, table in tables for number in table[css]]
        for css in tables[0][1]
        if all(css in table for _, table in tables)
    }


AnySnapshot = TypeVar("AnySnapshot", bound=BaseSnapshot)


def remembered(find: Callable[[S], T]) -> Callable[[S], T]:
    """Make a function of a node, or of a snapshot, look once: many lists of a page ask for the same."""

    @wraps(find)
    def found(of: S) -> T:
        memo, place = (of.snapshot.memo, of.index) if isinstance(of, Node) else (of.memo, None)
        key = (find, place)
        if key not in memo:
            memo[key] = find(of)
        return cast(T, memo[key])

    return found
