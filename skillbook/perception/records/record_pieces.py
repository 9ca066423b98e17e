"""What an element says, piece by piece: texts, values, links, and the attributes that may be a record's key."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from itertools import pairwise
from typing import NamedTuple

from skillbook import lexicon
from skillbook.perception.escape import LONGEST_NAME, clean
from skillbook.perception.nodes.base_snapshot import BaseSnapshot, Node
from skillbook.perception.nodes.visible_text import speaks
from skillbook.perception.records.record_table import (
    AMOUNT,
    CLOCK,
    CONTROLS,
    KEY,
    NUMBER,
    TITLE_TAGS,
    TITLES,
    Rank,
)
from skillbook.perception.roles import IMAGES, words
from skillbook.protocol.snapshot import State

_ID = "id"
_KEY = re.compile(rf"{_ID}|{KEY}")
_MADE = re.compile(r":|«|__|_r_|\d{5}|(?=[0-9a-f]*\d)[0-9a-f]{8}|\d[A-Za-z]+\d")
"""In ids that scripts make: `:r1:`, `_r_1_`, hashes, numbers by chance."""


CHOICES = words("option menuitem menuitemcheckbox menuitemradio tab")
"""Lists give these ids, so that a field can point at one, and make them anew each time."""


class KnownKey(NamedTuple):
    """A key that one record of a family has.

    is_sure: whether it names the record. Else it may only say in which place that is.
    """

    place: int
    is_sure: bool


class _Held(NamedTuple):
    place: int
    number: int
    key: str


def attribute_keys(snapshot: BaseSnapshot, index: int) -> list[str]:
    """The keys that an element has by its attributes; ids that scripts make are none, nor those of choices."""
    extra = snapshot.columns.extra.get(index, {})
    is_choice = snapshot.columns.role[index] in CHOICES
    html_id = "" if is_choice else str(extra.get("html_id") or "")
    return [*map(str, extra.get("keys") or ()), *([f"{_ID}={html_id}"] if _is_given(html_id) else [])]


def _is_given(html_id: str) -> bool:
    return bool(html_id) and _MADE.search(html_id) is None


def keys_in(snapshot: BaseSnapshot, span: range) -> list[Piece]:
    """The keys of all elements in a span of a page, as pieces without a text."""
    extra = snapshot.columns.extra
    return [
        Piece(Rank.KEY, "", key, index)
        for index in span
        if index in extra
        for key in attribute_keys(snapshot, index)
    ]


def links_of(texts: Sequence[Piece]) -> list[str]:
    """Where the links of a record lead; a script, or the page's own beginning, is nowhere."""
    found = dict.fromkeys(piece.href for piece in texts if piece.href and piece.rank is not Rank.KEY)
    return [href for href in found if not (href.lower().startswith("javascript:") or href.endswith("#"))]


def kind_of_key(key: str) -> str:
    """The attribute that a key stands in; of a link's address, nothing."""
    name = key.partition("=")[0]
    return name if _KEY.fullmatch(name) else ""


def known_keys(texts: Mapping[int, Sequence[Piece]]) -> dict[str, KnownKey]:
    """The keys of a family that one record alone has.

    Of an attribute whose values repeat there are none: it says of what kind a record is, or whose.

    texts: what each record says, in document order.
    """
    records: dict[str, set[int]] = defaultdict(set)
    for place, key in _held(texts):
        records[key].add(place)
    shared = {kind_of_key(key) for key, places in records.items() if len(places) > 1} - {""}
    numbers = {place: number for number, place in enumerate(texts)}
    alone = [
        _Held(place, numbers[place], key)
        for key, places in records.items()
        if len(places) == 1 and kind_of_key(key) not in shared
        for place in places
    ]
    alone.sort(key=lambda held: held.number)
    kinds, alike = defaultdict(set), defaultdict(list)
    for held in alone:
        kinds[kind_of_key(held.key)].add(held.place)
        alike[skeleton(held.key)].append(held)
    counting = {key for key, found in alike.items() if _counts(found)}
    return {
        held.key: KnownKey(
            held.place,
            skeleton(held.key) not in counting
            and (not (kind := kind_of_key(held.key)) or len(kinds[kind]) > 1),
        )
        for held in alone
    }


def _held(texts: Mapping[int, Sequence[Piece]]) -> Iterator[tuple[int, str]]:
    """The keys that the records have, each by its place; what stands in an inner one is no key of the outer one."""
    inner: set[int] = set()
    for place in sorted(texts, reverse=True):
        keys = [piece for piece in texts[place] if piece.rank is Rank.KEY and piece.source not in inner]
        inner |= {piece.source for piece in keys}
        for key in (*links_of(texts[place]), *(piece.href for piece in keys)):
            yield place, key


def _counts(found: Sequence[_Held]) -> bool:
    """Whether keys that differ by their numbers alone may only count: then they say in which place a record is.

    Links count from 0 or 1 in the order of the page. Values of attributes go up by steps of one size, in any order,
    since grids draw their rows in any. Ids go up or down, since scripts number what they make.
    """
    if len(found) < 2:
        return False
    if not (kind := kind_of_key(found[0].key)):
        numbers = [(held.number, re.findall(r"\d+", held.key)) for held in found]
        return any(all(str(number + first) in parts for number, parts in numbers) for first in (0, 1))
    columns = zip(*(map(int, re.findall(r"\d+", held.key)) for held in found), strict=False)
    return any(_goes_up(column) or (kind == _ID and _is_ordered(column)) for column in columns)


def _goes_up(numbers: Sequence[int]) -> bool:
    steps = {after - before for before, after in pairwise(sorted(numbers))}
    return len(steps) == 1 and 0 not in steps and (len(numbers) > 2 or steps == {1})


def _is_ordered(numbers: Sequence[int]) -> bool:
    return len({*numbers}) == len(numbers) and list(numbers) in (sorted(numbers), sorted(numbers)[::-1])


def conflicts(
    seen: Sequence[str], counted: Sequence[str], now: Sequence[str], counted_now: Sequence[str]
) -> Iterator[tuple[str, str]]:
    """Keys as they were and as they are, of one kind and different, one pair for each kind.

    counted, counted_now: keys that may only say its place, so that two of them may differ.
    """
    for kind in dict.fromkeys(map(kind_of_key, (*seen, *counted))):
        before = [key for key in (*seen, *counted) if kind_of_key(key) == kind]
        after = [key for key in (*now, *counted_now) if kind_of_key(key) == kind]
        is_sure = any(key in seen for key in before) or any(key in now for key in after)
        if after and is_sure and not {*before} & {*after}:
            yield before[0], after[0]


def conflicting(
    seen: Sequence[str], counted: Sequence[str], now: Sequence[str], counted_now: Sequence[str]
) -> tuple[str, str] | None:
    """A key as it was and as it is, of one kind and different; None where no kind of key differs."""
    return next(conflicts(seen, counted, now, counted_now), None)


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


@lru_cache(maxsize=8192)
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
