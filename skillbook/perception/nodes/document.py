"""Document snapshots: read from the wire, whole or as changes to an earlier one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from operator import sub
from typing import Any

from skillbook.errors import ProtocolError
from skillbook.protocol.snapshot import State

_PLAIN_COLUMNS = ("number", "depth", "role", "tag", "flags", "name", "box")
_OFFSCREEN, _OBSCURED = int(State.OFFSCREEN), int(State.OBSCURED)


def with_plain_rows(document: Mapping[str, Any]) -> Mapping[str, Any]:
    """A document of the wire, whole, with its plain rows in the columns.

    Raises ValueError, KeyError, IndexError: rows and texts that don't fit together.
    """
    parts = document.get("plain")
    if not parts:
        return document
    columns: dict[str, list[Any]] = {column: [] for column in _PLAIN_COLUMNS}
    done = 0
    added: list[tuple[int, int]] = []  # from which node on the others stand further back, and by how much
    for part in parts:
        end = part["at"] + 1
        if not done < end <= len(document["role"]):
            raise ValueError("plain rows are where no node is")
        _copy(document, done, end, columns)
        before = len(columns["role"])
        for column, values in _columns_of(part, document).items():
            columns[column] += values
        added.append((end, len(columns["role"]) - before))
        done = end
    _copy(document, done, len(document["role"]), columns)
    extra = [
        (index + sum(count for first, count in added if first <= index), facts)
        for index, facts in document["extra"]
    ]
    return {**document, **columns, "extra": extra}


def _copy(document: Mapping[str, Any], first: int, end: int, columns: dict[str, list[Any]]) -> None:
    for column in _PLAIN_COLUMNS:
        scale = 4 if column == "box" else 1
        columns[column] += document[column][first * scale : end * scale]


def _columns_of(part: Mapping[str, Any], document: Mapping[str, Any]) -> dict[str, list[Any]]:
    """The nodes of rows and their cells as columns."""
    texts, numbers, tops, heights = part["texts"], part["numbers"], part["y"], part["height"]
    count, size = len(tops), len(part["x"])  # rows, and the nodes of each
    width, depth = size - 1, document["depth"][part["at"]]
    total = count * size
    if not (width and len(texts) == count * width and len(numbers) in {1, total}):
        raise ValueError(f"{len(texts)} texts of {count} rows with {width} cells")
    name = [""] * total
    box = [0] * (4 * total)
    for place in range(size):
        if place:
            name[place::size] = texts[place - 1 :: width]
        sides = ([part["x"][place]] * count, tops, [part["width"][place]] * count, heights)
        for side, values in enumerate(sides):
            box[4 * place + side :: 4 * size] = values
    return {
        "number": numbers if len(numbers) == total else list(range(numbers[0], numbers[0] + total)),
        "depth": [depth + 1, *[depth + 2] * width] * count,
        "role": [part["roles"][0], *[part["roles"][1]] * width] * count,
        "tag": [part["tags"][0], *[part["tags"][1]] * width] * count,
        "flags": _flags(part, document),
        "name": name,
        "box": box,
    }


def _flags(part: Mapping[str, Any], document: Mapping[str, Any]) -> list[int]:
    """Whether rows and cells are outside of the viewport; what lies over all of them does over each."""
    wide, high = document["viewport"]
    common = document["flags"][part["at"]] & _OBSCURED
    away = [common | _OFFSCREEN] * len(part["x"])
    seen = [
        common | (_OFFSCREEN if x + width <= 0 or x >= wide else 0)
        for x, width in zip(part["x"], part["width"], strict=True)
    ]
    rows = zip(part["y"], part["height"], strict=True)
    return list(chain.from_iterable(away if y + height <= 0 or y >= high else seen for y, height in rows))


_COLUMNS = ("number", "depth", "role", "tag", "flags", "name")


@dataclass(frozen=True)
class DocumentSnapshot:
    """One document's nodes at one moment: columns that nobody changes, so that snapshots may share them.

    head: the wire's facts about the document: key, frame, url, title, lang, version, viewport, size and others.
    stamp: names this document snapshot to the page; 0 where the page can't send changes to it.
    roles, tags: what the wire's indexes mean.
    extra: what few nodes have, by index.
    """

    head: Mapping[str, Any]
    stamp: int
    roles: Sequence[str]
    tags: Sequence[str]
    role: list[str]
    tag: list[str]
    number: list[int]
    depth: list[int]
    flags: list[int]
    name: list[str]
    box: list[int]
    extra: dict[int, Mapping[str, Any]]

    @property
    def key(self) -> str:
        """The document's key."""
        return str(self.head["key"])


