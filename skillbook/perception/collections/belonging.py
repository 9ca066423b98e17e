"""What else a page says, and to which rows it belongs: what stands in another part of the page is of something else."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile

from skillbook.perception.nodes.base_snapshot import BaseSnapshot
from skillbook.perception.roles import DIALOGS, LANDMARKS

_PARTS = (LANDMARKS | DIALOGS) - {"navigation", "contentinfo"}


def is_aside(snapshot: BaseSnapshot, index: int, row: int) -> bool:
    """Whether a node stands in a landmark or dialog that a row isn't in; a pager may stand in the page's foot."""
    apart = takewhile(lambda up: not up <= row < snapshot.ends[up], snapshot.columns.around(index))
    return any(snapshot.columns.role[up] in _PARTS for up in apart)


def owner_of(snapshot: BaseSnapshot, index: int, collections: Sequence[Sequence[int]]) -> int | None:
    """Which of several collections, given as the indexes of their rows, is nearest to a node; None where none is.

    Of those that are equally near, the biggest one below it, else the biggest above.
    """
    best: tuple[int, bool, int] | None = None
    owner = None
    for place, rows in enumerate(collections):
        if not rows or is_aside(snapshot, index, rows[0]):
            continue
        score = (_depth(snapshot, index, rows[0]), rows[0] > index, len(rows))
        if best is None or score > best:
            best, owner = score, place
    return owner


def _depth(snapshot: BaseSnapshot, index: int, row: int) -> int:
    """How deep in the page that is which holds both."""
    columns = snapshot.columns
    return next((columns.depth[up] for up in columns.around(index) if up <= row < columns.ends[up]), -1)
