"""Whether a frame has everything that its page claims to have.

A page claims how much there is in its markup (`aria-rowcount`, `aria-colcount`, `aria-setsize`), in words ("137
results", "1–20 of 83", "Page 1 of 7"), by the room that a virtualised list keeps, and by a way to the next page.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache, lru_cache
from typing import NamedTuple

from skillbook import lexicon
from skillbook.extraction.frames.evidence import Check, Evidence
from skillbook.perception.collections import Row, is_sum, text_with_values
from skillbook.perception.collections.belonging import is_aside, owner_of
from skillbook.perception.collections.collection import name_of
from skillbook.perception.collections.measures import SEVERAL
from skillbook.perception.escape import LONGEST_NAME, clean, counted
from skillbook.perception.nodes import BaseSnapshot, Node, remembered
from skillbook.perception.nodes.columns import FEWEST
from skillbook.perception.roles import FIELDS, TABLES

_SAYING = frozenset(
    {"heading", "status", "caption", "paragraph", "generic"}
)  # they have their text as a name
_COUNT = r"\d{1,3}(?:[.,'\u2019\u00a0 ]\d{3})+|\d+"
_COUNTED_NAME = re.compile(
    rf"(?P<name>[^()\[\]]*[^\W\d][^()\[\]]*?)\s*[(\[]\s*(?P<in_brackets>{_COUNT})\s*[)\]]\s*\Z"
    rf"|(?P<called>[^\W\d][^\d()]*?)\s*[:·•|]\s*(?P<behind>{_COUNT})\s*\Z"
    rf"|(?P<before>{_COUNT})\s+(?P<things>[^\W\d]+(?: [^\W\d]+)?)\s*\Z"
)
"""A name that counts what it names: "Reviews (12)", "Reviews · 12", "12 reviews"."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SECTION = re.compile(r"(\d+)\.\d")
MOST_TEXTS = 5000
"""Texts of a page that are read for what it says of its rows, or of why it has none."""


class IncompleteFrame(UserWarning):
    """A frame doesn't have everything that its page claims to have."""


@dataclass(frozen=True)
class Completeness:
    """Whether a frame is whole.

    complete: nothing is known to be missing.
    reason: how much was read, why no more, and what the page claims; in one line.
    expected: what the page claims: `rows`, `columns`, `pages`.
    notes: what else is worth knowing of the reading, a sentence each.
    """

    complete: bool = True
    reason: str = ""
    expected: Mapping[str, int] = field(default_factory=dict)
    notes: Sequence[str] = ()
    evidence: Evidence = field(default_factory=Evidence)

    def checked(self, *checks: Check) -> Completeness:
        """The same with checks of laws; one that is broken makes the frame incomplete, and is a reason and a note."""
        broken = [check.says for check in checks if not check.holds]
        return replace(
            self,
            complete=self.complete and not broken,
            reason="; ".join(filter(None, [self.reason, *broken])),
            notes=[*self.notes, *broken],
            evidence=self.evidence.with_checks(*checks),
        )


def claims_of(
    snapshot: BaseSnapshot, rows: Sequence[Row], others: Sequence[Sequence[Row]] = ()
) -> dict[str, int]:
    """What a page claims of the collection that these rows are of.

    others: the rows of the page's other collections, to which words may belong instead.
    """
    if not rows:
        return {}
    return (
        _claims_of_name(snapshot, rows)
        | _claims_in_words(snapshot, rows, others)
        | _claims_in_markup(snapshot, rows)
    )


