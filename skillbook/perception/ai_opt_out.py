"""A snapshot without what asks not to be used by AI."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

from skillbook.perception.nodes.base_snapshot import AnySnapshot, BaseSnapshot
from skillbook.perception.nodes.columns import Columns, Document
from skillbook.protocol.snapshot import MissingFrame

REASON = "it asks not to be used by AI"


@dataclass(frozen=True)
class ClosedToAi:
    """Keys of documents that a model may not read, and of those whose closed parts a person opened to it."""

    documents: Collection[str] = ()
    lifted: Collection[str] = ()


def opts_out(snapshot: BaseSnapshot) -> bool:
    """Whether a page, or a part of it, asks not to be used by AI."""
    columns = snapshot.columns
    return any(document.no_ai for document in columns.documents) or any(
        facts.get("no_ai") for facts in columns.extra.values()
    )


def without_opted_out(snapshot: AnySnapshot, lifted: Callable[[Document], bool]) -> AnySnapshot:
    """The snapshot as a model may see it; refs are the same.

    Documents that ask for no AI lose their nodes and titles, parts of pages are left out with everything in them, and
    what such a part is in loses its name, which may be made of the part's text.

    snapshot: of the whole page.
    lifted: whether a person allowed AI for a document all the same.
    """
    columns = snapshot.columns
    closed = {
        index for index, document in enumerate(columns.documents) if document.no_ai and not lifted(document)
    }
    gone, unnamed = set[int](), set[int]()
    for index in sorted(_roots(columns, closed, lifted)):
        if index in gone:
            continue
        gone.update(range(index, snapshot.ends[index]))
        around = snapshot.parents[index]
        while around >= 0 and columns.role[around] != "iframe":
            unnamed.add(around)
            around = snapshot.parents[around]
    if not gone and not closed:
        return snapshot
    kept = [index for index in range(len(columns.role)) if index not in gone]
    missing = [MissingFrame(url=columns.documents[index].url, reason=REASON) for index in sorted(closed)]
    parts = MissingFrame(url="a part of the page", reason=REASON)
    return type(snapshot)(
        _only(columns, kept, unnamed, closed),
        [*snapshot.missing, *(missing or [parts])],
        snapshot.took_ms,
        snapshot.taken_at,
        hints=snapshot.hints,
        css=snapshot.css,
    )


def _roots(columns: Columns, closed: set[int], lifted: Callable[[Document], bool]) -> set[int]:
    """Where what is left out begins."""
    found = {
        index
        for index, facts in columns.extra.items()
        if facts.get("no_ai") and not lifted(columns.document_at(index))
    }
    ends = [*columns.starts, len(columns.role)][1:]
    for first, last, of in zip(columns.starts, ends, columns.segments, strict=True):
        if of in closed:
            found.update(range(first, last))
    return found


def _only(columns: Columns, kept: list[int], unnamed: set[int], closed: set[int]) -> Columns:
    new_place = {index: place for place, index in enumerate(kept)}
    starts, segments = list[int](), list[int]()
    last = -1
    for place, index in enumerate(kept):
        of = bisect_right(columns.starts, index) - 1
        if of != last:
            starts.append(place)
            segments.append(columns.segments[of])
        last = of
    documents = [
        replace(
            document,
            owner=None if document.owner is None else new_place.get(document.owner),
            title="" if at in closed else document.title,
        )
        for at, document in enumerate(columns.documents)
    ]
    hidden_facts = {"description", "label", "value", "no_ai"}
    extra: dict[int, Mapping[str, Any]] = {
        new_place[index]: {
            key: fact for key, fact in facts.items() if index not in unnamed or key not in hidden_facts
        }
        for index, facts in columns.extra.items()
        if index in new_place
    }
    return Columns(
        role=[columns.role[index] for index in kept],
        name=["" if index in unnamed else columns.name[index] for index in kept],
        number=[columns.number[index] for index in kept],
        depth=[columns.depth[index] for index in kept],
        flags=[columns.flags[index] for index in kept],
        box=[value for index in kept for value in columns.box[4 * index : 4 * index + 4]],
        tag=[columns.tag[index] for index in kept],
        extra=extra,
        documents=documents,
        starts=starts,
        segments=segments,
    )
