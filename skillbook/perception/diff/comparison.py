"""Finds what changed between two snapshots of a page."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any

from skillbook.perception.diff.snapshot_diff import Change, SnapshotDiff, short
from skillbook.perception.escape import LONGEST_NAME, MOST_NAMED, clean, quote, quote_lines, shorten
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.roles import CELLS, RECORDS
from skillbook.perception.text.describe import header, is_around, states_of
from skillbook.protocol.refs import make_ref
from skillbook.protocol.snapshot import State

_CHUNK = 2048
_COMPARED = ("number", "depth", "role", "flags", "name")


def changed_range(older: BaseSnapshot, newer: BaseSnapshot) -> tuple[list[int], list[int]]:
    """Indexes of the nodes that can differ, in the older and in the newer snapshot."""
    a, b = older.columns, newer.columns
    sizes = len(a.role), len(b.role)
    first = min(_same(getattr(a, column), getattr(b, column)) for column in _COMPARED)
    tail = min(sizes) - first
    last = min(
        (_same_at_end(getattr(a, column), getattr(b, column), tail) for column in _COMPARED),
        default=0,
    )
    if not _same_documents(older, newer, first, last):
        return list(range(sizes[0])), list(range(sizes[1]))
    shift = sizes[1] - sizes[0]
    old, new = set(range(first, sizes[0] - last)), set(range(first, sizes[1] - last))
    for index, facts in b.extra.items():
        other = index if index < first else index - shift
        if index not in new and a.extra.get(other) != facts:
            new.add(index)
            old.add(other)
    for index in a.extra:
        other = index if index < first else index + shift
        if index not in old and other not in b.extra:
            old.add(index)
            new.add(other)
    return sorted(old), sorted(new)


def _same(a: Sequence[Any], b: Sequence[Any]) -> int:
    """How many values from the start are equal."""
    size = min(len(a), len(b))
    for start in range(0, size, _CHUNK):
        end = min(start + _CHUNK, size)
        if a[start:end] != b[start:end]:
            return next(at for at in range(start, end) if a[at] != b[at])
    return size


def _same_at_end(a: Sequence[Any], b: Sequence[Any], most: int) -> int:
    """How many values before the end are equal, up to a number."""
    for done in range(0, most, _CHUNK):
        step = min(_CHUNK, most - done)
        here, there = len(a) - done, len(b) - done
        if a[here - step : here] != b[there - step : there]:
            return done + next(at for at in range(step) if a[here - 1 - at] != b[there - 1 - at])
    return most


def _same_documents(older: BaseSnapshot, newer: BaseSnapshot, first: int, last: int) -> bool:
    """Whether nodes that are equal also belong to the same documents."""
    a, b = older.columns, newer.columns
    if [document.key for document in a.documents] != [document.key for document in b.documents]:
        return False
    if a.segments != b.segments:
        return False
    shift = len(b.role) - len(a.role)
    end = len(a.role) - last
    return all(
        there == (here if here <= first else here + shift) or first < here < end
        for here, there in zip(a.starts, b.starts, strict=True)
    )


Key = tuple[str, int]  # a document's key and a ref number
_MATTERS = ~int(State.OFFSCREEN | State.INLINE | State.OBSCURED | State.FOCUSED | State.ACTIONABLE)
# What is named by its content, whose changes are reported.
_SUMS = CELLS | (RECORDS - {"article"})
_SILENT = {"generic", "none", "list", "rowgroup", "group"}
_FOCUSED = " [focused]"
_FACTS = ("value", "href", "current", "valuenow", "sort", "level", "description")


def compare(older: BaseSnapshot, newer: BaseSnapshot) -> SnapshotDiff:
    """What changed from one snapshot to the next."""
    if older is newer or older.main.key != newer.main.key:
        return SnapshotDiff(older, newer, [], [], [])
    old_range, new_range = changed_range(older, newer)
    before, after = _index(older, old_range), _index(newer, new_range)
    came = [index for key, index in after.items() if key not in before]
    gone = [index for key, index in before.items() if key not in after]
    added = _outermost(newer, _without_wrappers(newer, came, older))
    removed = _outermost(older, _without_wrappers(older, gone, newer))
    parents = [
        {side.parents[at] for at in changed if side.columns.role[at] == "text"}
        for side, changed in ((older, old_range), (newer, new_range))
    ]
    pairs = {key: (before[key], index) for key, index in after.items() if key in before}
    pairs.update(_pairs_of_parents(older, newer, *parents))
    changed = []
    for other, index in sorted(pairs.values(), key=lambda pair: pair[1]):
        what = _difference(older, other, newer, index)
        was, now = _direct_text(older, other), _direct_text(newer, index)
        in_names = was in clean(older.columns.name[other]) and now in clean(newer.columns.name[index])
        if was != now and not in_names:  # else the change of the name says it
            text = f"text in {short(newer, index)}: {quote(was, 200)} → {quote(now, 200)}"
            what = f"{what}; {text}" if what else text
        if what:
            changed.append(Change(older.nodes[other], newer.nodes[index], what))
    changed = [*_without_echo(changed), *_moved(older, newer, pairs)]
    return SnapshotDiff(older, newer, _spoken(newer, added), _spoken(older, removed), changed)


def _index(snapshot: BaseSnapshot, changed: Iterable[int]) -> dict[Key, int]:
    number = snapshot.columns.number
    return {_key(snapshot, at): at for at in changed if number[at]}


def _key(snapshot: BaseSnapshot, index: int) -> Key:
    return snapshot.columns.document_at(index).key, snapshot.columns.number[index]


def _pairs_of_parents(
    older: BaseSnapshot, newer: BaseSnapshot, old_parents: set[int], new_parents: set[int]
) -> dict[Key, tuple[int, int]]:
    """Elements whose direct texts lie among what differs; they themselves may be the same."""
    pairs: dict[Key, tuple[int, int]] = {}
    for parents, side in ((old_parents, older), (new_parents, newer)):
        for parent in parents:
            if parent < 0:
                continue
            ref = side.nodes[parent].ref
            if ref and ref in older and ref in newer:
                pairs[_key(side, parent)] = older[ref].index, newer[ref].index
    return pairs


def _direct_text(snapshot: BaseSnapshot, index: int) -> str:
    """The text directly in an element."""
    columns = snapshot.columns
    runs = (columns.name[at] for at in snapshot.child_indexes(index) if columns.role[at] == "text")
    return clean(" ".join(runs))


def _difference(older: BaseSnapshot, other: int, newer: BaseSnapshot, index: int) -> str:
    a, b = older.columns, newer.columns
    extra, other_extra = b.extra.get(index), a.extra.get(other)
    facts_differ = extra != other_extra and any(
        (extra or {}).get(fact) != (other_extra or {}).get(fact) for fact in _FACTS
    )
    same_name = a.name[other] == b.name[index]
    same_flags = a.flags[other] & _MATTERS == b.flags[index] & _MATTERS
    if same_name and same_flags and not facts_differ and a.role[other] == b.role[index]:
        return ""
    role, name = b.role[index], shorten(clean(b.name[index]), LONGEST_NAME)
    silent = role in {"generic", "none", "paragraph", "document"} and not b.flags[index] & State.ACTIONABLE
    if silent and same_name and not facts_differ:
        return ""
    parts = []
    if a.role[other] != role:
        parts.append(f"was {a.role[other]}")
    if not same_name and not (role in _SUMS and newer.ends[index] > index + 1):
        parts.append(f"was {quote(a.name[other], LONGEST_NAME)}")
    if (was := _states(older, other)) != _states(newer, index):
        parts.append(f"was{was or ' without states'}")
    before, now = (other_extra or {}).get("value"), (extra or {}).get("value")
    if before != now:
        parts.append(f"value was {quote_lines(before or '', 120)}")
    if before == now and (was_now := (other_extra or {}).get("valuenow")) != (extra or {}).get("valuenow"):
        parts.append(f"was {was_now:g}" if was_now is not None else "had no value")
    described, describes = (other_extra or {}).get("description"), (extra or {}).get("description")
    if described != describes:
        parts.append(
            f"description was {quote(described or '', LONGEST_NAME)} and is {quote(describes or '', LONGEST_NAME)}"
        )
    if (other_extra or {}).get("href") != (extra or {}).get("href"):
        parts.append("goes elsewhere")
    if not parts:
        return ""
    return f"{header(newer, index, name)}{_ref_mark(newer, index)}: {', '.join(parts)}"


def _states(snapshot: BaseSnapshot, index: int) -> str:
    """An element's states without the focus, which moves with every action."""
    return states_of(snapshot, index).replace(_FOCUSED, "")


