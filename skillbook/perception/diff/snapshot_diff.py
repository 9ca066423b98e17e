"""What changed between two snapshots of a page, and the lines that say it, folded where it is much."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from html import escape

from skillbook.perception.escape import clean, quote, shorten, without_refs
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.columns import FEWEST, LARGEST_ITEM
from skillbook.perception.roles import DIALOGS
from skillbook.perception.text.budget import fit
from skillbook.perception.text.lines import page_lines, walk
from skillbook.perception.text.tokens import count_tokens
from skillbook.protocol.snapshot import State

_ROOM = 500  # tokens that new parts of the page may have: a month of days that opens has 400
_LEAST_EACH = 40
_MOST_GONE = 4
_OPENED = DIALOGS | {"menu", "listbox", "alert", "tooltip"}


@dataclass(frozen=True)
class Change:
    """One element that is still there, before and after."""

    before: Node
    after: Node
    what: str

    def __str__(self) -> str:
        return self.what


@dataclass(frozen=True)
class SnapshotDiff:
    """Elements and texts that came, went and changed; nodes inside an added or removed one are not listed apart.

    changed: elements whose role, name, states, value or direct text differ.
    note: of what else than one action it has the changes; empty for nothing else.
    """

    older: BaseSnapshot = field(repr=False)
    newer: BaseSnapshot = field(repr=False)
    added: Sequence[Node]
    removed: Sequence[Node]
    changed: Sequence[Change]
    note: str = ""

    @property
    def empty(self) -> bool:
        """Whether nothing changed that one can see."""
        return not (self.added or self.removed or self.changed or self.navigated or self.moved)

    @property
    def navigated(self) -> bool:
        """Whether the main document is another one."""
        return self.older.main.key != self.newer.main.key

    @property
    def moved(self) -> bool:
        """Whether the main document's address or title is another one."""
        return (self.older.url, self.older.title) != (self.newer.url, self.newer.title)

    def text(self, budget: int | None = 1000) -> str:
        """The changes as lines that begin with `+`, `-` or `~`; "no change" where there is none.

        Parameters
        ----------
        budget : int, optional
            Tokens it may have, new parts of the page being folded where they are long; None for everything.

        Returns
        -------
        str
            The lines.
        """
        lines = _lines_of(self, whole=budget is None)
        if not lines:
            return "no change"
        if self.note:
            lines = [f"({self.note})", *lines]
        if budget is None:
            return "\n".join(lines)
        shown: list[str] = []
        spent = 12
        for line in lines:
            spent += count_tokens(line) + 1
            if spent > budget:
                return "\n".join([*shown, f"… {len(lines) - len(shown)} more changes"])
            shown.append(line)
        return "\n".join(shown)

    def __bool__(self) -> bool:
        return not self.empty

    def __repr__(self) -> str:
        if self.navigated:
            return f"<SnapshotDiff new document {clean(self.newer.url)[:120]}>"
        return f"<SnapshotDiff +{len(self.added)} -{len(self.removed)} ~{len(self.changed)}>"

    def _repr_mimebundle_(self, **_: object) -> dict[str, str]:
        return {"text/plain": self.text(), "text/html": f"<pre>{escape(self.text())}</pre>"}


def _lines_of(diff: SnapshotDiff, *, whole: bool) -> list[str]:
    """Lines that begin with `+`, `-` or `~`; new parts of the page are folded unless they are wanted whole."""
    newer = diff.newer
    address = f"{quote(newer.title, 120)} {without_refs(shorten(clean(newer.url), 200))}"
    if diff.navigated:
        return [f"~ new document: {address}; all refs are new"]
    lines = [f"~ page: {address}"] if diff.moved else []
    opened = [] if whole else [node for node in diff.added if opens(node)]
    for node in opened:
        lines += _whole_lines(diff.newer, node)
    lines += [f"~ {change.what}" for change in diff.changed]
    rest = [node for node in diff.added if node not in opened]
    return [*lines, *_removed(diff, whole=whole), *_added(diff, rest, whole=whole)]


def opens(node: Node) -> bool:
    """Whether a new part of the page is what an action opens: a dialog, a menu, a list box, an alert, or around one."""
    if node.role in _OPENED:
        return True
    roles, end = node.snapshot.columns.role, node.snapshot.ends[node.index]
    inside = node.index + 1
    while inside < end and roles[inside] in {"generic", "none", "group"} and node.role in {"generic", "none"}:
        inside += 1
    return inside < end and node.role in {"generic", "none"} and roles[inside] in _OPENED


