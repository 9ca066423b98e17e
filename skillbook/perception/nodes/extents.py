"""What there is to scroll through, and how many more rows it has room for.

A virtualised list has only the rows around those that are seen; it keeps room for the others, by a tall spacer, by
padding, or by moving its rows. How many there are follows from the room and from how high the rows are.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import NamedTuple

from skillbook.perception.nodes.columns import FEWEST, Columns
from skillbook.perception.roles import FIELDS, IMAGES
from skillbook.protocol.snapshot import State

_NEAR = 2  # rows that may be missing at the edge of what is seen
_HEADER = 0.25  # share of what is seen that a header may cover
_EVEN = 1.5  # pixels by which rows of one height may differ
_SHOWS = IMAGES | FIELDS | {"text", "iframe"}
_ACTIONABLE = int(State.ACTIONABLE)


class Scope(NamedTuple):
    """What scrolls: the nodes in it, where its content is from top to bottom, what of it is seen, and if it's a box."""

    begin: int
    end: int
    top: int
    bottom: int
    seen_from: int
    seen_to: int
    is_box: bool = False


class _Edges(NamedTuple):
    """Tops of everything that shows something, in order, with how far down all that begins before reaches; and
    bottoms with how far up all that ends after reaches."""

    tops: Sequence[int]
    reach_down: Sequence[int]
    bottoms: Sequence[int]
    reach_up: Sequence[int]


