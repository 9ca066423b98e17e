"""What is said beside a control: the nearest text that tells it from the controls that are like it.

Rows are drawn in many ways: as rows, list items and cards, and as bare blocks, paragraphs, terms with definitions, or
texts and buttons in turn. So no markup decides what belongs to a control, but the controls like it: its region is what
is nearer to it than to any of them.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from skillbook.perception.escape import clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.columns import kind_of
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.records.record_pieces import piece_text
from skillbook.perception.records.record_table import CONTROLS
from skillbook.perception.roles import DIALOGS, IMAGES, RECORDS, words
from skillbook.protocol.snapshot import State

GROUPS = DIALOGS | words("form group region table list tabpanel radiogroup article")
"""Roles of what has a title, or a name in its place."""
_SCOPES = DIALOGS | words("main navigation banner contentinfo complementary search iframe")
_CHOICES = words("option menuitem menuitemcheckbox menuitemradio tab radio")
"""Roles of what its label tells from the others of its group: these are no records."""
_MOST_PIECES = 40


class Said(NamedTuple):
    """What something says, apart from one control in it: texts; what its fields hold; names of controls and images."""

    texts: list[str]
    values: list[str]
    names: list[str]

    def readings(self) -> Iterator[tuple[str, ...]]:
        """The texts alone, then with what else is said, so that a text comes before a value or a name."""
        yield from dict.fromkeys(
            one
            for one in (
                tuple(self.texts),
                (*self.texts, *self.values),
                (*self.texts, *self.values, *self.names),
            )
            if one
        )


def said_in(
    snapshot: BaseSnapshot, spans: Sequence[range], node: Node | None, most: int | None = None
) -> Said:
    """What some spans of a page say, without a control of theirs and what only repeats its label.

    node: the control; of another snapshot, only its label counts.
    most: with more texts than so many it is no record, and says nothing.
    """
    columns, found = snapshot.columns, Said([], [], [])
    label = clean(node.label).casefold() if node is not None else ""
    apart = node.index if node is not None and node.snapshot is snapshot else -1
    for span in spans:
        index = span.start
        while index < span.stop:
            role, flags = columns.role[index], columns.flags[index]
            if index == apart or role in CONTROLS:
                held = columns.extra.get(index, {}).get("value")
                if index != apart and not flags & State.SECRET:
                    if held:
                        found.values.append(piece_text(str(held)))
                    if name := clean(snapshot.nodes[index].label):
                        found.names.append(piece_text(name))
                index = snapshot.ends[index]
                continue
            text = clean(columns.name[index])
            if text and role in IMAGES:
                found.names.append(piece_text(text))
            elif text and (role == "text" or speaks(columns, index)):
                repeats = flags & State.ACTIONABLE and text.casefold() == label
                found.texts.extend([] if repeats else [piece_text(text)])
                if most is not None and len(found.texts) > most:
                    return Said([], [], [])
            index += 1
    return found


def _folded(text: str) -> str:
    """A label as labels are compared: without case, numbers replaced."""
    return re.sub(r"\d+", "#", clean(text)).casefold()


def others_like(node: Node) -> list[int]:
    """The controls that could be taken for one: in the same item, dialog or landmark, of its role and label.

    Where records repeat, what stands in its place in the others counts whatever its label: "Follow" and "Following".
    Options, tabs and menu items are no records: only those of its label count.
    """
    snapshot, roles = node.snapshot, node.snapshot.columns.role
    scope = scope_of(node, items=True)
    span = range(scope.index + 1, snapshot.ends[scope.index]) if scope is not None else range(len(roles))
    frame, label, flags = node.frame, _folded(node.label), snapshot.columns.flags
    acts = flags[node.index] & State.ACTIONABLE
    of_role = [
        index
        for index in span
        if roles[index] == node.role
        and flags[index] & State.ACTIONABLE == acts
        and snapshot.nodes[index].frame == frame
    ]
    found = {i for i in of_role if _folded(snapshot.nodes[i].label) == label}
    in_its_place = set() if node.role in _CHOICES else _in_its_place(node, of_role, span)
    return sorted((found | in_its_place) - {node.index})


def scope_of(node: Node, *, items: bool = False) -> Node | None:
    """The landmark, dialog or frame that a control is in; with `items`, a nearer item that says what no other says."""
    for outer in node.ancestors:
        if outer.role in _SCOPES or (items and outer.role in RECORDS and _is_telling(outer, node)):
            return outer
    return None


def _is_telling(item: Node, node: Node) -> bool:
    snapshot = item.snapshot

    def texts(index: int) -> list[str]:
        return said_in(snapshot, [range(index + 1, snapshot.ends[index])], node).texts

    mine, beside = texts(item.index), item.parent.children if item.parent is not None else []
    others = (one.index for one in beside if one.role == item.role and one.index != item.index)
    return bool(mine) and all(texts(other) != mine for other in others)


def _in_its_place(node: Node, of_role: Sequence[int], span: range) -> set[int]:
    """The controls in the place of one in blocks like that around it, where their labels repeat."""
    snapshot, columns = node.snapshot, node.snapshot.columns
    for block in node.ancestors:
        if block.index not in span:
            return set()
        parent = snapshot.parents[block.index]
        kind = (block.role, kind_of(columns.tag[block.index]))
        beside = [
            index
            for index in (columns.child_indexes(parent) if parent >= 0 else ())
            if (columns.role[index], kind_of(columns.tag[index])) == kind
        ]
        if len(beside) < 2:
            continue
        inside: dict[int, list[int]] = defaultdict(list)
        for control in of_role:
            around = next((b for b in beside if b < control < snapshot.ends[b]), None)
            if around is not None:
                inside[around].append(control)
        place = inside[block.index].index(node.index)
        found = [controls[place] for controls in inside.values() if len(controls) > place]
        labels = [_folded(snapshot.nodes[control].label) for control in found]
        if len(set(labels)) < len(labels):
            return set(found)
    return set()


class Neighbours:
    """Controls that could be taken for each other, and what is said beside each.

    members: their indexes, in document order.
    """

    def __init__(self, snapshot: BaseSnapshot, members: Sequence[int]) -> None:
        self.snapshot = snapshot
        self.members = members
        self._cuts: dict[int, list[range]] = {}
        self._sides: dict[int, str] = {}

    def levels(self, node: Node) -> list[list[tuple[str, ...]]]:
        """Everything that can be read as said beside a control, nearest first: of each thing around it what that says.

        It goes up to where another member is; from there on, what stands before or after among the others counts.
        Where a member is the only one, the first level alone is near.
        """
        snapshot = self.snapshot
        alone = len(self.members) == 1
        found: list[list[tuple[str, ...]]] = []
        region = node
        for outer in node.ancestors:
            inside = range(outer.index + 1, snapshot.ends[outer.index])
            if outer.role in _SCOPES or (not alone and self._count(inside) > 1):
                break
            region = outer
            spoken = said_in(snapshot, [inside], node, _MOST_PIECES)
            if node.role in _CHOICES:
                spoken.names.clear()  # the other options
            title = piece_text(outer.name)
            if title and outer.role not in RECORDS and title not in spoken.texts:
                spoken.texts.insert(0, title)  # what a caption says
            found.append(list(spoken.readings()))
        if not alone:
            texts = tuple(said_in(snapshot, self._between(region), node, _MOST_PIECES).texts)
            found.append([texts] if texts else [])
        return [level for level in found if level]

    def region(self, node: Node, *, beside: bool = True) -> tuple[list[str], list[range]]:
        """What is nearest to a control: names of what is around it, and the spans of the page that are.

        beside: whether what stands beside the largest block around it with no other in it counts, too.
        """
        titles: list[str] = []
        region = node
        for outer in node.ancestors:
            inside = range(outer.index + 1, self.snapshot.ends[outer.index])
            if outer.role in _SCOPES or self._count(inside) > 1:
                break
            region = outer
            if outer.name and outer.role not in RECORDS:
                titles.append(outer.name)
        whole = [range(region.index + 1, self.snapshot.ends[region.index])] if region is not node else []
        near = self._between(region) if beside else []
        return titles, sorted([*whole, *near], key=lambda span: span.start)

    def readings(self, node: Node) -> list[tuple[str, ...]]:
        """The levels as one list."""
        return list(dict.fromkeys(reading for level in self.levels(node) for reading in level))

    def _count(self, span: range) -> int:
        return bisect_left(self.members, span.stop) - bisect_left(self.members, span.start)

    def _between(self, region: Node) -> list[range]:
        """What stands beside a region that is no block of its own: before it or after it, as for those beside it."""
        snapshot, ends = self.snapshot, self.snapshot.ends
        parent = snapshot.parents[region.index]
        first, last = (parent + 1, ends[parent]) if parent >= 0 else (0, len(ends))
        cuts = self._cuts_of(parent, first, last)
        place = bisect_left(cuts, region.index, key=lambda cut: cut.start)
        before = range(cuts[place - 1].stop if place else first, region.index)
        after = range(ends[region.index], cuts[place + 1].start if place + 1 < len(cuts) else last)
        side = _on_its_line(region, before, after) or self._sides[parent]
        heading = next((at for at in after if snapshot.columns.role[at] == "heading"), after.stop)
        # A heading is of what comes after it.
        chosen = {"before": [before], "after": [after]}.get(side, [before, range(after.start, heading)])
        return [span for span in chosen if span]

    def _cuts_of(self, parent: int, first: int, last: int) -> list[range]:
        """The blocks right inside of a node that have a member in them."""
        if parent not in self._cuts:
            parents, ends = self.snapshot.parents, self.snapshot.ends
            cuts: list[range] = []
            for at in self.members[bisect_left(self.members, first) : bisect_left(self.members, last)]:
                while parents[at] != parent:
                    at = parents[at]
                if not cuts or cuts[-1].start != at:
                    cuts.append(range(at, ends[at]))
            leads = bool(said_in(self.snapshot, [range(first, cuts[0].start)], None).texts)
            trails = bool(said_in(self.snapshot, [range(cuts[-1].stop, last)], None).texts)
            self._cuts[parent] = cuts
            self._sides[parent] = "" if leads is trails else "before" if leads else "after"
        return self._cuts[parent]


def _on_its_line(region: Node, before: range, after: range) -> str:
    """On which side the text is that stands in the region's line; "" where it is on both, or on neither."""
    snapshot, columns = region.snapshot, region.snapshot.columns
    top, bottom = region.box.y, region.box.y + region.box.height

    def is_beside(span: range) -> bool:
        for index in span:
            if columns.role[index] == "text" or speaks(columns, index):
                box = snapshot.nodes[index].box
                if box.height and top < box.y + box.height / 2 < bottom:
                    return True
        return False

    return {(True, False): "before", (False, True): "after"}.get((is_beside(before), is_beside(after)), "")