def read_document(document: Mapping[str, Any], earlier: Mapping[str, DocumentSnapshot]) -> DocumentSnapshot:
    """A document of the wire: whole, or changes applied to its earlier snapshot.

    Raises ProtocolError: columns of different length, values that can't be, or changes to a snapshot that isn't known.
    """
    try:
        if "base" not in document:
            return _whole(document)
        before = earlier.get(document["key"])
        if before is None or before.stamp != document["base"]:
            raise ProtocolError("changes to a document snapshot that isn't known")
        return _changed(before, document)
    except (KeyError, TypeError, IndexError, ValueError, AttributeError) as error:
        raise ProtocolError(f"a snapshot that can't be read: {type(error).__name__}: {error}") from None


def _whole(document: Mapping[str, Any]) -> DocumentSnapshot:
    document = with_plain_rows(document)
    _check(document, len(document["role"]))
    _check_depths(document["depth"])
    roles, tags = list(document["roles"]), list(document["tags"])
    return DocumentSnapshot(
        head=_head(document),
        stamp=int(document.get("stamp", 0)),
        roles=roles,
        tags=tags,
        role=list(map(roles.__getitem__, document["role"])),
        tag=list(map([*tags, ""].__getitem__, document["tag"])),
        number=document["number"],
        depth=document["depth"],
        flags=document["flags"],
        name=document["name"],
        box=document["box"],
        extra={int(index): facts for index, facts in document["extra"]},
    )


def _changed(before: DocumentSnapshot, delta: Mapping[str, Any]) -> DocumentSnapshot:
    splices = delta["splices"]
    _check(delta, sum(inserted for _, _, inserted in splices))
    _check_splices(splices, len(before.number))
    roles = [*before.roles, *delta["roles"]] if delta["roles"] else before.roles
    tags = [*before.tags, *delta["tags"]] if delta["tags"] else before.tags
    size = len(before.number) + sum(inserted - removed for _, removed, inserted in splices)
    after = replace(
        before,
        head=_head(delta),
        stamp=int(delta["stamp"]),
        roles=roles,
        tags=tags,
        role=_splice(before.role, list(map(roles.__getitem__, delta["role"])), splices),
        tag=_splice(before.tag, list(map([*tags, ""].__getitem__, delta["tag"])), splices),
        number=_splice(before.number, delta["number"], splices),
        depth=_splice(before.depth, delta["depth"], splices),
        flags=_splice(before.flags, delta["flags"], splices),
        name=_splice(before.name, delta["name"], splices),
        box=_shift(_splice(before.box, delta["box"], splices, 4), delta["shifts"], size),
        extra=_splice_extras(before.extra, delta["extra"], splices),
    )
    _check_seams(after.depth, splices)
    return _relink(after, delta["frames"])


def _splice(column: list[Any], new: list[Any], splices: Sequence[Sequence[int]], scale: int = 1) -> list[Any]:
    if not splices:
        return column
    column = column.copy()
    end = len(new)
    for at, removed, inserted in reversed(splices):
        first = end - inserted * scale
        column[at * scale : (at + removed) * scale] = new[first:end]
        end = first
    return column


def _splice_extras(
    extra: dict[int, Mapping[str, Any]], new: Sequence[Any], splices: Sequence[Sequence[int]]
) -> dict[int, Mapping[str, Any]]:
    if not splices:
        return extra
    gone = {index for at, removed, _ in splices for index in range(at, at + removed)}
    if all(removed == inserted for _, removed, inserted in splices):
        kept = extra.copy()
        for index in gone:
            kept.pop(index, None)
    else:
        kept = _moved(extra, gone, splices)
    places = [place for at, inserted in _landings(splices) for place in range(at, at + inserted)]
    kept.update((places[index], facts) for index, facts in new)
    return kept