def _moved(older: BaseSnapshot, newer: BaseSnapshot, pairs: dict[Key, tuple[int, int]]) -> list[Change]:
    """Elements that are in another order than before, or in another place: a sort, a drag."""
    places: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    changes = []
    for other, index in sorted(pairs.values()):
        was_in, is_in = older.parents[other], newer.parents[index]
        if was_in < 0 or is_in < 0 or not newer.columns.number[index]:
            continue
        if not older.columns.number[was_in] or not newer.columns.number[is_in]:
            continue
        if _key(older, was_in) == _key(newer, is_in):
            places[was_in, is_in].append((other, index))
        elif newer.nodes[is_in].ref in older and older.nodes[was_in].ref in newer:
            what = f"{short(newer, index)} moved from {short(older, was_in)} to {short(newer, is_in)}"
            changes.append(Change(older.nodes[other], newer.nodes[index], what))
    for (was_in, is_in), children in places.items():
        now = [index for _, index in children]
        if now != sorted(now):
            first = ", ".join(short(newer, index) for index in sorted(now)[:MOST_NAMED])
            more = f", … {len(now) - MOST_NAMED} more" if len(now) > MOST_NAMED else ""
            what = f"order in {short(newer, is_in)} is now: {first}{more}"
            changes.append(Change(older.nodes[was_in], newer.nodes[is_in], what))
    return changes