def assess(
    *,
    pages: int,
    rows: int,
    columns: int | None,
    claims: Mapping[str, int],
    stopped: str,
    more: str,
    opened: int = 0,
    faults: Sequence[str] = (),
    as_wished: bool = False,
    before: int = 0,
    began: str = "",
    failed: Sequence[str] | None = None,
) -> Completeness:
    """Whether what was read is whole, as far as it was asked for.

    columns: how many were read; None where only some were wanted.
    more: what shows that there is more; empty where nothing does.
    opened: the number of the page that was opened last; 0 where the first one is still open.
    faults: what is known to be missing or broken, whatever the number of rows.
    as_wished: it stopped where the caller said: what comes after that isn't missing, but the reason tells it.
    began: what says that the list has rows before the first one that was read.
    failed: which requests of the reading failed; None where it sent none.
    """
    known = rows + before
    now = [f"page {opened} is open now"] if opened else []
    sure = claims.get("rows") is not None and known >= claims["rows"]
    says: list[str] = []
    if known < claims.get("rows", 0):
        says.append(f"the page says {claims['rows']:,}")
    if known < claims.get("about", 0):
        says.append(f"the page has room for about {claims['about']:,}")
    if not sure and pages < claims.get("pages", 0):
        says.append(f"the page says {claims['pages']} pages")
    says += [sign for sign in (began, more) if sign and not sure]
    broken = list(dict.fromkeys([*faults, *(failed or ())]))
    if pages > 1 and known > claims.get("rows", known):
        broken.append(f"the page says only {claims['rows']:,}: rows were read twice, or are of another list")
    if columns is not None and columns < claims.get("columns", 0):
        broken.insert(0, f"{columns} of {claims['columns']} columns were there")
    why = [f"stopped: {stopped}"] if stopped and (says or broken or as_wished) else []
    complete = not broken and (as_wished or not says)
    reason = "; ".join([count_read(pages, rows), *why, *says, *broken, *now])
    missing = [*([] if as_wished else says), *(fault for fault in broken if fault not in (failed or ()))]
    facts = {"pages": pages, "rows": rows, "expected": expected(claims), "missing": missing}
    more_or_not = missing or ["nothing says that there are others"]
    checks = [Check("count", not missing, "; ".join([count_read(pages, rows), *more_or_not]), facts)]
    if failed is not None:
        answers = "; ".join(failed) or "no request of the reading failed"
        checks.append(Check("answers", not failed, answers, {"failed": list(failed)}))
    return Completeness(complete, reason, expected(claims), evidence=Evidence(tuple(checks)))


def partial(pages: int, rows: int, why: str, claims: Mapping[str, int] | None = None) -> Completeness:
    """What was read before something failed."""
    return Completeness(False, f"{count_read(pages, rows)}; stopped: {clean(why)}", expected(claims or {}))


def expected(claims: Mapping[str, int]) -> dict[str, int]:
    """Of what a page claims, how much there is; not where in it the page is, nor what is estimated."""
    return {name: claims[name] for name in claims if name in {"rows", "columns", "pages"}}


def count_read(pages: int, rows: int) -> str:
    """How much was read, in words."""
    return f"read {counted(pages, 'page')}, {counted(rows, 'row')}"


def _claims_of_name(snapshot: BaseSnapshot, rows: Sequence[Row]) -> dict[str, int]:
    """How many rows a list's name says that it has, or the headings over its parts: "Reviews (12)", "12 reviews"."""
    places = sorted(row.node.index for row in rows)
    name = _name_over(snapshot, places)
    every = _headings(snapshot)
    headings = [at for at in every if not _is_in_any(snapshot, at, places)]
    chapters = _chapters(snapshot)
    counted = {at: about for at in headings if (about := every[at]) and about[2] not in chapters}
    # "Part (1)" and "Part (2)" are numbers of parts.
    numbers = Counter(called for _, called, _ in set(counted.values()))
    over = Counter(bisect_left(headings, place) - 1 for place in places)
    missing = 0
    for heading, count in over.items():
        about = counted.get(headings[heading]) if heading >= 0 else None
        is_named = about is not None and (about[0] == name or len(over) > 1)
        if about is not None and is_named and numbers[about[1]] == 1:
            missing += max(about[2] - count, 0)
    about = None if missing else _count_in(name)
    if about and numbers[about[1]] < SEVERAL and about[2] not in chapters:
        missing = max(about[2] - len(rows), 0)
    return {"rows": len(rows) + missing} if missing else {}


def _name_over(snapshot: BaseSnapshot, places: Sequence[int]) -> str:
    """What the list of rows is called."""
    around = snapshot.parents[places[0]]
    while around >= 0 and (
        snapshot.ends[around] <= places[-1] or snapshot.columns.role[around] == "rowgroup"
    ):
        around = snapshot.parents[around]
    return name_of(snapshot, around) if around >= 0 else ""


