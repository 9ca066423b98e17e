"""Pages with tables of very many rows, which come in parts: the parts joined to one page."""

from __future__ import annotations

from array import array
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple, cast

from skillbook.perception.nodes.base_snapshot import AnySnapshot, BaseSnapshot
from skillbook.perception.nodes.columns import Columns
from skillbook.perception.roles import TABLES

_LEAVES = TABLES | {"row"}  # rows aren't looked into, nor tables in tables
_Key = tuple[str, int]  # a document's key and a number in it


class TableBlock(NamedTuple):
    """What was read of a table: rows from `first` to before `end` of `total`; `changes` counts the page's changes."""

    first: int
    end: int
    total: int
    changes: int


def blocks_of(snapshot: BaseSnapshot) -> dict[_Key, TableBlock]:
    """The tables of which a snapshot has only some rows, by document and number."""
    columns = snapshot.columns
    return {
        _key(columns, index): TableBlock(*facts["block"])
        for index, facts in columns.extra.items()
        if "block" in facts
    }


@dataclass
class BlockJoiner:
    """Puts the rows of later parts into the first part.

    first: the page with the first rows of its big tables.
    tables: how far each has been read.
    """

    first: BaseSnapshot
    tables: dict[_Key, TableBlock] = field(init=False)
    _added: dict[_Key, Columns] = field(default_factory=dict)  # by what holds the rows
    _seen: set[_Key] = field(default_factory=set)

    def __post_init__(self) -> None:
        self.tables = blocks_of(self.first)
        self._spans(self.first)

    @cached_property
    def _holders(self) -> Mapping[_Key, int]:
        """Where nodes of the first part are; a page that is whole needs none."""
        columns = self.first.columns
        return {
            (columns.documents[of].key, number): index
            for begin, end, of in columns.spans()
            for index, number in enumerate(columns.number[begin:end], begin)
            if number
        }

    @property
    def next_row(self) -> int | None:
        """The first row that is still to be read; None where all have been."""
        return min((block.end for block in self.tables.values() if block.end < block.total), default=None)

    def add(self, part: BaseSnapshot) -> bool:
        """Take the rows of a later part; False where the tables aren't those of the first part any more."""
        found = blocks_of(part)
        if found.keys() != self.tables.keys():
            return False
        for key, block in found.items():
            known = self.tables[key]
            if (block.total, block.changes) != (known.total, known.changes) or block.first > known.end:
                return False
            self.tables[key] = known._replace(end=max(known.end, block.end))
        columns = part.columns
        spans = self._spans(part)
        if any(_key(columns, columns.parents[span.start]) not in self._holders for span in spans):
            return False
        for span in spans:
            into = self._added.setdefault(_key(columns, columns.parents[span.start]), _packed())
            _copy(columns, span, into)
        return True

    def _spans(self, part: BaseSnapshot) -> list[range]:
        """Where the rows are that no earlier part had; rows that follow each other are one range."""
        columns, ends = part.columns, part.ends
        found: list[range] = []
        for table in [index for index, facts in columns.extra.items() if "block" in facts]:
            at = table + 1
            while at < ends[table]:
                if columns.role[at] not in _LEAVES:
                    at += 1
                    continue
                key = _key(columns, at)
                if columns.role[at] == "row" and key not in self._seen:
                    self._seen.add(key)
                    follows = bool(found) and found[-1].stop == at
                    if follows and columns.parents[found[-1].start] == columns.parents[at]:
                        found[-1] = range(found[-1].start, ends[at])
                    else:
                        found.append(range(at, ends[at]))
                at = ends[at]
        return found

    def joined(self, kind: type[AnySnapshot]) -> AnySnapshot:
        """The page with all rows so far."""
        columns, holders = self.first.columns, self._holders
        out = _packed()
        done = 0
        by_end = sorted((columns.ends[holders[key]], -holders[key], key) for key in self._added)
        for end, _, key in by_end:
            _copy(columns, range(done, end), out)
            _copy(self._added[key], range(len(self._added[key].role)), out)
            done = end
        _copy(columns, range(done, len(columns.role)), out)
        first = self.first
        return kind(out, first.missing, first.took_ms, first.taken_at)


def _key(columns: Columns, index: int) -> _Key:
    return columns.document_at(index).key, columns.number[index]


def _packed() -> Columns:
    """Empty columns whose numbers take little memory."""
    number, depth, flags, box = (cast("list[int]", array("q")) for _ in range(4))
    return Columns(number=number, depth=depth, flags=flags, box=box)


def _copy(columns: Columns, span: range, out: Columns) -> None:
    """Copy nodes, with what they are of, to the end of other columns."""
    start = len(out.role)
    first, last = span.start, span.stop
    if first >= last:
        return
    known = {document.key: at for at, document in enumerate(out.documents)}
    for begin, end, ordinal in columns.spans():
        if max(begin, first) >= min(end, last):
            continue
        document = columns.documents[ordinal]
        at = known.setdefault(document.key, len(out.documents))
        if at == len(out.documents):
            inside = document.owner is not None and first <= document.owner < last
            owner = document.owner - first + start if inside and document.owner is not None else None
            out.documents.append(replace(document, owner=owner))
        if not out.segments or out.segments[-1] != at:
            out.starts.append(max(begin, first) - first + start)
            out.segments.append(at)
    for column in ("role", "name", "tag", "number", "depth", "flags"):
        getattr(out, column).extend(getattr(columns, column)[first:last])
    out.box.extend(columns.box[4 * first : 4 * last])
    extra = columns.extra
    out.extra.update({index - first + start: extra[index] for index in span if index in extra})
