"""The immutable picture of a page at one moment."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from html import escape as html_escape
from typing import TYPE_CHECKING, Any, Literal, overload

from skillbook.errors import ProtocolError, UnknownRef
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes.columns import Columns, Document, join_documents
from skillbook.perception.nodes.node import Box, Node
from skillbook.protocol.refs import is_ref, split_ref
from skillbook.protocol.snapshot import MissingFrame, SnapshotResult, State

if TYPE_CHECKING:
    from skillbook.perception.diff.compare import SnapshotDiff
    from skillbook.perception.nodes.document import DocumentSnapshot
    from skillbook.perception.nodes.extents import Extents
    from skillbook.perception.nodes.name_index import NameIndex
    from skillbook.perception.selectors.grammar import CssResolver, Selector

Mode = Literal["full", "interactive", "viewport"]
_FEW = 8
"""Refs that are searched for one by one; for more an index is made."""


class NodeList(Sequence[Node]):
    """Nodes made when they are asked for."""

    def __init__(self, snapshot: Snapshot, indexes: Sequence[int]) -> None:
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


class Snapshot:
    """A page at one moment: its documents, nodes and refs, and what can be asked of them.

    Parameters
    ----------
    columns : every node, joined over the documents.
    missing : frames whose content could not be read.
    took_ms : time spent in the browser.
    taken_at : seconds since 1970.
    pictures : the documents by key, to which later changes can be applied.
    """

    def __init__(
        self,
        columns: Columns,
        missing: Sequence[MissingFrame] = (),
        took_ms: float = 0.0,
        taken_at: float | None = None,
        pictures: Mapping[str, DocumentSnapshot] | None = None,
    ) -> None:
        self.columns = columns
        self.pictures: Mapping[str, DocumentSnapshot] = pictures or {}
        self.missing = tuple(missing)
        self.took_ms = took_ms
        self.taken_at = time.time() if taken_at is None else taken_at
        self._asked: dict[str, int | None] = {}

    @classmethod
    def from_wire(
        cls,
        result: Mapping[str, Any] | SnapshotResult,
        taken_at: float | None = None,
        held: Mapping[str, DocumentSnapshot] | None = None,
    ) -> Snapshot:
        """Make a snapshot from the wire's result, parsed JSON or model.

        Parameters
        ----------
        result : documents, whole or as changes.
        taken_at : seconds since 1970; now by default.
        held : an earlier snapshot's `pictures`, which changes are applied to.

        Raises
        ------
        ProtocolError : the columns don't fit together.
        """
        data = result.model_dump(exclude_none=True) if isinstance(result, SnapshotResult) else result
        documents, missing = data.get("documents"), data.get("missing", [])
        if not isinstance(documents, list):
            raise ProtocolError("a snapshot without documents")
        columns, pictures = join_documents(documents, held)
        return cls(
            columns,
            [MissingFrame.model_validate(frame) for frame in missing],
            float(data.get("took_ms", 0.0)),
            taken_at,
            pictures,
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
    def version(self) -> int:
        """Sum of the documents' versions; it differs after every change."""
        return sum(document.version for document in self.columns.documents)

    @property
    def highest_ref(self) -> int:
        """The highest ref number in the main document."""
        columns = self.columns
        if len(columns.documents) == 1:
            return max(columns.number, default=0)
        ends = [*columns.starts, len(columns.number)][1:]
        spans = zip(columns.starts, ends, columns.segments, strict=True)
        return max((max(columns.number[first:last]) for first, last, of in spans if of == 0), default=0)

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

    @cached_property
    def _tree(self) -> tuple[list[int], list[int]]:
        depths = self.columns.depth
        size = len(depths)
        parents, ends = [-1] * size, [size] * size
        stack: list[int] = []
        for index, depth in enumerate(depths):
            while len(stack) > depth:
                ends[stack.pop()] = index
            if stack:
                parents[index] = stack[-1]
            stack.append(index)
        return parents, ends

    @cached_property
    def modals(self) -> tuple[range, ...]:
        """The nodes of open modal dialogs: all others can't be used at the moment."""
        flags = self.columns.flags
        found: list[range] = []
        for index in range(len(flags)):
            if flags[index] & State.MODAL and not (found and index in found[-1]):
                found.append(range(index, self.ends[index]))
        return tuple(found)

    @cached_property
    def cards(self) -> frozenset[int]:
        """Indexes of the blocks that repeat side by side."""
        from skillbook.perception.nodes.cards import find_cards

        return find_cards(self)

    @cached_property
    def extents(self) -> Extents:
        """What there is to scroll through."""
        from skillbook.perception.nodes.extents import Extents

        return Extents(self)

    @property
    def parents(self) -> list[int]:
        """Each node's parent by index, -1 for roots."""
        return self._tree[0]

    @property
    def ends(self) -> list[int]:
        """For each node, the index after its last descendant."""
        return self._tree[1]

    def child_indexes(self, index: int) -> Iterator[int]:
        """Indexes of the nodes directly inside a node."""
        ends = self.ends
        child, last = index + 1, ends[index]
        while child < last:
            yield child
            child = ends[child]

    @cached_property
    def _by_ref(self) -> dict[tuple[int, int], int]:
        columns = self.columns
        found: dict[tuple[int, int], int] = {}
        ends = [*columns.starts, len(columns.number)][1:]
        for first, last, of in zip(columns.starts, ends, columns.segments, strict=True):
            frame = columns.documents[of].frame
            for index in range(first, last):
                found[frame, columns.number[index]] = index
            found.pop((frame, 0), None)
        return found

    def box_of(self, index: int) -> Box:
        """A node's box, moved into the main document's viewport."""
        x, y, width, height = self.columns.box[4 * index : 4 * index + 4]
        owner = self.columns.document_at(index).owner
        while owner is not None:
            x += self.columns.box[4 * owner]
            y += self.columns.box[4 * owner + 1]
            owner = self.columns.document_at(owner).owner
        return Box(x, y, width, height)

    @cached_property
    def clean_names(self) -> Sequence[str]:
        """Every node's name as it is compared, by index."""
        return [clean(name) if name else "" for name in self.columns.name]

    @cached_property
    def folded_names(self) -> Sequence[str]:
        """Every node's name without regard to case, by index."""
        return [name.casefold() for name in self.clean_names]

    @cached_property
    def by_role(self) -> Mapping[str, Sequence[int]]:
        """The indexes of the nodes of each role."""
        found: dict[str, list[int]] = defaultdict(list)
        for index, role in enumerate(self.columns.role):
            found[role].append(index)
        return found

    @cached_property
    def name_index(self) -> NameIndex:
        """Where names, texts and addresses stand."""
        from skillbook.perception.nodes.name_index import NameIndex

        return NameIndex(self)

    def text_of(self, index: int) -> str:
        """The visible text inside a node, on one line; blocks are kept apart by a space."""
        from skillbook.perception.nodes.visible_text import visible_text

        return visible_text(self, index)

    def __getitem__(self, ref: str) -> Node:
        index = self._place(ref)
        if index is not None:
            return Node(self, index)
        raise UnknownRef(
            f"no element {quote(str(ref))} in this snapshot", ref=str(ref), candidates=self._near(ref)
        )

    def __contains__(self, ref: object) -> bool:
        return isinstance(ref, str) and self._place(ref) is not None

    def _place(self, ref: str) -> int | None:
        """Where a ref stands; a search is cheaper than an index as long as few are asked for."""
        if not is_ref(ref):
            return None
        if ref not in self._asked:
            if len(self._asked) >= _FEW:
                return self._by_ref.get(split_ref(ref))
            self._asked[ref] = self._search(*split_ref(ref))
        return self._asked[ref]

    def _search(self, frame: int, number: int) -> int | None:
        columns = self.columns
        ends = [*columns.starts, len(columns.number)][1:]
        found: int | None = None
        for first, last, of in zip(columns.starts, ends, columns.segments, strict=True):
            if columns.documents[of].frame == frame and number:
                try:
                    found = columns.number.index(number, first, last)
                except ValueError:
                    continue
        return found

    def _near(self, ref: object) -> list[dict[str, str]]:
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

    def find(self, selector: str | Selector, css: CssResolver | None = None) -> Node:
        """The one node that a ref or role selector names.

        Parameters
        ----------
        selector : a ref such as "e12", or a role selector such as "button 'Save' in dialog".
        css : resolves CSS that the snapshot alone can't, to refs.

        Raises
        ------
        SelectorSyntaxError, NoMatch, AmbiguousMatch, UnknownRef
        """
        from skillbook.perception.selectors.matching import find_one

        return (
            self[selector]
            if isinstance(selector, str) and is_ref(selector)
            else find_one(self, selector, css)
        )

    def find_all(self, selector: str | Selector, css: CssResolver | None = None) -> list[Node]:
        """Every node that a role selector names, in document order."""
        from skillbook.perception.selectors.matching import find_all

        return find_all(self, selector, css)

    def has_text(self, text: str) -> bool:
        """Whether a text can be seen on the page, without regard to case and whitespace."""
        wanted = clean(text).casefold()
        if any(wanted in clean(name).casefold() for name in self.columns.name if name):
            return True
        return any(wanted in self.text_of(root).casefold() for root in self.roots)

    @property
    def roots(self) -> list[int]:
        """Indexes of the nodes without a parent."""
        return [index for index, depth in enumerate(self.columns.depth) if depth == 0]

    def text(self, budget: int | None = 4000, mode: Mode = "full") -> str:
        """The page as a model reads it: one line a node, refs on what one can act on.

        Parameters
        ----------
        budget : tokens at most; `None` for the whole page.
        mode : "full", "interactive" (only what one can act on), or "viewport" (only what is on the screen).
        """
        from skillbook.perception.text.render import render

        return render(self, budget, mode)

    def diff(self, older: Snapshot) -> SnapshotDiff:
        """What changed since an older snapshot."""
        from skillbook.perception.diff.compare import compare

        return compare(older, self)

    def _ipython_key_completions_(self) -> list[str]:
        return [str(node.ref) for node in self.elements]

    def __len__(self) -> int:
        return len(self.columns.role)

    def __repr__(self) -> str:
        count = len(self.elements)
        return f"<Snapshot {quote(self.title, 60)} {clean(self.url)[:120]}: {len(self)} nodes, {count} actionable>"

    def _repr_mimebundle_(self, **_: Any) -> dict[str, str]:
        return {"text/plain": repr(self), "text/html": self.to_html()}

    def to_html(self, budget: int | None = 4000) -> str:
        """The text as static, escaped HTML."""
        head = f"<b>{html_escape(clean(self.title))}</b> <code>{html_escape(clean(self.url))}</code>"
        return f'<div class="skillbook-snapshot">{head}<pre>{html_escape(self.text(budget))}</pre></div>'