def _ref_mark(snapshot: BaseSnapshot, index: int) -> str:
    columns = snapshot.columns
    if columns.flags[index] & State.ACTIONABLE or columns.role[index] in {
        "iframe",
        "table",
        "grid",
        "dialog",
    }:
        return ""
    number = columns.number[index]
    return f" [ref={make_ref(columns.document_at(index).frame, number)}]" if number else ""


def _without_wrappers(snapshot: BaseSnapshot, indexes: list[int], other: BaseSnapshot) -> list[int]:
    """Without elements that say nothing themselves and hold what the other snapshot has too: only they are new."""
    columns = snapshot.columns
    kept = []
    for index in indexes:
        silent = columns.role[index] in _SILENT and not columns.name[index].strip()
        if silent and (not columns.flags[index] & State.ACTIONABLE or is_around(snapshot, index)):
            inside = (
                snapshot.nodes[at].ref for at in range(index + 1, snapshot.ends[index]) if columns.number[at]
            )
            if any(ref in other for ref in inside):
                continue
        kept.append(index)
    return kept


def _outermost(snapshot: BaseSnapshot, indexes: list[int]) -> list[int]:
    kept: list[int] = []
    end = -1
    for index in sorted(indexes):
        if index >= end:
            kept.append(index)
            end = snapshot.ends[index]
    return kept


def _spoken(snapshot: BaseSnapshot, indexes: Sequence[int]) -> list[Node]:
    """Without elements that say nothing and hold nothing."""
    columns = snapshot.columns
    kept = []
    for index in indexes:
        inside = range(index, snapshot.ends[index])
        if any(columns.name[at].strip() or columns.flags[at] & State.ACTIONABLE for at in inside):
            kept.append(snapshot.nodes[index])
    return kept


def _without_echo(changes: list[Change]) -> list[Change]:
    """Without changes of a name that only repeat a change inside: a row is named by its cells."""
    changed = {change.after.index for change in changes}
    kept = []
    for change in changes:
        node = change.after
        inside = range(node.index + 1, node.snapshot.ends[node.index])
        echo = not node.actionable and node.name and any(at in changed for at in inside)
        if not (echo and change.before.states == node.states and change.before.value == node.value):
            kept.append(change)
    return kept