def _stands_alone(snapshot: BaseSnapshot, index: int) -> bool:
    """Whether a text is no part of a sentence: beside the elements that say but it there are no other texts."""
    columns, text, at = snapshot.columns, snapshot.text_of(index), index
    while (parent := snapshot.parents[at]) >= 0:
        beside = [each for each in snapshot.child_indexes(parent) if each != at]
        if any(columns.role[each] == "text" and columns.name[each].strip() for each in beside):
            return False
        if snapshot.text_of(parent) != text:
            return True
        at = parent
    return True


@remembered
def _headings(snapshot: BaseSnapshot) -> dict[int, tuple[str, str, int] | None]:
    """The headings, each with its count."""
    headings = [at for at, role in enumerate(snapshot.columns.role) if role == "heading"]
    return {at: _counted(snapshot, at) for at in headings}


@remembered
def _chapters(snapshot: BaseSnapshot) -> set[int]:
    """The numbers of chapters, which count nothing: "46 Groups" over "46.1 Sums"."""
    labels = [clean(snapshot.nodes[at].label) for at in _headings(snapshot)]
    return {int(match[1]) for label in labels if (match := _SECTION.match(label))}


def _is_in_any(snapshot: BaseSnapshot, index: int, places: Sequence[int]) -> bool:
    before = bisect_left(places, index) - 1
    return before >= 0 and index < snapshot.ends[places[before]]


def _counted(snapshot: BaseSnapshot, heading: int) -> tuple[str, str, int] | None:
    """What a heading says without its count, and the count, which may stand in an element of its own."""
    label = clean(snapshot.nodes[heading].label)
    badge = snapshot.columns.extra.get(heading, {}).get("badge")
    if badge is None:
        return _count_in(label)
    return label, re.sub(r"[\W\d]+\Z", "", label), _number(badge)


def _count_in(name: str) -> tuple[str, str, int] | None:
    """A name, the same without its count, and the count; None where it has none. A year is no count."""
    match = _COUNTED_NAME.match(name)
    if match is None:
        return None
    number = match["in_brackets"] or match["behind"] or match["before"]
    if _YEAR.fullmatch(number):
        return None
    return name, (match["name"] or match["called"] or match["things"]).strip(), _number(number)


def _claims_in_markup(snapshot: BaseSnapshot, rows: Sequence[Row]) -> dict[str, int]:
    extra = snapshot.columns.extra
    node: Node = rows[0].node
    line = next((up for up in (node, *node.ancestors) if up.role == "row"), None)
    table = next((up for up in line.ancestors if up.role in TABLES), None) if line else None
    claims: dict[str, int] = {}
    if table is not None:
        facts = extra.get(table.index, {})
        if (size := int(facts.get("setsize") or 0)) > 0:
            claims["rows"] = max(size - _heads_counted(snapshot, table, rows), 0)
        if int(facts.get("colcount") or 0) > 0:
            claims["columns"] = int(facts["colcount"])
    else:
        sizes = {int(extra.get(row.node.index, {}).get("setsize") or 0) for row in rows}
        if len(sizes) == 1 and (size := sizes.pop()) > 0:
            claims["rows"] = size
    if "rows" not in claims:
        room = snapshot.extents.room_for([row.node.index for row in rows])
        room = _clipped_room(rows) if room is None else room
        if room is not None and room > len(rows):
            claims["about"] = room
    return claims


def _heads_counted(snapshot: BaseSnapshot, table: Node, rows: Sequence[Row]) -> int:
    """How many lines of headers and sums a table's number of rows has in it."""
    extra, roles, ends = snapshot.columns.extra, snapshot.columns.role, snapshot.ends
    lines = [at for at in range(table.index, ends[table.index]) if roles[at] == "row"]
    heads = [
        at
        for at in lines
        if "columnheader" in (inside := roles[at : ends[at]]) and not {"cell", "gridcell"} & set(inside)
    ]
    numbers = [int(extra.get(row.node.index, {}).get("posinset") or 0) for row in rows]
    least, most = min(numbers), max(numbers)
    sums = [
        at
        for at in lines
        if (number := extra.get(at, {}).get("posinset"))
        and not least <= number <= most
        and (number < least or is_sum(snapshot, at, table.index))
    ]
    head_lines = {extra.get(at, {}).get("posinset") or -at for at in (*heads, *sums)}
    above = sum(line < most for line in head_lines)
    return 0 if any(0 < number <= above for number in numbers) else len(head_lines)