class Extents:
    """The scroll containers of a snapshot."""

    def __init__(self, columns: Columns) -> None:
        self.columns = columns
        self._edges: dict[tuple[int, int], _Edges] = {}

    def room_for(self, rows: Sequence[int]) -> int | None:
        """How many rows a virtualised list has, estimated; None where it seems to have no others than these.

        rows: indexes of the rows that the page has, in page order.
        """
        boxes = self._boxes(rows)
        if len(boxes) < FEWEST:
            return None
        tops = sorted({top for top, _ in boxes})
        first, last = tops[0], max(bottom for _, bottom in boxes)
        scope = self._scope(rows[len(rows) // 2])  # the first and last ones may be pinned
        seen = scope.seen_to - scope.seen_from
        if len(tops) < FEWEST or not (scope.is_box or (first - scope.top) + (scope.bottom - last) >= seen):
            return None
        pitch = (tops[-1] - first) / (len(tops) - 1)
        blank = sum(self._blanks(scope, first, last, max(_NEAR * pitch, _HEADER * seen)))
        steps = [after - before for before, after in pairwise(tops)]
        is_even = max(steps) - min(steps) <= _EVEN
        if blank < max(seen, FEWEST * pitch) and not (
            scope.is_box and is_even and _is_whole(blank, pitch) and len(boxes) == len(rows)
        ):
            return None
        lines = len(tops) + blank / pitch
        estimate = round(lines * len(boxes) / len(tops))
        return estimate if is_even else _rounded(estimate)

    def may_hold_more(self) -> bool:
        """Whether anything on the page may have more rows than are there: a quick look."""
        columns = self.columns
        if any("setsize" in facts for facts in columns.extra.values()):
            return True
        scopes = [self._own(index) for index, facts in columns.extra.items() if "scroll" in facts]
        documents = {segment: start for start, segment in zip(columns.starts, columns.segments, strict=True)}
        scopes += [self._document(start) for start in documents.values()]
        return any(self._has_blank(scope) for scope in scopes)

    def _has_blank(self, scope: Scope) -> bool:
        seen = scope.seen_to - scope.seen_from
        if scope.bottom - scope.top < 2 * seen:
            return False
        edges = self._edges_of(scope)
        downs = [scope.top, *edges.reach_down]
        tops = [*edges.tops, scope.bottom]
        return any(top - down >= seen / 2 for down, top in zip(downs, tops, strict=True))

    def _boxes(self, rows: Sequence[int]) -> list[tuple[int, int]]:
        """Top and bottom of the rows that say something: others only take up room."""
        box = self.columns.box
        return [
            (box[4 * row + 1], box[4 * row + 1] + box[4 * row + 3])
            for row in rows
            if box[4 * row + 3] > 0 and self._says_something(row)
        ]

    def _says_something(self, row: int) -> bool:
        columns, end = self.columns, self.columns.ends[row]
        says = "".join(columns.name[row:end])
        return bool(says.strip()) or not _SHOWS.isdisjoint(columns.role[row:end])

    def _scope(self, row: int) -> Scope:
        """The nearest thing around a row that scrolls."""
        columns = self.columns
        parents = columns.parents
        document = columns.document_at(row)
        at = parents[row]
        while at >= 0 and columns.document_at(at) is document:
            if "scroll" in columns.extra.get(at, {}):
                return self._own(at)
            at = parents[at]
        return self._document(row)

    def _own(self, index: int) -> Scope:
        columns = self.columns
        start, height, above, seen = columns.extra[index]["scroll"]
        top = columns.box[4 * index + 1] + start
        last = columns.ends[index]
        return Scope(index + 1, last, top, top + height, top + above, top + above + seen, True)

    def _document(self, index: int) -> Scope:
        columns = self.columns
        document = columns.document_at(index)
        at = index
        while columns.parents[at] >= 0 and columns.document_at(columns.parents[at]) is document:
            at = columns.parents[at]
        first, last = (0, len(columns.role)) if document.owner is None else (at, columns.ends[at])
        top = -document.scroll[1]
        seen = document.viewport[1]
        return Scope(first, last, top, top + document.size[1], 0, seen)

    def _blanks(self, scope: Scope, first: int, last: int, near: float) -> tuple[int, int]:
        """Blank room before and after the rows: only where rows go up to the edge of what is seen, and a bit beyond."""
        edges = self._edges_of(scope)
        before = after = 0
        if first <= scope.seen_from + near:
            edge = min(first, scope.seen_from)
            place = bisect_right(edges.bottoms, edge)
            start = edges.bottoms[place - 1] if place else scope.top
            up = min(edge, edges.reach_up[place]) if place < len(edges.reach_up) else edge
            before = max(up - max(start, scope.top), 0)
        if last >= scope.seen_to - near:
            edge = max(last, scope.seen_to)
            place = bisect_left(edges.tops, edge)
            end = edges.tops[place] if place < len(edges.tops) else scope.bottom
            down = max(last, edges.reach_down[place - 1]) if place else last
            after = max(min(end, scope.bottom) - down, 0)
        return before, after

    def _edges_of(self, scope: Scope) -> _Edges:
        key = (scope.begin, scope.end)
        if key not in self._edges:
            self._edges[key] = self._find_edges(scope)
        return self._edges[key]

    def _find_edges(self, scope: Scope) -> _Edges:
        columns, ends = self.columns, self.columns.ends
        roles, names, flags, box = columns.role, columns.name, columns.flags, columns.box
        document = columns.document_at(scope.begin)
        several = len(columns.documents) > 1
        spans: list[tuple[int, int]] = []
        for at in range(scope.begin, scope.end):
            if roles[at] not in _SHOWS and (
                ends[at] > at + 1 or not (flags[at] & _ACTIONABLE or names[at].strip())
            ):
                continue
            if several and columns.document_at(at) is not document:
                continue
            top, height = box[4 * at + 1], box[4 * at + 3]
            if height > 0 and box[4 * at + 2] > 0:
                spans.append((top, top + height))
        spans.sort()
        tops = [top for top, _ in spans]
        reach_down = list(accumulate((bottom for _, bottom in spans), max))
        spans.sort(key=lambda span: span[1])
        bottoms = [bottom for _, bottom in spans]
        reach_up = list(accumulate((top for top, _ in reversed(spans)), min))[::-1]
        return _Edges(tops, reach_down, bottoms, reach_up)


def _is_whole(room: int, pitch: float) -> bool:
    """Whether a room has place for just so many rows, as only one that a script has calculated does.

    A list that is a little longer than what it renders has less room for others than what is seen.
    """
    return room > pitch / 2 and abs(room - round(room / pitch) * pitch) <= _EVEN


def _rounded(count: int) -> int:
    """A count of which two digits are known."""
    digits = max(len(str(count)) - 2, 0)
    return round(count, -digits)