def _whole_lines(newer: BaseSnapshot, node: Node) -> Iterator[str]:
    for at, line in enumerate(_whole(newer, node)):
        yield f"+ {line}{_place(node) if at == 0 else ''}"


def _removed(diff: SnapshotDiff, *, whole: bool) -> Iterator[str]:
    dialog = _opened(diff.older, diff.newer)
    if dialog is not None and len(diff.removed) >= FEWEST:
        yield f"- {len(diff.removed)} parts of the page, behind {short(diff.newer, dialog.index)}"
        return
    shown = diff.removed if whole or len(diff.removed) <= _MOST_GONE + 1 else diff.removed[:_MOST_GONE]
    yield from (f"- {short(diff.older, node.index)}{_place(node)}" for node in shown)
    if len(shown) < len(diff.removed):
        yield f"- … {len(diff.removed) - len(shown)} more elements"


def _added(diff: SnapshotDiff, added: list[Node], *, whole: bool) -> Iterator[str]:
    newer = diff.newer
    if _opened(newer, diff.older) is not None:
        highest = _highest(diff.older)
        back = [node for node in added if _was_there(highest, node)]
        if len(back) >= FEWEST:
            yield f"+ {len(back)} parts of the page that were behind the dialog are back"
            added = [node for node in added if node not in back]
    huge = [] if whole else [node for node in added if newer.ends[node.index] - node.index > LARGEST_ITEM]
    for node in huge:
        size = newer.ends[node.index] - node.index
        yield f"+ {short(newer, node.index)} with {size:,} nodes{_place(node)}"
    added = [node for node in added if node not in huge]
    texts = [_whole(newer, node) for node in added]
    costs = [sum(count_tokens(line) for line in text) for text in texts]
    much = not whole and sum(costs) > _ROOM
    spent = left = 0
    for node, text, cost in zip(added, texts, costs, strict=True):
        if much and node.role not in DIALOGS:
            room = _ROOM - spent
            if cost > room and (left or room < _LEAST_EACH):
                left += 1
                continue
            if cost > room:
                text, cost = _folded(newer, node, room), room
            spent += cost
        for at, line in enumerate(text):
            yield f"+ {line}{_place(node) if at == 0 else ''}"
    if left:
        yield f"+ … {left} more new elements"


def _opened(older: BaseSnapshot, newer: BaseSnapshot) -> Node | None:
    """A modal dialog that is in the newer snapshot only."""
    bit = int(State.MODAL)
    for index, flags in enumerate(newer.columns.flags):
        if flags & bit:
            node = newer.nodes[index]
            if not (node.ref and node.ref in older and "modal" in older[node.ref].states):
                return node
    return None


def _highest(snapshot: BaseSnapshot) -> dict[str, int]:
    """The highest ref number of each document by key."""
    columns = snapshot.columns
    found: dict[str, int] = {}
    ends = [*columns.starts, len(columns.number)][1:]
    for first, last, of in zip(columns.starts, ends, columns.segments, strict=True):
        key = columns.documents[of].key
        found[key] = max(found.get(key, 0), max(columns.number[first:last], default=0))
    return found


def _was_there(highest: dict[str, int], node: Node) -> bool:
    """Whether an element got its ref before an earlier snapshot was taken: refs are numbered as elements come."""
    columns = node.snapshot.columns
    return highest.get(columns.document_at(node.index).key, 0) > columns.number[node.index]


def _whole(snapshot: BaseSnapshot, node: Node) -> list[str]:
    """An added element with everything in it, as the page's text says it."""
    lines = [f"{'  ' * depth}{line}" for depth, line in walk(page_lines(snapshot, node.index))]
    return lines or [short(snapshot, node.index)]


def _folded(snapshot: BaseSnapshot, node: Node, budget: int) -> list[str]:
    lines = fit(snapshot, [], page_lines(snapshot, node.index), budget).split("\n")
    return [line.replace("- ", "", 1) for line in lines if line and not line.startswith("#")]


def short(snapshot: BaseSnapshot, index: int) -> str:
    """An element in a few words."""
    node = snapshot.nodes[index]
    name = f" {quote(node.label, 40)}" if node.label else ""
    return f"{node.role}{name} [ref={node.ref}]" if node.ref else f"{node.role}{name}"


def _place(node: Node) -> str:
    """What has a name around an element."""
    for outer in node.ancestors:
        if outer.name and outer.role not in {"generic", "text"}:
            return f" in {outer.role} {quote(outer.name, 40)}"
    return ""