def _clipped_room(rows: Sequence[Row]) -> int | None:
    """How many rows a box has room for that is much higher than what is around it, which scripts scroll."""
    box = rows[0].node.snapshot.columns.box
    places = [4 * row.node.index for row in rows]
    top, bottom = min(box[at + 1] for at in places), max(box[at + 1] + box[at + 3] for at in places)
    if len(rows) < FEWEST or bottom <= top:
        return None
    pitch = (bottom - top) / len(rows)
    for up in list(rows[0].node.ancestors)[:3]:
        clip = up.parent
        if clip is None or clip.frame != up.frame or up.role == "document":
            return None
        spare = up.box.height - (bottom - top)
        if clip.box.height * 2 < up.box.height and spare > max(clip.box.height, FEWEST * pitch):
            return round(up.box.height / pitch)
    return None


def _claims_in_words(
    snapshot: BaseSnapshot, rows: Sequence[Row], others: Sequence[Sequence[Row]]
) -> dict[str, int]:
    """Counts that the page's words give, outside of the rows; two that differ say nothing."""
    found: dict[str, set[int]] = {}
    every = [[row.node.index for row in each] for each in (rows, *others)]
    called = lexicon.bare(_name_over(snapshot, sorted(every[0])))
    for at, text in _short_texts(snapshot, rows).items():
        for claim in _claims_in(text):
            says = claim.of(len(rows), called)
            if not says or (claim.kind == "things" and not _stands_alone(snapshot, at)):
                continue
            if others and owner_of(snapshot, at, every) not in {0, None}:
                continue
            for name, count in says.items():
                found.setdefault(name, set()).add(count)
            break
    totals = {total for total in found.pop("total", set()) if total >= len(rows)}
    if "rows" not in found and totals:
        found["rows"] = totals
    return {name: counts.pop() for name, counts in found.items() if len(counts) == 1}


def is_last_page(snapshot: BaseSnapshot, rows: Sequence[Row]) -> bool:
    """Whether the page's words say that it is the last one ("Page 4 of 4"), and no others say otherwise."""
    texts = _short_texts(snapshot, rows).values() if rows else ()
    numbered = {numbered for text in texts if (numbered := _page_said(text))}
    return len(numbered) == 1 and all(at == count for at, count in numbered)


class _Claim(NamedTuple):
    """What a text says that there is: a kind of `_Patterns`, its numbers, and the noun that stands with them."""

    kind: str
    numbers: tuple[int, ...]
    noun: str = ""

    def of(self, count: int, called: str) -> dict[str, int]:
        """What it claims of a list with so many rows and a name; nothing where it speaks of others."""
        numbers = self.numbers
        match self.kind:
            case "range":
                first, last, total = numbers
                return {"rows": total, "first": first} if last - first + 1 == count and last <= total else {}
            case "pages":
                return {"page": numbers[0], "pages": numbers[1]}
            case "part":
                return {"rows": numbers[1]} if numbers[0] == count <= numbers[1] else {}
            case "total":
                return {"total": numbers[0]} if numbers[0] >= count else {}
        return {"total": numbers[0]} if f"{called} ".startswith(f"{self.noun} ") else {}


@lru_cache(maxsize=8192)
def _claims_in(text: str) -> tuple[_Claim, ...]:
    """What a folded text says of how much there is; of several, the first that fits a list counts."""
    patterns = _patterns()
    if match := patterns.range.search(text):
        return (_Claim("range", tuple(map(_number, match.groups()))),)
    if match := patterns.total_and_range.search(text):
        total, first, last = map(_number, match.groups())
        return (_Claim("range", (first, last, total)),)
    if numbered := _page_said(text):
        return (_Claim("pages", numbered),)
    if match := patterns.part.search(text):
        return (_Claim("part", tuple(map(_number, match.groups()))),)
    found = []
    if match := patterns.total.match(text) or patterns.bare_total.match(text):
        found.append(_Claim("total", (_number(match[1]),)))
    match = _COUNTED_NAME.match(text)
    if match and match["before"] and not _YEAR.fullmatch(match["before"]):
        found.append(_Claim("things", (_number(match["before"]),), lexicon.bare(match["things"])))
    return tuple(found)