def _moved(
    extra: dict[int, Mapping[str, Any]], gone: set[int], splices: Sequence[Sequence[int]]
) -> dict[int, Mapping[str, Any]]:
    kept = {}
    grown, turn = 0, 0
    for index in sorted(extra):
        while turn < len(splices) and splices[turn][0] + splices[turn][1] <= index:
            grown += splices[turn][2] - splices[turn][1]
            turn += 1
        if index not in gone:
            kept[index + grown] = extra[index]
    return kept


def _landings(splices: Sequence[Sequence[int]]) -> list[tuple[int, int]]:
    """Where in the new columns each splice begins, and how many nodes it brings."""
    found, grown = [], 0
    for at, removed, inserted in splices:
        found.append((at + grown, inserted))
        grown += inserted - removed
    return found


def _shift(box: list[int], shifts: Sequence[Sequence[int]], size: int) -> list[int]:
    if not shifts:
        return box
    box = box.copy()
    for first, end, dx, dy in shifts:
        if not 0 <= first < end <= size:
            raise ProtocolError("a snapshot's boxes are shifted where there are none")
        for side, by in ((0, int(dx)), (1, int(dy))):
            if by:
                places = slice(4 * first + side, 4 * end, 4)
                box[places] = [value + by for value in box[places]]
    return box


def _relink(document: DocumentSnapshot, frames: Sequence[Mapping[str, Any]]) -> DocumentSnapshot:
    """Frames may have other documents now."""
    if not frames:
        return document
    extra = dict(document.extra)
    for link in frames:
        at = document.number.index(link["number"])
        facts = {name: value for name, value in extra.get(at, {}).items() if name != "document"}
        extra[at] = facts if link["document"] is None else {**facts, "document": link["document"]}
    return replace(document, extra=extra)


def _head(document: Mapping[str, Any]) -> Mapping[str, Any]:
    names = ("key", "frame", "url", "title", "version", "viewport", "scroll", "size")
    facts = {name: document[name] for name in names}
    attributes = {name: str(document.get(name, "")) for name in ("lang", "next")}
    return {
        **facts,
        **attributes,
        "no_ai": document.get("no_ai") is True,
        "ready_state": str(document.get("ready_state", "complete")),
        "elements": int(document.get("elements", 0)),
    }


def _check(document: Mapping[str, Any], size: int) -> None:
    for column in _COLUMNS:
        values = document[column]
        if len(values) != size:
            raise ProtocolError(f"a snapshot's {column} column has {len(values)} values for {size} nodes")
        kind = str if column == "name" else int
        if size and set(map(type, values)) != {kind}:
            raise ProtocolError(
                f"a snapshot's {column} column has values of another type than {kind.__name__}"
            )
    if len(document["box"]) != 4 * size:
        raise ProtocolError(f"a snapshot's box column has {len(document['box'])} values for {size} nodes")
    if size and (min(document["tag"]) < -1 or min(document["role"]) < 0 or min(document["number"]) < 0):
        raise ProtocolError("a snapshot's columns have negative numbers")


def _check_depths(depths: Sequence[int]) -> None:
    if depths and (min(depths) < 0 or depths[0] != 0 or max(map(sub, depths[1:], depths), default=0) > 1):
        raise ProtocolError("a snapshot's depth column is no tree")


def _check_splices(splices: Sequence[Sequence[int]], size: int) -> None:
    done = 0
    for at, removed, inserted in splices:
        if at < done or removed < 0 or inserted < 0 or at + removed > size:
            raise ProtocolError("a snapshot's changes overlap, or are where nothing is")
        done = at + removed


def _check_seams(depths: Sequence[int], splices: Sequence[Sequence[int]]) -> None:
    """Depths are a tree still, where something came or went."""
    for at, inserted in _landings(splices):
        part = depths[max(0, at - 1) : at + inserted + 1]
        if at == 0:
            part = [-1, *part]
        if part and (min(part[1:], default=0) < 0 or max(map(sub, part[1:], part), default=0) > 1):
            raise ProtocolError("a snapshot's depth column is no tree")
