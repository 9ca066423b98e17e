"""Whether a page says that it found nothing: then the rows that it shows are of another list.

A page may also say so with a table of headers only. A search without a result often offers popular things instead, and
a person sees at once that they are none of what was looked for.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from skillbook import lexicon
from skillbook.extraction.frames.validation import is_pandera, kinds_of
from skillbook.extraction.reading.fields import FieldSpec, parse_fields
from skillbook.extraction.reading.places import collections_in
from skillbook.extraction.reading.plans import Place, best_field
from skillbook.extraction.walking.extract_options import ExtractOptions
from skillbook.perception.collections import EmptyTable, Row, empty_tables
from skillbook.perception.collections.belonging import is_aside
from skillbook.perception.escape import clean, quote
from skillbook.perception.nodes import BaseSnapshot, Node
from skillbook.perception.roles import words
from skillbook.perception.snapshot import Snapshot
from skillbook.protocol.snapshot import State

_SAYING = {"heading", "status", "alert", "paragraph", "generic", "text", "strong", "emphasis"}
_LONGEST = 140  # characters; what is longer speaks of something else, too
_ASIDE = words("navigation banner contentinfo complementary dialog alertdialog search listbox")
_ZEROS = re.compile(r"\D{0,12}\b0\D{1,6}0\D{1,8}0\b")
"""Showing 0 to 0 of 0."""
_ZERO = re.compile(r"\W*0 ")
_FEW_WORDS = re.compile(r"(?: [^\s,.;:!]+){0,3} ")
_FRONT, _FIRST_PART = 12, 60  # characters
_PHRASE = 12  # characters; what is shorter says it at the front only


def says_nothing_found(text: str) -> bool:
    """Whether a short text says that a search or a list has nothing; a question doesn't."""
    folded = lexicon.fold(text)
    if len(folded) > _LONGEST or "?" in folded:
        return False
    if _ZEROS.match(folded):
        return True
    hits = lexicon.find(folded)
    counts = [hit.start for hit in hits if hit.meaning == "results"]
    none = [hit.end for hit in hits if hit.meaning == "none" and hit.start <= _FRONT]
    zero = _ZERO.match(folded)
    none += [zero.end() - 1] if zero else []
    if any(start >= end and _FEW_WORDS.fullmatch(folded[end:start]) for end in none for start in counts):
        return True
    phrases = (hit for hit in hits if hit.meaning == "nothing_found")
    return any(hit.start <= (_FIRST_PART if _is_phrase(folded, hit) else _FRONT) for hit in phrases)


def _is_phrase(folded: str, hit: lexicon.Hit) -> bool:
    return hit.end - hit.start >= _PHRASE or not folded[hit.start : hit.end].isascii()


def found_nothing(snapshot: BaseSnapshot, rows: Sequence[Row], within: Sequence[Node] | None = None) -> str:
    """The words in which a page, or a part of it, says beside these rows that it found nothing; "" where it doesn't.

    What a page's frame says (its head, foot, sides and dialogs) is of something else, such as a cart.
    """
    parts = (
        [(0, len(snapshot))] if within is None else [(one.index, snapshot.ends[one.index]) for one in within]
    )
    return next((message for part in parts if (message := _said_in(snapshot, rows, *part))), "")


def _said_in(snapshot: BaseSnapshot, rows: Sequence[Row], at: int, end: int) -> str:
    columns, ends = snapshot.columns, snapshot.ends
    skipped = {row.node.index for row in rows}
    first = rows[0].node.index if rows else None
    while at < end:
        role = columns.role[at]
        if at in skipped or role in _ASIDE:
            at = ends[at]
            continue
        holds_rows = first is not None and at < first < ends[at]
        if role in _SAYING and not holds_rows and ends[at] - at < _LONGEST and _is_seen(snapshot, at):
            text = clean(columns.name[at]) if role == "text" else clean(snapshot.text_of(at))
            if says_nothing_found(text) and not _is_of_other(snapshot, at, first):
                return text
        at += 1
    return ""


def _is_seen(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether people see words: pages keep what they say of an empty list ready, and don't show it."""
    columns = snapshot.columns
    texts = [at for at in range(index, snapshot.ends[index]) if columns.role[at] == "text"]
    return not texts or not all(columns.flags[at] & State.UNSEEN for at in texts)


def _is_of_other(snapshot: BaseSnapshot, index: int, row: int | None) -> bool:
    """Whether words are of another part of the page than a row, such as of a search box."""
    return row is not None and is_aside(snapshot, index, row)


@dataclass(frozen=True)
class NoRows:
    """The plan of a page without rows.

    columns: those that the rows would have; empty where nothing says which.
    table: has the headers and no rows; None where words say it.
    """

    columns: Sequence[str]
    says: str
    table: EmptyTable | None = None

    def read(self, snapshot: Snapshot) -> list[Row]:
        """None, for a page that shows rows has another plan."""
        return []


def no_rows(snapshot: Snapshot, options: ExtractOptions) -> NoRows | None:
    """The plan of a page that is sure to have none of the rows; None where others may be meant.

    A table without rows is the one that is meant if it has the wanted columns, or if nothing else has rows. Words say
    it only if nothing else has rows.
    """
    if options.example is not None:
        return None
    nodes = Place.of(snapshot, options.within).nodes(snapshot)
    specs = None if options.fields is None else parse_fields(options.fields)
    tables = [table for table in empty_tables(snapshot) if _is_in(snapshot, nodes, table.node.index)]
    others = [each for each in collections_in(snapshot, nodes) if nodes is not None or not each.minor]
    fitting = [table for table in tables if _has_columns(table, specs, sure=bool(others))]
    if len(fitting) == 1:
        columns = fitting[0].fields if specs is None and options.schema is None else _columns(options, specs)
        return NoRows(columns, str(fitting[0]), fitting[0])
    if tables or others:
        return None
    message = found_nothing(snapshot, [], nodes)
    return NoRows(_columns(options, specs), f"the page says {quote(message, 80)}") if message else None


def _columns(options: ExtractOptions, specs: Sequence[FieldSpec] | None) -> list[str]:
    if specs is not None:
        return [spec.column for spec in specs]
    schema = options.schema
    if schema is None:
        return list(options.columns or [])
    return list(kinds_of(schema) if is_pandera(schema) else schema.model_fields)


def _has_columns(table: EmptyTable, specs: Sequence[FieldSpec] | None, *, sure: bool) -> bool:
    """Whether a table has the wanted columns, or `sure` isn't needed and nothing says that it lacks one."""
    if specs is None:
        return not sure
    if sure and not all(spec.is_only_label for spec in specs):
        return False
    return all(best_field(table.fields, spec.label) is not None for spec in specs if spec.is_only_label)


def _is_in(snapshot: Snapshot, nodes: Sequence[Node] | None, index: int) -> bool:
    return nodes is None or any(node.index <= index < snapshot.ends[node.index] for node in nodes)