def _page_said(text: str) -> tuple[int, int] | None:
    """Which page of how many a text says that this is."""
    match = _patterns().pages.search(text)
    at, count = map(_number, match.groups()) if match else (1, 0)
    return (at, count) if at <= count else None


def _text_of(snapshot: BaseSnapshot, index: int) -> str:
    """What a node says; of a field in it what it is set to, as in "Page [1] of 3"."""
    has_field = not FIELDS.isdisjoint(snapshot.columns.role[index : snapshot.ends[index]])
    return text_with_values(snapshot, index) if has_field else snapshot.text_of(index)


def _short_texts(snapshot: BaseSnapshot, rows: Sequence[Row]) -> dict[int, str]:
    """Texts with digits in them, outside of the rows, as far as a line of the page goes around them."""
    parents, ends = snapshot.parents, snapshot.ends
    first = rows[0].node.index
    starts: list[int] = []
    for start in sorted(row.node.index for row in rows):
        starts += [start] if not starts or start >= ends[starts[-1]] else []
    texts: dict[int, str] = {}
    read = 0
    for at in _texts_with_digits(snapshot):
        row = bisect_right(starts, at) - 1
        if (row >= 0 and at < ends[starts[row]]) or is_aside(snapshot, at, first):
            continue
        if (read := read + 1) > MOST_TEXTS:
            break
        around = at
        texts[at] = clean(snapshot.columns.name[at])
        while (around := parents[around]) >= 0 and around not in texts:
            if around <= first < ends[around] or ends[around] - around > 40:
                break
            text = _text_of(snapshot, around)
            if len(text) > LONGEST_NAME:
                break
            texts[around] = text
    return {at: lexicon.fold(text) for at, text in texts.items()}


@remembered
def _texts_with_digits(snapshot: BaseSnapshot) -> list[int]:
    """The nodes that say a text with a digit in it."""
    columns, ends = snapshot.columns, snapshot.ends
    return [
        at
        for at, role in enumerate(columns.role)
        if (role == "text" or (role in _SAYING and ends[at] == at + 1))
        and any(map(str.isdigit, columns.name[at]))
    ]


def _number(text: str) -> int:
    return int(re.sub(r"\D", "", text))


class _Patterns(NamedTuple):
    """Patterns of the words in which pages say how much there is, in folded texts."""

    range: re.Pattern[str]
    total_and_range: re.Pattern[str]
    part: re.Pattern[str]
    total: re.Pattern[str]
    bare_total: re.Pattern[str]
    pages: re.Pattern[str]


@cache
def _patterns() -> _Patterns:
    number = r"(\d{1,3}(?:[.,'\s]\d{3})+|\d+)"
    things = lexicon.alternation("results", "items")
    total, counted = lexicon.alternation("total"), lexicon.alternation("counted", "total")
    to = rf"\s*(?:-|–|—|\.{{2,3}}|{lexicon.alternation('to')})\s*"
    of = rf"\s*(?:/|{lexicon.alternation('of')})\s*"
    front, about = r"(?<![\d.,-])", rf"(?:{counted}\s*|~)?"
    return _Patterns(
        range=re.compile(rf"{front}{number}{to}{number}{of}{about}{number}\b"),
        total_and_range=re.compile(rf"{front}{number}\s*{things}\W+(?:{counted}\s*)?{number}{to}{number}\b"),
        part=re.compile(rf"{front}{number}{of}{about}{number}\s*{things}"),
        total=re.compile(rf"\W*(?:{counted}:?\s*){{0,2}}{number}\s*{things}(?:\s+{counted})?\W*\Z"),
        bare_total=re.compile(rf"\W*{total}:?\s*{number}\W*\Z"),
        pages=re.compile(rf"{lexicon.alternation('page')}\s+{number}{of}{number}\b"),
    )
