"""The pieces of what a record says, and which of them can name it: titles and words do, prices and counts don't."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from typing import NamedTuple

from skillbook import lexicon
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.records.record_table import (
    AMOUNT,
    CLOCK,
    CONTROLS,
    NUMBER,
    TITLE_TAGS,
    TITLES,
    Rank,
)
from skillbook.perception.roles import IMAGES
from skillbook.protocol.snapshot import State

_BRACKETED = re.compile(rf"\(\s*{NUMBER}\+?\s*\)")
_AMOUNT = re.compile(
    r"(?:[A-Z]{3}|[^\w\s]{1,2}|[^\W\d_]{1,2}\.?)?\s?[-+–−]?\d[\d.,:/\s'’-]*\s?(?:[A-Z]{3}\b|[^\w\s]+|[^\W\d_]{1,3}\b\.?)?"
)
"""A number alone, or with a currency, a sign or a unit: prices, percents, clocks, weights."""
_INSIDE = re.compile(f"{AMOUNT}|{CLOCK}")
"""An amount of money, a percentage or a clock within a text."""
_CODE = re.compile(r"[^\s@]+@[^\s@]+\.\w|^[A-Za-z]{1,8}[-_./#]\d[\w-]*$")
"""An e-mail address, or a code such as `SB-1042`."""


class Piece(NamedTuple):
    """Something that a record says.

    rank: how it is said; `VALUE` is what a field holds, `CONTROL` what another control is called.
    text, href: the words, and where the link leads that says them; of a `KEY` no words, and attribute and value.
    source: the index of the node that says it.
    """

    rank: Rank
    text: str
    href: str = ""
    source: int = -1


@lru_cache(maxsize=8192)
def plain(text: str) -> str:
    """A name as it is compared: without case, a count in brackets, and how long ago something was."""
    return _ago().sub("#", lexicon.fold(clean(_BRACKETED.sub("#", text))))


@lru_cache(maxsize=8192)
def unaged(text: str) -> str:
    """A text as it is compared where counts matter: without case, and without how long ago something was."""
    return _ago().sub("#", lexicon.fold(clean(text)))


def uncounted(text: str) -> str:
    """A heading or a record's text as it is compared: as `plain` has it, and without "137 results" or "1-20 of 83"."""
    return plain(_count().sub("#", lexicon.fold(text)))


@cache
def _ago() -> re.Pattern[str]:
    number = rf"(?:\d+|{lexicon.alternation('one')})"
    unit, ago = lexicon.alternation("second", "minute", "long_time"), lexicon.alternation("ago")
    day = lexicon.alternation("just_now", "yesterday", "today")
    return re.compile(rf"{ago}\s*{number}\s*{unit}|{number}\s*{unit}\s*{ago}|{day}")


@cache
def _count() -> re.Pattern[str]:
    results, of = lexicon.alternation("results"), lexicon.alternation("of")
    counted = lexicon.alternation("results", "items", "counted_things")
    folder, single = lexicon.alternation("cart", "inbox"), lexicon.alternation("single_thing")
    number_last = rf"(?:(?!{single}){counted}(?::|\s+[-–—])?|{results}:|{folder}(?::|\s+[-–—])?)"
    return re.compile(
        rf"\b{NUMBER}\s*[-–—]\s*{NUMBER}\s+(?:{of}|/)\s+{NUMBER}\b"
        rf"|\b{NUMBER}\s+(?:{lexicon.alternation('counted_state')}\s+)?{counted}"
        rf"|^{number_last}\s+(?!(?:19|20)\d\d$){NUMBER}$"
    )


@lru_cache(maxsize=8192)
def is_name(text: str) -> bool:
    """Whether a text can name a record: it has letters, and is no price, measure, count or time."""
    bare = re.sub(r"#", "", uncounted(text))
    return any(map(str.isalpha, bare)) and _AMOUNT.fullmatch(text.strip()) is None


def is_fact(text: str) -> bool:
    """Whether a text has a number that no passing of time changes: a price, an amount, a count, a date."""
    return bool(re.search(r"\d", text)) and "#" not in plain(text)


def is_price(text: str) -> bool:
    """Whether a text has an amount of money in it."""
    return any(not re.search(r"%|\d:\d", amount) for amount in _INSIDE.findall(text))


def is_code(text: str) -> bool:
    """Whether a text is made to name one thing: an e-mail address, a code."""
    return bool(_CODE.search(text))


def skeleton(text: str) -> str:
    """A text without its digits: those of a column of measures have the same."""
    return re.sub(r"\d+(?:[.,]\d+)*", "#", plain(text))


def piece_text(text: str) -> str:
    """A text as a record has it."""
    return clean(text)[:LONGEST_NAME].replace("|", "¦")


def pieces_in(snapshot: BaseSnapshot, spans: Sequence[range]) -> list[Piece]:
    """What some spans of a page say, in document order; of a title and a link the whole text is one piece."""
    return [part for span in spans for piece in _walk(snapshot, span) for part in parted(piece)]


def parted(piece: Piece) -> list[Piece]:
    """A piece without amounts, and these: "Lamp $5" names its record by the word alone."""
    amounts = _INSIDE.findall(piece.text)
    if not amounts or not (rest := clean(_INSIDE.sub(" ", piece.text)).strip(" -–—·,;:|")):
        return [piece]
    return [piece._replace(text=rest), *(Piece(Rank.TEXT, text, source=piece.source) for text in amounts)]


def _walk(snapshot: BaseSnapshot, span: range) -> Iterator[Piece]:
    columns, ends = snapshot.columns, snapshot.ends
    titled = linked = -1
    index = span.start
    while index < span.stop:
        role = columns.role[index]
        if columns.tag[index].partition(".")[0] == "summary":
            yield Piece(Rank.TITLE, piece_text(snapshot.nodes[index].label), source=index)
            index = ends[index]
            continue
        if role in CONTROLS or role == "iframe":
            if role != "iframe" and not columns.flags[index] & State.SECRET:
                yield from _said_by_control(snapshot.nodes[index])
            index = ends[index]
            continue
        if role in TITLES or columns.tag[index].partition(".")[0] in TITLE_TAGS:
            titled = max(titled, ends[index])
        rank = Rank.TITLE if index < titled else Rank.LINK if index < linked else Rank.TEXT
        text = clean(columns.name[index])
        if role == "link":
            linked = ends[index]
            leads = str(columns.extra.get(index, {}).get("href", ""))
            yield Piece(min(rank, Rank.LINK), piece_text(snapshot.nodes[index].label), leads, index)
        elif text and role in IMAGES:
            yield Piece(Rank.IMAGE, piece_text(text), source=index)
        elif text and index >= linked and (role == "text" or speaks(columns, index)):
            yield Piece(rank, piece_text(text), source=index)
        index += 1


def _said_by_control(control: Node) -> Iterator[Piece]:
    if held := control.extra.get("value"):
        yield Piece(Rank.VALUE, piece_text(str(held)), source=control.index)
    if name := clean(control.label):
        yield Piece(Rank.CONTROL, piece_text(name), source=control.index)
